// A study's training set now, and as it was when there were fewer results.
//
// Hyperparameters are not calibrated anew at each result, once there are many: they stay as they
// were when there were CalibratedTo results, and so does the scale of the results. Both are
// functions of the study's history alone.
#ifndef SLIPSTREAM_CORE_STRATEGY_TRAINING_HISTORY_H_
#define SLIPSTREAM_CORE_STRATEGY_TRAINING_HISTORY_H_

#include <optional>

#include "core/gp/likelihood.h"
#include "core/gp/output_transform.h"
#include "core/prior/prior.h"
#include "core/study/study_view.h"
#include "core/study/training_set.h"

namespace slipstream {

// The transformation of results before models see them.
struct Scaling {
  OutputWarp warp = OutputWarp::kStandardize;
  double reach = 0;  // As TrainingSetOptions::reach.
  // Sources that help make results gather around the incumbent from the start. Then crowded ones
  // count less when the limit of far ones is computed, and the results themselves say whether a
  // power transform serves them, in a space of numbers alone, too.
  bool beside_sources = false;
  // The scale that results share with other tasks; none: their own.
  std::optional<OutputTransform> shared = {};
  // Results lie here on their own scale if all are of one configuration.
  double only_result_at = 0;
  size_t most = TrainingSetOptions().most;
};

// On the scale of `transform`; null: on that of the scaling.
TrainingSet TrainingSetOf(const StudyView& view, const Scaling& scaling,
                          const OutputTransform* transform = nullptr);

// The number of results that hyperparameters are calibrated to, if `different` configurations were
// measured: all while they are few, then a term of a schedule (ScheduledFitSize). A result is
// settled when no earlier trial is open. If enough are, only settled ones are taken, so that late
// results change nothing.
Index CalibratedTo(const StudyView& view, Index different);

// The training set as it was when there were `count` different configurations.
TrainingSet EarlierTraining(const StudyView& view, const Scaling& scaling, Index count);
// The results alone of all these. The view and the scaling must outlive it.
EarlierResults HistoryOf(const StudyView& view, const Scaling& scaling);
TrainingData NoResults(const SearchSpace& space);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_TRAINING_HISTORY_H_
