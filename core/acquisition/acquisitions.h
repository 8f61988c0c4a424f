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

// The options of every acquisition. Others than ucb take the multiplier where something else asks
// how wide an upper confidence bound would be: expanding, shrinking and hedge.
struct AcquisitionOptions {
  double multiplier = 1.8;

  friend bool operator==(const AcquisitionOptions&, const AcquisitionOptions&) = default;
};

// What a search maximises. Keeps references to the request that it was made for.
class PointScore {
 public:
  virtual ~PointScore() = default;

  // At many points at once; never NaN. FAILED_PRECONDITION when a factorisation fails.
  virtual absl::StatusOr<Vector> Values(const PointMatrix& x) const = 0;
  // The same of points that will hardly be asked for again. With a gradient.
  virtual Vector ValuesOnce(const PointMatrix& x) const = 0;
  // Whether single points have a value of their own, with a gradient. Otherwise values belong
  // together, as those of a draw do, and only points scored in one call can be compared.
  virtual bool has_gradient() const { return true; }
  // With a gradient: the value at a point and, into `gradient`, its gradient in x.
  virtual double ValueAndGradient(ConstVectorView x, VectorView gradient) const = 0;
  // How many points can be scored in one call.
  virtual std::optional<size_t> most_points() const { return std::nullopt; }
};

struct AcquisitionRow {
  Ingredient about;
  absl::StatusOr<std::unique_ptr<PointScore>> (*score)(const NextPointRequest& request) = nullptr;
  // An upper confidence bound, and how many deviations it adds; null: the option's.
  bool is_upper_bound = false;
  double (*multiplier)(const NextPointRequest& request) = nullptr;
  // Whether the values are of one draw of the function.
  bool draws = false;
  // The improvement that a value promises, on outputs of variance 1; null: it does not say.
  double (*improvement)(double value) = nullptr;
};

// All of them, in the order in which people should meet them.
absl::Span<const AcquisitionRow* const> AcquisitionRows();

// How many deviations an upper confidence bound adds in the request's round.
double UpperBoundMultiplier(const NextPointRequest& request);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ACQUISITION_ACQUISITIONS_H_
