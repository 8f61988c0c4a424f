// The exploration "turns" (core/exploration/turns.h), as studies meet it.
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/acquisition/rule.h"
#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/calibration/calibration.h"
#include "core/recipe/presets.h"
#include "core/recipe/recipe_names.h"
#include "core/strategy/make_strategy.h"
#include "core/strategy/objective_model.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

constexpr uint64_t kTurnsSeed = 34;

// Two bowls, the deeper one at (0.3, 0.6).
double BowlsAt(const SearchSpace& space, const Configuration& at) {
  const std::vector<double> point = CoordinatesOf(space, at);
  const auto bowl = [&](double centre, double other) {
    const double x = point[0] - centre;
    const double y = point.size() > 1 ? point[1] - other : 0;
    return std::exp(-10 * (x * x + y * y));
  };
  return bowl(0.3, 0.6) + 0.7 * bowl(0.9, 0.1);
}

std::vector<Suggestion> Suggest(const FakeStudy& study, const RecipeChange& change, int count = 1,
                                uint64_t seed = kTurnsSeed) {
  const auto strategy = MakeStrategy(*FindPreset("gp_log_ei"), change);
  EXPECT_TRUE(strategy.ok()) << strategy.status();
  auto made = (*strategy)->Suggest(study.view(), count, seed, Deadline::Infinite());
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

void Measure(FakeStudy& study) {
  while (!study.open.empty()) {
    study.End(Ending::kMeasured, BowlsAt(*study.space, study.open.front().configuration));
  }
}

bool ExpectsLittle(const Suggestion& suggestion) {
  return std::exp(NumberFact(suggestion, "acquisition_value")) < 0.01;
}

FakeStudy StudyAfter(int results, std::shared_ptr<const SearchSpace> space = SquareSpace(),
                     std::vector<std::shared_ptr<const SourceTaskData>> sources = {}) {
  FakeStudy study(std::move(space), std::move(sources));
  study.noiseless = true;
  for (int i = 0; i < results; ++i) {
    study.Lease(Suggest(study, {.prior = "none", .exploration = "none"}));
    Measure(study);
  }
  return study;
}

double FactorOf(const Suggestion& suggestion) {
  return HasFact(suggestion, "deviation_factor") ? NumberFact(suggestion, "deviation_factor") : 1;
}

constexpr char kInVain[] = "fills the space, as results have long not improved";

bool IsInVain(const Suggestion& suggestion) {
  return HasFact(suggestion, "turn") && TextFact(suggestion, "turn") == kInVain;
}

TEST(Turns, BeginOnceLittleImprovementIsExpected) {
  FakeStudy study = StudyAfter(4);
  int before = 0;
  int after = 0;
  for (int i = 0; i < 24; ++i) {
    const Suggestion plain = Suggest(study, {.exploration = "none"}).front();
    const std::vector<Suggestion> made = Suggest(study, {});
    if (!ExpectsLittle(plain)) {
      ++before;
      EXPECT_EQ(FactorOf(made.front()), 1);
      EXPECT_EQ(made.front().configuration, plain.configuration);
    } else {
      ++after;
      const auto place = (study.suggested + 1) % 3;
      if (IsInVain(made.front())) {
        EXPECT_EQ(place, 2);
      } else {
        EXPECT_EQ(FactorOf(made.front()), place == 0 ? 0.35 : 1.2);
      }
    }
    study.Lease(made);
    Measure(study);
  }
  EXPECT_GT(before, 3);
  EXPECT_GT(after, 6);
}

TEST(Turns, AreTheMaximaOfWhatAModelThatErrsSoMuchPromises) {
  const RecipeChange change{.calibration = "fixed"};
  const Recipe recipe = *ChangedRecipe(FindPreset("gp_log_ei")->recipe, change);
  const std::unique_ptr<Calibration> fixed = MakeFixed();
  FakeStudy study = StudyAfter(16);
  std::vector<double> factors;
  for (int i = 0; i < 3; ++i) {
    const std::vector<Suggestion> made = Suggest(study, change);
    const double factor = FactorOf(made.front());
    factors.push_back(factor);

    CalibrationCache cache;
    const StudyView view = study.view();
    const auto model = ObjectiveModel::Fit({view, recipe, *fixed, *fixed, cache});
    ASSERT_TRUE(model.ok());
    const auto rule = MakeLogExpectedImprovement(model->Incumbent(0));
    const auto value_at = [&](double x, double y) {
      PointMatrix at(1, 2);
      at << x, y;
      const Predictions there = model->member(0).Predict(at);
      return rule->Evaluate(there.mean[0], factor * std::sqrt(there.variance[0])).value;
    };
    const Configuration& chosen = made.front().configuration;
    const double value = value_at(chosen.values[0].number(), chosen.values[1].number());
    EXPECT_NEAR(NumberFact(made.front(), "acquisition_value"), value, 1e-6 * std::fabs(value));
    for (int x = 0; x <= 100; ++x) {
      for (int y = 0; y <= 100; ++y) EXPECT_LE(value_at(0.01 * x, 0.01 * y), value + 1e-3);
    }
    study.Lease(made);
    Measure(study);
  }
  std::sort(factors.begin(), factors.end());
  EXPECT_EQ(factors, (std::vector<double>{0.35, 1.2, 1.2}));
}

TEST(Turns, OneRefinesWhereTheOthersLookFarther) {
  FakeStudy study = StudyAfter(16);
  while (study.suggested % 3 != 2) ++study.suggested;
  const Suggestion refining = Suggest(study, {}).front();
  ++study.suggested;
  const Suggestion farther = Suggest(study, {}).front();
  ASSERT_EQ(FactorOf(refining), 0.35);
  ASSERT_EQ(FactorOf(farther), 1.2);
  EXPECT_LT(NumberFact(refining, "predicted_deviation"),
            NumberFact(farther, "predicted_deviation"));
  EXPECT_GT(NumberFact(refining, "predicted_mean"), NumberFact(farther, "predicted_mean"));
}

TEST(Turns, GoOnAmongTheSuggestionsOfOneCall) {
  const FakeStudy study = StudyAfter(16);
  const std::vector<Suggestion> together = Suggest(study, {}, 6);
  for (size_t i = 0; i < together.size(); ++i) {
    const bool refines = (study.suggested + static_cast<int64_t>(i) + 1) % 3 == 0;
    EXPECT_EQ(FactorOf(together[i]), refines ? 0.35 : 1.2) << i;
  }
}

TEST(Turns, OfNoisyResultsComeAsWell) {
  FakeStudy study = StudyAfter(25);
  study.noiseless = false;
  for (size_t i = 0; i < study.ended.size(); ++i) {
    *study.ended[i].value += 0.0003 * (static_cast<double>(i % 3) - 1);
  }
  ASSERT_TRUE(ExpectsLittle(Suggest(study, {.exploration = "none"}).front()));
  const std::vector<Suggestion> made = Suggest(study, {}, 3);
  EXPECT_EQ(std::count_if(made.begin(), made.end(),
                          [](const Suggestion& each) { return FactorOf(each) == 0.35; }),
            1);
}

FakeStudy NoisyStudy() {
  FakeStudy study = StudyAfter(25);
  study.noiseless = false;
  for (size_t i = 0; i < study.ended.size(); ++i) {
    *study.ended[i].value += 0.3 * (static_cast<double>(i * 7 % 5) - 2);
  }
  return study;
}

// The improvement is little beside the noise, though not by itself.
TEST(Turns, BeginEarlierAndLookFartherWhereNoiseHidesTheImprovement) {
  FakeStudy study = NoisyStudy();
  ASSERT_FALSE(ExpectsLittle(Suggest(study, {.exploration = "none"}).front()));
  while (study.suggested % 3 != 2) ++study.suggested;
  EXPECT_EQ(FactorOf(Suggest(study, {}).front()), 0.35);
  ++study.suggested;
  EXPECT_EQ(FactorOf(Suggest(study, {}).front()), 2);
}

TEST(Turns, FillTheSpaceAtEverySixthSuggestionWhereNoiseHidesTheImprovement) {
  FakeStudy study = NoisyStudy();
  while (study.suggested % 6 != 0) ++study.suggested;
  const std::vector<Suggestion> made = Suggest(study, {}, 6);
  ASSERT_EQ(made.size(), 6U);
  for (size_t i = 0; i < made.size(); ++i) {
    const bool fills = i == 4;
    EXPECT_EQ(HasFact(made[i], "turn"), fills) << i;
    EXPECT_EQ(FactorOf(made[i]), fills ? 1 : i % 3 == 2 ? 0.35 : 2) << i;
    EXPECT_EQ(made[i].provenance.rung, Rung::kRecipe) << i;
  }
}

// Points of a Sobol sequence at such intervals would all have their first number on one side.
TEST(Turns, FillAllOfTheSpaceThoughTheyComeAtRegularIntervals) {
  FakeStudy study = NoisyStudy();
  int left = 0;
  int right = 0;
  study.suggested += 4 - study.suggested % 6;
  for (int i = 0; i < 12; ++i) {
    study.suggested += 6;
    const Suggestion made = Suggest(study, {}).front();
    ASSERT_EQ(TextFact(made, "turn"), "fills the space, as noise hides improvements");
    (made.configuration.values[0].number() < 0.5 ? left : right) += 1;
  }
  EXPECT_GT(left, 1);
  EXPECT_GT(right, 1);
}

// How many of sixty suggestions for an exact objective on the square fill the space because results
// are in vain.
int CountInVain(double (*objective)(double x, double y)) {
  FakeStudy study(SquareSpace());
  study.noiseless = true;
  int filling = 0;
  for (int i = 0; i < 60; ++i) {
    const std::vector<Suggestion> made = Suggest(study, {});
    study.Lease(made);
    filling += IsInVain(made.front()) ? 1 : 0;
    const std::vector<double> at = CoordinatesOf(*study.space, study.open.front().configuration);
    study.End(Ending::kMeasured, objective(at[0], at[1]));
  }
  return filling;
}

// What is best along one edge changes nothing there, so the model expects nothing anywhere.
TEST(Turns, LeaveAnEdgeAlongWhichNothingChanges) {
  EXPECT_GT(CountInVain([](double x, double) { return -0.3 * x; }), 8);
}

// A local optimum can be refined without an end. Results around it are soon more than half of all,
// and then the model's scale is that of their differences.
TEST(Turns, LookElsewhereWhileALocalOptimumIsRefined) {
  EXPECT_GT(CountInVain([](double x, double y) {
              const double wide = ((x - 0.3) * (x - 0.3) + (y - 0.4) * (y - 0.4)) / 0.08;
              const double narrow = ((x - 0.8) * (x - 0.8) + (y - 0.75) * (y - 0.75)) / 0.0005;
              return std::max(0.7 * std::exp(-wide), std::exp(-narrow));
            }),
            8);
}

// Of thirty words each has a value of its own; eight other choices do nothing.
TEST(Turns, LeaveAWordThatIsGoodAmongManyThatAreNotKnown) {
  std::vector<std::string> words;
  for (int i = 0; i < 30; ++i) words.push_back("word" + std::to_string(i));
  std::vector<Parameter> parameters = {{"word", CategoricalDomain{words}, {}, {}}};
  for (int i = 0; i < 8; ++i) {
    parameters.push_back({"other" + std::to_string(i),
                          CategoricalDomain{{"a", "b", "c", "d", "e"}}, {}, {}});
  }
  const std::shared_ptr<const SearchSpace> space = MakeSpace(std::move(parameters));
  size_t all_tried = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    FakeStudy study(space);
    study.noiseless = true;
    std::set<int64_t> tried;
    for (int i = 0; i < 50; ++i) {
      study.Lease(Suggest(study, {}, 1, seed));
      const int64_t word = study.open.front().configuration.values[0].level();
      tried.insert(word);
      study.End(Ending::kMeasured, -std::sqrt(static_cast<double>((word * 7 + 3) % 30) / 30));
    }
    all_tried += tried.size();
  }
  EXPECT_GE(all_tried, 4 * 18U);
}

TEST(Turns, DoNotTakeTheLuckiestOfNoisyResultsForASignOfResultsInVain) {
  FakeStudy study = NoisyStudy();
  for (const Suggestion& made : Suggest(study, {}, 12)) {
    EXPECT_FALSE(IsInVain(made));
  }
}

// The results of this objective say nothing of those beside them, so that a model goes on to
// promise what it does not keep.
TEST(Turns, LeaveAModelThatDoesNotKeepItsPromises) {
  EXPECT_GT(CountInVain([](double x, double y) { return std::sin(1e4 * x + 1.7e4 * y); }), 12);
}

// Losses of a training that learns in a fiftieth of the square alone, guesses a little better on
// one side of it, and diverges in a third of it.
double TrainingLoss(const std::vector<double>& at) {
  const double distance = std::hypot(at[0] - 0.15, at[1] - 0.8);
  if (distance < 0.08) return 0.5 + 20 * distance;
  return at[0] > 0.67 ? 3 + 10 * at[0] : 2.3 + 0.01 * at[1];
}

TEST(Turns, LookElsewhereWhileAllResultsLookLikeGuesses) {
  int found = 0;
  int guesses = 0;
  int filling = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    FakeStudy study(SquareSpace(), {}, Goal::kMinimize);
    double best = 10;
    for (int i = 0; i < 50; ++i) {
      const std::vector<Suggestion> made = Suggest(study, {}, 1, seed);
      study.Lease(made);
      const bool fills = HasFact(made.front(), "turn") &&
                         TextFact(made.front(), "turn") ==
                             "fills the space, as all results look like guesses";
      EXPECT_FALSE(fills && best < 2) << "seed " << seed << ", trial " << i;
      guesses += i >= 10 && best > 2 ? 1 : 0;
      filling += i >= 10 && fills ? 1 : 0;
      const double loss =
          TrainingLoss(CoordinatesOf(*study.space, study.open.front().configuration));
      best = std::min(best, loss);
      study.End(Ending::kMeasured, loss);
    }
    found += best < 2 ? 1 : 0;
  }
  EXPECT_GE(found, 3);
  EXPECT_GT(guesses, 20);
  EXPECT_NEAR(filling, guesses / 2.0, 6);
}

// A model that takes all results for noise promises nothing anywhere, and the bowl is found by
// points that no model asked for.
TEST(Turns, LeaveAPlainOfNoise) {
  FakeStudy study(SquareSpace());
  double nearest = 1;
  for (int i = 0; i < 60; ++i) {
    study.Lease(Suggest(study, {}));
    const std::vector<double> at =
        CoordinatesOf(*study.space, study.open.front().configuration);
    const double distance = std::hypot(at[0] - 0.77, at[1] - 0.23);
    const double noise = 0.3 * (static_cast<double>(i * 7 % 11) / 5 - 1);
    nearest = std::min(nearest, distance);
    study.End(Ending::kMeasured, 3 * std::exp(-60 * distance * distance) + noise);
  }
  EXPECT_LT(nearest, 0.05);
}

TEST(Turns, GoWithWhateverAModelIsMadeOf) {
  const auto expect_turns = [](const FakeStudy& study, const RecipeChange& change) {
    const std::vector<Suggestion> made = Suggest(study, change, 3);
    ASSERT_EQ(made.size(), 3U);
    int refining = 0;
    for (const Suggestion& each : made) {
      EXPECT_EQ(each.provenance.rung, Rung::kRecipe) << each.provenance.rung_reason;
      EXPECT_TRUE(IsLegal(*study.space, each.configuration));
      const bool is_search = !HasFact(each, "turn");  // And not the incumbent with other words.
      EXPECT_TRUE(!is_search || std::isfinite(NumberFact(each, "acquisition_value")));
      refining += FactorOf(each) == 0.35 ? 1 : 0;
    }
    EXPECT_EQ(refining, 1);
  };
  {
    SCOPED_TRACE("several members");
    expect_turns(StudyAfter(25), {.calibration = "hmc"});
  }
  {
    SCOPED_TRACE("the improvement itself");
    expect_turns(StudyAfter(25), {.acquisition = "ei"});
  }
  {
    SCOPED_TRACE("trials with other workers");
    FakeStudy study = StudyAfter(25);
    study.Lease(Suggest(study, {}, 4));
    expect_turns(study, {});
  }
  {
    SCOPED_TRACE("configurations that are infeasible");
    FakeStudy study = StudyAfter(25);
    study.Lease(Suggest(study, {}, 2));
    while (!study.open.empty()) study.End(Ending::kInfeasible);
    expect_turns(study, {});
  }
  {
    SCOPED_TRACE("words, conditions and whole numbers");
    expect_turns(StudyAfter(60, MixedSpace()), {});
  }
}

// A space with a condition, and without words.
std::shared_ptr<const SearchSpace> ConditionalNumbers() {
  Parameter inner{"inner", DoubleDomain{0, 1, Scale::kLinear}, {}, {}};
  inner.condition = Condition{"depth", {int64_t{2}, int64_t{3}}};
  return MakeSpace({{"x", DoubleDomain{0, 1, Scale::kLinear}, {}, {}},
                    {"y", DoubleDomain{0, 1, Scale::kLinear}, {}, {}},
                    {"depth", IntegerDomain{1, 3, Scale::kLinear}, {}, {}},
                    inner});
}

std::string TurnOf(const Suggestion& suggestion) {
  return HasFact(suggestion, "turn") ? TextFact(suggestion, "turn") : "";
}

TEST(Turns, TryTheIncumbentWithOtherWordsWhereThereAreAny) {
  std::vector<std::string> words;
  for (int i = 0; i < 20; ++i) words.push_back("word" + std::to_string(i));
  const auto space = MakeSpace({{"x", DoubleDomain{0, 1, Scale::kLinear}, {}, {}},
                                {"y", DoubleDomain{0, 1, Scale::kLinear}, {}, {}},
                                {"word", CategoricalDomain{words}, {}, {}}});
  const auto word_of = [](const Configuration& at) { return at.values[2].level(); };
  FakeStudy study(space);
  study.noiseless = true;
  for (uint64_t i = 0; i < 48; ++i) {  // Of the first four words.
    const std::string word = words[i % 4];
    const double x = CounterRandomUniform(kTurnsSeed, i, 0);
    const double y = CounterRandomUniform(kTurnsSeed, i, 1);
    study.Queue(space->Resolve({{"x", x}, {"y", y}, {"word", word}}).value());
    Measure(study);
  }
  int unseen = 0;
  int redrawn = 0;
  int far = 0;
  for (int i = 0; i < 60 && (unseen == 0 || redrawn == 0 || far == 0); ++i) {
    const Suggestion made = Suggest(study, {}).front();
    const int64_t place = (study.suggested + 1) % 3;
    const Configuration incumbent =
        std::max_element(study.ended.begin(), study.ended.end(), [](const auto& a, const auto& b) {
          return *a.value < *b.value;
        })->configuration;
    const bool has_other_words = !TurnOf(made).empty() && !IsInVain(made);
    if (has_other_words) {
      EXPECT_EQ(made.configuration.values[0], incumbent.values[0]);
      EXPECT_EQ(made.configuration.values[1], incumbent.values[1]);
      EXPECT_NE(word_of(made.configuration), word_of(incumbent));
    }
    if (TurnOf(made) == "a word that no trial has had") {
      ++unseen;
      EXPECT_NE(place, 0);
      EXPECT_TRUE(std::none_of(study.ended.begin(), study.ended.end(), [&](const auto& trial) {
        return word_of(trial.configuration) == word_of(made.configuration);
      }));
    } else if (has_other_words) {
      ++redrawn;
      EXPECT_EQ(place, 1);
    } else {
      far += FactorOf(made) == 2 ? 1 : 0;
    }
    study.Lease({made});
    Measure(study);
  }
  EXPECT_GT(unseen, 0);
  EXPECT_GT(redrawn, 0);
  EXPECT_GT(far, 0);
}

// The two models of a guarded study are asked together.
TEST(Turns, TryOtherWordsBesideSourcesToo) {
  const std::shared_ptr<const SearchSpace> space = MixedSpace();
  auto source = std::make_shared<SourceTaskData>();
  source->name = "sourceTasks/s";
  source->space = space;
  source->goal = Goal::kMaximize;
  const FakeStudy recorded = StudyAfter(20, space);
  for (const EndedTrial& trial : recorded.ended) {
    source->points.push_back({trial.configuration, Ending::kMeasured, -*trial.value});
  }
  FakeStudy study = StudyAfter(40, space, {source});
  const RecipeChange guarded = {.prior = "empirical", .options = {{"transfer_guard", 1}}};
  int turns = 0;
  for (int i = 0; i < 12; ++i) {
    const std::vector<Suggestion> made = Suggest(study, guarded);
    EXPECT_EQ(made.front().provenance.rung, Rung::kRecipe);
    turns += TurnOf(made.front()).empty() ? 0 : 1;
    study.Lease(made);
    Measure(study);
  }
  EXPECT_GT(turns, 0);
}

TEST(Turns, ExploreMoreInASpaceWithWordsOrConditions) {
  const FakeStudy study = StudyAfter(60, ConditionalNumbers());
  const std::vector<Suggestion> together = Suggest(study, {}, 3);
  for (size_t i = 0; i < together.size(); ++i) {
    const bool refines = (study.suggested + static_cast<int64_t>(i) + 1) % 3 == 0;
    EXPECT_EQ(FactorOf(together[i]), refines ? 0.35 : 2) << i;
  }
}

// With a guard, half of the model learns from the results alone.
TEST(Turns, AreTakenWithAGuardBesideSources) {
  const FakeStudy study = StudyAfter(25, SquareSpace(), {BowlSource("near", 0.3, 0.6, 20, 5)});
  const RecipeChange guarded = {.prior = "empirical", .options = {{"transfer_guard", 1}}};
  int turns = 0;
  for (const Suggestion& each : Suggest(study, guarded, 8)) {
    const bool asks_both =
        HasFact(each, "asked") && TextFact(each, "asked") == std::string("both models");
    turns += asks_both && FactorOf(each) != 1 ? 1 : 0;
  }
  EXPECT_GT(turns, 0);
}

TEST(Turns, AreNotTakenWhereTheyAreNotMeant) {
  const auto expect_none = [](const FakeStudy& study, RecipeChange change) {
    change.exploration = "turns";
    const std::vector<Suggestion> made = Suggest(study, change, 3);
    change.exploration = "none";
    const std::vector<Suggestion> plain = Suggest(study, change, 3);
    ASSERT_EQ(made.size(), plain.size());
    bool little = !change.acquisition.empty();
    for (size_t i = 0; i < made.size(); ++i) {
      EXPECT_EQ(FactorOf(made[i]), 1);
      EXPECT_EQ(made[i].configuration, plain[i].configuration);
      little = little || ExpectsLittle(plain[i]);
    }
    EXPECT_TRUE(little) << "there would have been none in any case";
  };
  const FakeStudy study = StudyAfter(16);
  ASSERT_NE(FactorOf(Suggest(study, {}).front()), 1);
  for (const std::string acquisition :
       {"ucb", "ucb_theory", "pi", "max_value_pi", "max_value_pi_draws", "thompson"}) {
    SCOPED_TRACE(acquisition);
    expect_none(study, {.acquisition = acquisition});
  }
  for (const std::string calibration : {"expanding(map)", "shrinking(map)"}) {
    SCOPED_TRACE(calibration);
    expect_none(study, {.calibration = calibration});
  }
  {
    SCOPED_TRACE("candidates");
    expect_none(StudyAfter(25, LineOfCandidates(60)), {});
  }
  {
    SCOPED_TRACE("few configurations");
    expect_none(StudyAfter(25, MakeSpace({{"n", IntegerDomain{1, 60, Scale::kLinear}, {}, {}}})),
                {});
  }
  {
    SCOPED_TRACE("sources");
    expect_none(StudyAfter(25, SquareSpace(), {BowlSource("near", 0.3, 0.6, 20, 5)}),
                {.prior = "stacked"});
  }
}

}  // namespace
}  // namespace slipstream
