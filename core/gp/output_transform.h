// A task's results on the scale that models work on: mean 0, deviation 1, more
// is better; and the way back.
//
// Strictly increasing in the result (decreasing, where less is better), never
// NaN, for any finite results. Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_GP_OUTPUT_TRANSFORM_H_
#define SLIPSTREAM_CORE_GP_OUTPUT_TRANSFORM_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/linalg/types.h"

namespace slipstream {

enum class OutputWarp {
  // Nothing but (y - mean)/deviation.
  kStandardize,
  // Yeo and Johnson's power transformation, of the most likely exponent
  // ("A new family of power transformations to improve normality or symmetry",
  // 2000), before that: for results with a long tail.
  kPower,
  // The normal quantile of the rank: for tails so heavy that only order counts
  // (Salinas, Shen, Perrone, "A quantile-based approach for hyperparameter
  // transfer learning", 2020). Between results linear, beyond them the slope of
  // the last step.
  kCopula,
  // One of the first two, with results far behind the others limited: in a space of numbers alone
  // the power, in one with categories or conditions what the results speak for
  // (core/strategy/scaled_results.h decides). None that Fit takes.
  kByEvidence,
};

class OutputTransform {
 public:
  // Learns from at least one result; all are finite. `warp` is not kByEvidence. `sign` is 1 where
  // more is better, -1 where less is.
  static OutputTransform Fit(OutputWarp warp, const Vector& results, double sign);
  // Changes nothing but the sign.
  static OutputTransform Identity(double sign);

  // The same map for results of another sign: their signed values go where those of this one's go.
  OutputTransform WithSign(double sign) const;

  // The same map, but for values that are all larger by `more`.
  OutputTransform MovedBy(double more) const;

  double Apply(double result) const;
  Vector Apply(const Vector& results) const;
  // The logarithm of Apply's derivative where its value is `value`; not of the copula.
  double LogSlopeAt(double value) const;
  // Apply's inverse; finite for finite values.
  double Invert(double value) const;
  // `value`, or where that is far beyond all of `values`, one whose inverse is as far from theirs
  // as these are from one another. The inverse of a power ends somewhere, and what a model expects
  // beyond that is a huge number of no meaning.
  double Nearer(double value, const Vector& values) const;
  // Returns half of the distance between the inverses of one deviation more and one less than the
  // mean. The longer side counts as at most ten times the shorter one, because the inverse of a
  // power ends somewhere, and numbers are huge there.
  double InvertDeviation(double mean, double deviation) const;
  // All of it in one text, for keys.
  std::string Text() const;
  // All of it as numbers, and the way back; absent where the numbers are of no transform.
  std::vector<double> Numbers() const;
  static std::optional<OutputTransform> FromNumbers(absl::Span<const double> numbers);

  friend bool operator==(const OutputTransform&, const OutputTransform&) = default;

 private:
  double Warp(double scaled) const;
  double Unwarp(double warped) const;

  OutputWarp warp_ = OutputWarp::kStandardize;
  double sign_ = 1;
  double unit_ = 1;    // Results are divided by it first, so that squares exist.
  double offset_ = 0;  // Then this is taken away, ...
  double spread_ = 1;  // ... and divided by this.
  double exponent_ = 1;
  double mean_ = 0;  // The mean and deviation of warped results.
  double deviation_ = 1;
  std::vector<double> knots_;   // Copula: scaled results, ascending, ...
  std::vector<double> scores_;  // ... and their quantiles.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_OUTPUT_TRANSFORM_H_
