#include "core/calibration/shrinking.h"

#include <memory>
#include <utility>

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

namespace {

constexpr Option<ShrinkingOptions> kShrinkingOptions[] = {
    OptionAt<&ShrinkingOptions::least_deviation>(
        {"shrinking_deviation", "deviations of the results", 1e-6, 1, false,
         "shrinking makes the deviation at the next point at least this"}),
    OptionAt<&ShrinkingOptions::most>(
        {"shrinking_most", "", 1, 1000, false, "shrinking divides lengthscales by at most this"}),
};

class ShrinkingRule final : public LengthscaleRule {
 public:
  explicit ShrinkingRule(const ShrinkingOptions& options) : options_(options) {}

  absl::StatusOr<RuledLengthscales> Apply(const LengthscaleInput& input) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(Shrunk shrunk, Shrink(input.model, input.members, input.multiplier,
                                                      options_, input.chosen_deviation));
    return RuledLengthscales{.members = std::move(shrunk.members),
                             .facts = {{"g", shrunk.g}, {"chosen_deviation", shrunk.deviation}}};
  }

 private:
  const ShrinkingOptions options_;
};

}  // namespace

const CalibrationRow kShrinking = {
    .about = {.name = "shrinking",
              .summary = "Lengthscales just short enough for an uncertain next point",
              .source = "Wang and de Freitas 2014, as compared with by Berkenkamp et al. 2019",
              .options = [] { return OptionSet(ShrinkingOptions(), kShrinkingOptions); }},
    .rule = [](const OptionSet& options) -> std::unique_ptr<LengthscaleRule> {
      return std::make_unique<ShrinkingRule>(options.As<ShrinkingOptions>());
    },
};

}  // namespace slipstream
