// Many suggestions in one call, many trials that are out, many results; deadlines and stops.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "core/strategy/model_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kBatchSeed = 3;

Configuration RandomPlace(uint64_t index) {
  return {{Value::Double(CounterRandomUniform(91, index, 0)),
           Value::Double(CounterRandomUniform(91, index, 1))}};
}

double Peak(const Configuration& configuration) {
  const double x = configuration.values[0].number() - 0.6;
  const double y = configuration.values[1].number() - 0.4;
  return -x * x - y * y + 0.05 * std::sin(20 * x);
}

void Measure(FakeStudy& study, int count) {
  for (int i = 0; i < count; ++i) {
    EndedTrial trial;
    trial.number = ++study.last_trial;
    trial.configuration = RandomPlace(static_cast<uint64_t>(trial.number));
    trial.value = Peak(trial.configuration);
    study.ended.push_back(std::move(trial));
  }
}

void Open(FakeStudy& study, int count) {
  for (int i = 0; i < count; ++i) {
    const int64_t number = ++study.last_trial;
    study.open.push_back({number, RandomPlace(static_cast<uint64_t>(number)), {}, {}});
  }
}

class EachBatchPreset : public ::testing::TestWithParam<const char*> {
 protected:
  const std::unique_ptr<Strategy> strategy_ = MakeStrategy(*FindPreset(GetParam()));
};

INSTANTIATE_TEST_SUITE_P(Presets, EachBatchPreset,
                         ::testing::Values("gp_log_ei", "gp_ucb", "gp_ts", "uhebo",
                                           "agpucb_onestep", "scaml"));

TEST_P(EachBatchPreset, SuggestsTheSameInTurnsAsAtOnce) {
  FakeStudy study(SquareSpace(), {BowlSource("sourceTasks/a", 0.6, 0.4, 20, 5)});
  Measure(study, 8);
  Open(study, 12);
  constexpr int kCount = 8;  // Some before there are many pending trials, some after.
  const auto whole = strategy_->Suggest(study.view(), kCount, kBatchSeed, Deadline::Infinite());
  ASSERT_TRUE(whole.ok()) << whole.status();
  const StudyView view = study.view();
  const auto run = strategy_->Start(view, kCount, kBatchSeed);
  ASSERT_TRUE(run.ok()) << run.status();
  for (int turn = 1; turn <= kCount; ++turn) {
    const auto done = (*run)->Advance(kCount, Deadline::Infinite(), [] { return true; });
    ASSERT_TRUE(done.ok()) << done.status();
    EXPECT_EQ((*run)->made().size(), static_cast<size_t>(turn));
    EXPECT_EQ(*done, turn == kCount);
  }
  EXPECT_TRUE(SameSuggestions((*run)->made(), *whole));
}

TEST_P(EachBatchPreset, SuggestsDifferentPointsBesideManyThatAreOut) {
  FakeStudy study(SquareSpace(), {BowlSource("sourceTasks/a", 0.6, 0.4, 20, 5)});
  Measure(study, 30);
  Open(study, 60);
  const auto made = strategy_->Suggest(study.view(), 12, kBatchSeed, Deadline::Infinite());
  ASSERT_TRUE(made.ok()) << made.status();
  std::set<std::pair<double, double>> places;
  for (const OpenTrial& trial : study.open) {
    places.emplace(trial.configuration.values[0].number(), trial.configuration.values[1].number());
  }
  for (const Suggestion& suggestion : *made) {
    EXPECT_EQ(suggestion.provenance.rung, Rung::kRecipe) << suggestion.provenance.rung_reason;
    EXPECT_TRUE(IsLegal(*study.space, suggestion.configuration));
    EXPECT_TRUE(places
                    .emplace(suggestion.configuration.values[0].number(),
                             suggestion.configuration.values[1].number())
                    .second);
  }
}

TEST_P(EachBatchPreset, FillsTheSpaceEvenlyOnceTheTimeIsOver) {
  FakeStudy study(SquareSpace(), {BowlSource("sourceTasks/a", 0.6, 0.4, 20, 5)});
  Measure(study, 30);
  constexpr int kCount = 1000;
  const auto made =
      strategy_->Suggest(study.view(), kCount, kBatchSeed, Deadline::In(absl::Milliseconds(150)));
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_EQ(made->size(), static_cast<size_t>(kCount));
  const auto even = MustSuggest("quasi_random", study.view(), kCount, kBatchSeed);
  EXPECT_EQ(made->back().provenance.rung, Rung::kQuasiRandom);
  EXPECT_THAT(made->back().provenance.rung_reason, HasSubstr("deadline"));
  EXPECT_EQ(made->back().configuration, even.back().configuration);
}

TEST_P(EachBatchPreset, MakesNothingOnceAStopIsRequested) {
  FakeStudy study(SquareSpace(), {BowlSource("sourceTasks/a", 0.6, 0.4, 20, 5)});
  Measure(study, 30);
  std::stop_source stop;
  stop.request_stop();
  const auto made = strategy_->Suggest(study.view(), 5, kBatchSeed,
                                       Deadline::Infinite().WithStop(stop.get_token()));
  EXPECT_TRUE(absl::IsCancelled(made.status())) << made.status();
}

TEST(ModelStrategyBatch, OfVeryManyTrialsThatAreOutTheModelKnowsThoseNearTheBest) {
  FakeStudy study(SquareSpace());
  Measure(study, 30);
  constexpr int kOut = 2000;
  Open(study, kOut);
  const auto made = MustSuggest("gp_log_ei", study.view(), 1, kBatchSeed).front();
  EXPECT_EQ(NumberFact(made, "pending"), 256);
  double nearest = 1;
  for (const OpenTrial& trial : study.open) {
    nearest = std::min(
        nearest,
        std::hypot(trial.configuration.values[0].number() - made.configuration.values[0].number(),
                   trial.configuration.values[1].number() - made.configuration.values[1].number()));
  }
  // Half of the mean distance of random points from their nearest neighbours.
  EXPECT_GT(nearest, 0.25 / std::sqrt(kOut));
}

TEST(ModelStrategyBatch, ARunMayEndWithLessThanItWasStartedFor) {
  FakeStudy study(SquareSpace());
  Measure(study, 10);
  const StudyView view = study.view();
  const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset("gp_log_ei"));
  const auto run = strategy->Start(view, 100, kBatchSeed);
  ASSERT_TRUE(run.ok());
  const auto done = (*run)->Advance(3, Deadline::Infinite(), [] { return false; });
  ASSERT_TRUE(done.ok());
  EXPECT_TRUE(*done);
  const auto three = strategy->Suggest(view, 3, kBatchSeed, Deadline::Infinite());
  ASSERT_TRUE(three.ok());
  EXPECT_TRUE(SameSuggestions((*run)->made(), *three));
}

TEST(ModelStrategyBatch, HyperparametersStayWhileAFewMoreResultsCome) {
  FakeStudy study(SquareSpace());
  Measure(study, 103);
  const std::string first =
      TextFact(MustSuggest("gp_log_ei", study.view(), 1, kBatchSeed)[0], "lengthscales");
  Measure(study, 6);
  const Suggestion later = MustSuggest("gp_log_ei", study.view(), 1, kBatchSeed)[0];
  EXPECT_EQ(NumberFact(later, "results"), 109);
  EXPECT_EQ(NumberFact(later, "calibrated_to"), 100);
  EXPECT_EQ(TextFact(later, "lengthscales"), first);
  Measure(study, 2);
  const Suggestion anew = MustSuggest("gp_log_ei", study.view(), 1, kBatchSeed)[0];
  EXPECT_EQ(NumberFact(anew, "calibrated_to"), 110);
  EXPECT_NE(TextFact(anew, "lengthscales"), first);
}

// Results that come late belong before others, and would change what the hyperparameters are
// calibrated to.
TEST(ModelStrategyBatch, HyperparametersStayWhileResultsComeInAnyOrder) {
  FakeStudy study(SquareSpace());
  Measure(study, 125);
  Open(study, 20);
  Measure(study, 10);
  const Suggestion before = MustSuggest("gp_log_ei", study.view(), 1, kBatchSeed)[0];
  EXPECT_EQ(NumberFact(before, "calibrated_to"), 121);
  const OpenTrial late = study.open[11];
  study.open.erase(study.open.begin() + 11);
  EndedTrial ended;
  ended.number = late.number;
  ended.configuration = late.configuration;
  ended.value = Peak(late.configuration);
  study.ended.insert(study.ended.begin() + 125, ended);
  const Suggestion after = MustSuggest("gp_log_ei", study.view(), 1, kBatchSeed)[0];
  EXPECT_EQ(NumberFact(after, "results"), 136);
  EXPECT_EQ(NumberFact(after, "calibrated_to"), 121);
  EXPECT_EQ(TextFact(after, "lengthscales"), TextFact(before, "lengthscales"));
}

// With more results than one process can have, the search looks closer at single points than
// patches do. What it expects at a pending point must not seem an improvement on that point.
TEST(ModelStrategyBatch, OfVeryManyResultsABatchExpectsLessAndLess) {
  std::vector<Parameter> parameters(4, SquareSpace()->parameters()[0]);
  for (size_t i = 0; i < parameters.size(); ++i) parameters[i].name = "p" + std::to_string(i);
  FakeStudy study(MakeSpace(parameters));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere;
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1500; ++i) {
    Configuration place;
    double value = 0;
    for (size_t j = 0; j < parameters.size(); ++j) {
      const double x =
          i % 3 == 0 ? anywhere(random) : std::clamp(0.6 + 0.12 * normal(random), 0.0, 1.0);
      place.values.push_back(Value::Double(x));
      value += 0.02 * std::cos(15 * (x - 0.6) * (1 + 0.3 * static_cast<double>(j))) -
               (x - 0.6) * (x - 0.6);
    }
    study.Queue(place);
    study.End(Ending::kMeasured, value + 0.01 * normal(random));
  }
  const std::vector<Suggestion> made = MustSuggest("gp_log_ei", study.view(), 8, 1);
  std::set<std::vector<int64_t>> places;
  for (const Suggestion& suggestion : made) {
    std::vector<int64_t> place;
    for (const Value& value : suggestion.configuration.values) {
      place.push_back(std::llround(value.number() * 5000));
    }
    EXPECT_TRUE(places.insert(place).second);
  }
  const double first = NumberFact(made[0], "acquisition_value");
  for (size_t i = 1; i < made.size(); ++i) {
    EXPECT_LT(NumberFact(made[i], "acquisition_value"), first - 1) << "log EI, suggestion " << i;
  }
}

TEST(ModelStrategyBatch, CalibratesLargeStudiesToAPartOfTheirResults) {
  FakeStudy study(SquareSpace());
  Measure(study, 450);
  const Suggestion next = MustSuggest("gp_log_ei", study.view(), 1, kBatchSeed)[0];
  EXPECT_EQ(next.provenance.rung, Rung::kRecipe);
  EXPECT_GT(NumberFact(next, "calibrated_to"), 400);
  EXPECT_EQ(NumberFact(next, "calibration_points"), 400);
}

}  // namespace
}  // namespace slipstream
