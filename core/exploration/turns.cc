#include "core/exploration/turns.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/status.h"
#include "core/space/branches.h"

namespace slipstream {
namespace {

// When turns begin, on outputs of variance 1 and in deviations of the noise, and what they are.
constexpr double kLittleImprovement = 0.01;
constexpr double kLittleBesideNoise = 0.4;
constexpr int64_t kTurnLength = 3;
constexpr double kRefining = 0.35;
constexpr double kExploring = 1.2;
constexpr double kExploringFar = 2;

double NoiseDeviation(const SearchedModel& model) {
  double variance = 0;
  for (size_t i = 0; i < model.size(); ++i) variance = std::max(variance, model.NoiseVariance(i));
  return std::sqrt(variance);
}

// By how much a turn changes the model's deviations; none where it is not a time for turns.
std::optional<double> TurnAt(const ExploredSearch& search, const NextPoint& next) {
  const NextPointRequest& request = search.request;
  const auto improvement = request.acquisition->improvement;
  if (improvement == nullptr || search.has_lengthscale_rule || !request.model.takes_turns() ||
      next.searched_whole) {
    return {};
  }
  const double expected = improvement(next.value);
  const bool is_little = expected < kLittleImprovement;
  if (!is_little && expected >= kLittleBesideNoise * NoiseDeviation(request.model)) return {};
  if (request.round % kTurnLength == 0) return kRefining;
  return IsMixed(request.space) || !is_little ? kExploringFar : kExploring;
}

class Turns final : public Exploration {
 public:
  // Without time for a turn the acquisition's point stays: it is better than a step down the
  // ladder.
  absl::StatusOr<ExploredPoint> Choose(ExploredSearch search) const override {
    const NextPointRequest& request = search.request;
    SLIPSTREAM_ASSIGN_OR_RETURN(ExploredPoint point, Exploration::Choose(search));
    const std::optional<double> turn = TurnAt(search, point.next);
    if (!turn.has_value()) return point;
    NextPointRequest turned = request.With(request.acquisition, request.model);
    turned.deviation_factor = *turn;
    absl::StatusOr<NextPoint> next = ChooseNextPoint(turned);
    if (absl::IsDeadlineExceeded(next.status())) {
      point.facts.push_back({"turn", std::string("left out: no time")});
      return point;
    }
    if (!next.ok()) return next.status();
    return ExploredPoint{*std::move(next), {}, {{"deviation_factor", turned.deviation_factor}}};
  }
};

}  // namespace

const ExplorationRow kTurns = {
    .about = {.name = "turns",
              .summary = "Once little is expected, alternates between refining and exploring"},
    .make = [](const OptionSet&) -> std::unique_ptr<Exploration> {
      return std::make_unique<Turns>();
    },
};

}  // namespace slipstream
