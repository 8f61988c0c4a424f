#include "core/strategy/scaled_results.h"

#include <memory>
#include <utility>

#include "core/base/status.h"
#include "core/calibration/posterior.h"
#include "core/space/branches.h"
#include "core/strategy/training_history.h"

namespace slipstream {
namespace {

// Calibrations without transfer look at so many results at most, evenly spread: more of them cost
// the cube and change the hyperparameters by less than these are known.
constexpr Index kMostCalibrated = 400;

// An earlier scale serves new results as long as none is further off on it: 1e300 among results of
// the order of 1 is infinite there.
constexpr double kLargestOnScale = 1e6;

// The least evidence for a power in a space with categories or conditions, in natural logarithms.
constexpr double kEvident = 5;

// The logarithm of how likely the results are, on their own scale.
absl::StatusOr<double> LogEvidence(const ScaleJudge& judge, const ScaledResults& scaled) {
  const TrainingData& part = scaled.calibration_part;
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const std::shared_ptr<const Calibrated> calibrated,
      judge.cache.Get(judge.calibration, judge.model, {part, judge.seed, judge.deadline}));
  double evidence = calibrated->log_posterior;
  for (Index i = 0; i < part.y.size(); ++i) {
    const double values = part.spreads.size() > 0 ? part.repeats[i] : 1;
    evidence += values * scaled.training.transform.LogSlopeAt(part.y[i]);
  }
  return evidence;
}

}  // namespace

// The scale of the results is that of those which hyperparameters are calibrated to: these stay
// as they are while more results come, and so does what was made of them.
ScaledResults ScaleResults(const StudyView& view, const Scaling& scaling) {
  ScaledResults scaled;
  scaled.scaling = scaling;
  scaled.training = TrainingSetOf(view, scaling);
  const auto different = static_cast<Index>(scaled.training.different);
  scaled.calibrated_to = CalibratedTo(view, different);
  if (scaled.calibrated_to < different) {
    TrainingSet earlier = EarlierTraining(view, scaling, scaled.calibrated_to);
    TrainingSet all = TrainingSetOf(view, scaling, &earlier.transform);
    // A given scale is what it is.
    if (scaling.shared.has_value() || all.data.y.cwiseAbs().maxCoeff() < kLargestOnScale) {
      scaled.training = std::move(all);
      scaled.calibration_part = EvenlySpread(earlier.data, kMostCalibrated);
      return scaled;
    }
    scaled.calibrated_to = different;
  }
  scaled.calibration_part = EvenlySpread(scaled.training.data, kMostCalibrated);
  return scaled;
}

absl::StatusOr<ScaledResults> ScaleResultsBy(const ScaleJudge& judge, const StudyView& view,
                                             const Scaling& scaling) {
  if (scaling.warp != OutputWarp::kByEvidence) return ScaleResults(view, scaling);
  const auto scaled_by = [&](OutputWarp warp) {
    Scaling one = scaling;
    one.warp = warp;
    one.reach = kUsualReach;
    return ScaleResults(view, one);
  };
  ScaledResults power = scaled_by(OutputWarp::kPower);
  const bool is_mixed = IsMixed(*view.space);
  if (!is_mixed && !scaling.beside_sources) return power;
  ScaledResults plain = scaled_by(OutputWarp::kStandardize);
  SLIPSTREAM_ASSIGN_OR_RETURN(const double of_power, LogEvidence(judge, power));
  SLIPSTREAM_ASSIGN_OR_RETURN(const double of_plain, LogEvidence(judge, plain));
  ScaledResults& chosen = of_power - of_plain > (is_mixed ? kEvident : 0) ? power : plain;
  chosen.power_evidence = of_power - of_plain;
  return std::move(chosen);
}

}  // namespace slipstream
