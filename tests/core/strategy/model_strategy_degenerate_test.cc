// Histories that models choke on: the suggestion is legal, comes from the model
// where there is one to be had, and no figure about it is NaN.
#include <cmath>
#include <limits>

#include "absl/time/clock.h"
#include "core/base/counter_random.h"
#include "core/gp/normal.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "core/strategy/model_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"
#include "tests/testing/sanitized.h"

namespace slipstream {
namespace {

class DegenerateHistory : public ::testing::TestWithParam<std::tuple<const char*, bool>> {
 protected:
  FakeStudy MakeStudy(std::shared_ptr<const SearchSpace> space = SquareSpace()) const {
    FakeStudy study(std::move(space));
    study.noiseless = std::get<1>(GetParam());
    return study;
  }

  // One more measured trial at random coordinates that depend on `place`.
  static void Measure(FakeStudy& study, double value, uint64_t place) {
    std::vector<double> point;
    for (size_t i = 0; i < study.space->dimension(); ++i) {
      point.push_back(CounterRandomUniform(11, place, i));
    }
    EndedTrial trial;
    trial.number = ++study.last_trial;
    trial.configuration = study.space->Decode(point);
    trial.value = value;
    study.ended.push_back(trial);
  }

  Suggestion Next(const FakeStudy& study, const RecipeChange& change = {}) const {
    const auto strategy = *MakeStrategy(*FindPreset(std::get<0>(GetParam())), change);
    const auto next = *strategy->Suggest(study.view(), 1, 5, Deadline::Infinite());
    EXPECT_EQ(next.size(), 1u);
    EXPECT_TRUE(IsLegal(*study.space, next[0].configuration));
    for (const Fact& fact : next[0].provenance.facts) {
      if (const double* number = std::get_if<double>(&fact.value)) {
        EXPECT_TRUE(std::isfinite(*number)) << fact.name << " " << *number;
      }
    }
    return next[0];
  }

  Suggestion NextFromModel(const FakeStudy& study, const RecipeChange& change = {}) const {
    Suggestion next = Next(study, change);
    EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << next.provenance.rung_reason;
    EXPECT_TRUE(HasFact(next, "acquisition_value"));
    return next;
  }
};

INSTANTIATE_TEST_SUITE_P(Presets, DegenerateHistory,
                         ::testing::Combine(::testing::Values("gp_log_ei", "gp_ucb", "gp_ei",
                                                              "gp_pi", "gp_ts", "gp_hmc"),
                                            ::testing::Bool()));

TEST_P(DegenerateHistory, NoTrials) { EXPECT_TRUE(HasFact(Next(MakeStudy()), "sobol_index")); }

TEST_P(DegenerateHistory, OneTrial) {
  FakeStudy study = MakeStudy();
  Measure(study, 3, 0);
  EXPECT_TRUE(HasFact(Next(study), "sobol_index"));
}

TEST_P(DegenerateHistory, AllResultsEqual) {
  for (double value : {0.0, -7.25, 1e17}) {
    FakeStudy study = MakeStudy();
    for (uint64_t i = 0; i < 8; ++i) Measure(study, value, i);
    EXPECT_TRUE(HasFact(Next(study), "sobol_index")) << "they tell a model nothing";
    NextFromModel(study, {.options = {{"initial_points", 3}}});
  }
}

TEST_P(DegenerateHistory, OneConfigurationOverAndOver) {
  FakeStudy study = MakeStudy();
  for (int i = 0; i < 8; ++i) Measure(study, i % 3, 0);
  NextFromModel(study);
}

TEST_P(DegenerateHistory, RepeatsWithDifferentResults) {
  FakeStudy study = MakeStudy();
  study.suggested = 2;  // As below: the repeats say that there is much noise.
  for (uint64_t i = 0; i < 12; ++i) Measure(study, static_cast<double>((i * 7) % 5), i / 3);
  NextFromModel(study);
}

TEST_P(DegenerateHistory, NeighboursThatAreNearlyTheSame) {
  FakeStudy study = MakeStudy();
  study.suggested = 2;  // The third suggestion refines where noise is all that the model sees.
  for (int i = 0; i < 10; ++i) {
    EndedTrial trial;
    trial.number = ++study.last_trial;
    trial.configuration = {{Value::Double(0.5 + i * 1e-13), Value::Double(0.5)}};
    trial.value = i % 2;
    study.ended.push_back(trial);
  }
  NextFromModel(study);
}

TEST_P(DegenerateHistory, ResultsOfExtremeSize) {
  for (double unit : {1e-300, 1e300, std::numeric_limits<double>::max(),
                      std::numeric_limits<double>::denorm_min()}) {
    FakeStudy study = MakeStudy();
    for (uint64_t i = 0; i < 8; ++i) {
      Measure(study, unit * (CounterRandomUniform(3, i, 0) * 2 - 1), i);
    }
    NextFromModel(study);
  }
}

TEST_P(DegenerateHistory, OneWildOutlier) {
  for (double outlier : {1e12, -1e12, 1e300, -1e300}) {
    FakeStudy study = MakeStudy();
    for (uint64_t i = 0; i < 9; ++i) {
      Measure(study, i == 4 ? outlier : CounterRandomUniform(3, i, 0), i);
    }
    NextFromModel(study);
  }
}

TEST_P(DegenerateHistory, SixtyDimensions) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 60; ++i) {
    parameters.push_back({"x" + std::to_string(i), DoubleDomain{0, 1}, {}, {}});
  }
  FakeStudy study = MakeStudy(MakeSpace(std::move(parameters)));
  for (uint64_t i = 0; i < 12; ++i) Measure(study, CounterRandomUniform(3, i, 99), i);
  NextFromModel(study);
}

TEST_P(DegenerateHistory, ASpaceWithOneLegalPoint) {
  FakeStudy study = MakeStudy(MakeSpace({{"only", CategoricalDomain{{"choice"}}, {}, {}}}));
  for (uint64_t i = 0; i < 4; ++i) {
    Next(study);
    Measure(study, static_cast<double>(i), i);
  }
  EXPECT_EQ(HasFact(NextFromModel(study), "repeat"), study.noiseless);
}

// A study of many results of -(x - 0.4)^2 - y.
FakeStudy LongStudy(int64_t count) {
  FakeStudy study(SquareSpace());
  for (int64_t i = 0; i < count; ++i) {
    EndedTrial trial;
    trial.number = ++study.last_trial;
    const auto place = static_cast<uint64_t>(i);
    const double x = CounterRandomUniform(1, place, 0);
    const double y = CounterRandomUniform(1, place, 1);
    trial.configuration = {{Value::Double(x), Value::Double(y)}};
    trial.value = -(x - 0.4) * (x - 0.4) - y;
    study.ended.push_back(trial);
  }
  return study;
}

void ExpectNearTheBest(const Suggestion& next) {
  EXPECT_NEAR(next.configuration.values[0].number(), 0.4, 0.1);
  EXPECT_NEAR(next.configuration.values[1].number(), 0, 0.05);
}

TEST(LongHistory, AllOfTenThousandResultsAreUsedAsExplainTells) {
  const FakeStudy study = LongStudy(10000);
  const auto next = MustSuggest("gp_log_ei", study.view(), 1, 5)[0];
  EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << next.provenance.rung_reason;
  EXPECT_EQ(NumberFact(next, "results"), 10000);
  EXPECT_EQ(TextFact(next, "patches"),
            "each prediction from the results around it, of 10000 configurations");
  ExpectNearTheBest(next);
}

TEST(LongHistory, AnOptionSaysHowManyResultsOneProcessTakesIn) {
  const FakeStudy study = LongStudy(300);
  for (const int most : {100, 299, 300, 1500}) {
    RecipeChange change;
    change.options["exact_results"] = most;
    const auto strategy = MakeStrategy(*FindPreset("gp_log_ei"), change);
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    const auto next = (*strategy)->Suggest(study.view(), 1, 5, Deadline::Infinite());
    ASSERT_TRUE(next.ok()) << next.status();
    EXPECT_EQ(HasFact((*next)[0], "patches"), most < 300) << most;
    ExpectNearTheBest((*next)[0]);
  }
}

TEST(LongHistory, APresetOfEachKindSuggestsFromManyResults) {
  const FakeStudy study = LongStudy(kSanitized ? 200 : 2500);
  RecipeChange change;
  if (kSanitized) change.options["exact_results"] = 100;
  for (const char* preset : {"gp_ucb", "gp_ts", "gp_hmc", "agpucb_bound"}) {
    const auto strategy = MakeStrategy(*FindPreset(preset), change);
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    const auto suggestions = (*strategy)->Suggest(study.view(), 1, 5, Deadline::Infinite());
    ASSERT_TRUE(suggestions.ok()) << suggestions.status();
    const Suggestion& next = suggestions->front();
    EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << preset << next.provenance.rung_reason;
    EXPECT_TRUE(HasFact(next, "patches")) << preset;
    if (HasFact(next, "members")) {
      EXPECT_EQ(NumberFact(next, "members"), 4) << preset;
    }
  }
}

TEST(LongHistory, WhereManyResultsAreInfeasibleTheOthersAreUsedAll) {
  FakeStudy study = LongStudy(3000);
  for (EndedTrial& trial : study.ended) {
    if (trial.configuration.values[1].number() >= 0.3) continue;
    trial.ending = Ending::kInfeasible;
    trial.value.reset();
  }
  const auto next = MustSuggest("gp_log_ei", study.view(), 1, 5)[0];
  EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << next.provenance.rung_reason;
  EXPECT_TRUE(HasFact(next, "patches"));
  EXPECT_GT(next.configuration.values[1].number(), 0.25);
}

TEST(LongHistory, ABatchFromManyResultsIsSpreadAndEachPointOnlyOnce) {
  const FakeStudy study = LongStudy(2500);
  const auto batch = MustSuggest("gp_log_ei", study.view(), 12, 5);
  ASSERT_EQ(batch.size(), 12u);
  for (size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(batch[i].provenance.rung, Rung::kRecipe);
    for (size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(batch[i].configuration == batch[j].configuration) << i << " " << j;
    }
  }
  EXPECT_EQ(NumberFact(batch.back(), "pending"), 11);
}

// With noise the best results were lucky: what lies around them says so.
TEST(LongHistory, LuckyResultsDoNotMislead) {
  FakeStudy study = LongStudy(4000);
  study.noiseless = false;
  for (EndedTrial& trial : study.ended) {
    trial.value =
        *trial.value + 0.5 * CounterRandomNormal(7, static_cast<uint64_t>(trial.number), 0);
  }
  const auto next = MustSuggest("gp_ucb", study.view(), 1, 5)[0];
  EXPECT_NEAR(next.configuration.values[0].number(), 0.4, 0.3);
  EXPECT_NEAR(next.configuration.values[1].number(), 0, 0.2);
}

}  // namespace
}  // namespace slipstream
