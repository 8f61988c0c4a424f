#include "core/exploration/turns.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/acquisition/other_words.h"
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
// Where noise hides the improvement, one suggestion fills the space evenly in each period of so
// many.
constexpr int64_t kFillingPeriod = 2 * kTurnLength;
// If noise is a larger part of the outputs' variance, all that would explore fill the space.
constexpr double kMostlyNoise = 0.5;

double NoiseVariance(const SearchedModel& model) {
  double variance = 0;
  for (size_t i = 0; i < model.size(); ++i) variance = std::max(variance, model.NoiseVariance(i));
  return variance;
}

struct Turn {
  double deviation_factor = 1;  // The model's deviations count as this many times as large.
  bool fills_evenly = false;    // The point is an evenly filling one instead, ...
  // ... or the incumbent with other words, if there are such.
  std::optional<Configuration> (*other_words)(const NextPointRequest&) = nullptr;
};

// None where it is not a time for turns.
std::optional<Turn> TurnAt(const ExploredSearch& search, const NextPoint& next) {
  const NextPointRequest& request = search.request;
  const auto improvement = request.acquisition->improvement;
  if (improvement == nullptr || search.has_lengthscale_rule || !request.model.takes_turns() ||
      next.searched_whole) {
    return {};
  }
  const double expected = improvement(next.value);
  const double noise = NoiseVariance(request.model);
  const bool is_little = expected < kLittleImprovement;
  if (!is_little && expected >= kLittleBesideNoise * std::sqrt(noise)) return {};
  if (request.round % kTurnLength == 0) return Turn{kRefining};
  if (is_little) {
    if (!IsMixed(request.space)) return Turn{kExploring};
    const bool is_first = request.round % kTurnLength == 1;
    return Turn{kExploringFar, false, is_first ? WordsThatSeemNotToMatter : UnseenWord};
  }
  const bool fills = noise > kMostlyNoise || request.round % kFillingPeriod == kFillingPeriod - 1;
  return Turn{kExploringFar, fills};
}

class Turns final : public Exploration {
 public:
  // Without time for a turn the acquisition's point stays: it is better than a step down the
  // ladder.
  absl::StatusOr<ExploredPoint> Choose(ExploredSearch search) const override {
    const NextPointRequest& request = search.request;
    SLIPSTREAM_ASSIGN_OR_RETURN(ExploredPoint point, Exploration::Choose(search));
    const std::optional<Turn> turn = TurnAt(search, point.next);
    if (!turn.has_value()) return point;
    if (turn->fills_evenly) {
      point.fills_evenly = true;
      point.facts.push_back({"turn", std::string("fills the space beside noise")});
      return point;
    }
    if (turn->other_words != nullptr) {
      if (std::optional<Configuration> other = turn->other_words(request)) {
        SLIPSTREAM_ASSIGN_OR_RETURN(point.next, PointAt(request, *std::move(other)));
        point.facts.push_back({"turn", std::string("the incumbent with other words")});
        return point;
      }
    }
    NextPointRequest turned = request.With(request.acquisition, request.model);
    turned.deviation_factor = turn->deviation_factor;
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
