// How recipes start: without a design of their own, at random, and with how many points.
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "core/base/deadline.h"
#include "core/prior/priors.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

Suggestion Next(const Strategy& strategy, const StudyView& view) {
  auto suggestions = strategy.Suggest(view, 1, 5, Deadline::Infinite());
  EXPECT_TRUE(suggestions.ok()) << suggestions.status();
  return suggestions->front();
}

FakeStudy WithSources(const std::shared_ptr<const SearchSpace>& space) {
  return FakeStudy(space, {SourceOn(space, "near", 0.02), SourceOn(space, "far", 0.4)});
}

TEST(NoStart, EveryPriorSuggestsBeforeTheFirstResultAndAfterIt) {
  for (const auto& space : {SquareSpace(), MixedSpace(), LineOfCandidates(40)}) {
    for (const PriorRow* prior : PriorRows()) {
      if (!prior->uses_sources()) continue;
      const std::string name(prior->about.name);
      const auto strategy = MakeStrategy(*FindPreset("gp_ei"), {.prior = name, .initial = "none"});
      ASSERT_TRUE(strategy.ok()) << strategy.status();
      FakeStudy study = WithSources(space);
      for (int results = 0; results < 4; ++results) {
        const auto batch = (*strategy)->Suggest(study.view(), 2, 5, Deadline::Infinite());
        ASSERT_TRUE(batch.ok()) << batch.status();
        for (const Suggestion& next : *batch) {
          EXPECT_EQ(next.provenance.rung, Rung::kRecipe)
              << name << ", " << results << " results: " << next.provenance.rung_reason;
          EXPECT_EQ(NumberFact(next, "results"), results) << name;
        }
        EXPECT_NE((*batch)[0].configuration, (*batch)[1].configuration) << name;
        study.Lease({batch->front()});
        if (results == 1) {  // One that has no value comes between.
          study.Lease({batch->back()});
          study.EndAt(1, Ending::kInfeasible);
        }
        study.End(Ending::kMeasured, BowlValueAt(*space, batch->front().configuration, 0));
      }
    }
  }
}

TEST(NoStart, EveryAcquisitionSuggestsBeforeTheFirstResult) {
  for (const AcquisitionRow* acquisition : AcquisitionRows()) {
    const std::string name(acquisition->about.name);
    const auto strategy =
        MakeStrategy(*FindPreset("stacked"), {.acquisition = name, .initial = "none"});
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    const Suggestion next = Next(**strategy, WithSources(SquareSpace()).view());
    EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << name << next.provenance.rung_reason;
  }
}

TEST(NoStart, AnImprovementBeforeTheFirstResultIsWhatTheSourcesExpectMost) {
  FakeStudy study(SquareSpace(), {BowlSource("sourceTasks/a", 0.3, 0.6, 60, 5)});
  for (const char* acquisition : {"ei", "log_ei", "pi"}) {
    const auto strategy = *MakeStrategy(*FindPreset("deltabo"), {.acquisition = acquisition});
    const Suggestion next = Next(*strategy, study.view());
    EXPECT_NEAR(next.configuration.values[0].number(), 0.3, 0.15) << acquisition;
    EXPECT_NEAR(next.configuration.values[1].number(), 0.6, 0.15) << acquisition;
  }
}

TEST(NoStart, WithoutSourcesTheFirstSuggestionIsEvenAndTheSecondTheModels) {
  const auto strategy = *MakeStrategy(*FindPreset("gp_log_ei"), {.initial = "none"});
  FakeStudy study(SquareSpace());
  const Suggestion first = Next(*strategy, study.view());
  EXPECT_EQ(first.provenance.rung, Rung::kRecipe);
  EXPECT_EQ(first.configuration, MustSuggest("quasi_random", study.view(), 1, 5)[0].configuration);
  study.Lease({first});
  study.End(Ending::kMeasured, 1);
  EXPECT_EQ(NumberFact(Next(*strategy, study.view()), "results"), 1);
}

class NeverFitted : public SourceProvider {
 public:
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>&, const SearchSpace&,
      const SourceFitOptions&) override {
    return absl::UnavailableError("soon");
  }
};

TEST(NoStart, WhileSourcesAreNotReadyTheFirstSuggestionsAreEvenAndSayWhy) {
  const FakeStudy study = WithSources(SquareSpace());
  NeverFitted provider;
  StudyView view = study.view();
  view.fitted_sources = &provider;
  const Suggestion first = MustSuggest("deltabo", view, 1, 5)[0];
  EXPECT_EQ(first.provenance.rung, Rung::kQuasiRandom);
  EXPECT_THAT(first.provenance.rung_reason, HasSubstr("not ready"));
  EXPECT_EQ(first.configuration, MustSuggest("quasi_random", study.view(), 1, 5)[0].configuration);
}

TEST(Start, IsAtRandomWhereTheRecipeSaysSo) {
  FakeStudy study(SquareSpace());
  const auto strategy = *MakeStrategy(*FindPreset("gp_log_ei"), {.initial = "random"});
  for (int i = 0; i < 3; ++i) {
    const Suggestion next = Next(*strategy, study.view());
    EXPECT_TRUE(HasFact(next, "random_index"));
    EXPECT_FALSE(HasFact(next, "sobol_index"));
    EXPECT_FALSE(HasFact(next, "results"));
    study.Lease({next});
    study.End(Ending::kMeasured, i);
  }
  EXPECT_TRUE(HasFact(Next(*strategy, study.view()), "results"));
}

// Where little of the space has a value, much is known long before there are eight results.
TEST(Start, TwoTrialsWithoutAValueMakeUpForAMissingResult) {
  for (const Ending ending : {Ending::kInfeasible, Ending::kFailed}) {
    const auto strategy = *MakeStrategy(*FindPreset("gp_log_ei"), {});
    FakeStudy study(MixedSpace());
    for (int trial = 0; trial < 14; ++trial) {
      const Suggestion next = Next(*strategy, study.view());
      EXPECT_EQ(HasFact(next, "results"), false) << trial;
      study.Lease({next});
      if (trial == 0 || trial == 6) {
        study.End(Ending::kMeasured, trial);
      } else {
        study.EndAt(static_cast<size_t>(0), ending);
      }
    }
    EXPECT_TRUE(HasFact(Next(*strategy, study.view()), "results")) << "2 results, 12 without";
  }
}

TEST(Start, TrialsWithoutAValueMakeUpForMissingResultsOfAPortfolioToo) {
  const auto strategy = *MakeStrategy(*FindPreset("portfolio_gp"), {});
  FakeStudy study = WithSources(SquareSpace());
  for (int trial = 0; trial < 4; ++trial) {
    const Suggestion next = Next(*strategy, study.view());
    EXPECT_FALSE(HasFact(next, "results")) << trial;
    study.Lease({next});
    study.EndAt(0, trial < 2 ? Ending::kMeasured : Ending::kInfeasible,
                trial < 2 ? std::optional<double>(trial) : std::nullopt);
  }
  EXPECT_TRUE(HasFact(Next(*strategy, study.view()), "results")) << "2 results, 2 without";
}

TEST(Start, OneResultIsTooFewHoweverManyTrialsFail) {
  const auto strategy = *MakeStrategy(*FindPreset("gp_log_ei"), {});
  FakeStudy study(SquareSpace());
  for (int trial = 0; trial < 16; ++trial) {
    const Suggestion next = Next(*strategy, study.view());
    EXPECT_FALSE(HasFact(next, "results")) << trial;
    study.Lease({next});
    study.EndAt(0, trial == 3 ? Ending::kMeasured : Ending::kFailed,
                trial == 3 ? std::optional<double>(1) : std::nullopt);
  }
}

TEST(Start, GoesOnWhileAllResultsAreEqual) {
  for (const auto& space : {SquareSpace(), MixedSpace(), LineOfCandidates(40)}) {
    const auto strategy = *MakeStrategy(*FindPreset("auto"), {});
    FakeStudy study(space);
    for (int trial = 0; trial < 20; ++trial) {
      const Suggestion next = Next(*strategy, study.view());
      EXPECT_FALSE(HasFact(next, "results")) << trial;
      study.Lease({next});
      study.End(Ending::kMeasured, 0);
    }
    study.Lease({Next(*strategy, study.view())});
    study.End(Ending::kMeasured, 1);
    EXPECT_TRUE(HasFact(Next(*strategy, study.view()), "results"));
  }
}

TEST(Start, EqualResultsAreNoneHoweverMuchIsInfeasible) {
  const auto strategy = *MakeStrategy(*FindPreset("gp_log_ei"), {});
  FakeStudy study(MixedSpace());
  for (int trial = 0; trial < 16; ++trial) {
    const Suggestion next = Next(*strategy, study.view());
    EXPECT_FALSE(HasFact(next, "results")) << trial;
    study.Lease({next});
    study.EndAt(0, trial % 4 == 0 ? Ending::kMeasured : Ending::kInfeasible,
                trial % 4 == 0 ? std::optional<double>(0) : std::nullopt);
  }
}

TEST(Start, HasAsManyPointsAsAreGiven) {
  for (const char* initial : {"quasi_random", "random", "source_portfolio"}) {
    const auto strategy = *MakeStrategy(*FindPreset("rgpe"),
                                        {.initial = initial, .options = {{"initial_points", 7}}});
    FakeStudy study = WithSources(SquareSpace());
    for (int results = 0; results < 9; ++results) {
      const Suggestion next = Next(*strategy, study.view());
      EXPECT_EQ(HasFact(next, "results"), results >= 7) << initial << ", " << results;
      study.Lease({next});
      study.End(Ending::kMeasured, BowlValueAt(*study.space, next.configuration, 0));
    }
  }
}

// Eight points from nothing, for each seed: every choice among up to eight is tried, that of the
// branches and that within one, and each of four branches twice.
TEST(Start, VisitsEveryBranchAndEveryChoice) {
  const CategoricalDomain eight{{"0", "1", "2", "3", "4", "5", "6", "7"}};
  const auto space =
      MakeSpace({{"branch", CategoricalDomain{{"a", "b", "c", "d"}}, {}, {}},
                 {"one", DoubleDomain{}, {}, Condition{"branch", {std::string("a")}}},
                 {"two", DoubleDomain{}, {}, Condition{"branch", {std::string("b")}}},
                 {"choice", eight, {}, {}},
                 {"on", BooleanDomain{}, {}, {}}});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto first = MustSuggest("gp_log_ei", FakeStudy(space).view(), 8, seed);
    std::map<int64_t, int> branches;
    std::set<int64_t> choices;
    for (const Suggestion& suggestion : first) {
      ++branches[suggestion.configuration.values[0].level()];
      choices.insert(suggestion.configuration.values[3].level());
    }
    EXPECT_THAT(branches, ElementsAre(Pair(0, 2), Pair(1, 2), Pair(2, 2), Pair(3, 2)));
    EXPECT_THAT(choices, SizeIs(8));
  }
}

// What a preset makes of the sources before its first model is part of what it says of itself.
TEST(Start, PresetsThatBeginWithThePortfolioSaySo) {
  for (const Preset& preset : Presets()) {
    if (!preset.recipe.initial->from_sources) continue;
    EXPECT_THAT(std::string(preset.summary), HasSubstr("source_portfolio")) << preset.name;
  }
}

}  // namespace
}  // namespace slipstream
