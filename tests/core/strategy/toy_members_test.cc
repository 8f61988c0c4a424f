// A new member of an axis is its row: here is one of each axis, which no table of core knows, and
// studies take suggestions with them. core/README.md lists the files that a real one touches.
#include <memory>
#include <string>
#include <vector>

#include "core/acquisition/acquisitions.h"
#include "core/acquisition/next_point.h"
#include "core/base/deadline.h"
#include "core/base/status.h"
#include "core/calibration/calibrations.h"
#include "core/exploration/exploration.h"
#include "core/prior/priors.h"
#include "core/prior/source_sum.h"
#include "core/recipe/recipe_names.h"
#include "core/strategy/model_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

// ---- A prior that believes all sources, from a fixed distance ----

struct ToyPriorOptions {
  double amplitude = 0.3;

  friend bool operator==(const ToyPriorOptions&, const ToyPriorOptions&) = default;
};

constexpr Option<ToyPriorOptions> kToyPriorOptions[] = {
    OptionAt<&ToyPriorOptions::amplitude>(
        {"toy_amplitude", "", 0.1, 2, false, "How far the target is from its sources"}),
};

constexpr Conflict kToyPriorConflicts[] = {
    {.axis = RecipeAxis::kAcquisition, .other = "pi", .reason = "which is no toy"},
};

class ToyPrior final : public Prior {
 public:
  explicit ToyPrior(double amplitude) : sum_(MakeSourceSum({.amplitude = amplitude})) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    return sum_->Combine(input);
  }

 private:
  std::unique_ptr<Prior> sum_;
};

const PriorRow kToyPrior = {
    .about = {.name = "toy_prior",
              .summary = "Believes all sources",
              .options = [] { return OptionSet(ToyPriorOptions(), kToyPriorOptions); },
              .conflicts = kToyPriorConflicts},
    .make = [](const OptionSet& options, const FollowedAcquisition&) -> std::unique_ptr<Prior> {
      return std::make_unique<ToyPrior>(options.As<ToyPriorOptions>().amplitude);
    },
};

// ---- A calibration that takes what is believed for true ----

class ToyCalibration final : public Calibration {
 private:
  absl::StatusOr<Calibrated> DoCalibrate(const Model& model,
                                         const CalibrationData&) const override {
    Calibrated calibrated;
    calibrated.members = {model.Unpack(model.Location()), model.Unpack(model.Location())};
    return calibrated;
  }
};

const CalibrationRow kToyCalibration = {
    .about = {.name = "toy_calibration", .summary = "What is believed, twice"},
    .make = [](const QuasiNewtonOptions&) -> std::unique_ptr<Calibration> {
      return std::make_unique<ToyCalibration>();
    },
};

// ---- An acquisition that likes the mean alone ----

class MeanScore final : public SmoothScore {
 public:
  explicit MeanScore(const Surrogate& surrogate) : surrogate_(surrogate) {}

  Vector ValuesAt(const PointMatrix& x) const override { return surrogate_.Predict(x).mean; }
  double ValueAndGradient(ConstVectorView x, VectorView gradient) const override {
    const PointPrediction there = surrogate_.PredictPoint(x);
    gradient = there.mean_gradient;
    return there.mean;
  }

 private:
  const Surrogate& surrogate_;
};

const AcquisitionRow kToyAcquisition = {
    .about = {.name = "toy_acquisition", .summary = "The mean"},
    .score = [](const NextPointRequest& request) -> absl::StatusOr<std::unique_ptr<PointScore>> {
      return std::make_unique<MeanScore>(request.model.member(0));
    },
};

// ---- An exploration that takes every third suggestion at random ----

class EveryThird final : public Exploration {
 public:
  ExplorationStep Next(const ExplorationInput& input) const override {
    ExplorationStep step;
    step.is_random = input.index % 3 == 2;
    step.facts.push_back({"toy_turn", static_cast<double>(input.index % 3)});
    return step;
  }
};

const ExplorationRow kToyExploration = {
    .about = {.name = "toy_exploration", .summary = "Every third suggestion is random"},
    .make = [](const OptionSet&) -> std::unique_ptr<Exploration> {
      return std::make_unique<EveryThird>();
    },
};

// ---- Recipes with them ----

// The tables of core, each with one row more.
class ToyTables {
 public:
  RecipeTables tables() const {
    return {priors_, calibrations_, acquisitions_, explorations_, InitialRows()};
  }

 private:
  template <typename Row>
  static std::vector<const Row*> With(absl::Span<const Row* const> rows, const Row& one_more) {
    std::vector<const Row*> all(rows.begin(), rows.end());
    all.push_back(&one_more);
    return all;
  }

  std::vector<const PriorRow*> priors_ = With(PriorRows(), kToyPrior);
  std::vector<const CalibrationRow*> calibrations_ = With(CalibrationRows(), kToyCalibration);
  std::vector<const AcquisitionRow*> acquisitions_ = With(AcquisitionRows(), kToyAcquisition);
  std::vector<const ExplorationRow*> explorations_ = With(ExplorationRows(), kToyExploration);
};

const RecipeChange kAllToys{.prior = "toy_prior",
                            .calibration = "toy_calibration",
                            .acquisition = "toy_acquisition",
                            .exploration = "toy_exploration",
                            .options = {{"toy_amplitude", 0.5}}};

FakeStudy StudyWithSources(const std::shared_ptr<const SearchSpace>& space) {
  FakeStudy study(space, {SourceOn(space, "near", 0.02), SourceOn(space, "far", 0.4)});
  for (int i = 0; i < 6; ++i) {
    study.Lease(MustSuggest("quasi_random", study.view(), 1, 5));
    study.End(Ending::kMeasured, BowlValueAt(*space, study.open.front().configuration, 0));
  }
  return study;
}

TEST(ToyMembers, MakeSuggestionsByTheirRowsAlone) {
  const ToyTables toys;
  const auto recipe = ChangedRecipe(Recipe(), kAllToys, toys.tables());
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  const std::unique_ptr<Strategy> strategy = MakeModelStrategy("toy", *recipe);
  for (const auto& space : {SquareSpace(), MixedSpace(), LineOfCandidates(40)}) {
    FakeStudy study = StudyWithSources(space);
    for (int i = 0; i < 3; ++i) {
      const auto made = strategy->Suggest(study.view(), 1, 9, Deadline::Infinite());
      ASSERT_TRUE(made.ok()) << made.status();
      const Suggestion& suggestion = made->front();
      EXPECT_TRUE(IsLegal(*space, suggestion.configuration));
      EXPECT_EQ(suggestion.provenance.rung, Rung::kRecipe) << suggestion.provenance.rung_reason;
      EXPECT_EQ(TextFact(suggestion, "recipe"),
                "prior toy_prior, calibration toy_calibration, acquisition toy_acquisition, "
                "exploration toy_exploration");
      const bool is_random = study.suggested % 3 == 2;
      EXPECT_EQ(HasFact(suggestion, "random_index"), is_random);
      if (!is_random) {
        EXPECT_EQ(NumberFact(suggestion, "members"), 2);
        EXPECT_FALSE(suggestion.provenance.sources.empty());
      }
      study.Lease(*made);
      study.End(Ending::kMeasured, BowlValueAt(*space, suggestion.configuration, 0));
    }
  }
}

TEST(ToyMembers, AreListedAndCheckedByTheirRows) {
  const ToyTables toys;
  const auto refusal = [&](const RecipeChange& change) {
    return std::string(ChangedRecipe(Recipe(), change, toys.tables()).status().message());
  };
  EXPECT_THAT(refusal({.prior = "toy_prior", .options = {{"toy_amplitude", 3}}}),
              HasSubstr("from 0.1 to 2"));
  EXPECT_THAT(refusal({.prior = "toy_prior", .acquisition = "pi"}),
              HasSubstr("toy_prior cannot be combined with pi, which is no toy"));
  EXPECT_THAT(refusal({.exploration = "magic"}), HasSubstr("turns, toy_exploration"));
  std::vector<std::string> names;
  for (const RecipeIngredient& ingredient : RecipeIngredients(toys.tables())) {
    names.emplace_back(ingredient.about->name);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"toy_prior", "toy_calibration", "toy_acquisition", "toy_exploration"}));
  const auto options = RecipeOptions(toys.tables());
  EXPECT_THAT(options, ::testing::Contains(::testing::Truly([](const RecipeOption& option) {
                return option.info.name == "toy_amplitude" && option.default_value == 0.3;
              })));
  EXPECT_FALSE(ChangedRecipe(Recipe(), kAllToys).ok());
}

}  // namespace
}  // namespace slipstream
