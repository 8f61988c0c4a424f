#include "core/calibration/shrinking.h"

#include "core/base/status.h"
#include "core/calibration/lengthscales.h"
#include "core/calibration/sufficient_scale.h"

namespace slipstream {

absl::StatusOr<Shrunk> Shrink(const Model& model, const std::vector<Hyperparameters>& members,
                              double multiplier, const ShrinkingOptions& options,
                              const ChosenDeviation& chosen_deviation) {
  const std::vector<Index> places = LengthscalePlaces(*model.kernel);
  const auto members_at = [&](double g) {
    std::vector<Hyperparameters> divided;
    divided.reserve(members.size());
    for (const Hyperparameters& member : members) {
      divided.push_back(WithLengthscalesDivided(places, member, g));
    }
    return divided;
  };
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const SufficientScale found,
      SmallestSufficientScale(
          {1, options.most, options.grid_step}, options.least_deviation,
          [&](double g) { return chosen_deviation(members_at(g), multiplier); }));
  return Shrunk{members_at(found.scale), found.scale, found.value};
}

}  // namespace slipstream
