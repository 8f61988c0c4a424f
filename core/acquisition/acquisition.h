// A rule applied to what one or several surrogates predict.
//
// Several stand for draws of the hyperparameters, or for different models: the value is the rule's
// weighted mean over them (of its exponentials, where the rule is a logarithm). Thread-safe;
// keeps pointers to what it is made of.
#ifndef SLIPSTREAM_CORE_ACQUISITION_ACQUISITION_H_
#define SLIPSTREAM_CORE_ACQUISITION_ACQUISITION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/acquisition/rule.h"
#include "core/base/deadline.h"
#include "core/gp/surrogate.h"

namespace slipstream {

// So many points are predicted between two looks at the clock.
inline constexpr Index kMostPredictedAtOnce = 2048;

struct RuledSurrogate {
  const Surrogate* surrogate = nullptr;
  const AcquisitionRule* rule = nullptr;  // All of one kind.
  double log_weight = 0;                  // As SearchedModel::LogWeight.
};

class Acquisition {
 public:
  // At least one member. Once the deadline has passed, Values need not be right.
  explicit Acquisition(std::vector<RuledSurrogate> members,
                       const Deadline& deadline = Deadline::Infinite());

  const std::vector<RuledSurrogate>& members() const { return members_; }

  // Never NaN; -infinity only where the rule says so for all members.
  Vector Values(const PointMatrix& x) const;
  // The value at one point and, into `gradient`, its gradient in x.
  double ValueAndGradient(ConstVectorView x, VectorView gradient) const;

 private:
  Vector LogWeights() const;

  std::vector<RuledSurrogate> members_;
  Deadline deadline_;
};

// The best of the surrogate's means at the points: what counts as reached when
// results are noisy, and the best result itself when they are not. `x` has at
// least one row.
double IncumbentOf(const Surrogate& surrogate, const PointMatrix& x);

// Two readings of "max-value" probability of improvement:
// best result + 0.1, on outputs of variance 1 (HyperBO's rule) ...
double MaxValueTargetFromResults(const Vector& results);
// ... or the mean over joint draws of the maximum at the points (after Wang and
// Jegelka, "Max-value entropy search", 2017), never below `incumbent`.
absl::StatusOr<double> MaxValueTargetFromDraws(const Surrogate& surrogate, const PointMatrix& x,
                                               double incumbent, uint64_t seed);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ACQUISITION_ACQUISITION_H_
