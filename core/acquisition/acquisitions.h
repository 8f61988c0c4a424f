// The axis "acquisition": what makes a point a good next one. One row for each member.
#ifndef SLIPSTREAM_CORE_ACQUISITION_ACQUISITIONS_H_
#define SLIPSTREAM_CORE_ACQUISITION_ACQUISITIONS_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/acquisition/rule.h"
#include "core/base/ingredient.h"
#include "core/linalg/types.h"

namespace slipstream {

struct NextPointRequest;

// All acquisitions have the multiplier, because expanding, shrinking and hedge ask any of them how
// wide an upper confidence bound would be.
struct AcquisitionOptions {
  double multiplier = 1.8;
  // The value that improvements are counted from is the largest of the mean over the whole space,
  // not only where there are results or trials under way.
  bool incumbent_everywhere = false;

  friend bool operator==(const AcquisitionOptions&, const AcquisitionOptions&) = default;
};

class SmoothScore;

// The function that a search maximises. Scores keep references to the request that they were made
// for. Thread-safe.
class PointScore {
 public:
  virtual ~PointScore() = default;

  // The values at points that are compared with one another. Values of different calls need not be
  // comparable: those of a draw are not. Never NaN. FAILED_PRECONDITION when a factorisation fails.
  virtual absl::StatusOr<Vector> Values(const PointMatrix& x) const = 0;
  // Where there are more candidates than this, a search scores an evenly thinned part of them.
  virtual std::optional<size_t> most_candidates() const { return std::nullopt; }
  // This score, if every point has a value of its own, with a gradient; else null.
  virtual const SmoothScore* smooth() const { return nullptr; }
};

class SmoothScore : public PointScore {
 public:
  absl::StatusOr<Vector> Values(const PointMatrix& x) const final { return ValuesAt(x); }
  const SmoothScore* smooth() const final { return this; }

  virtual Vector ValuesAt(const PointMatrix& x) const = 0;
  // The value at a point and, into `gradient`, its gradient in x.
  virtual double ValueAndGradient(ConstVectorView x, VectorView gradient) const = 0;
  // An approximation of this score around `x` that is faster to evaluate; null where there is none.
  // This one must outlive it.
  virtual std::unique_ptr<SmoothScore> Near(ConstVectorView /*x*/) const { return nullptr; }
};

struct AcquisitionRow {
  Ingredient about;
  absl::StatusOr<std::unique_ptr<PointScore>> (*score)(const NextPointRequest& request) = nullptr;
  // Whether it is an upper confidence bound, and how many deviations it adds; null: the option's.
  bool is_upper_bound = false;
  double (*multiplier)(const NextPointRequest& request) = nullptr;
  // Whether the values are of one draw of the function.
  bool draws = false;
  // The expected improvement that a value stands for, on outputs of variance 1; null: it has none.
  double (*improvement)(double value) = nullptr;
  // Whether the value is the logarithm of an expected improvement that is discounted where there is
  // a noisy result already; see NextPointRequest::measured.
  bool discounts_repeats = false;
};

// All of them, in the order in which people should meet them.
absl::Span<const AcquisitionRow* const> AcquisitionRows();

// How many deviations an upper confidence bound adds in the request's round.
double UpperBoundMultiplier(const NextPointRequest& request);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ACQUISITION_ACQUISITIONS_H_
