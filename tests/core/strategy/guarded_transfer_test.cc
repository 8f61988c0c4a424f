// A study whose models with and without sources stand side by side: mixed_model, study_models,
// model_run.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/gp/model.h"
#include "core/gp/normal.h"
#include "core/space/encoded_points.h"
#include "core/strategy/make_strategy.h"
#include "core/strategy/mixed_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/fitted_model.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

double BowlAt(const Configuration& configuration, double x, double y) {
  const double dx = configuration.values[0].number() - x;
  const double dy = configuration.values[1].number() - y;
  return -(dx * dx + dy * dy);
}

using Objective = std::function<double(const Configuration&)>;

// A bowl whose top is at (0.3, 0.6).
double Bowl(const Configuration& configuration) { return BowlAt(configuration, 0.3, 0.6); }

// So wavy that a dozen results do not show it.
double Ripples(const Configuration& configuration) {
  return std::sin(11 * configuration.values[0].number()) +
         std::cos(13 * configuration.values[1].number());
}

// Suggestions of `preset`, one after the other.
std::vector<Suggestion> RunOf(const std::string& preset, FakeStudy& study, int count,
                              const Objective& objective = Bowl, uint64_t seed = 5) {
  std::vector<Suggestion> made;
  for (int i = 0; i < count; ++i) {
    const std::vector<Suggestion> next = MustSuggest(preset, study.view(), 1, seed);
    study.Lease(next);
    study.End(Ending::kMeasured, objective(next[0].configuration));
    made.push_back(next[0]);
  }
  return made;
}

// Sources of 60 points with `factor` times the ripples.
FakeStudy RippledStudy(double factor, uint64_t sources = 6) {
  std::vector<std::shared_ptr<const SourceTaskData>> tasks;
  for (uint64_t i = 0; i < sources; ++i) {
    auto source = std::make_shared<SourceTaskData>(
        *BowlSource("sourceTasks/s" + std::to_string(i), 0, 0, 60, 7 + i));
    for (SourcePoint& point : source->points) point.value = factor * Ripples(point.configuration);
    tasks.push_back(std::move(source));
  }
  return FakeStudy(SquareSpace(), tasks);
}

FakeStudy StudyWith(double x, double y, int sources = 1) {
  std::vector<std::shared_ptr<const SourceTaskData>> tasks;
  for (int i = 0; i < sources; ++i) {
    tasks.push_back(
        BowlSource("sourceTasks/s" + std::to_string(i), x, y, 40, static_cast<uint64_t>(7 + i)));
  }
  return FakeStudy(SquareSpace(), tasks);
}

bool IsForContrast(const Suggestion& suggestion) {
  return FindNote(suggestion.provenance.notes, "contrast") != nullptr;
}

double BestOf(const FakeStudy& study) {
  double best = -1e9;
  for (const EndedTrial& trial : study.ended) best = std::max(best, trial.value.value());
  return best;
}

TEST(Auto, WithoutSourcesIsGpLogEi) {
  for (const auto& space : {SquareSpace(), MixedSpace()}) {
    FakeStudy study(space);
    for (int i = 0; i < 12; ++i) {
      const auto expected = MustSuggest("gp_log_ei", study.view(), 1, 5);
      const auto actual = MustSuggest("auto", study.view(), 1, 5);
      ASSERT_EQ(actual[0].configuration, expected[0].configuration) << i;
      EXPECT_TRUE(actual[0].provenance.notes.empty());
      EXPECT_FALSE(HasFact(actual[0], "transfer_share"));
      study.Lease(actual);
      study.End(Ending::kMeasured, BowlValueAt(*space, actual[0].configuration, 0.1));
    }
  }
}

TEST(Auto, TakesGivenHyperparametersWithoutSources) {
  FakeStudy study(SquareSpace());
  RunOf("auto", study, 12);
  const auto next = [&study](const char* preset) {
    const RecipeChange change = {.options = {{"noise_deviation", 0.5}, {"amplitude", 3}}};
    const auto strategy = *MakeStrategy(*FindPreset(preset), change);
    return strategy->Suggest(study.view(), 1, 5, Deadline::Infinite())->front();
  };
  EXPECT_NEAR(NumberFact(next("auto"), "noise_variance"), 0.25, 1e-12);
  EXPECT_NEAR(NumberFact(next("auto"), "amplitude"), 3, 1e-12);
  EXPECT_EQ(next("auto").configuration, next("gp_log_ei").configuration);
}

TEST(Auto, TakesAGivenNoiseInTheModelsWithAndWithoutSources) {
  FakeStudy study = StudyWith(0.3, 0.6);
  RunOf("auto", study, 7);
  const auto strategy =
      *MakeStrategy(*FindPreset("auto"), {.options = {{"noise_deviation", 0.5}}});
  const Suggestion next = strategy->Suggest(study.view(), 1, 5, Deadline::Infinite())->front();
  const std::vector<double>* forecasts =
      FindNote(next.provenance.notes, "transfer_forecasts");
  ASSERT_NE(forecasts, nullptr);
  EXPECT_GE((*forecasts)[1], 0.5);  // The deviation without sources, ...
  EXPECT_GE((*forecasts)[3], 0.5);  // ... and with them.
}

TEST(Auto, BeginsWithWhatTheSourcesTellItAndAPointForContrast) {
  FakeStudy study = StudyWith(0.3, 0.6);
  const std::vector<Suggestion> made = RunOf("auto", study, 3);
  for (const size_t i : {0, 1}) {
    EXPECT_GT(Bowl(made[i].configuration), -0.01) << i;
    EXPECT_FALSE(IsForContrast(made[i])) << i;
  }
  EXPECT_LT(Bowl(made[2].configuration), -0.02);
  EXPECT_TRUE(IsForContrast(made[2]));
  for (const Suggestion& each : made) EXPECT_EQ(each.provenance.rung, Rung::kRecipe);
}

TEST(Auto, ResultsOfOneConfigurationDoNotSpeakAgainstTheSources) {
  for (const int sources : {1, 6}) {
    for (const double y : {0.1, 0.9}) {
      FakeStudy study = StudyWith(0.3, 0.6, sources);
      std::vector<Suggestion> next;
      for (int repeats = 1; repeats <= 4; ++repeats) {
        study.Queue({{Value::Double(0.8), Value::Double(y)}});
        study.End(Ending::kMeasured, 1000 + Bowl(study.open.front().configuration));
        next = MustSuggest("auto", study.view(), 1, 5);
        EXPECT_GT(Bowl(next[0].configuration), -0.05) << sources << " sources, " << repeats;
      }
      study.Lease(next);
      EXPECT_NE(MustSuggest("auto", study.view(), 1, 5)[0].configuration, next[0].configuration);
    }
  }
}

TEST(Auto, DoesNotTryTheFirstConfigurationAgainAtOnce) {
  for (const double y : {0.05, 0.6}) {
    FakeStudy study = StudyWith(0.95, y);
    const std::vector<Suggestion> made = RunOf("auto", study, 2);
    const auto& first = made[0].configuration.values;
    const auto& second = made[1].configuration.values;
    EXPECT_GT(std::hypot(first[0].number() - second[0].number(),
                         first[1].number() - second[1].number()),
              0.02)
        << y;
  }
}

// In a single study all results may be as good as the sources promise, so that both models expect
// the same of them.
TEST(Auto, SourcesThatServeKeepTheirShareAndSaySo) {
  constexpr uint64_t kSeeds = 6;
  double share = 0;
  double gain = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    FakeStudy study = RippledStudy(2);
    const std::vector<Suggestion> made = RunOf("auto", study, 10, Ripples, seed);
    EXPECT_GT(BestOf(study), 1.95) << seed;  // The optimum is 2.
    share += NumberFact(made.back(), "transfer_share") / kSeeds;
    gain += NumberFact(made.back(), "transfer_gain") / kSeeds;
    EXPECT_NE(TextFact(made.back(), "transfer"), "hurting") << seed;
    EXPECT_EQ(made.back().provenance.sources.empty(),
              HasFact(made.back(), "sources_unused_here"));
  }
  // The model without sources soon expects these results, which are exact, nearly as well.
  EXPECT_GT(share, 0.55);
  EXPECT_GT(gain, 0.2);
}

// Once the start is good, both models expect good results, and forecasts tell nothing any more.
TEST(Auto, AGoodStartShowsThatSourcesHelp) {
  int helping = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    FakeStudy study = RippledStudy(2);
    const std::vector<Suggestion> made = RunOf("auto", study, 12, Ripples, seed);
    const Suggestion& last = made.back();
    EXPECT_EQ(NumberFact(last, "start_trials"), 3);
    EXPECT_GT(NumberFact(last, "start_better"), 0.7) << seed;
    EXPECT_NE(TextFact(last, "transfer"), "hurting") << seed;
    helping += TextFact(last, "transfer") == "helping" ? 1 : 0;
  }
  EXPECT_GE(helping, 6);
  // What a study without sources would have begun with was never measured here, but can be.
  FakeStudy alone(SquareSpace());
  RunOf("gp_log_ei", alone, 3, Ripples);
  FakeStudy begun = RippledStudy(2);
  RunOf("auto", begun, 3, Ripples);
  EXPECT_GT(BestOf(begun), BestOf(alone));
}

std::vector<size_t> PlacesOfStart(const std::vector<Suggestion>& made) {
  std::vector<size_t> places;
  for (size_t i = 0; i < made.size(); ++i) {
    if (FindNote(made[i].provenance.notes, "start_index") != nullptr) places.push_back(i);
  }
  return places;
}

// In two dimensions a study without sources begins with three evenly filling points.
TEST(Auto, AStartIsComparedWithTheOneThatItReplaces) {
  FakeStudy served = RippledStudy(2);
  EXPECT_EQ(PlacesOfStart(RunOf("auto", served, 8, Ripples)), (std::vector<size_t>{0, 1, 2}));
  // With results of its own, a study without sources would have asked its model at once.
  FakeStudy informed = RippledStudy(2);
  for (const double x : {0.1, 0.5, 0.9}) {
    informed.Queue({{Value::Double(x), Value::Double(x)}});
    informed.End(Ending::kMeasured, Ripples(informed.open.front().configuration));
  }
  const std::vector<Suggestion> made = RunOf("auto", informed, 8, Ripples);
  EXPECT_TRUE(PlacesOfStart(made).empty());
  EXPECT_FALSE(HasFact(made.back(), "start_trials"));
  // What was suggested without the sources, as these were not ready, is no part of it.
  FakeStudy late = RippledStudy(2);
  StudyView view = late.view();
  view.fitted_sources = nullptr;
  const std::vector<Suggestion> without = MustSuggest("auto", view, 1, 5);
  EXPECT_NE(without[0].provenance.rung, Rung::kRecipe);
  EXPECT_TRUE(PlacesOfStart(without).empty());
  late.Lease(without);
  late.End(Ending::kMeasured, Ripples(without[0].configuration));
  EXPECT_EQ(PlacesOfStart(RunOf("auto", late, 8, Ripples)), (std::vector<size_t>{0, 1}));
  // Studies whose start does not depend on sources have none to compare.
  FakeStudy alone(SquareSpace());
  EXPECT_TRUE(PlacesOfStart(RunOf("auto", alone, 4, Ripples)).empty());
}

TEST(Auto, AMisleadingSourceLosesItsShareWithinAFewTrialsAndIsNamed) {
  for (const int sources : {1, 6}) {
    FakeStudy study = StudyWith(0.95, 0.05, sources);
    const std::vector<Suggestion> made = RunOf("auto", study, 14);
    const Suggestion& last = made.back();
    double weight = 0;
    for (const SourceWeight& source : last.provenance.sources) weight += source.weight;
    EXPECT_LT(weight, 0.5) << sources;
    EXPECT_TRUE(HasFact(last, "transfer"));
    EXPECT_GT(BestOf(study), -2e-3) << sources;
  }
}

TEST(Auto, LearnsFromSourcesThatSayTheOppositeAndTells) {
  for (const uint64_t sources : {1U, 6U}) {
    FakeStudy study = RippledStudy(-2, sources);
    const std::vector<Suggestion> made = RunOf("auto", study, 16, Ripples);
    EXPECT_GT(BestOf(study), 1.9) << sources;  // The optimum is 2.
    EXPECT_GT(NumberFact(made.back(), "transfer_share"), 0.5) << sources;
    EXPECT_TRUE(HasFact(made[14], "reversed")) << sources;
    // The turn of the model without sources, which reverses nothing.
    EXPECT_FALSE(HasFact(made[15], "reversed")) << sources;
  }
}

// Sources of 40 points whose results are those of other points.
FakeStudy ShuffledStudy(uint64_t seed, uint64_t sources = 1) {
  std::vector<std::shared_ptr<const SourceTaskData>> tasks;
  for (uint64_t i = 0; i < sources; ++i) {
    auto source = std::make_shared<SourceTaskData>(
        *BowlSource("sourceTasks/s" + std::to_string(i), 0.3, 0.6, 40, 7 + i));
    std::vector<double> values;
    for (const SourcePoint& point : source->points) values.push_back(*point.value);
    std::mt19937 random(static_cast<uint32_t>(100 * seed + i));
    std::shuffle(values.begin(), values.end(), random);
    for (size_t j = 0; j < values.size(); ++j) source->points[j].value = values[j];
    tasks.push_back(std::move(source));
  }
  return FakeStudy(SquareSpace(), tasks);
}

TEST(Auto, SaysWhereItDoesNotUseItsSources) {
  int unused = 0;
  int used = 0;
  for (const bool is_shuffled : {true, false}) {
    FakeStudy study = is_shuffled ? ShuffledStudy(1) : RippledStudy(2, 1);
    for (const Suggestion& each : RunOf("auto", study, 12, Ripples)) {
      if (!HasFact(each, "transfer")) continue;
      if (HasFact(each, "sources_unused_here")) continue;
      const bool has_none = each.provenance.sources.empty();
      EXPECT_EQ(HasFact(each, "sources_unused"), has_none);
      ++(has_none ? unused : used);
    }
  }
  EXPECT_GT(unused, 0);
  EXPECT_GT(used, 0);
}

TEST(Auto, SuggestionsThatAModelWithSourcesDidNotAskForUseNone) {
  FakeStudy study = RippledStudy(2);
  int unused = 0;
  int used = 0;
  for (const Suggestion& each : RunOf("auto", study, 16, Ripples)) {
    const bool is_asked = HasFact(each, "acquisition_value");
    const bool asks_both = !HasFact(each, "asked") || TextFact(each, "asked") == "both models";
    const bool uses_sources = is_asked && asks_both;
    EXPECT_EQ(each.provenance.sources.empty(), !uses_sources);
    EXPECT_EQ(HasFact(each, "sources_unused_here"), !uses_sources);
    ++(uses_sources ? used : unused);
  }
  EXPECT_GE(unused, 3);  // One for contrast and two of the model without sources.
  EXPECT_GE(used, 10);
}

// By luck a start is often better than the one without sources that it replaces.
TEST(Auto, SourcesThatTellNothingAreSeldomSaidToHelp) {
  int helping = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    FakeStudy study = ShuffledStudy(seed, 6);
    const Suggestion last = RunOf("auto", study, 14, Bowl, seed).back();
    helping += TextFact(last, "transfer") == "helping" ? 1 : 0;
  }
  EXPECT_LE(helping, 1);
}

TEST(Auto, CatchesUpOnItsStartWhereResultsSpeakAgainstTheSources) {
  const auto contrasts = [](const std::vector<Suggestion>& made) {
    return std::count_if(made.begin(), made.end(), IsForContrast);
  };
  FakeStudy misled = StudyWith(0.95, 0.05, 6);
  // As many as gp_log_ei's evenly filling points in two dimensions.
  EXPECT_EQ(contrasts(RunOf("auto", misled, 12)), 3);
  int64_t where_served = 0;
  constexpr int kSeeds = 6;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    FakeStudy served = RippledStudy(2);
    where_served += contrasts(RunOf("auto", served, 12, Ripples, seed));
  }
  EXPECT_LE(where_served, 2 * kSeeds);
}

// Which of `count` suggestions are for contrast in a mixed space whose optimum is at `optimum`, and
// at 0.1 according to its source.
std::vector<size_t> ContrastsInMixedSpace(double optimum, int count) {
  const auto space = MixedSpace();
  FakeStudy study(space, {SourceOn(space, "sourceTasks/s", 0.1)});
  const auto bowl = [&](const Configuration& configuration) {
    return BowlValueAt(*space, configuration, optimum);
  };
  const std::vector<Suggestion> made = RunOf("auto", study, count, bowl);
  std::vector<size_t> places;
  for (size_t i = 0; i < made.size(); ++i) {
    if (IsForContrast(made[i])) places.push_back(i);
  }
  return places;
}

TEST(Auto, CatchesUpOnItsStartInSpacesWithCategoriesEvenIfTheSourcesServe) {
  // As many as gp_log_ei begins with, of which the first tells the models apart.
  EXPECT_THAT(ContrastsInMixedSpace(0.1, 30),
              testing::ElementsAre(2, 4, 7, 10, 13, 16, 19, 22));
}

// A study without sources would by then ask its model.
TEST(Auto, AsksModelsAgainAfterEightTrialsInSpacesWithCategoriesEvenIfTheSourcesMislead) {
  EXPECT_THAT(ContrastsInMixedSpace(0.9, 14), testing::ElementsAre(2, 4, 5, 6, 7, 8, 10, 12));
}

TEST(Auto, PeoplesOwnTrialsAreAStartInSpacesWithCategories) {
  const auto space = MixedSpace();
  FakeStudy study(space, {SourceOn(space, "sourceTasks/s", 0.1)});
  for (const Suggestion& each : MustSuggest("random", study.view(), 7, 3)) {
    study.Queue(each.configuration);
    study.End(Ending::kMeasured, BowlValueAt(*space, each.configuration, 0.1));
  }
  int contrasts = 0;
  for (int i = 0; i < 12; ++i) {
    const std::vector<Suggestion> next = MustSuggest("auto", study.view(), 1, 5);
    contrasts += IsForContrast(next[0]) ? 1 : 0;
    study.Lease(next);
    study.End(Ending::kMeasured, BowlValueAt(*space, next[0].configuration, 0.1));
  }
  EXPECT_EQ(contrasts, 1);  // Eight in all, with seven of people's own.
}

// At which of the suggestions after the first `from` the model without sources was asked alone,
// counted from 1; only those that a model asked for.
std::vector<size_t> AskedWithoutAfter(size_t from, const std::vector<Suggestion>& made) {
  std::vector<size_t> places;
  for (size_t i = from; i < made.size(); ++i) {
    if (!HasFact(made[i], "asked")) continue;
    if (TextFact(made[i], "asked") == "the model without sources") places.push_back(i + 1);
  }
  return places;
}

TEST(Auto, EveryEighthSuggestionIsThatOfTheModelWithoutSourcesAndLaterEverySecond) {
  FakeStudy study = RippledStudy(2);
  const std::vector<Suggestion> made = RunOf("auto", study, 30, Ripples);
  int early = 0;
  int late = 0;
  for (size_t i = 0; i < made.size(); ++i) {
    if (!HasFact(made[i], "asked")) continue;  // No model asked for the point.
    const bool without = TextFact(made[i], "asked") == "the model without sources";
    EXPECT_EQ(without, (i + 1) % (i < 20 ? 8 : 2) == 0) << i;
    (i < 20 ? early : late) += without ? 1 : 0;
  }
  EXPECT_GT(early, 0);
  EXPECT_GT(late, 1);
}

TEST(Auto, ALongStudyWithCategoriesAsksTheModelWithoutSourcesNoMoreOften) {
  const auto space = MixedSpace();
  FakeStudy study(space, {SourceOn(space, "sourceTasks/s", 0.1)});
  const auto bowl = [&](const Configuration& configuration) {
    return BowlValueAt(*space, configuration, 0.1);
  };
  const std::vector<Suggestion> made = RunOf("auto", study, 30, bowl);
  EXPECT_THAT(AskedWithoutAfter(20, made), testing::ElementsAre(24));
}

TEST(Auto, TheEvidenceIsAFunctionOfTheHistoryAlone) {
  FakeStudy study = StudyWith(0.3, 0.6);
  RunOf("auto", study, 9);
  // Another strategy, with nothing cached, and another library, as after a restart.
  FakeStudy restarted = study;
  restarted.library = std::make_shared<SourceLibrary>(size_t{64} << 20);
  const auto strategy = MakeStrategy(*FindPreset("auto"));
  const auto before = MustSuggest("auto", study.view(), 1, 5);
  const auto after = strategy->Suggest(restarted.view(), 1, 5, Deadline::Infinite()).value();
  EXPECT_TRUE(SameSuggestions(before, after));
  EXPECT_EQ(NumberFact(before[0], "transfer_share"), NumberFact(after[0], "transfer_share"));
}

// It has no parameter in common with other spaces.
std::shared_ptr<const SourceTaskData> UselessSource() {
  auto other = std::make_shared<SourceTaskData>();
  other->name = "sourceTasks/other";
  other->space = MakeSpace({{"unrelated", DoubleDomain{0, 1, Scale::kLinear}, {}, {}}});
  other->points.push_back(
      {other->space->Resolve({{"unrelated", 0.5}}).value(), Ending::kMeasured, 1.0});
  return other;
}

TEST(Auto, WhereSourcesAreOfNoUseItsStartEndsAsWithoutAny) {
  FakeStudy study(SquareSpace(), {UselessSource()});
  FakeStudy alone(SquareSpace());
  const auto flat = [](const Configuration&) { return 1.0; };
  const std::vector<Suggestion> made = RunOf("auto", study, 8, flat);
  const std::vector<Suggestion> expected = RunOf("gp_log_ei", alone, 8, flat);
  for (size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(made[i].configuration, expected[i].configuration) << i;
    EXPECT_FALSE(HasFact(made[i], "results")) << i;  // No model was asked.
  }
}

TEST(Auto, WhereSourcesAreOfNoUseItStartsAsWithoutAny) {
  FakeStudy study(SquareSpace(), {UselessSource()});
  FakeStudy alone(SquareSpace());
  const std::vector<Suggestion> made = RunOf("auto", study, 6);
  const std::vector<Suggestion> expected = RunOf("gp_log_ei", alone, 6);
  for (size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(made[i].configuration, expected[i].configuration) << i;
    EXPECT_NE(made[i].provenance.rung, Rung::kRecipe);
    EXPECT_FALSE(made[i].provenance.rung_reason.empty());
  }
}

// A provider whose sources are still being fitted.
class NotYet : public SourceProvider {
 public:
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>&, const SearchSpace&,
      const SourceFitOptions&) override {
    return absl::UnavailableError("still being fitted");
  }
};

TEST(Auto, UntilItsSourcesAreFittedItTriesWhatServedThemBest) {
  const FakeStudy study = StudyWith(0.3, 0.6, 2);
  NotYet not_yet;
  StudyView view = study.view();
  view.fitted_sources = &not_yet;
  const auto made = MustSuggest("auto", view, 3, 5);
  for (size_t i = 0; i < made.size(); ++i) {
    EXPECT_GT(Bowl(made[i].configuration), -0.1) << i;
    EXPECT_EQ(TextFact(made[i], "instead_of_a_model"),
              "not ready: 2 of 2 source tasks are still being fitted");
    EXPECT_FALSE(made[i].provenance.sources.empty());
    for (size_t j = 0; j < i; ++j) EXPECT_NE(made[i].configuration, made[j].configuration);
  }
}

TEST(Auto, UntilItsSourcesAreFittedManyAtOnceAreDifferentCandidates) {
  FakeStudy study(LineOfCandidates(120), {});
  study.sources = {SourceOn(study.space, "sourceTasks/a", 0.1)};
  NotYet not_yet;
  StudyView view = study.view();
  view.fitted_sources = &not_yet;
  const auto made = MustSuggest("auto", view, 120, 5);
  ASSERT_EQ(made.size(), 120u);
  std::set<int64_t> candidates;
  for (const Suggestion& each : made) candidates.insert(each.candidate.value());
  EXPECT_EQ(candidates.size(), 120u);
}

// Sources whose tops are apart: no single candidate serves all of them.
FakeStudy StudyOnCandidates() {
  FakeStudy study(LineOfCandidates(40), {});
  for (const double top : {0.1, 0.12, 0.5, 0.9}) {
    study.sources.push_back(SourceOn(study.space, "sourceTasks/at" + std::to_string(top), top));
  }
  return study;
}

TEST(Auto, OnACandidateListItBeginsWithThreeThatServedTheSourcesBest) {
  const auto at = [](const Configuration& configuration) {
    return -std::abs(configuration.values[0].number() - 0.45);
  };
  FakeStudy one_by_one = StudyOnCandidates();
  const auto design = MustSuggest("source_portfolio", one_by_one.view(), 3, 5);
  const auto together = MustSuggest("auto", one_by_one.view(), 5, 5);
  const std::vector<Suggestion> made = RunOf("auto", one_by_one, 4, at);
  for (size_t i = 0; i < design.size(); ++i) {
    EXPECT_EQ(made[i].candidate, design[i].candidate) << i;
    EXPECT_EQ(together[i].candidate, design[i].candidate) << i;
    EXPECT_EQ(made[i].provenance.rung, Rung::kRecipe);
    EXPECT_EQ(NumberFact(made[i], "portfolio_position"), i);
    EXPECT_FALSE(made[i].provenance.sources.empty());
  }
  EXPECT_FALSE(HasFact(made[3], "portfolio_position"));
  EXPECT_FALSE(HasFact(together[3], "portfolio_position"));
  EXPECT_EQ(NumberFact(made[3], "results"), 3);
}

TEST(Auto, OnACandidateListWithResultsItAsksItsModelsAtOnce) {
  FakeStudy study = StudyOnCandidates();
  for (const size_t candidate : {5, 20, 35}) {
    study.Queue(study.space->candidates()[candidate]);
    study.End(Ending::kMeasured, static_cast<double>(candidate));
  }
  EXPECT_FALSE(HasFact(MustSuggest("auto", study.view(), 1, 5)[0], "portfolio_position"));
}

TEST(Auto, OnACandidateListUselessSourcesMakeNoStart) {
  auto unrelated = std::make_shared<SourceTaskData>(*StudyOnCandidates().sources.front());
  unrelated->space = MakeSpace({{"unrelated", DoubleDomain{}, {}, {}}});
  FakeStudy study(LineOfCandidates(40), {unrelated});
  FakeStudy alone(LineOfCandidates(40));
  const Suggestion first = MustSuggest("auto", study.view(), 1, 5)[0];
  EXPECT_EQ(first.candidate, MustSuggest("gp_log_ei", alone.view(), 1, 5)[0].candidate);
  EXPECT_FALSE(HasFact(first, "portfolio_position"));
}

TEST(Auto, OnACandidateListThatAllowsRepeatsItsStartRepeatsNothing) {
  FakeStudy study(LineOfCandidates(40, /*allow_repeats=*/true), StudyOnCandidates().sources);
  const auto design = MustSuggest("source_portfolio", study.view(), 3, 5);
  study.Queue(design[0].configuration);  // Somebody else tries it.
  std::set<int64_t> tried = {design[0].candidate.value()};
  for (int i = 0; i < 2; ++i) {
    const auto next = MustSuggest("auto", study.view(), 1, 5);
    EXPECT_TRUE(tried.insert(next[0].candidate.value()).second) << i;
    study.Lease(next);
  }
}

TEST(Auto, OnACandidateListItBelievesInTheNoiseOfExactSourcesIfItAllowsRepeats) {
  const auto noise = [](bool allow_repeats) {
    FakeStudy study(LineOfCandidates(40, allow_repeats), StudyOnCandidates().sources);
    for (const size_t candidate : {2, 9, 16, 23, 30, 37}) {
      study.Queue(study.space->candidates()[candidate]);
      const double x = study.open.front().configuration.values[0].number();
      study.End(Ending::kMeasured, std::sin(9 * x));
    }
    return NumberFact(MustSuggest("auto", study.view(), 1, 5)[0], "noise_variance");
  };
  EXPECT_LT(noise(true), 0.7 * noise(false));
}

// Counts how often it is asked for a source.
class CountedSources : public NotYet {
 public:
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
      const SourceFitOptions& options) override {
    ++asked;
    return NotYet::Get(source, space, options);
  }

  int asked = 0;
};

TEST(Auto, OnACandidateListItsFirstSuggestionAsksForTheSourcesToBeFitted) {
  const FakeStudy study = StudyOnCandidates();
  CountedSources sources;
  StudyView view = study.view();
  view.fitted_sources = &sources;
  const Suggestion first = MustSuggest("auto", view, 1, 5)[0];
  EXPECT_EQ(NumberFact(first, "portfolio_position"), 0);
  EXPECT_FALSE(HasFact(first, "instead_of_a_model"));
  EXPECT_EQ(sources.asked, 4);
}

TEST(Auto, TriesWhatWorkedFirstIfTheResultsOfSourcesAreAllEqual) {
  for (const int count : {1, 5}) {
    SourceTaskData source;
    source.name = "sourceTasks/a";
    source.space = SquareSpace();
    for (int i = 0; i < count; ++i) {
      const Configuration at{{Value::Double(0.4), Value::Double(0.2 + 0.1 * i)}};
      source.points.push_back({at, Ending::kMeasured, 0.9});
    }
    FakeStudy study(SquareSpace(), {std::make_shared<const SourceTaskData>(source)});
    const auto made = MustSuggest("auto", study.view(), 2, 5);
    EXPECT_EQ(made[0].configuration.values[0], Value::Double(0.4)) << count;
    EXPECT_EQ(TextFact(made[0], "instead_of_a_model"), "all results of the sources are equal");
    EXPECT_NE(made[1].configuration, made[0].configuration);
    study.Lease({made[0]});
    study.End(Ending::kMeasured, 0.5);
    EXPECT_FALSE(HasFact(MustSuggest("auto", study.view(), 1, 5)[0], "instead_of_a_model"));
  }
}

TEST(Auto, WhatFailsBeforeThereAreResultsIsNotSuggestedForEver) {
  FakeStudy study = StudyWith(0.3, 0.6);
  std::vector<Configuration> tried;
  for (int i = 0; i < 6; ++i) {
    const auto next = MustSuggest("auto", study.view(), 1, 5);
    EXPECT_LT(std::count(tried.begin(), tried.end(), next[0].configuration), 2) << i;
    tried.push_back(next[0].configuration);
    study.Lease(next);
    study.End(Ending::kFailed);
  }
}

TEST(Auto, ManyTogetherAreDifferentAndInterleaveContrast) {
  FakeStudy study = StudyWith(0.3, 0.6);
  const auto made = MustSuggest("auto", study.view(), 8, 5);
  ASSERT_EQ(made.size(), 8u);
  for (size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(IsForContrast(made[i]), i == 2 || i == 4 || i == 6) << i;
    for (size_t j = 0; j < i; ++j) EXPECT_NE(made[i].configuration, made[j].configuration);
  }
}

TEST(Auto, BelievesInAsLittleNoiseAsItsSourcesHave) {
  const auto noise_of = [](const FakeStudy& study) {
    return NumberFact(MustSuggest("auto", study.view(), 1, 5)[0], "noise_variance");
  };
  const FakeStudy study = StudyWith(0.3, 0.6);
  EXPECT_LT(noise_of(study), std::exp(kUsualNoise.location - 1));
  auto noisy = std::make_shared<SourceTaskData>(*study.sources.front());
  for (size_t i = 0; i < noisy->points.size(); ++i) *noisy->points[i].value += i % 3 == 0 ? 2 : 0;
  EXPECT_NEAR(noise_of(FakeStudy(study.space, {noisy})), std::exp(kUsualNoise.location), 1e-9);
}

TEST(Auto, ManyWorkersGetWhatABatchHas) {
  FakeStudy study = StudyWith(0.3, 0.6);
  const auto batch = MustSuggest("auto", study.view(), 9, 5);
  for (const Suggestion& of_batch : batch) {
    const auto single = MustSuggest("auto", study.view(), 1, 5);
    EXPECT_EQ(single[0].configuration, of_batch.configuration) << study.suggested;
    EXPECT_EQ(IsForContrast(single[0]), IsForContrast(of_batch)) << study.suggested;
    study.Lease(single);
  }
}

// As those are that stand in for a model that is not ready.
TEST(Auto, SuggestionsWithoutNotesAreNoContrast) {
  FakeStudy study = RippledStudy(2);
  const auto made = MustSuggest("auto", study.view(), 4, 5);
  for (Suggestion each : made) {
    each.provenance.notes.clear();
    study.Lease({each});
    study.End(Ending::kMeasured, -Ripples(each.configuration));
  }
  int contrasts = 0;
  for (const Suggestion& each : RunOf("auto", study, 12, [](const Configuration& configuration) {
         return -Ripples(configuration);
       })) {
    contrasts += IsForContrast(each) ? 1 : 0;
  }
  EXPECT_EQ(contrasts, 3);
}

TEST(Auto, PeoplesOwnTrialsThatFailedAreNoContrast) {
  const auto contrasts = [](Ending ending) {
    FakeStudy study = StudyWith(0.3, 0.6);
    for (const double x : {0.1, 0.5, 0.9}) {
      study.Queue({{Value::Double(x), Value::Double(1 - x)}});
      study.End(ending, ending == Ending::kMeasured ? std::optional<double>(x) : std::nullopt);
    }
    int count = 0;
    for (const Suggestion& each : MustSuggest("auto", study.view(), 8, 5)) {
      count += IsForContrast(each) ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(contrasts(Ending::kInfeasible), 0);
  EXPECT_EQ(contrasts(Ending::kFailed), 3);
}

TEST(Auto, ResultsThatWereThereFirstMakeContrastNeedless) {
  FakeStudy study = RippledStudy(2);
  for (const double x : {0.1, 0.5, 0.9}) {
    study.Queue({{Value::Double(x), Value::Double(1 - x)}});
    study.End(Ending::kMeasured, Ripples(study.open.front().configuration));
  }
  for (const Suggestion& each : RunOf("auto", study, 3, Ripples)) {
    EXPECT_FALSE(IsForContrast(each));
  }
}

// From 100 results on, hyperparameters are calibrated to a part of them. Both models are judged by
// the same results then, too.
TEST(Auto, ResultsThatWereThereFirstSpeakForSourcesHoweverManyTheyAre) {
  for (const int count : {90, 100, 105, 121, 150}) {
    FakeStudy study = RippledStudy(2);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> anywhere;
    for (int i = 0; i < count; ++i) {
      study.Queue({{Value::Double(anywhere(random)), Value::Double(anywhere(random))}});
      study.End(Ending::kMeasured, Ripples(study.open.front().configuration));
    }
    const Suggestion next = MustSuggest("auto", study.view(), 1, 5)[0];
    EXPECT_GT(NumberFact(next, "transfer_share"), 0.9) << count;
  }
}

TEST(TransferGuard, GoesWithOtherPriorsAndNotWithARuleForLengthscales) {
  const Preset& scaml = *FindPreset("scaml");
  EXPECT_TRUE(scaml.With({.options = {{"transfer_guard", 1}}}).ok());
  EXPECT_TRUE(FindPreset("deltabo")->With({.options = {{"transfer_guard", 1}}}).ok());
  EXPECT_FALSE(
      scaml.With({.calibration = "expanding(map)", .options = {{"transfer_guard", 1}}}).ok());
}

class MixedModelTest : public ::testing::Test {
 protected:
  MixedModelTest() {
    RunOf("auto", study_, 7);
    with_.emplace(RecipeOf("scaml"), study_);
    without_.emplace(RecipeOf("gp_log_ei"), study_);
  }

  FakeStudy study_ = StudyWith(0.3, 0.6);
  std::optional<FittedModel> with_;
  std::optional<FittedModel> without_;
};

TEST_F(MixedModelTest, HasTheMembersOfBothWithWeightsThatAddUpToOne) {
  const MixedModel mixed(without_->model(), with_->model(), 0.3);
  ASSERT_EQ(mixed.size(), 2u);
  EXPECT_EQ(&mixed.member(0), &without_->surrogate());
  EXPECT_EQ(&mixed.member(1), &with_->surrogate());
  EXPECT_NEAR(std::exp(mixed.LogWeight(0)), 0.7, 1e-12);
  EXPECT_NEAR(std::exp(mixed.LogWeight(1)), 0.3, 1e-12);
  EXPECT_EQ(mixed.Incumbent(0), without_->model().Incumbent(0));
  EXPECT_EQ(mixed.Incumbent(1), with_->model().Incumbent(0));
}

TEST_F(MixedModelTest, BestConfigurationsAreOfBothAndDifferent) {
  const MixedModel mixed(without_->model(), with_->model(), 0.9);
  const std::vector<Configuration> best = mixed.BestConfigurations(4);
  ASSERT_EQ(best.size(), 4u);
  EXPECT_EQ(best[0], with_->model().BestConfigurations(1)[0]);
  for (size_t i = 0; i < best.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(best[i], best[j]);
  }
}

// The acquisition of a mixture is the weighted mean of the expected improvements, not that of a
// normal distribution of the mixture's variance.
TEST_F(MixedModelTest, ImprovementsAreAveragedAndVariancesAreNot) {
  const double share = 0.3;
  const MixedModel mixed(without_->model(), with_->model(), share);
  const Recipe recipe = RecipeOf("gp_log_ei");
  const ConfigurationIndex none;
  const NextPointRequest request{*study_.space, recipe.acquisition, mixed, none};
  const auto score = recipe.acquisition->score(request).value();
  PointMatrix at(2, 2);
  at << 0.2, 0.9, 0.7, 0.4;
  const Vector values = score->Values(at).value();
  for (Index i = 0; i < at.rows(); ++i) {
    double expected = 0;
    for (size_t k = 0; k < 2; ++k) {
      const Predictions there = mixed.member(k).Predict(at.row(i));
      const double deviation = std::sqrt(there.variance[0]);
      const double z = (there.mean[0] - mixed.Incumbent(k)) / deviation;
      const double improvement =
          deviation * (z * StandardNormalDistribution(z) + StandardNormalDensity(z));
      expected += (k == 0 ? 1 - share : share) * improvement;
    }
    EXPECT_NEAR(values[i], std::log(expected), 1e-6);
  }
}

TEST_F(MixedModelTest, DrawsAreOfEitherModelAsOftenAsItWeighs) {
  constexpr uint64_t kDraws = 1000;
  const double share = 0.1;
  const MixedModel mixed(without_->model(), with_->model(), share);
  const Recipe recipe = RecipeOf("gp_ts");
  const ConfigurationIndex none;
  PointMatrix at(2, 2);
  at << 0.2, 0.9, 0.7, 0.4;
  double of_sources = 0;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    NextPointRequest request{*study_.space, recipe.acquisition, mixed, none};
    request.seed = seed;
    const Vector drawn = recipe.acquisition->score(request).value()->Values(at).value();
    const Matrix expected = DrawJointly(with_->surrogate(), at, 1, seed).value();
    of_sources += drawn == expected.col(0) ? 1 : 0;
  }
  EXPECT_NEAR(of_sources / kDraws, share, 4 * std::sqrt(share * (1 - share) / kDraws));
}

TEST_F(MixedModelTest, AForecastIsThatOfATrialThatHasAValue) {
  PointMatrix at(1, 2);
  at << 0.2, 0.9;
  EndedTrial far;
  far.number = ++study_.last_trial;
  far.configuration = study_.space->Decode({0.99, 0.01});
  far.ending = Ending::kInfeasible;
  study_.ended.push_back(far);
  const FittedModel beside(RecipeOf("gp_log_ei"), study_);
  const double by_the_chance =
      beside.surrogate().PredictMean(at)[0] - without_->surrogate().PredictMean(at)[0];
  EXPECT_GT(std::abs(by_the_chance), 1e-4);
  EXPECT_NEAR(ForecastAt(beside.model(), at).mean, ForecastAt(without_->model(), at).mean, 1e-9);
}

TEST_F(MixedModelTest, AForecastHasTheNoiseOfAResult) {
  PointMatrix at(1, 2);
  at << 0.2, 0.9;
  const Predictions there = without_->surrogate().Predict(at);
  const Forecast forecast = ForecastAt(without_->model(), at);
  EXPECT_NEAR(forecast.mean, there.mean[0], 1e-12);
  EXPECT_NEAR(forecast.deviation * forecast.deviation,
              there.variance[0] + without_->model().NoiseVariance(0), 1e-9);
}

}  // namespace
}  // namespace slipstream
