#include "core/calibration/posterior.h"

#include <optional>

namespace slipstream {

SmoothFunction LogPosterior(const Model& model, const TrainingData& data, bool with_beliefs) {
  return [&model, &data, with_beliefs](ConstVectorView packed,
                                       VectorView gradient) -> std::optional<double> {
    const absl::StatusOr<LikelihoodValue> likelihood =
        LogMarginalLikelihood(*model.kernel, data, Hyperparameters::Unpacked(packed));
    if (!likelihood.ok()) return std::nullopt;
    gradient = likelihood->gradient;
    return likelihood->value + (with_beliefs ? model.LogBelief(packed, gradient) : 0);
  };
}

TrainingData EvenlySpread(const TrainingData& data, Index count) {
  const Index size = data.y.size();
  if (size <= count) return data;
  TrainingData spread{PointMatrix(count, data.x.cols()), Vector(count), Vector(count)};
  for (Index i = 0; i < count; ++i) {
    const Index place = (i + 1) * size / count - 1;
    spread.x.row(i) = data.x.row(place);
    spread.y[i] = data.y[place];
    spread.repeats[i] = data.repeats[place];
  }
  return spread;
}

}  // namespace slipstream
