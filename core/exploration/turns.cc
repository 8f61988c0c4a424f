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
  bool fills_evenly = false;    // The point is an evenly filling one instead.
  // If there are such words, it is the incumbent with them instead.
  bool seeks_unseen_words = false;
  bool redraws_useless_words = false;
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
    return Turn{kExploringFar, false, !is_first, is_first};
  }
  const bool fills = noise > kMostlyNoise || request.round % kFillingPeriod == kFillingPeriod - 1;
  return Turn{kExploringFar, fills};
}

class Turns final : public Exploration {
 public:
  // Without time for a turn the acquisition's point stays: it is better than a step down the
  // ladder.
  absl::StatusOr<ExploredPoint> Choose(ExploredSearch search) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(ExploredPoint point, Exploration::Choose(search));
    const std::optional<Turn> turn = TurnAt(search, point.next);
    if (!turn.has_value()) return point;
    if (turn->fills_evenly) {
      point.fills_evenly = true;
      point.facts.push_back({"turn", std::string("fills the space beside noise")});
      return point;
    }
    absl::StatusOr<ExploredPoint> turned = TakeTurn(search, *turn);
    if (absl::IsDeadlineExceeded(turned.status())) {
      point.facts.push_back({"turn", std::string("left out: no time")});
      return point;
    }
    return turned;
  }

 private:
  static absl::StatusOr<ExploredPoint> TakeTurn(const ExploredSearch& search, const Turn& turn) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<ExploredPoint> words, OtherWords(search, turn));
    if (words.has_value()) return *std::move(words);
    return Turned(search.request, turn.deviation_factor);
  }

  // None where there are none to try.
  static absl::StatusOr<std::optional<ExploredPoint>> OtherWords(const ExploredSearch& search,
                                                                 const Turn& turn) {
    std::optional<Configuration> words;
    if (turn.seeks_unseen_words) words = UnseenWord(search.request, search.ended);
    if (turn.redraws_useless_words) words = WordsThatSeemNotToMatter(search.request);
    if (!words.has_value()) return std::optional<ExploredPoint>();
    ExploredPoint point;
    SLIPSTREAM_ASSIGN_OR_RETURN(point.next, PointAt(search.request, *std::move(words)));
    point.facts.push_back(
        {"turn", std::string(turn.seeks_unseen_words ? "a word that no trial has had"
                                                     : "words that seem not to matter")});
    return point;
  }

  static absl::StatusOr<ExploredPoint> Turned(const NextPointRequest& request, double factor) {
    NextPointRequest turned = request.With(request.acquisition, request.model);
    turned.deviation_factor = factor;
    ExploredPoint point;
    SLIPSTREAM_ASSIGN_OR_RETURN(point.next, ChooseNextPoint(turned));
    point.facts.push_back({"deviation_factor", factor});
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
