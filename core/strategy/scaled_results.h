// A study's results on the scale that its model works on.
#ifndef SLIPSTREAM_CORE_STRATEGY_SCALED_RESULTS_H_
#define SLIPSTREAM_CORE_STRATEGY_SCALED_RESULTS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/calibration/calibration.h"
#include "core/gp/model.h"
#include "core/strategy/calibration_cache.h"
#include "core/strategy/training_history.h"
#include "core/study/study_view.h"
#include "core/study/training_set.h"

namespace slipstream {

struct ScaledResults {
  TrainingSet training;
  // Hyperparameters are calibrated to this: the results at the time when there were only ...
  TrainingData calibration_part;
  Index calibrated_to = 0;  // ... this many observations.
  // The gain in the results' log likelihood by a power transform before standardising, if the two
  // were compared.
  std::optional<double> power_evidence = {};
  Scaling scaling = {};  // As it was chosen.
};

// The warp is not kByEvidence.
ScaledResults ScaleResults(const StudyView& view, const Scaling& scaling);

// What judges a scale. All of it must outlive the call that it is passed to.
struct ScaleJudge {
  const Model& model;
  const Calibration& calibration;
  CalibrationCache& cache;
  uint64_t seed = 0;
  Deadline deadline = Deadline::Infinite();
};

// The same, but the warp may be kByEvidence. Then the reach is the usual one, so that results far
// behind the others are limited. In a space with categories or conditions the power transform is
// taken only if `model` makes the results e^5 times as likely with it, and beside sources in other
// spaces if it makes them more likely. Hyperparameters are the most probable ones, and both
// likelihoods are on the results' own scale (Snelson, Rasmussen, Ghahramani, "Warped Gaussian
// processes", 2004). A power that makes the marginal distribution of the results normal stretches
// the values of the few good points next to the incumbent; then nothing in a hardly known branch
// promises as much as refining these. Where many results have gathered at the incumbent, most of
// the variance that it leaves is noise. Errors are those of Calibration::Calibrate.
absl::StatusOr<ScaledResults> ScaleResultsBy(const ScaleJudge& judge, const StudyView& view,
                                             const Scaling& scaling);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_SCALED_RESULTS_H_
