// A model with source tasks and one without, side by side: acquisitions are averaged over both,
// by their weights. Neither's variance enters the other's.
#ifndef SLIPSTREAM_CORE_STRATEGY_MIXED_MODEL_H_
#define SLIPSTREAM_CORE_STRATEGY_MIXED_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/acquisition/searched_model.h"
#include "core/strategy/transfer_evidence.h"

namespace slipstream {

// A view of two models that were fitted to the same results on the same scale; they must outlive
// it.
class MixedModel final : public SearchedModel {
 public:
  // `share` is the part of the model with sources, from 0 to 1.
  MixedModel(const SearchedModel& without_sources, const SearchedModel& with_sources, double share);

  size_t size() const override;
  const Surrogate& member(size_t member) const override;
  double LogWeight(size_t member) const override;
  double NoiseVariance(size_t member) const override;
  double Incumbent(size_t member) const override;
  const Vector& results() const override { return without_sources_.results(); }
  const OutputTransform& transform() const override { return without_sources_.transform(); }
  // Alternates between those of the two models, beginning with the heavier one.
  std::vector<Configuration> BestConfigurations(size_t count) const override;
  std::optional<int64_t> round() const override { return with_sources_.round(); }
  bool is_costly() const override { return with_sources_.is_costly(); }
  // Sources that help need no turns.
  bool takes_turns() const override {
    return share_ < kMostForTurns && without_sources_.takes_turns();
  }
  bool looks_closer_at_single_points() const override {
    return without_sources_.looks_closer_at_single_points();
  }

 private:
  static constexpr double kMostForTurns = 0.9;

  const SearchedModel& without_sources_;
  const SearchedModel& with_sources_;
  double share_;
};

// What a model expects of the next result at an encoded point, all of its members together.
Forecast ForecastAt(const SearchedModel& model, const PointMatrix& point);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_MIXED_MODEL_H_
