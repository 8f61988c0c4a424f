#include "core/calibration/posterior.h"

#include <optional>

#include "core/base/even_parts.h"

namespace slipstream {

SmoothFunction LogPosterior(const Model& model, const TrainingData& data, bool with_beliefs) {
  return [&model, &data, with_beliefs](ConstVectorView packed,
                                       VectorView gradient) -> std::optional<double> {
    const absl::StatusOr<LikelihoodValue> likelihood =
        LogMarginalLikelihood(*model.kernel, data, model.Unpack(packed));
    if (!likelihood.ok()) return std::nullopt;
    gradient = likelihood->gradient;
    return likelihood->value + (with_beliefs ? model.LogBelief(packed, gradient) : 0);
  };
}

TrainingData EvenlySpread(const TrainingData& data, Index count) {
  if (data.y.size() <= count) return data;
  return RowsOf(data, LastOfParts(data.y.size(), count));
}

}  // namespace slipstream
