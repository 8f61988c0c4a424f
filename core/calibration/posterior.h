// The logarithm of a model's posterior over its hyperparameters.
#ifndef SLIPSTREAM_CORE_CALIBRATION_POSTERIOR_H_
#define SLIPSTREAM_CORE_CALIBRATION_POSTERIOR_H_

#include "core/ascent/bounded_ascent.h"
#include "core/gp/model.h"

namespace slipstream {

// log p(y | hyperparameters), plus LogBelief where `with_beliefs`, of packed
// hyperparameters; nothing where it cannot be computed. Keeps references to its
// arguments.
SmoothFunction LogPosterior(const Model& model, const TrainingData& data, bool with_beliefs);

// At most `count` of the observations, evenly spread over their order, the last
// one always among them.
TrainingData EvenlySpread(const TrainingData& data, Index count);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_POSTERIOR_H_
