#include "core/exploration/exploration.h"

#include <utility>

#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/exploration/blocks.h"
#include "core/exploration/hedge.h"
#include "core/exploration/turns.h"

namespace slipstream {
namespace {

constexpr uint64_t kExplorationLane = 0xe8b10;

class Alternate final : public Exploration {
 public:
  ExplorationStep Next(const ExplorationInput& input) const override {
    ExplorationStep step;
    step.is_random = input.index % 2 == 1;
    return step;
  }
};

struct RandomOptions {
  double share = 0.1;

  friend bool operator==(const RandomOptions&, const RandomOptions&) = default;
};

constexpr Option<RandomOptions> kRandomOptions[] = {
    OptionAt<&RandomOptions::share>(
        {"random_share", "", 0, 1, false,
         "The probability that random replaces a suggestion with a random point"}),
};

class SometimesRandom final : public Exploration {
 public:
  explicit SometimesRandom(const RandomOptions& options) : options_(options) {}

  ExplorationStep Next(const ExplorationInput& input) const override {
    ExplorationStep step;
    step.is_random = ExplorationUniform(input) < options_.share;
    return step;
  }

 private:
  const RandomOptions options_;
};

const ExplorationRow kNone = {
    .about = {.name = "none", .summary = "Always where the acquisition is largest"},
    .make = [](const OptionSet&) { return std::make_unique<Exploration>(); },
};

const ExplorationRow kAlternate = {
    .about = {.name = "alternate",
              .summary = "Every second suggestion is uniformly random",
              .source = "RA-BO, in UHE-BO's comparison"},
    .make = [](const OptionSet&) -> std::unique_ptr<Exploration> {
      return std::make_unique<Alternate>();
    },
};

const ExplorationRow kRandom = {
    .about = {.name = "random",
              .summary = "Each suggestion is uniformly random with a fixed probability",
              .options = [] { return OptionSet(RandomOptions(), kRandomOptions); }},
    .make = [](const OptionSet& options) -> std::unique_ptr<Exploration> {
      return std::make_unique<SometimesRandom>(options.As<RandomOptions>());
    },
};

}  // namespace

ExplorationStep Exploration::Next(const ExplorationInput&) const { return {}; }

absl::StatusOr<ExploredPoint> Exploration::Choose(ExploredSearch search) const {
  if (search.known.has_value()) return ExploredPoint{*std::move(search.known)};
  SLIPSTREAM_ASSIGN_OR_RETURN(NextPoint next, ChooseNextPoint(search.request));
  return ExploredPoint{std::move(next)};
}

absl::Span<const ExplorationRow* const> ExplorationRows() {
  static constexpr const ExplorationRow* kRows[] = {&kNone,      &kExp3,   &kPortfolio, &kHedge,
                                                    &kAlternate, &kRandom, &kTurns};
  return kRows;
}

double ExplorationUniform(const ExplorationInput& input) {
  return CounterRandomUniform(input.seed, input.index, kExplorationLane);
}

}  // namespace slipstream
