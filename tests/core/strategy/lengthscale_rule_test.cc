#include "core/strategy/lengthscale_rule.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/deadline.h"
#include "core/calibration/expanding.h"
#include "core/calibration/shrinking.h"
#include "core/recipe/presets.h"
#include "core/sources/fitted_source.h"
#include "core/strategy/make_strategy.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"
#include "tests/testing/sanitized.h"

namespace slipstream {
namespace {

constexpr uint64_t kRuleSeed = 4;

// So smooth that a model is soon sure of it.
double SlopeAt(const Configuration& at) {
  return at.values[0].number() + 0.5 * at.values[1].number();
}

FakeStudy SlopeStudy(int results) {
  FakeStudy study(SquareSpace());
  for (int i = 0; i < results; ++i) {
    study.Lease(MustSuggest("quasi_random", study.view(), 1, kRuleSeed));
    study.End(Ending::kMeasured, SlopeAt(study.open.front().configuration));
  }
  return study;
}

std::unique_ptr<Strategy> MustMix(const std::string& preset, const RecipeChange& change) {
  auto strategy = MakeStrategy(*FindPreset(preset), change);
  EXPECT_TRUE(strategy.ok()) << strategy.status();
  return *std::move(strategy);
}

Suggestion Ask(const Strategy& strategy, const FakeStudy& study) {
  auto made = strategy.Suggest(study.view(), 1, kRuleSeed, Deadline::Infinite());
  EXPECT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->front().provenance.rung, Rung::kRecipe);
  return made->front();
}

TEST(LengthscaleRule, TheOneStepExpansionGrowsWithTheStudyAndSumsWhatItNoted) {
  FakeStudy study = SlopeStudy(4);
  const auto strategy = MakeStrategy(*FindPreset("agpucb_onestep"));
  double largest = 1;
  double sum = 0;
  for (int i = 0; i < 40; ++i) {
    const Suggestion next = Ask(*strategy, study);
    const double h = NumberFact(next, "h");
    EXPECT_GE(h, largest);
    EXPECT_EQ(NumberFact(next, "g"), h);
    EXPECT_EQ(NumberFact(next, "b"), 1);
    EXPECT_NEAR(NumberFact(next, "regret_reference"), std::pow(i + 1, 0.9), 1e-9);
    const std::vector<double>* note = FindNote(next.provenance.notes, "expansion");
    ASSERT_NE(note, nullptr);
    EXPECT_EQ((*note)[0], h);
    sum += (*note)[1];
    EXPECT_NEAR(NumberFact(next, "regret_estimate"), sum, 1e-9 * sum);
    EXPECT_TRUE(NumberFact(next, "regret_estimate") >= NumberFact(next, "regret_reference") ||
                h == ExpandingOptions().most);
    largest = h;
    study.Lease({next});
    study.End(Ending::kMeasured, SlopeAt(study.open.front().configuration));
  }
  EXPECT_GT(largest, 1.5);
  // A strategy that never saw the study goes on in the same way.
  const Suggestion one = Ask(*strategy, study);
  const Suggestion other = Ask(*MakeStrategy(*FindPreset("agpucb_onestep")), study);
  EXPECT_TRUE(SameSuggestions({one}, {other}));
  EXPECT_EQ(one.provenance.notes, other.provenance.notes);
  EXPECT_EQ(NumberFact(one, "regret_reference"), std::pow(41, 0.9));
  // Without its notes it would begin anew.
  for (EndedTrial& trial : study.ended) trial.notes.clear();
  EXPECT_EQ(NumberFact(Ask(*strategy, study), "regret_reference"), 1);
}

TEST(LengthscaleRule, TheBoundsExpansionNeverShrinksAndIsDividedIntoLengthscales) {
  FakeStudy study = SlopeStudy(12);
  const auto strategy = MakeStrategy(*FindPreset("agpucb_bound"));
  EXPECT_EQ(NumberFact(Ask(*strategy, study), "h"), 1);
  study.ended[3].notes = ExpansionNotes(4, 2, 0.5);
  const Suggestion expanded = Ask(*strategy, study);
  EXPECT_EQ(NumberFact(expanded, "h"), 4);
  // So changed, gp_ucb differs by its multiplier alone: its lengthscales are the calibrated ones.
  const auto first_lengthscale = [](const Suggestion& suggestion) {
    return std::stod(TextFact(suggestion, "lengthscales"));
  };
  const Suggestion plain =
      Ask(*MustMix("gp_ucb", {.options = {{"output_warp", 0}, {"mean", 0}}}), study);
  EXPECT_NEAR(first_lengthscale(expanded), first_lengthscale(plain) / 4,
              1e-4 * first_lengthscale(plain));
}

TEST(LengthscaleRule, TheBoundExpandsWhereTheModelHasBeenSureForLong) {
  FakeStudy study = SlopeStudy(200);
  const auto strategy = MakeStrategy(*FindPreset("agpucb_bound"));
  const Suggestion next = Ask(*strategy, study);
  EXPECT_GT(NumberFact(next, "h"), 1.001);
  EXPECT_NEAR(NumberFact(next, "regret_estimate"), NumberFact(next, "regret_reference"),
              1e-6 * NumberFact(next, "regret_reference"));
}

// The bound's t counts the results that its information is of.
TEST(LengthscaleRule, ResultsOfTrialsThatWereStoppedCount) {
  FakeStudy study = SlopeStudy(12);
  for (size_t i = 2; i < 10; ++i) study.ended[i].ending = Ending::kStopped;
  study.ended[4].value = std::nullopt;
  const Suggestion next = Ask(*MakeStrategy(*FindPreset("agpucb_bound")), study);
  EXPECT_EQ(NumberFact(next, "results"), 11);
  EXPECT_EQ(NumberFact(next, "regret_reference"), std::pow(11, 0.9));
}

TEST(LengthscaleRule, TrialsWithoutAValueKeepWhatTheyNoted) {
  FakeStudy study = SlopeStudy(12);
  const auto strategy = MakeStrategy(*FindPreset("agpucb_onestep"));
  study.Lease({Ask(*strategy, study)});
  study.open.front().notes = ExpansionNotes(3, 2, 0.5);
  EXPECT_GE(NumberFact(Ask(*strategy, study), "h"), 3);
  study.End(Ending::kFailed);
  const Suggestion next = Ask(*strategy, study);
  EXPECT_GE(NumberFact(next, "h"), 3);
  EXPECT_EQ(NumberFact(next, "regret_reference"), std::pow(2, 0.9));
}

TEST(LengthscaleRule, AModelThatStandsInForAnotherNotesNothing) {
  class NeverReady : public SourceProvider {
   public:
    absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
        const std::shared_ptr<const SourceTaskData>&, const SearchSpace&,
        const SourceFitOptions&) override {
      return absl::UnavailableError("soon");
    }
  };
  FakeStudy study(SquareSpace(), {BowlSource("sourceTasks/a", 0.5, 0.5, 12, 1)});
  study.ended = SlopeStudy(12).ended;
  study.last_trial = 12;
  study.suggested = 12;
  const auto strategy = MustMix("gp_log_ei", {.prior = "stacked", .calibration = "expanding(map)"});
  EXPECT_EQ(Ask(*strategy, study).provenance.notes.size(), 1U);
  NeverReady never;
  StudyView view = study.view();
  view.fitted_sources = &never;
  const auto made = strategy->Suggest(view, 1, kRuleSeed, Deadline::Infinite());
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->front().provenance.rung, Rung::kWithoutTransfer);
  EXPECT_TRUE(made->front().provenance.notes.empty());
}

TEST(LengthscaleRule, TheTheoryReplacesTheMultiplier) {
  const FakeStudy study = SlopeStudy(12);
  const auto theory = MustMix("agpucb_bound", {.options = {{"expanding_theory", 1}}});
  FakeStudy grown = study;
  grown.ended[3].notes = ExpansionNotes(6, 2, 0.5);
  EXPECT_NEAR(NumberFact(Ask(*theory, grown), "b"), std::pow(6, 0.1), 1e-12);
  EXPECT_NEAR(NumberFact(Ask(*theory, grown), "g"), std::pow(6, 0.45), 1e-12);
  const Suggestion next = Ask(*theory, study);
  const std::vector<double>& note = *FindNote(next.provenance.notes, "expansion");
  const Suggestion plain = Ask(*MakeStrategy(*FindPreset("agpucb_bound")), study);
  const std::vector<double>& usual = *FindNote(plain.provenance.notes, "expansion");
  EXPECT_GT(note[1], usual[1]);
}

// A wide hill and, where no one looks who believes in it, a narrow one that is higher.
double TrapAt(double x) {
  const auto hill = [x](double centre, double width) {
    return std::exp(-(x - centre) * (x - centre) / (2 * width * width));
  };
  return 0.6 * hill(0.3, 0.15) + hill(0.85, 0.025);
}

// The best result of a study of the trap after four points that miss the narrow hill and 60
// suggestions.
double BestInTrap(const Strategy& strategy, uint64_t seed) {
  FakeStudy study(MakeSpace({{"x", DoubleDomain{}, {}, {}}}));
  for (const double x : {0.02, 0.25, 0.5, 0.75}) study.Queue({{Value::Double(x)}});
  double best = 0;
  for (int i = 0; i < 64; ++i) {
    if (study.open.empty()) {
      study.Lease(*strategy.Suggest(study.view(), 1, seed, Deadline::Infinite()));
    }
    const double value = TrapAt(study.open.front().configuration.values[0].number());
    best = std::max(best, value);
    study.End(Ending::kMeasured, value);
  }
  return best;
}

TEST(LengthscaleRule, ExpandingLeavesATrapThatTheCalibrationAloneStaysIn) {
  const auto stuck = MustMix(
      "gp_ucb",
      {.options = {{"ucb_multiplier", 2}, {"smoothness", 3}, {"output_warp", 0}, {"mean", 0}}});
  std::vector<uint64_t> seeds = {1};
  if (!kSanitized) seeds = {1, 2, 3};
  for (const char* preset : {"agpucb_min", "agpucb_onestep", "agpucb_theory_onestep"}) {
    const auto strategy = MustMix(preset, {.options = {{"smoothness", 3}}});
    for (const uint64_t seed : seeds) EXPECT_GT(BestInTrap(*strategy, seed), 0.9) << preset;
  }
  for (const uint64_t seed : seeds) EXPECT_LT(BestInTrap(*stuck, seed), 0.7);
}

TEST(LengthscaleRule, ShrinkingReachesItsDeviation) {
  FakeStudy study = SlopeStudy(12);
  const auto strategy = MakeStrategy(*FindPreset("wang_de_freitas"));
  double largest = 1;
  for (int i = 0; i < 10; ++i) {
    const Suggestion next = Ask(*strategy, study);
    EXPECT_TRUE(NumberFact(next, "chosen_deviation") >= 0.1 ||
                NumberFact(next, "g") == ShrinkingOptions().most);
    largest = std::max(largest, NumberFact(next, "g"));
    study.Lease({next});
    study.End(Ending::kMeasured, SlopeAt(study.open.front().configuration));
  }
  EXPECT_GT(largest, 1);
}

TEST(LengthscaleRule, ManyInOneCallAreKnownToEachOther) {
  FakeStudy study = SlopeStudy(8);
  const auto strategy = MakeStrategy(*FindPreset("agpucb_onestep"));
  const auto together = *strategy->Suggest(study.view(), 3, kRuleSeed, Deadline::Infinite());
  for (const Suggestion& suggestion : together) {
    const Suggestion alone = Ask(*strategy, study);
    EXPECT_EQ(alone.provenance.notes, suggestion.provenance.notes);
    study.Lease({alone});
  }
}

TEST(LengthscaleRule, BadNotesAreAsNone) {
  FakeStudy study = SlopeStudy(3);
  for (const std::vector<double>& bad :
       std::vector<std::vector<double>>{{}, {2}, {NAN, 1}, {2, NAN}, {INFINITY, 1}}) {
    study.ended.back().notes = {{"expansion", bad}};
    const LengthscalePast past = ExpansionPast(study.view(), {});
    EXPECT_EQ(past.chosen_points, LengthscalePast().chosen_points);
    EXPECT_EQ(past.regret, LengthscalePast().regret);
  }
  study.ended.back().notes = {{"expansion", {2, 3}}};
  EXPECT_EQ(ExpansionPast(study.view(), {}).h, 2);
}

}  // namespace
}  // namespace slipstream
