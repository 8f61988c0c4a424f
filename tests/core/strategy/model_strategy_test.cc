#include "core/strategy/model_strategy.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

const char* const kModelPresets[] = {"gp_log_ei", "gp_ucb", "gp_ei", "gp_pi", "gp_ts", "gp_hmc"};

double X(const Configuration& configuration) { return configuration.values[0].number(); }
double Y(const Configuration& configuration) { return configuration.values[1].number(); }

// Largest, 1, at (0.3, 0.7).
double Hill(const Configuration& configuration) {
  const double dx = X(configuration) - 0.3;
  const double dy = Y(configuration) - 0.7;
  return std::exp(-8 * (dx * dx + dy * dy));
}

// `count` trials, one after the other, of `strategy` on the hill.
void Climb(const Strategy& strategy, FakeStudy& study, int count, uint64_t seed) {
  for (int i = 0; i < count; ++i) {
    const auto next = strategy.Suggest(study.view(), 1, seed, Deadline::Infinite());
    ASSERT_TRUE(next.ok()) << next.status();
    study.Lease(*next);
    study.End(Ending::kMeasured, Hill(next->front().configuration));
  }
}

double BestValue(const FakeStudy& study) {
  double best = -INFINITY;
  for (const EndedTrial& trial : study.ended) best = std::max(best, trial.value.value_or(best));
  return best;
}

class EachModelPreset : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Strategy> NewStrategy() const { return MakeStrategy(*FindPreset(GetParam())); }
};

INSTANTIATE_TEST_SUITE_P(Presets, EachModelPreset, ::testing::ValuesIn(kModelPresets));

TEST_P(EachModelPreset, FindsTheTopOfAHill) {
  FakeStudy study(SquareSpace());
  study.noiseless = true;
  Climb(*NewStrategy(), study, 16, 5);
  EXPECT_GT(BestValue(study), 0.98);
}

TEST(ModelStrategy, FindsTheTopOfAHillWhateverItsKernelAndScales) {
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, double>>{{"input_warp", 1},
                                                   {"output_warp", 0},
                                                   {"output_warp", 2},
                                                   {"smoothness", 0},
                                                   {"smoothness", 3}}) {
    SCOPED_TRACE(option + " " + std::to_string(value));
    FakeStudy study(SquareSpace());
    study.noiseless = true;
    const auto strategy = MakeStrategy(*FindPreset("gp_log_ei"), {.options = {{option, value}}});
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    Climb(**strategy, study, 18, 5);
    EXPECT_GT(BestValue(study), 0.95);
  }
}

TEST(ModelStrategy, EveryCalibrationCanLearnHowScalesBend) {
  for (const char* calibration : {"hmc", "mle", "expanding(map)", "consistent(map)"}) {
    SCOPED_TRACE(calibration);
    FakeStudy study(SquareSpace());
    study.noiseless = true;
    const auto strategy = MakeStrategy(
        *FindPreset("gp_log_ei"), {.calibration = calibration, .options = {{"input_warp", 1}}});
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    Climb(**strategy, study, 16, 5);
    EXPECT_GT(BestValue(study), 0.9);
  }
}

TEST_P(EachModelPreset, ReplaysARecordedStudyBitForBitAfterARestart) {
  FakeStudy study(SquareSpace());
  Climb(*NewStrategy(), study, 10, 77);
  FakeStudy replayed(SquareSpace());
  for (const EndedTrial& recorded : study.ended) {
    // A new strategy each time: nothing may hang on what it remembers.
    const auto next = NewStrategy()->Suggest(replayed.view(), 1, 77, Deadline::Infinite());
    ASSERT_TRUE(next.ok());
    EXPECT_EQ(next->front().configuration, recorded.configuration) << recorded.number;
    replayed.Lease(*next);
    replayed.End(Ending::kMeasured, recorded.value);
  }
}

TEST_P(EachModelPreset, GivesEightWorkersEightDifferentPoints) {
  FakeStudy study(SquareSpace());
  const std::unique_ptr<Strategy> strategy = NewStrategy();
  Climb(*strategy, study, 6, 3);
  const auto eight = strategy->Suggest(study.view(), 8, 3, Deadline::Infinite());
  ASSERT_TRUE(eight.ok());
  ASSERT_EQ(eight->size(), 8u);
  for (size_t i = 0; i < 8; ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Configuration& a = (*eight)[i].configuration;
      const Configuration& b = (*eight)[j].configuration;
      EXPECT_GT(std::hypot(X(a) - X(b), Y(a) - Y(b)), 1e-3) << i << " and " << j;
    }
  }
}

TEST_P(EachModelPreset, CountsTrialsThatAreOutAsItCountsItsOwnOfTheSameCall) {
  FakeStudy at_once(SquareSpace());
  Climb(*NewStrategy(), at_once, 6, 3);
  FakeStudy one_by_one = at_once;
  const auto three = MustSuggest(GetParam(), at_once.view(), 3, 3);
  for (const Suggestion& expected : three) {
    const auto next = MustSuggest(GetParam(), one_by_one.view(), 1, 3);
    // Joint and stepwise conditioning differ by rounding alone.
    EXPECT_NEAR(X(next[0].configuration), X(expected.configuration), 1e-4);
    EXPECT_NEAR(Y(next[0].configuration), Y(expected.configuration), 1e-4);
    one_by_one.Lease(next);
  }
}

TEST_P(EachModelPreset, GivesTheSameToThreadsThatAskAtOnce) {
  FakeStudy study(SquareSpace());
  const std::unique_ptr<Strategy> strategy = NewStrategy();
  Climb(*strategy, study, 6, 9);
  const auto expected = MustSuggest(GetParam(), study.view(), 1, 9);
  std::vector<std::vector<Suggestion>> answers(4);
  std::vector<std::thread> threads;
  for (auto& answer : answers) {
    threads.emplace_back([&] {
      auto next = strategy->Suggest(study.view(), 1, 9, Deadline::Infinite());
      if (next.ok()) answer = *std::move(next);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) EXPECT_TRUE(SameSuggestions(answer, expected));
}

TEST_P(EachModelPreset, StepsDownToQuasiRandomWhenTheDeadlineHasPassed) {
  FakeStudy study(SquareSpace());
  Climb(*NewStrategy(), study, 6, 1);
  const auto late = MustSuggest(GetParam(), study.view(), 2, 1, Deadline::Passed());
  ASSERT_EQ(late.size(), 2u);
  const auto even = MustSuggest("quasi_random", study.view(), 2, 1);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(late[i].provenance.rung, Rung::kQuasiRandom);
    EXPECT_THAT(late[i].provenance.rung_reason, HasSubstr("deadline"));
    EXPECT_EQ(late[i].configuration, even[i].configuration);
  }
}

TEST_P(EachModelPreset, ExplainsItself) {
  FakeStudy study(SquareSpace());
  Climb(*NewStrategy(), study, 7, 1);
  const Suggestion next = MustSuggest(GetParam(), study.view(), 1, 1)[0];
  EXPECT_EQ(next.provenance.rung, Rung::kRecipe);
  EXPECT_EQ(NumberFact(next, "results"), 7);
  EXPECT_EQ(NumberFact(next, "calibrated_to"), 7);
  EXPECT_GE(NumberFact(next, "predicted_mean"), -1);
  EXPECT_LE(NumberFact(next, "predicted_mean"), 2);
  EXPECT_GT(NumberFact(next, "predicted_deviation"), 0);
  EXPECT_TRUE(HasFact(next, "acquisition_value"));
  EXPECT_TRUE(HasFact(next, "lengthscales"));
  EXPECT_EQ(HasFact(next, "r_hat"), std::string(GetParam()) == "gp_hmc");
  EXPECT_EQ(HasFact(next, "effective_sample_size"), std::string(GetParam()) == "gp_hmc");
}

TEST_P(EachModelPreset, TakesEachCandidateOnceAndSaysWhenTheListIsUsedUp) {
  FakeStudy study(LineOfCandidates(12));
  const std::unique_ptr<Strategy> strategy = NewStrategy();
  std::set<int64_t> seen;
  for (int i = 0; i < 12; ++i) {
    const auto next = strategy->Suggest(study.view(), 1, 4, Deadline::Infinite());
    ASSERT_TRUE(next.ok()) << next.status();
    ASSERT_TRUE(next->front().candidate.has_value());
    EXPECT_TRUE(seen.insert(*next->front().candidate).second);
    study.Lease(*next);
    study.End(Ending::kMeasured, -std::abs(X(next->front().configuration) - 0.4));
  }
  const auto exhausted = strategy->Suggest(study.view(), 1, 4, Deadline::Infinite());
  EXPECT_EQ(exhausted.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_P(EachModelPreset, SuggestsLegalConfigurationsOfAMixedSpace) {
  FakeStudy study(MixedSpace());
  const std::unique_ptr<Strategy> strategy = NewStrategy();
  for (int i = 0; i < 12; ++i) {
    const auto next = strategy->Suggest(study.view(), 1, 21, Deadline::Infinite());
    ASSERT_TRUE(next.ok());
    ASSERT_TRUE(IsLegal(*study.space, next->front().configuration));
    const std::vector<double> coordinates =
        CoordinatesOf(*study.space, next->front().configuration);
    study.Lease(*next);
    study.End(Ending::kMeasured, coordinates[0] - coordinates[1]);
  }
}

// A study of `gp_log_ei` of so many trials on the square, where larger values are better, with the
// number of trials in its second half that have x > 0.6 and end as `beyond` says.
struct EdgeStudy {
  FakeStudy study{SquareSpace()};
  int late_beyond = 0;

  EdgeStudy(int trials, Ending beyond, double (*value)(double x)) {
    const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset("gp_log_ei"));
    for (int i = 0; i < trials; ++i) {
      const auto next = strategy->Suggest(study.view(), 1, 2, Deadline::Infinite());
      EXPECT_TRUE(next.ok()) << next.status();
      const double x = X(next->front().configuration);
      study.Lease(*next);
      if (x > 0.6) {
        study.End(beyond);
        late_beyond += i >= trials / 2;
      } else {
        study.End(Ending::kMeasured, value(x));
      }
    }
  }
};

double Rising(double x) { return x; }
double HighestAtTwoFifths(double x) { return 1 - std::pow(x - 0.4, 2); }

TEST(ModelStrategy, LearnsToStayAwayFromWhatHasNoValue) {
  for (const Ending beyond : {Ending::kInfeasible, Ending::kFailed}) {
    const EdgeStudy edge(30, beyond, HighestAtTwoFifths);
    EXPECT_LE(edge.late_beyond, 3);
    EXPECT_GT(BestValue(edge.study), 1 - 1e-4);
  }
}

TEST(ModelStrategy, TellsTheChanceOfAValueOnceATrialHadNone) {
  const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset("gp_log_ei"));
  EdgeStudy edge(0, Ending::kInfeasible, HighestAtTwoFifths);
  const auto next = [&] {
    return strategy->Suggest(edge.study.view(), 1, 2, Deadline::Infinite()).value().front();
  };
  while (edge.study.ended.size() < 8) {
    const Suggestion suggestion = next();
    edge.study.Lease({suggestion});
    edge.study.End(Ending::kMeasured, HighestAtTwoFifths(X(suggestion.configuration)));
  }
  EXPECT_TRUE(HasFact(next(), "predicted_mean"));
  EXPECT_FALSE(HasFact(next(), "chance_of_value"));
  edge.study.Lease({next()});
  edge.study.End(Ending::kInfeasible);
  const double chance = NumberFact(next(), "chance_of_value");
  EXPECT_GT(chance, 0.5);
  EXPECT_LT(chance, 1);
}

// Runs a study whose trials without a value are infeasible. Returns how many of those in its second
// half were.
int LateInfeasible(FakeStudy& study, const char* preset, int trials,
                   const std::function<std::optional<double>(const Configuration&)>& value_at) {
  const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset(preset));
  int late = 0;
  for (int i = 0; i < trials; ++i) {
    const auto next = strategy->Suggest(study.view(), 1, 2, Deadline::Infinite()).value();
    study.Lease(next);
    const std::optional<double> value = value_at(next.front().configuration);
    study.End(value.has_value() ? Ending::kMeasured : Ending::kInfeasible, value);
    late += !value.has_value() && i >= trials / 2;
  }
  return late;
}

// Then nothing improves on the best trial, and what surely has no value would be tried first.
TEST(ModelStrategy, StaysAwayFromWhatHasNoValueWhenTheBestOfAGridIsFound) {
  const IntegerDomain steps{0, 19, Scale::kLinear};
  const auto space = std::make_shared<const SearchSpace>(
      SearchSpace::Create({{"x", steps, {}, {}}, {"y", steps, {}, {}}}).value());
  const auto value_at = [](const Configuration& at) -> std::optional<double> {
    const double x = static_cast<double>(at.values[0].integer()) / 20;
    const double y = static_cast<double>(at.values[1].integer()) / 20;
    if (x > 0.6) return {};
    return -std::pow(x - 0.3, 2) - std::pow(y - 0.5, 2);
  };
  for (const char* preset : {"gp_log_ei", "gp_ucb", "gp_ts"}) {
    FakeStudy study(space);
    // Of 25, and of 400 points 140 have no value.
    EXPECT_LE(LateInfeasible(study, preset, 50, value_at), 15) << preset;
    EXPECT_EQ(BestValue(study), 0) << preset;
  }
}

TEST(ModelStrategy, StaysAwayFromWordsWithoutAValueInCombinationsNotTriedYet) {
  const auto words = [](const char* name, const char* letters) {
    CategoricalDomain domain;
    for (const char* letter = letters; *letter != 0; ++letter) domain.values.push_back({*letter});
    return Parameter{name, domain, {}, {}};
  };
  const auto space = std::make_shared<const SearchSpace>(
      SearchSpace::Create({words("a", "pqrstu"), words("b", "pqrstu"), words("c", "pqrs")})
          .value());
  const auto value_at = [](const Configuration& at) -> std::optional<double> {
    const double a = static_cast<double>(at.values[0].level()) / 6;
    const double b = static_cast<double>(at.values[1].level() + at.values[2].level()) / 10;
    if (a > 0.6) return {};
    return -std::pow(a - 0.3, 2) - std::pow(b - 0.5, 2);
  };
  for (const char* preset : {"gp_log_ei", "gp_ucb", "gp_ts"}) {
    FakeStudy study(space);
    // Of 30, and of 144 combinations 48 have no value.
    EXPECT_LE(LateInfeasible(study, preset, 60, value_at), 8) << preset;
    EXPECT_NEAR(BestValue(study), -std::pow(2.0 / 6 - 0.3, 2), 1e-12) << preset;
  }
}

// As of a training that runs out of memory right behind where it is best.
TEST(ModelStrategy, FindsWhatIsBestAtTheEdgeOfWhatHasNoValue) {
  for (const Ending beyond : {Ending::kInfeasible, Ending::kFailed}) {
    const EdgeStudy edge(30, beyond, Rising);
    EXPECT_GT(BestValue(edge.study), 0.595);
    for (const EndedTrial& trial : edge.study.ended) {
      const auto is_same = [&trial](const EndedTrial& other) {
        return other.configuration == trial.configuration;
      };
      EXPECT_EQ(std::count_if(edge.study.ended.begin(), edge.study.ended.end(), is_same), 1);
    }
  }
}

TEST(ModelStrategy, WhereNearlyAllTrialsFailItStaysWhereSomeDidNot) {
  // One configuration in eight has a value, and the best one is near those that have none.
  std::vector<Parameter> parameters;
  for (const char* name : {"a", "b", "c", "d"}) {
    parameters.push_back({name, DoubleDomain{}, {}, {}});
  }
  const auto space = MakeSpace(parameters);
  const auto squares_from = [](double centre, const Configuration& configuration) {
    double sum = 0;
    for (const Value& value : configuration.values) sum += std::pow(value.number() - centre, 2);
    return sum;
  };
  constexpr int kStudies = 10;
  int late_failures = 0;
  int near_best = 0;
  for (uint64_t seed = 0; seed < kStudies; ++seed) {
    FakeStudy study(space);
    const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset("gp_log_ei"));
    for (int i = 0; i < 50; ++i) {
      const auto next = strategy->Suggest(study.view(), 1, seed, Deadline::Infinite());
      ASSERT_TRUE(next.ok());
      const Configuration& configuration = next->front().configuration;
      const bool fails = squares_from(0.45, configuration) > 0.38 * 0.38;
      const double value = 1 - squares_from(0.6, configuration);
      study.Lease(*next);
      study.EndAt(0, fails ? Ending::kFailed : Ending::kMeasured,
                  fails ? std::nullopt : std::optional<double>(value));
      late_failures += fails && i >= 30;
    }
    near_best += BestValue(study) > 0.99;
  }
  EXPECT_LE(late_failures, 8 * kStudies);  // Of 20 trials each.
  EXPECT_GE(near_best, 8);
}

TEST(ModelStrategy, FailuresByChanceDoNotKeepItFromTheBest) {
  for (uint64_t seed : {2, 3, 4}) {
    FakeStudy study(SquareSpace());
    const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset("gp_log_ei"));
    for (uint64_t i = 0; i < 40; ++i) {
      const auto next = strategy->Suggest(study.view(), 1, seed, Deadline::Infinite());
      ASSERT_TRUE(next.ok());
      study.Lease(*next);
      if (CounterRandomUniform(seed, i, 0) < 0.4) {
        study.End(Ending::kFailed);
      } else {
        study.End(Ending::kMeasured, Hill(next->front().configuration));
      }
    }
    EXPECT_GT(BestValue(study), 0.999) << seed;
  }
}

TEST(ModelStrategy, AFailureFarAwayDoesNotKeepItFromRefining) {
  for (const Ending ending : {Ending::kFailed, Ending::kInfeasible}) {
    for (const bool noiseless : {true, false}) {
      FakeStudy study(SquareSpace());
      study.noiseless = noiseless;
      EndedTrial far;
      far.number = ++study.last_trial;
      far.configuration = study.space->Decode({0.98, 0.02});
      far.ending = ending;
      study.ended.push_back(far);
      Climb(*MakeStrategy(*FindPreset("gp_log_ei")), study, 24, 5);
      EXPECT_GT(BestValue(study), 1 - 1e-4) << noiseless;
    }
  }
}

TEST(ModelStrategy, WhatFailedTwiceIsNotSuggestedAgain) {
  for (const char* preset : {"gp_log_ei", "gp_ts"}) {
    FakeStudy study(MakeSpace({{"n", IntegerDomain{1, 4}, {}, {}}}));
    const auto end_at = [&study](int64_t n, Ending ending, std::optional<double> value) {
      study.Queue({{Value::Integer(n)}});
      study.End(ending, value);
    };
    for (int64_t n = 1; n <= 4; ++n) end_at(n, Ending::kMeasured, static_cast<double>(n));
    for (int i = 0; i < 2; ++i) end_at(4, Ending::kFailed, std::nullopt);
    for (int i = 0; i < 4; ++i) {
      const auto next = MustSuggest(preset, study.view(), 1, 5 + static_cast<uint64_t>(i))[0];
      EXPECT_NE(next.configuration.values[0], Value::Integer(4)) << preset;
    }
  }
}

TEST(ModelStrategy, CandidatesThatFailedTwiceAreNotSuggestedAgainThoughRepeatsAreAllowed) {
  for (const char* preset : {"gp_log_ei", "gp_ts"}) {
    FakeStudy study(LineOfCandidates(4, /*allow_repeats=*/true));
    const auto end_at = [&study](size_t candidate, Ending ending, std::optional<double> value) {
      study.Queue(study.space->candidates()[candidate]);
      study.End(ending, value);
    };
    for (size_t i = 0; i < 4; ++i) end_at(i, Ending::kMeasured, static_cast<double>(i));
    for (int i = 0; i < 2; ++i) end_at(3, Ending::kFailed, std::nullopt);
    for (int i = 0; i < 4; ++i) {
      const auto next = MustSuggest(preset, study.view(), 1, 5 + static_cast<uint64_t>(i))[0];
      EXPECT_NE(next.candidate, 3) << preset;
    }
    for (size_t i = 0; i < 4; ++i) end_at(i, Ending::kInfeasible, std::nullopt);
    EXPECT_EQ(MustSuggest(preset, study.view(), 1, 5).size(), 1u) << "nothing else is left";
  }
}

TEST(ModelStrategy, MinimisesAsWellAsItMaximises) {
  FakeStudy up(SquareSpace());
  FakeStudy down(SquareSpace(), {}, Goal::kMinimize);
  const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset("gp_log_ei"));
  for (int i = 0; i < 10; ++i) {
    const auto next = strategy->Suggest(up.view(), 1, 6, Deadline::Infinite());
    const auto mirrored = strategy->Suggest(down.view(), 1, 6, Deadline::Infinite());
    ASSERT_TRUE(next.ok() && mirrored.ok());
    ASSERT_EQ(next->front().configuration, mirrored->front().configuration);
    const double value = Hill(next->front().configuration);
    up.Lease(*next);
    up.End(Ending::kMeasured, value);
    down.Lease(*mirrored);
    down.End(Ending::kMeasured, -value);
  }
}

TEST(ModelStrategy, DoesNotMeasureTheBestOfASmallNoisySpaceAgainAndAgain) {
  int different = 0;
  for (const uint64_t seed : {0, 1, 2, 3}) {
    FakeStudy study(MakeSpace({{"a", IntegerDomain{0, 7}, {}, {}},
                               {"b", IntegerDomain{0, 7}, {}, {}},
                               {"c", IntegerDomain{0, 7}, {}, {}}}));
    std::set<std::vector<int64_t>> tried;
    for (uint64_t i = 0; i < 40; ++i) {
      const Configuration next = MustSuggest("gp_log_ei", study.view(), 1, seed)[0].configuration;
      const std::vector<int64_t> at = {next.values[0].integer(), next.values[1].integer(),
                                       next.values[2].integer()};
      tried.insert(at);
      const double value = -std::abs(static_cast<double>(at[0]) - 5) -
                           0.3 * std::abs(static_cast<double>(at[1]) - 2) -
                           0.1 * std::abs(static_cast<double>(at[2]) - 6);
      study.Lease(MustSuggest("gp_log_ei", study.view(), 1, seed));
      study.End(Ending::kMeasured, value + 1.4 * CounterRandomUniform(seed, i, 3));
    }
    different += static_cast<int>(tried.size());
  }
  EXPECT_GE(different, 4 * 25);
}

TEST(ModelStrategy, RepeatsThatAgreeTellItThatThereIsNoNoise) {
  for (const uint64_t seed : {0, 1, 2}) {
    FakeStudy study(MakeSpace({{"x", DoubleDomain{}, {}, {}}}));
    int at_best = 0;
    for (int i = 0; i < 20; ++i) {
      const auto next = MustSuggest("gp_log_ei", study.view(), 1, seed);
      const double x = next[0].configuration.values[0].number();
      study.Lease(next);
      study.End(Ending::kMeasured, -x);
      at_best += x == 0 ? 1 : 0;
    }
    EXPECT_GE(at_best, 1);
    EXPECT_LE(at_best, 5) << "seed " << seed;
  }
}

TEST(ModelStrategy, TriesNothingTwiceWhereResultsAreExact) {
  const auto space =
      MakeSpace({{"a", IntegerDomain{0, 4}, {}, {}}, {"b", BooleanDomain{}, {}, {}}});
  FakeStudy study(space);
  study.noiseless = true;
  const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset("gp_log_ei"));
  std::vector<Configuration> seen;
  for (int i = 0; i < 10; ++i) {
    const auto next = strategy->Suggest(study.view(), 1, 8, Deadline::Infinite());
    ASSERT_TRUE(next.ok());
    const Configuration& configuration = next->front().configuration;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), configuration), 0) << i;
    seen.push_back(configuration);
    study.Lease(*next);
    study.End(Ending::kMeasured, static_cast<double>(configuration.values[0].integer()));
  }
}

// Cannot calibrate anything.
class FailingCalibration : public Calibration {
 private:
  absl::StatusOr<Calibrated> DoCalibrate(const Model&, const CalibrationData&) const override {
    return absl::FailedPreconditionError("indefinite");
  }
};

const CalibrationRow kFailing = {
    .about = {.name = "failing", .summary = "Fails"},
    .make = [](const QuasiNewtonOptions&) -> std::unique_ptr<Calibration> {
      return std::make_unique<FailingCalibration>();
    },
};

TEST(ModelStrategy, StepsDownToQuasiRandomWhenAFactorisationFails) {
  FakeStudy study(SquareSpace());
  Climb(*MakeStrategy(*FindPreset("gp_log_ei")), study, 6, 1);
  Recipe recipe;
  recipe.calibration.base = Choice<CalibrationRow>(kFailing);
  const auto strategy = MakeModelStrategy("failing", recipe);
  const auto next = strategy->Suggest(study.view(), 1, 1, Deadline::Infinite());
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->front().provenance.rung, Rung::kQuasiRandom);
  EXPECT_THAT(next->front().provenance.rung_reason, HasSubstr("numerical failure: indefinite"));
  EXPECT_EQ(next->front().configuration,
            MustSuggest("quasi_random", study.view(), 1, 1)[0].configuration);
}

TEST(ModelStrategy, StartsFromThePortfolioWhereTheRecipeSaysSo) {
  FakeStudy study(SquareSpace(), {BowlSource("sourceTasks/a", 0.8, 0.2, 40, 5)});
  const auto first = MustSuggest("portfolio_gp", study.view(), 1, 3)[0];
  EXPECT_EQ(first.configuration,
            MustSuggest("source_portfolio", study.view(), 1, 3)[0].configuration);
  EXPECT_EQ(first.provenance.preset, "portfolio_gp");
  EXPECT_FALSE(first.provenance.sources.empty());
  Climb(*MakeStrategy(*FindPreset("portfolio_gp")), study, 6, 3);
  EXPECT_TRUE(HasFact(MustSuggest("portfolio_gp", study.view(), 1, 3)[0], "lengthscales"));
}

}  // namespace
}  // namespace slipstream
