#include "core/exploration/turns.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/acquisition/other_words.h"
#include "core/base/status.h"
#include "core/exploration/in_vain.h"
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
// Where noise hides the improvement, one in this many suggestions fills the space evenly.
constexpr int64_t kFillingPeriod = 2 * kTurnLength;
// If noise is a larger part of the outputs' variance, all that would explore fill the space.
constexpr double kMostlyNoise = 0.5;
// Results are in vain if none is better than the best one before them; where the model promises
// more in a space with words or conditions, it has to be better by this much, on outputs of
// variance 1. Turns begin after the second number of them.
constexpr double kNoticeable = 1e-3;
constexpr Index kManyInVain = 8;
// After this many results in vain, some suggestions are points at random. In a space of numbers,
// those that are hardly better are in vain, too.
constexpr double kAnyBetter = 1e-12;
constexpr Index kPersistentlyInVain = 10;
// In a space of numbers turns begin, too, after at least so many results in vain, of which the
// model had promised so much improvement together, on outputs of variance 1.
constexpr Index kSomeInVain = 5;
constexpr double kBrokenPromises = 1.5;
// While all results look like guesses, one in this many suggestions is the acquisition's.
constexpr int64_t kGuessingPeriod = 2;
// With more noise, as part of the outputs' variance, the best result says too little.
constexpr double kFaintNoise = 0.01;

double NoiseVariance(const SearchedModel& model) {
  double variance = 0;
  for (size_t i = 0; i < model.size(); ++i) variance = std::max(variance, model.NoiseVariance(i));
  return variance;
}

constexpr absl::string_view kBesideNoise = "fills the space, as noise hides improvements";
constexpr absl::string_view kInVain = "fills the space, as results have long not improved";
constexpr absl::string_view kGuesses = "fills the space, as all results look like guesses";

struct Turn {
  double deviation_factor = 1;  // The model's deviations count as this many times as large.
  // Why the point is one at random instead; empty: it is not.
  absl::string_view fills_because = {};
  // If there are such words, it is the incumbent with them instead.
  bool seeks_unseen_words = false;
  bool redraws_useless_words = false;
  // What it is where there are no such words.
  absl::string_view otherwise_fills_because = {};
};

// While the model goes on to promise what it does not keep: every third suggestion is the
// acquisition's, the others look where it expects nothing.
std::optional<Turn> TurnDespitePromises(int64_t round) {
  switch (round % kTurnLength) {
    case 0:
      return {};
    case 1:
      return Turn{.seeks_unseen_words = true, .otherwise_fills_because = kInVain};
    default:
      return Turn{.fills_because = kInVain};
  }
}

// Whether the model goes on to promise what it does not keep. `expected` is the improvement that it
// expects now, as a sign of what it has expected of each of the last suggestions.
bool BreaksPromises(const ExploredSearch& search, double expected, double noise) {
  const NextPointRequest& request = search.request;
  if (IsMixed(request.space)) {
    return noise < kFaintNoise &&
           ResultsInVain(request.model.results(), kNoticeable) >= kManyInVain;
  }
  const Index in_vain = RandomLookingInVain(search.ended, search.goal);
  return in_vain >= kSomeInVain && expected * static_cast<double>(in_vain) >= kBrokenPromises;
}

bool ArePersistentlyInVain(const ExploredSearch& search) {
  const Index in_vain = IsMixed(search.request.space)
                            ? ResultsInVain(search.request.model.results(), kAnyBetter)
                            : ResultsHardlyBetter(search.ended, search.goal);
  return in_vain >= kPersistentlyInVain;
}

Turn TurnWithoutPromises(const ExploredSearch& search, double noise) {
  const int64_t place = search.request.round % kTurnLength;
  if (place == 0) return {.deviation_factor = kRefining};
  if (place == 2 && noise < kFaintNoise && ArePersistentlyInVain(search)) {
    return {.fills_because = kInVain};
  }
  if (!IsMixed(search.request.space)) return {.deviation_factor = kExploring};
  return {.deviation_factor = kExploringFar,
          .seeks_unseen_words = place == 2,
          .redraws_useless_words = place == 1};
}

Turn TurnBesideNoise(const NextPointRequest& request, double noise) {
  if (request.round % kTurnLength == 0) return {.deviation_factor = kRefining};
  const bool fills = noise > kMostlyNoise || request.round % kFillingPeriod == kFillingPeriod - 1;
  return {.deviation_factor = kExploringFar, .fills_because = fills ? kBesideNoise : ""};
}

// None where it is not a time for turns.
std::optional<Turn> TurnAt(const ExploredSearch& search, const NextPoint& next) {
  const NextPointRequest& request = search.request;
  const auto improvement = request.acquisition->improvement;
  if (improvement == nullptr || search.has_lengthscale_rule || !request.model.takes_turns() ||
      next.searched_whole) {
    return {};
  }
  if (request.round % kGuessingPeriod != 0 && AreGuesses(search.ended, search.goal)) {
    return Turn{.fills_because = kGuesses};
  }
  const double expected = improvement(next.value);
  const double noise = NoiseVariance(request.model);
  if (expected < kLittleImprovement) return TurnWithoutPromises(search, noise);
  if (BreaksPromises(search, expected, noise)) return TurnDespitePromises(request.round);
  if (expected >= kLittleBesideNoise * std::sqrt(noise)) return {};
  return TurnBesideNoise(request, noise);
}

class Turns final : public Exploration {
 public:
  // Without time for a turn the acquisition's point stays: it is better than a step down the
  // ladder.
  absl::StatusOr<ExploredPoint> Choose(ExploredSearch search) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(ExploredPoint point, Exploration::Choose(search));
    const std::optional<Turn> turn = TurnAt(search, point.next);
    if (!turn.has_value()) return point;
    if (!turn->fills_because.empty()) return Filling(std::move(point), turn->fills_because);
    absl::StatusOr<ExploredPoint> turned = TakeTurn(search, *turn, point);
    if (absl::IsDeadlineExceeded(turned.status())) {
      point.facts.push_back({"turn", std::string("left out: no time")});
      return point;
    }
    return turned;
  }

 private:
  static ExploredPoint Filling(ExploredPoint point, absl::string_view because) {
    point.fills_space = true;
    point.facts.push_back({"turn", std::string(because)});
    return point;
  }

  // `point` is the acquisition's.
  static absl::StatusOr<ExploredPoint> TakeTurn(const ExploredSearch& search, const Turn& turn,
                                                const ExploredPoint& point) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<ExploredPoint> words, OtherWords(search, turn));
    if (words.has_value()) return *std::move(words);
    if (!turn.otherwise_fills_because.empty()) {
      return Filling(point, turn.otherwise_fills_because);
    }
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
              .summary = "Once little improvement is expected, alternates between refining and "
                         "exploring"},
    .make = [](const OptionSet&) -> std::unique_ptr<Exploration> {
      return std::make_unique<Turns>();
    },
};

}  // namespace slipstream
