#include "core/exploration/exploration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "core/acquisition/acquisitions.h"
#include "core/acquisition/next_point.h"
#include "core/base/deadline.h"
#include "core/calibration/calibration.h"
#include "core/exploration/hedge.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "core/strategy/objective_model.h"
#include "gtest/gtest.h"
#include "tests/core/acquisition/slow_score.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

constexpr uint64_t kSeed = 21;

double BowlAt(const Configuration& at) {
  const double x = at.values[0].number() - 0.3;
  const double y = at.values[1].number() - 0.6;
  return -(x * x + y * y);
}

bool IsRandom(const Suggestion& suggestion) { return HasFact(suggestion, "random_index"); }

// A study on the square, of which the first three results are initial ones.
FakeStudy BegunStudy(Goal goal = Goal::kMaximize) {
  FakeStudy study(SquareSpace(), {}, goal);
  for (int i = 0; i < 3; ++i) {
    study.Lease(MustSuggest("quasi_random", study.view(), 1, kSeed));
    const double value = BowlAt(study.open.front().configuration);
    study.End(Ending::kMeasured, goal == Goal::kMaximize ? value : -value);
  }
  return study;
}

// One suggestion of the preset made and measured.
Suggestion Step(const std::string& preset, FakeStudy& study) {
  const std::vector<Suggestion> made = MustSuggest(preset, study.view(), 1, kSeed);
  study.Lease(made);
  const double value = BowlAt(study.open.back().configuration);
  study.EndAt(study.open.size() - 1, Ending::kMeasured,
              study.goal == Goal::kMaximize ? value : -value);
  return made.front();
}

// Algorithm 1 of UHE-BO as it is printed, over what the trials tell.
double NaiveProbabilityOfRandom(const FakeStudy& study, int steps, double horizon) {
  double worst = INFINITY;
  double best = -INFINITY;
  std::map<double, std::vector<const EndedTrial*>> blocks;
  for (const EndedTrial& trial : study.ended) {
    const std::vector<double>* note = FindNote(trial.notes, "block");
    if (note != nullptr) {
      blocks[(*note)[0]].push_back(&trial);
    } else if (trial.value.has_value()) {
      worst = std::min(worst, *trial.value);
      best = std::max(best, *trial.value);
    }
  }
  const double rate = std::sqrt(2 * std::log(2.0) / ((std::exp(1.0) - 1) * horizon / steps));
  double weights[2] = {1, 1};
  for (const auto& [number, trials] : blocks) {
    if (static_cast<int>(trials.size()) < steps) continue;
    double reward = -INFINITY;
    for (const EndedTrial* trial : trials) reward = std::max(reward, trial->value.value_or(worst));
    reward = std::min(1.0, std::max(0.0, (reward - worst) / (best - worst)));
    const std::vector<double>& note = *FindNote(trials.front()->notes, "block");
    weights[static_cast<int>(note[2])] *= std::exp(rate * reward / (2 * note[3]));
  }
  return (1 - rate) * weights[0] / (weights[0] + weights[1]) + rate / 2;
}

TEST(Exploration, AlternateTakesEverySecondAtRandom) {
  FakeStudy study = BegunStudy();
  int random = 0;
  for (int i = 0; i < 6; ++i) random += IsRandom(Step("rabo", study)) ? 1 : 0;
  EXPECT_EQ(random, 3);
  EXPECT_NE(IsRandom(Step("rabo", study)), IsRandom(Step("rabo", study)));
}

TEST(Exploration, RandomHasItsShare) {
  const ExplorationRow& row = *FindRow(ExplorationRows(), "random");
  OptionSet options = row.about.options();
  options.Set("random_share", 0.25);
  const std::unique_ptr<Exploration> exploration = row.make(options);
  const FakeStudy study = BegunStudy();
  const StudyView view = study.view();
  int random = 0;
  for (uint64_t i = 0; i < 4000; ++i) {
    random += exploration->Next({view, {}, kSeed, i}).is_random ? 1 : 0;
  }
  EXPECT_NEAR(random, 1000, 100);
}

TEST(Exploration, Exp3GoesByThePapersWeights) {
  for (const auto& [preset, steps] :
       std::map<std::string, int>{{"random_exp3", 2}, {"uhebo", 2}, {"portfolio", 1}}) {
    FakeStudy study = BegunStudy();
    int random = 0;
    for (int i = 0; i < 24; ++i) {
      const double expected = NaiveProbabilityOfRandom(study, steps, 100);
      const Suggestion made = Step(preset, study);
      EXPECT_NEAR(NumberFact(made, "probability_of_random_now"), expected, 1e-12) << preset;
      if (i % steps == 0) {
        EXPECT_NEAR(NumberFact(made, "probability_of_random"), expected, 1e-12) << preset;
      }
      EXPECT_EQ(NumberFact(made, "step_of_block"), i % steps + 1);
      EXPECT_EQ(NumberFact(made, "block"), i / steps + 1);
      const bool first_of_random =
          TextFact(made, "arm") == "random" && NumberFact(made, "step_of_block") == 1;
      EXPECT_EQ(IsRandom(made), first_of_random);
      random += IsRandom(made) ? 1 : 0;
    }
    EXPECT_GT(random, 0) << preset;
    EXPECT_LT(random, 24 / steps) << preset;
  }
}

TEST(Exploration, LessIsBetterWhereTheStudySaysSo) {
  FakeStudy more = BegunStudy();
  FakeStudy less = BegunStudy(Goal::kMinimize);
  for (int i = 0; i < 12; ++i) {
    const Suggestion a = Step("portfolio", more);
    const Suggestion b = Step("portfolio", less);
    EXPECT_EQ(a.configuration, b.configuration);
    EXPECT_EQ(NumberFact(a, "probability_of_random_now"),
              NumberFact(b, "probability_of_random_now"));
  }
}

TEST(Exploration, ABlockIsTwoSuggestionsWhoeverGetsThemAndCountsOnceBothHaveEnded) {
  FakeStudy study = BegunStudy();
  // Three workers ask one after the other, before any of them is done.
  for (int i = 0; i < 3; ++i) study.Lease(MustSuggest("random_exp3", study.view(), 1, kSeed));
  const auto block_of = [&](size_t place) { return *FindNote(study.open[place].notes, "block"); };
  EXPECT_EQ(block_of(0)[0], 1);
  EXPECT_EQ(block_of(1)[0], 1);
  EXPECT_EQ(block_of(2)[0], 2);
  EXPECT_EQ(block_of(0)[2], block_of(1)[2]);
  EXPECT_EQ(block_of(0)[3], block_of(1)[3]);
  const auto probability = [&] {
    return NumberFact(MustSuggest("random_exp3", study.view(), 1, kSeed).front(),
                      "probability_of_random_now");
  };
  EXPECT_EQ(probability(), 0.5);
  study.EndAt(1, Ending::kMeasured, 0.0);  // The second before the first.
  EXPECT_EQ(probability(), 0.5);
  study.EndAt(0, Ending::kMeasured, -0.1);
  EXPECT_NE(probability(), 0.5);
  EXPECT_NEAR(probability(), NaiveProbabilityOfRandom(study, 2, 100), 1e-12);
  // The third trial's block is still open, and the next one belongs to it.
  const Suggestion next = MustSuggest("random_exp3", study.view(), 1, kSeed).front();
  EXPECT_EQ(NumberFact(next, "block"), 2);
  EXPECT_EQ(NumberFact(next, "step_of_block"), 2);
}

TEST(Exploration, OneCallForManyIsAsManyCallsForOne) {
  FakeStudy study = BegunStudy();
  const std::vector<Suggestion> together = MustSuggest("random_exp3", study.view(), 5, kSeed);
  for (size_t i = 0; i < together.size(); ++i) {
    const Suggestion alone = MustSuggest("random_exp3", study.view(), 1, kSeed).front();
    EXPECT_EQ(alone.provenance.notes, together[i].provenance.notes) << i;
    study.Lease({alone});
  }
}

TEST(Exploration, AReplayInAnyOrderOfResultsRebuildsTheWeights) {
  FakeStudy forth = BegunStudy();
  for (int i = 0; i < 10; ++i) forth.Lease(MustSuggest("random_exp3", forth.view(), 1, kSeed));
  FakeStudy back = forth;
  while (!forth.open.empty()) {
    forth.End(Ending::kMeasured, BowlAt(forth.open.front().configuration));
  }
  while (!back.open.empty()) {
    back.EndAt(back.open.size() - 1, Ending::kMeasured, BowlAt(back.open.back().configuration));
  }
  const auto one = MustSuggest("random_exp3", forth.view(), 1, kSeed);
  const auto other = MustSuggest("random_exp3", back.view(), 1, kSeed);
  EXPECT_EQ(NumberFact(one.front(), "probability_of_random_now"),
            NumberFact(other.front(), "probability_of_random_now"));
  EXPECT_NE(NumberFact(one.front(), "probability_of_random_now"), 0.5);
  EXPECT_TRUE(SameSuggestions(one, other));
}

TEST(Exploration, ABlockEarnsByTheResultsThatItHas) {
  const auto after = [](Ending first, Ending second) {
    FakeStudy study = BegunStudy();
    study.Lease(MustSuggest("random_exp3", study.view(), 2, kSeed));
    study.End(first, first == Ending::kMeasured ? std::optional<double>(0.0) : std::nullopt);
    study.End(second);
    const auto next = MustSuggest("random_exp3", study.view(), 1, kSeed);
    return NumberFact(next.front(), "probability_of_random_now");
  };
  EXPECT_EQ(after(Ending::kFailed, Ending::kFailed), 0.5);
  EXPECT_EQ(after(Ending::kInfeasible, Ending::kFailed), 0.5);
  EXPECT_NE(after(Ending::kMeasured, Ending::kFailed), 0.5);
}

TEST(Exploration, ATrialThatWasStoppedEarnsByTheValueThatItHas) {
  const auto after = [](Ending ending) {
    FakeStudy study(SquareSpace());
    for (int i = 0; i < 9; ++i) {
      study.Lease(MustSuggest("random_exp3", study.view(), 1, kSeed));
      study.End(ending, BowlAt(study.open.front().configuration));
    }
    const auto next = MustSuggest("random_exp3", study.view(), 1, kSeed);
    return NumberFact(next.front(), "probability_of_random_now");
  };
  EXPECT_NE(after(Ending::kMeasured), 0.5);
  EXPECT_EQ(after(Ending::kStopped), after(Ending::kMeasured));
}

// The worker of the open trial at this place is lost, and a server queues its configuration again.
OpenTrial QueueAgain(FakeStudy& study, size_t place) {
  const OpenTrial lost = study.open[place];
  study.open.erase(study.open.begin() + static_cast<std::ptrdiff_t>(place));
  study.open.push_back(lost);
  study.open.back().number = ++study.last_trial;
  return lost;
}

TEST(Exploration, ATrialThatIsQueuedAgainIsTheSameStepOfItsBlock) {
  for (const auto& [preset, steps] :
       std::map<std::string, int>{{"random_exp3", 2}, {"portfolio", 1}}) {
    FakeStudy kept = BegunStudy();
    for (int i = 0; i < 4; ++i) kept.Lease(MustSuggest(preset, kept.view(), 1, kSeed));
    FakeStudy lost = kept;
    QueueAgain(lost, 0);
    const Suggestion next = MustSuggest(preset, lost.view(), 1, kSeed).front();
    EXPECT_EQ(NumberFact(next, "block"), 4 / steps + 1) << preset;
    EXPECT_EQ(NumberFact(next, "step_of_block"), 1) << preset;
    // What both earn is the same.
    for (FakeStudy* study : {&kept, &lost}) {
      study->Lease(MustSuggest(preset, study->view(), 1, kSeed));
      while (!study->open.empty()) {
        study->End(Ending::kMeasured, BowlAt(study->open.front().configuration));
      }
    }
    const auto probability = [&, &name = preset](const FakeStudy& study) {
      return NumberFact(MustSuggest(name, study.view(), 1, kSeed).front(),
                        "probability_of_random_now");
    };
    EXPECT_NE(probability(kept), 0.5) << preset;
    EXPECT_EQ(probability(kept), probability(lost)) << preset;
  }
}

TEST(Exploration, AStepWithTwoResultsIsNoWholeBlock) {
  FakeStudy study = BegunStudy();
  study.Lease(MustSuggest("random_exp3", study.view(), 2, kSeed));
  // A lost trial gives its result late, and so does the one that took its place.
  const OpenTrial lost = QueueAgain(study, 0);
  study.ended.push_back({lost.number, lost.configuration, lost.candidate, Ending::kMeasured, 0.0,
                         lost.notes, lost.suggested});
  study.EndAt(1, Ending::kMeasured, 0.0);
  const auto probability = [&study] {
    return NumberFact(MustSuggest("random_exp3", study.view(), 1, kSeed).front(),
                      "probability_of_random_now");
  };
  EXPECT_EQ(probability(), 0.5) << "its second trial is still open";
  study.EndAt(0, Ending::kMeasured, -1.0);
  EXPECT_NE(probability(), 0.5);
}

TEST(Exploration, RunningRewardsGoOnTellingBlocksApart) {
  // Both blocks beat the initial results; the second does by more.
  FakeStudy study = BegunStudy();
  study.Lease(MustSuggest("random_exp3", study.view(), 4, kSeed));
  for (double value : {1.0, 1.0, 5.0, 5.0}) study.End(Ending::kMeasured, value);
  const auto gap = [&](double running) {
    const auto strategy =
        *MakeStrategy(*FindPreset("random_exp3"), {.options = {{"running_rewards", running}}});
    const auto next = *strategy->Suggest(study.view(), 1, kSeed, Deadline::Infinite());
    return NumberFact(next.front(), "probability_of_random_now");
  };
  EXPECT_NE(gap(0), gap(1));
}

TEST(Exploration, ResultsOfAnySizeGiveProbabilities) {
  FakeStudy study = BegunStudy();
  study.ended[0].value = -1.7e308;
  study.ended[1].value = 1.7e308;
  study.Lease(MustSuggest("random_exp3", study.view(), 2, kSeed));
  study.End(Ending::kMeasured, 1.0);
  study.End(Ending::kMeasured, 2.0);
  const auto next = MustSuggest("random_exp3", study.view(), 1, kSeed);
  EXPECT_GT(NumberFact(next.front(), "probability_of_random_now"), 0.09);
  EXPECT_LT(NumberFact(next.front(), "probability_of_random_now"), 0.91);
}

TEST(Exploration, ResultsThatDifferByLeastGiveProbabilities) {
  for (const char* preset : {"random_exp3", "uhebo", "portfolio"}) {
    FakeStudy study = BegunStudy();
    for (size_t i = 0; i < study.ended.size(); ++i) study.ended[i].value = i % 2 == 0 ? 0 : 5e-324;
    for (int i = 0; i < 8; ++i) {
      study.Lease(MustSuggest(preset, study.view(), 1, kSeed));
      study.End(Ending::kMeasured, i % 2 == 0 ? 0 : 5e-324);
    }
    const auto next = MustSuggest(preset, study.view(), 1, kSeed);
    for (const Fact& fact : next.front().provenance.facts) {
      const auto* number = std::get_if<double>(&fact.value);
      EXPECT_TRUE(number == nullptr || std::isfinite(*number)) << preset << " " << fact.name;
    }
  }
}

TEST(Exploration, RandomOnesAreNotWhatIsKnownAsLongAsThereIsMore) {
  const auto space = MakeSpace({{"n", IntegerDomain{1, 8, Scale::kLinear}, {}, {}}});
  FakeStudy study(space);
  study.noiseless = true;
  const auto strategy = *MakeStrategy(*FindPreset("gp_ucb"),
                                      {.exploration = "random", .options = {{"random_share", 1}}});
  std::set<int64_t> seen;
  for (int i = 0; i < 8; ++i) {
    study.Lease(*strategy->Suggest(study.view(), 1, kSeed, Deadline::Infinite()));
    const int64_t n = study.open.front().configuration.values[0].integer();
    if (i >= 3) {
      EXPECT_EQ(seen.count(n), 0U);
    }
    seen.insert(n);
    study.End(Ending::kMeasured, static_cast<double>(n));
  }
}

TEST(Exploration, BadNotesAreAsNone) {
  FakeStudy study = BegunStudy();
  study.ended.back().notes = {{"block", {1, 1}}};
  const auto one = MustSuggest("random_exp3", study.view(), 1, kSeed);
  EXPECT_EQ(NumberFact(one.front(), "block"), 1);
  for (const std::vector<double>& bad : std::vector<std::vector<double>>{
           {7, 1, 0, 0},
           {7, 1, 0, 5e-324},
           {7, 1, 0, 2},
           {NAN, 1, 0, 0.5},
           {7, NAN, 0, 0.5},
           {7, 1e300, 0, 0.5}}) {
    study.ended.back().notes = {{"block", bad}};
    EXPECT_EQ(NumberFact(MustSuggest("random_exp3", study.view(), 1, kSeed).front(), "block"), 1);
  }
}

// The mean of the model that the strategy has, at unit points, on its own scale.
double SumOfMeans(const FakeStudy& study, const Recipe& recipe,
                  const std::vector<std::vector<double>>& points) {
  const std::unique_ptr<Calibration> fixed = MakeFixed();
  CalibrationCache cache;
  const StudyView view = study.view();
  const auto model = ObjectiveModel::Fit({view, recipe, *fixed, *fixed, cache});
  EXPECT_TRUE(model.ok());
  double sum = 0;
  for (const std::vector<double>& point : points) {
    PointMatrix x(1, 2);
    x << point[0], point[1];
    sum += model->member(0).Predict(x).mean[0];
  }
  return sum;
}

TEST(Hedge, ChoosesAmongNomineesByWhatTheModelThinksOfEarlierOnes) {
  for (const Goal goal : {Goal::kMaximize, Goal::kMinimize}) {
    FakeStudy study = BegunStudy(goal);
    const RecipeChange change{.calibration = "fixed", .exploration = "hedge"};
    const Recipe recipe = *ChangedRecipe(FindPreset("gp_ucb")->recipe, change);
    const auto strategy = *MakeStrategy(*FindPreset("gp_ucb"), change);
    std::map<std::string, std::vector<std::vector<double>>> earlier;
    for (int i = 0; i < 8; ++i) {
      const auto made = *strategy->Suggest(study.view(), 1, kSeed, Deadline::Infinite());
      const Suggestion& next = made.front();
      double sum = 0;
      double exponentials = 0;
      for (const std::string name : {"ucb", "ei", "pi"}) {
        const std::vector<double>* nominee = FindNote(next.provenance.notes, "nominee_" + name);
        ASSERT_NE(nominee, nullptr);
        ASSERT_EQ(nominee->size(), 2U);
        const double gain = NumberFact(next, "gain_of_" + name);
        EXPECT_NEAR(gain, SumOfMeans(study, recipe, earlier[name]), 1e-9);
        sum += NumberFact(next, "probability_of_" + name);
        exponentials += std::exp(gain);
        if (TextFact(next, "arm") == name) {
          EXPECT_NEAR(next.configuration.values[0].number(), (*nominee)[0], 1e-9);
          EXPECT_NEAR(next.configuration.values[1].number(), (*nominee)[1], 1e-9);
        }
        earlier[name].push_back(*nominee);
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_NEAR(NumberFact(next, "probability_of_ei"),
                  std::exp(NumberFact(next, "gain_of_ei")) / exponentials, 1e-12);
      study.Lease(made);
      const double value = BowlAt(study.open.front().configuration);
      study.End(Ending::kMeasured, goal == Goal::kMaximize ? value : -value);
    }
  }
}

// By its neighbours the middle of the bowl is the best point.
TEST(Hedge, NomineesWithoutAValueCountAsTheWorst) {
  FakeStudy study = BegunStudy();
  const auto worst = std::min_element(
      study.ended.begin(), study.ended.end(),
      [](const EndedTrial& a, const EndedTrial& b) { return a.value < b.value; });
  const Configuration& there = worst->configuration;
  study.Queue({{Value::Double(0.4), Value::Double(0.5)}});
  study.open.front().notes = {{"nominee_ei", {0.4, 0.5}},
                              {"nominee_pi", {there.values[0].number(), there.values[1].number()}}};
  study.End(Ending::kInfeasible, std::nullopt);
  const auto strategy =
      *MakeStrategy(*FindPreset("gp_ucb"), {.calibration = "fixed", .exploration = "hedge"});
  const auto next = *strategy->Suggest(study.view(), 1, kSeed, Deadline::Infinite());
  EXPECT_NEAR(NumberFact(next.front(), "gain_of_ei"), NumberFact(next.front(), "gain_of_pi"), 0.3);
}

TEST(Hedge, ChoosesAmongTheArmsThatThereWasTimeFor) {
  FakeStudy study(SquareSpace());
  study.Lease(MustSuggest("quasi_random", study.view(), 6, 3));
  for (int i = 0; i < 6; ++i) study.End(Ending::kMeasured, i);
  const Recipe recipe = FindPreset("gp_ucb")->recipe;
  const std::unique_ptr<Calibration> fixed = MakeFixed();
  CalibrationCache cache;
  const StudyView view = study.view();
  const auto model = ObjectiveModel::Fit({view, recipe, *fixed, *fixed, cache});
  ASSERT_TRUE(model.ok()) << model.status();
  const Choice<AcquisitionRow> slow{kSlow};
  const ConfigurationIndex none;
  NextPointRequest request{*study.space, slow, *model, none};
  request.deadline = Deadline::In(absl::Milliseconds(100));
  const auto hedge = kHedge.make(kHedge.about.options());
  const ExploredSearch search{request, view.ended, view.goal, false, std::nullopt};
  const auto point = hedge->Choose(search);
  ASSERT_TRUE(point.ok()) << point.status();
  EXPECT_TRUE(point->next.is_cut_short);
  EXPECT_EQ(point->notes.size(), 1u);
  request.deadline = Deadline::Passed();
  EXPECT_TRUE(absl::IsDeadlineExceeded(hedge->Choose(search).status()));
}

TEST(Hedge, BadNotesAreAsNone) {
  FakeStudy study = BegunStudy();
  const auto strategy =
      *MakeStrategy(*FindPreset("gp_ucb"), {.calibration = "fixed", .exploration = "hedge"});
  for (const std::vector<double>& bad :
       std::vector<std::vector<double>>{{0.5}, {NAN, 0.5}, {0.5, INFINITY}, {0.5, -0.1}}) {
    study.ended.back().notes = {{"nominee_ei", bad}};
    const auto next = *strategy->Suggest(study.view(), 1, kSeed, Deadline::Infinite());
    EXPECT_EQ(NumberFact(next.front(), "gain_of_ei"), 0);
  }
}

}  // namespace
}  // namespace slipstream
