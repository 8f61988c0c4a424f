#include "core/strategy/zero_shot_strategy.h"

#include <cmath>
#include <set>

#include "core/base/deadline.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "core/zero_shot/zero_shot_design.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

constexpr char kPreset[] = "source_portfolio";
constexpr double kFarAlong = 2147483648.0;

FakeStudy TwoSourceStudy() {
  return FakeStudy(SquareSpace(),
                   {BowlSource("low", 0.1, 0.1, 80, 1), BowlSource("high", 0.9, 0.9, 80, 2)});
}

std::vector<DesignEntry> EntriesOf(const FakeStudy& study) {
  return BuildZeroShotDesign(study.view(), Deadline::Infinite())->entries;
}

TEST(ZeroShotStrategy, GivesThePortfolioInOrderAndThenTheSobolSequenceFromItsStart) {
  const FakeStudy study = TwoSourceStudy();
  const auto entries = EntriesOf(study);
  ASSERT_EQ(entries.size(), 4u);
  const auto suggestions = MustSuggest(kPreset, study.view(), 7, 5);
  FakeStudy plain(SquareSpace());
  const auto sobol = MustSuggest("quasi_random", plain.view(), 3, 5);
  for (size_t i = 0; i < 7; ++i) {
    const Suggestion& suggestion = suggestions[i];
    EXPECT_EQ(suggestion.provenance.rung, Rung::kRecipe);
    EXPECT_EQ(NumberFact(suggestion, "portfolio_size"), 4);
    EXPECT_EQ(NumberFact(suggestion, "sources_used"), 2);
    EXPECT_EQ(NumberFact(suggestion, "sources_left_out"), 0);
    if (i < 4) {
      EXPECT_EQ(TextFact(suggestion, "phase"), "portfolio");
      EXPECT_EQ(NumberFact(suggestion, "portfolio_position"), static_cast<double>(i));
      EXPECT_EQ(suggestion.configuration, entries[i].configuration);
      EXPECT_FALSE(suggestion.provenance.sources.empty());
    } else {
      EXPECT_EQ(TextFact(suggestion, "phase"), "quasi_random");
      EXPECT_EQ(NumberFact(suggestion, "sobol_index"), static_cast<double>(i - 4));
      EXPECT_EQ(suggestion.configuration, sobol[i - 4].configuration);
      EXPECT_TRUE(suggestion.provenance.sources.empty());
    }
  }
}

TEST(ZeroShotStrategy, AskingForManyAtOnceIsAskingOneByOneWhateverBecomesOfThem) {
  auto candidates = FakeStudy(LineOfCandidates(12));
  auto repeats = FakeStudy(LineOfCandidates(12, true));
  auto source = std::make_shared<SourceTaskData>();
  source->name = "line";
  source->space = candidates.space;
  for (size_t i = 0; i < 12; ++i) {
    source->points.push_back({candidates.space->candidates()[i], Ending::kMeasured,
                              -std::fabs(static_cast<double>(i) - 4)});
  }
  candidates.sources = repeats.sources = {source};
  for (FakeStudy study : {TwoSourceStudy(), candidates, repeats}) {
    const auto at_once = MustSuggest(kPreset, study.view(), 9, 5);
    for (size_t i = 0; i < 9; ++i) {
      const auto next = MustSuggest(kPreset, study.view(), 1, 5);
      EXPECT_EQ(next[0].configuration, at_once[i].configuration) << i;
      EXPECT_EQ(next[0].candidate, at_once[i].candidate) << i;
      study.Lease(next);
      const Ending endings[] = {Ending::kMeasured, Ending::kFailed, Ending::kInfeasible,
                                Ending::kStopped};
      if (i % 3 != 0) study.End(endings[i % 4], 0.5);
    }
  }
}

TEST(ZeroShotStrategy, IsPureFromAFreshInstance) {
  const FakeStudy study = TwoSourceStudy();
  EXPECT_TRUE(SameSuggestions(MustSuggest(kPreset, study.view(), 8, 5),
                              MustSuggest(kPreset, study.view(), 8, 5)));
}

TEST(ZeroShotStrategy, SkipsEntriesThatPeopleQueuedThemselves) {
  FakeStudy study = TwoSourceStudy();
  const auto entries = EntriesOf(study);
  study.Queue(entries[0].configuration);
  study.Queue(entries[2].configuration);
  const auto suggestions = MustSuggest(kPreset, study.view(), 3, 5);
  EXPECT_EQ(NumberFact(suggestions[0], "portfolio_position"), 1);
  EXPECT_EQ(NumberFact(suggestions[1], "portfolio_position"), 3);
  EXPECT_EQ(TextFact(suggestions[2], "phase"), "quasi_random");
}

TEST(ZeroShotStrategy, UsesNoSobolPointTwiceHoweverTheStudyGoes) {
  FakeStudy study = TwoSourceStudy();
  const auto entries = EntriesOf(study);
  for (const DesignEntry& entry : entries) study.Queue(entry.configuration);
  std::set<double> used;
  size_t count = 0;
  for (int i = 0; i < 12; ++i) {
    const Deadline deadline = i % 3 == 2 ? Deadline::Passed() : Deadline::Infinite();
    const auto suggestions = MustSuggest(kPreset, study.view(), 1 + i % 2, 5, deadline);
    for (const Suggestion& suggestion : suggestions) {
      used.insert(NumberFact(suggestion, "sobol_index"));
      ++count;
    }
    study.Lease(suggestions);
  }
  EXPECT_EQ(used.size(), count);
  EXPECT_GE(*used.rbegin(), kFarAlong);
}

TEST(ZeroShotStrategy, WithoutSourcesItIsQuasiRandom) {
  for (const auto& space : {MixedSpace(), LineOfCandidates(9)}) {
    FakeStudy study(space);
    study.suggested = 2;
    const auto suggestions = MustSuggest(kPreset, study.view(), 4, 5);
    const auto plain = MustSuggest("quasi_random", study.view(), 4, 5);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(suggestions[i].configuration, plain[i].configuration);
      EXPECT_EQ(suggestions[i].candidate, plain[i].candidate);
      EXPECT_EQ(suggestions[i].provenance.rung, Rung::kRecipe);
      EXPECT_EQ(TextFact(suggestions[i], "phase"), "quasi_random");
      EXPECT_EQ(NumberFact(suggestions[i], "sobol_index"), 2.0 + static_cast<double>(i));
      EXPECT_FALSE(HasFact(suggestions[i], "sources_used"));
    }
  }
}

TEST(ZeroShotStrategy, UnusableSourcesAreAStepDownWithAReason) {
  const FakeStudy study(SquareSpace(), {BowlSource("a", 0.5, 0.5, 20, 1, Goal::kMinimize),
                                        BowlSource("b", 0.5, 0.5, 20, 2, Goal::kMinimize)});
  const auto suggestions = MustSuggest(kPreset, study.view(), 2, 5);
  const auto plain = MustSuggest("quasi_random", study.view(), 2, 5);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(suggestions[i].provenance.rung, Rung::kWithoutTransfer);
    EXPECT_THAT(suggestions[i].provenance.rung_reason, HasSubstr("2 with the opposite goal"));
    EXPECT_EQ(NumberFact(suggestions[i], "sources_left_out"), 2);
    EXPECT_EQ(NumberFact(suggestions[i], "sources_with_opposite_goal"), 2);
    EXPECT_EQ(suggestions[i].configuration, plain[i].configuration);
  }
}

TEST(ZeroShotStrategy, SourcesOfEitherGoalServeStudiesOfTheSameGoal) {
  const FakeStudy study(SquareSpace(),
                        {BowlSource("down", 0.2, 0.8, 300, 3, Goal::kMinimize),
                         BowlSource("up", 0.9, 0.1, 300, 4, Goal::kMaximize)},
                        Goal::kMinimize);
  const auto first = MustSuggest(kPreset, study.view(), 1, 5)[0];
  EXPECT_NEAR(first.configuration.values[0].number(), 0.2, 0.12);
  EXPECT_NEAR(first.configuration.values[1].number(), 0.8, 0.12);
  EXPECT_EQ(NumberFact(first, "sources_used"), 1);
  EXPECT_EQ(NumberFact(first, "sources_with_opposite_goal"), 1);
  ASSERT_EQ(first.provenance.sources.size(), 1u);
  EXPECT_EQ(first.provenance.sources[0].source, "down");
  EXPECT_EQ(first.provenance.sources[0].weight, 1);
}

TEST(ZeroShotStrategy, APassedDeadlineIsAStepDownWithAReason) {
  const FakeStudy study = TwoSourceStudy();
  const auto suggestions = MustSuggest(kPreset, study.view(), 2, 5, Deadline::Passed());
  ASSERT_EQ(suggestions.size(), 2u);
  for (const Suggestion& suggestion : suggestions) {
    EXPECT_EQ(suggestion.provenance.rung, Rung::kQuasiRandom);
    EXPECT_THAT(suggestion.provenance.rung_reason, HasSubstr("deadline"));
    EXPECT_TRUE(suggestion.provenance.sources.empty());
    EXPECT_TRUE(IsLegal(*study.space, suggestion.configuration));
  }
  EXPECT_NE(suggestions[0].configuration, suggestions[1].configuration);
}

TEST(ZeroShotStrategy, OnATableEachCandidateComesOnceAndOnlyFromTheTable) {
  FakeStudy study(LineOfCandidates(7));
  auto source = std::make_shared<SourceTaskData>();
  source->name = "finer";
  source->space = MakeSpace({{"x", DoubleDomain{}, {}, {}}});
  for (int i = 0; i <= 60; ++i) {
    const Configuration configuration{{Value::Double(i / 60.0)}};
    source->points.push_back({configuration, Ending::kMeasured, -std::fabs(i - 40.0)});
  }
  study.sources = {source};
  std::set<int64_t> seen;
  const auto all = MustSuggest(kPreset, study.view(), 50, 5);
  EXPECT_EQ(all.size(), 7u);
  for (const Suggestion& suggestion : all) {
    ASSERT_TRUE(suggestion.candidate.has_value());
    EXPECT_TRUE(seen.insert(*suggestion.candidate).second);
  }
  EXPECT_EQ(TextFact(all[0], "phase"), "portfolio");
  EXPECT_EQ(all[0].candidate, 4);  // x = 4/6, the source's best.
}

TEST(ZeroShotStrategy, OnATableWithoutTheSourcesBestTheNearestCandidateStandsForIt) {
  SearchSpace::CandidateTable table;
  table.rows = {{{"x", 0.123}}, {{"x", 0.456}}, {{"x", 0.9}}};
  FakeStudy study(MakeSpace({{"x", DoubleDomain{}, {}, {}}}, table));
  auto source = std::make_shared<SourceTaskData>();
  source->name = "other";
  source->space = MakeSpace({{"x", DoubleDomain{}, {}, {}}});
  source->points.push_back({{{Value::Double(0.5)}}, Ending::kMeasured, 1.0});
  study.sources = {source};
  const auto suggestions = MustSuggest(kPreset, study.view(), 2, 5);
  ASSERT_EQ(suggestions.size(), 2u);
  EXPECT_EQ(suggestions[0].provenance.rung, Rung::kRecipe);
  EXPECT_EQ(suggestions[0].candidate, 1);  // x = 0.456, nearest to the source's 0.5.
  EXPECT_EQ(TextFact(suggestions[0], "phase"), "portfolio");
}

TEST(ZeroShotStrategy, WhereRepeatsAreAllowedPositionsGoByTheNumberOfSuggestions) {
  FakeStudy study(LineOfCandidates(7, true));
  auto source = std::make_shared<SourceTaskData>();
  source->name = "line";
  source->space = study.space;
  for (size_t i = 0; i < 7; ++i) {
    source->points.push_back(
        {study.space->candidates()[i], Ending::kMeasured, static_cast<double>(i)});
  }
  study.sources = {source};
  study.Queue(study.space->candidates()[6]);
  const auto suggestions = MustSuggest(kPreset, study.view(), 1, 5);
  EXPECT_EQ(suggestions[0].candidate, 6);
  EXPECT_EQ(NumberFact(suggestions[0], "portfolio_position"), 0);
}

TEST(ZeroShotStrategy, ReadsHistoryEverywhere) {
  EXPECT_TRUE(MakeStrategy(*FindPreset(kPreset))->ReadsHistory(*SquareSpace()));
  EXPECT_FALSE(MakeStrategy(*FindPreset("random"))->ReadsHistory(*SquareSpace()));
}

}  // namespace
}  // namespace slipstream
