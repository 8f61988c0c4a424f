#include "core/exploration/turns.h"

#include <algorithm>
#include <cmath>
#include <memory>
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
// Where noise hides the improvement, one of so many suggestions fills the space evenly, and where
// noise is more than so much of the outputs' variance all do that would explore.
constexpr int64_t kFillingLength = 2 * kTurnLength;
constexpr double kMostlyNoise = 0.5;

double NoiseVariance(const SearchedModel& model) {
  double variance = 0;
  for (size_t i = 0; i < model.size(); ++i) variance = std::max(variance, model.NoiseVariance(i));
  return variance;
}

enum class Turn { kNoTurn, kRefine, kExplore, kExploreFar, kFill };

Turn TurnAt(const ExploredSearch& search, const NextPoint& next) {
  const NextPointRequest& request = search.request;
  const auto improvement = request.acquisition->improvement;
  if (improvement == nullptr || search.has_lengthscale_rule || !request.model.takes_turns() ||
      next.searched_whole) {
    return Turn::kNoTurn;
  }
  const double expected = improvement(next.value);
  const double noise = NoiseVariance(request.model);
  const bool is_little = expected < kLittleImprovement;
  if (!is_little && expected >= kLittleBesideNoise * std::sqrt(noise)) return Turn::kNoTurn;
  if (request.round % kTurnLength == 0) return Turn::kRefine;
  if (is_little) return IsMixed(request.space) ? Turn::kExploreFar : Turn::kExplore;
  const bool fills = noise > kMostlyNoise || request.round % kFillingLength == kFillingLength - 1;
  return fills ? Turn::kFill : Turn::kExploreFar;
}

double DeviationFactorOf(Turn turn) {
  switch (turn) {
    case Turn::kRefine:
      return kRefining;
    case Turn::kExplore:
      return kExploring;
    case Turn::kExploreFar:
      return kExploringFar;
    case Turn::kNoTurn:
    case Turn::kFill:
      return 1;
  }
  return 1;
}

class Turns final : public Exploration {
 public:
  // Without time for a turn the acquisition's point stays: it is better than a step down the
  // ladder.
  absl::StatusOr<ExploredPoint> Choose(ExploredSearch search) const override {
    const NextPointRequest& request = search.request;
    SLIPSTREAM_ASSIGN_OR_RETURN(ExploredPoint point, Exploration::Choose(search));
    const Turn turn = TurnAt(search, point.next);
    if (turn == Turn::kNoTurn) return point;
    if (turn == Turn::kFill) {
      point.fills_evenly = true;
      point.facts.push_back({"turn", std::string("fills the space beside noise")});
      return point;
    }
    NextPointRequest turned = request.With(request.acquisition, request.model);
    turned.deviation_factor = DeviationFactorOf(turn);
    absl::StatusOr<NextPoint> next = ChooseNextPoint(turned);
    if (absl::IsDeadlineExceeded(next.status())) {
      point.facts.push_back({"turn", std::string("left out: no time")});
      return point;
    }
    if (!next.ok()) return next.status();
    point.next = *std::move(next);
    point.facts.push_back({"deviation_factor", turned.deviation_factor});
    return point;
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
