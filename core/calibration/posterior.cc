#include "core/calibration/posterior.h"

#include <optional>
#include <vector>

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
  const Index size = data.y.size();
  if (size <= count) return data;
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back((i + 1) * size / count - 1);
  return RowsOf(data, rows);
}

}  // namespace slipstream
