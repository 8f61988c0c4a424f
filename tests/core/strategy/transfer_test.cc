// Strategies that learn from sources: which sources have a say, and what happens when they cannot.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/base/deadline.h"
#include "core/recipe/presets.h"
#include "core/sources/fitted_source.h"
#include "core/sources/usable_sources.h"
#include "core/strategy/make_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"
#include "tests/testing/sanitized.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

// Presets that learn from sources, as the table has them.
std::vector<std::string> TransferPresets() {
  std::vector<std::string> names;
  for (const Preset& preset : Presets()) {
    if (preset.recipe.prior->uses_sources()) names.emplace_back(preset.name);
  }
  EXPECT_EQ(names.size(), 25U);
  return names;
}

Configuration At(const SearchSpace& space, double x, double y) {
  return space.Decode({x, y});
}

// A study on the square after `results` results of a bowl around (0.3, 0.6).
FakeStudy BowlStudy(std::vector<std::shared_ptr<const SourceTaskData>> sources, int results) {
  FakeStudy study(SquareSpace(), std::move(sources));
  for (int i = 0; i < results; ++i) {
    study.Lease(MustSuggest("quasi_random", study.view(), 1, 5));
    const Configuration& at = study.open.front().configuration;
    const double x = at.values[0].number() - 0.3;
    const double y = at.values[1].number() - 0.6;
    study.End(Ending::kMeasured, -(x * x + y * y));
  }
  return study;
}

FakeStudy StudyOfTwoSources(int results) {
  return BowlStudy(
      {BowlSource("sourceTasks/a", 0.3, 0.6, 20, 5), BowlSource("sourceTasks/b", 0.3, 0.6, 20, 6)},
      results);
}

class NeverReady : public SourceProvider {
 public:
  StudyView ViewOf(const FakeStudy& study) {
    StudyView view = study.view();
    view.fitted_sources = this;
    return view;
  }
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace&,
      const SourceFitOptions&) override {
    asked.push_back(source->name);
    return absl::UnavailableError("soon");
  }
  std::vector<std::string> asked;
};

TEST(Transfer, WhereSourcesArePartOfTheModelTheirOptimumIsFoundAtOnce) {
  for (const std::string preset : {"deltabo", "stacked", "scaml"}) {
    const FakeStudy study = BowlStudy({BowlSource("sourceTasks/a", 0.3, 0.6, 60, 5)}, 3);
    const Suggestion next = MustSuggest(preset, study.view(), 1, 5)[0];
    EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << next.provenance.rung_reason;
    EXPECT_NEAR(next.configuration.values[0].number(), 0.3, 0.15) << preset;
    EXPECT_NEAR(next.configuration.values[1].number(), 0.6, 0.15) << preset;
    ASSERT_EQ(next.provenance.sources.size(), 1U) << preset;
    EXPECT_EQ(next.provenance.sources[0].source, "sourceTasks/a");
    EXPECT_GT(next.provenance.sources[0].weight, 0.3);
    EXPECT_EQ(NumberFact(next, "source_points_used"), 60);
  }
}

TEST(Transfer, IsTheSameTwiceAndNotWithoutTheSource) {
  for (const std::string& preset : TransferPresets()) {
    const FakeStudy with = BowlStudy({BowlSource("sourceTasks/a", 0.8, 0.1, 30, 5)}, 6);
    const FakeStudy without = BowlStudy({}, 6);
    const auto first = MustSuggest(preset, with.view(), 3, 5);
    EXPECT_TRUE(SameSuggestions(first, MustSuggest(preset, with.view(), 3, 5))) << preset;
    EXPECT_FALSE(SameSuggestions(first, MustSuggest(preset, without.view(), 3, 5))) << preset;
  }
}

TEST(Transfer, GoesOnWithoutWhileSourcesAreNotReady) {
  NeverReady provider;
  const FakeStudy study = StudyOfTwoSources(6);
  const StudyView view = provider.ViewOf(study);
  const Suggestion next = MustSuggest("stacked", view, 1, 5)[0];
  EXPECT_EQ(next.provenance.rung, Rung::kWithoutTransfer);
  EXPECT_THAT(next.provenance.rung_reason, HasSubstr("2 of 2 source tasks are still being fitted"));
  EXPECT_TRUE(next.provenance.sources.empty());
  EXPECT_THAT(provider.asked, ::testing::ElementsAre("sourceTasks/a", "sourceTasks/b"));
  const FakeStudy alone = BowlStudy({}, 6);
  const auto plain = *MakeStrategy(*FindPreset("gp_log_ei"), {.exploration = "none"});
  EXPECT_EQ(next.configuration,
            plain->Suggest(alone.view(), 1, 5, Deadline::Infinite())->front().configuration);
}

TEST(Transfer, WhatIsPreparedAheadChangesNoSuggestion) {
  const std::vector<std::shared_ptr<const SourceTaskData>> sources = {
      BowlSource("sourceTasks/a", 0.3, 0.6, 20, 5), BowlSource("sourceTasks/b", 0.8, 0.6, 20, 6),
      BowlSource("sourceTasks/c", 0.2, 0.1, 20, 7)};
  const FakeStudy study = BowlStudy(sources, 5);
  const FakeStudy empty = BowlStudy(sources, 0);
  std::vector<std::string> presets = TransferPresets();
  if (kSanitized) presets = {"auto", "cmbo_wss_wss", "stacked"};
  for (const std::string& preset : presets) {
    // Strategies of one recipe share a prior while one of them lives.
    const auto first = MustSuggest(preset, study.view(), 2, 5);
    const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset(preset));
    const absl::Status prepared = strategy->Prepare(empty.view());
    ASSERT_TRUE(prepared.ok()) << preset << ": " << prepared;
    const auto second = strategy->Suggest(study.view(), 2, 5, Deadline::Infinite());
    ASSERT_TRUE(second.ok()) << second.status();
    EXPECT_EQ(first[0].provenance.rung, Rung::kRecipe) << first[0].provenance.rung_reason;
    EXPECT_TRUE(SameSuggestions(first, *second)) << preset;
  }
}

TEST(Transfer, PreparingTellsWhatIsMissing) {
  NeverReady provider;
  const FakeStudy study = StudyOfTwoSources(0);
  const StudyView view = provider.ViewOf(study);
  EXPECT_EQ(MakeStrategy(*FindPreset("stacked"))->Prepare(view).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_THAT(provider.asked, ::testing::ElementsAre("sourceTasks/a", "sourceTasks/b"));
  EXPECT_TRUE(MakeStrategy(*FindPreset("gp_log_ei"))->Prepare(view).ok());
  EXPECT_EQ(MakeStrategy(*FindPreset("stacked"))->Prepare(StudyView()).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Transfer, SourcesWithoutAnythingUsableAreLeftOutAndCounted) {
  SourceTaskData empty;
  empty.name = "sourceTasks/empty";
  empty.space = SquareSpace();
  empty.points.push_back({At(*empty.space, 0.5, 0.5), Ending::kFailed, std::nullopt});
  const auto useless = std::make_shared<const SourceTaskData>(empty);
  const auto good = BowlSource("sourceTasks/a", 0.3, 0.6, 20, 5, Goal::kMinimize);
  const Suggestion some = MustSuggest("stacked", BowlStudy({useless, good}, 5).view(), 1, 5)[0];
  EXPECT_EQ(some.provenance.rung, Rung::kRecipe);
  EXPECT_EQ(NumberFact(some, "sources_without_a_usable_point"), 1);
  EXPECT_EQ(NumberFact(some, "sources_with_the_opposite_goal"), 1);
  const Suggestion none = MustSuggest("stacked", BowlStudy({useless}, 5).view(), 1, 5)[0];
  EXPECT_EQ(none.provenance.rung, Rung::kWithoutTransfer);
  EXPECT_EQ(none.provenance.rung_reason,
            "nothing to learn from: no source task has a point that can be used: 1 point has no "
            "result");
}

TEST(Transfer, SourcesInOtherUnitsAreSaidToBeOutsideTheSpace) {
  const auto wide =
      MakeSpace({{"x", DoubleDomain{100, 800}, {}, {}}, {"y", DoubleDomain{}, {}, {}}});
  const auto useless = SourceOn(wide, "sourceTasks/other-units", 0.1);
  const Suggestion none = MustSuggest("auto", BowlStudy({useless}, 5).view(), 1, 5)[0];
  EXPECT_EQ(none.provenance.rung, Rung::kWithoutTransfer);
  EXPECT_THAT(none.provenance.rung_reason,
              testing::MatchesRegex("nothing to learn from: no source task has a point that can be "
                                    "used: 8 points are outside the study's space \\(by x, which "
                                    "is [1-8][0-9.]+ to [1-8][0-9.]+ there, and must be a number "
                                    "from 0 to 1\\)"));
}

TEST(Transfer, EightAtOnceAreDifferent) {
  for (const std::string& preset : TransferPresets()) {
    const FakeStudy study = BowlStudy({BowlSource("sourceTasks/a", 0.3, 0.6, 30, 5)}, 6);
    const auto all = MustSuggest(preset, study.view(), 8, 5);
    ASSERT_EQ(all.size(), 8U);
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        EXPECT_NE(all[i].configuration, all[j].configuration) << preset;
      }
    }
  }
}

TEST(Transfer, WorksOnCandidatesAndMixedSpaces) {
  const auto mixed = MixedSpace();
  SourceTaskData source;
  source.name = "sourceTasks/a";
  source.space = mixed;
  FakeStudy study(mixed);
  for (int i = 0; i < 12; ++i) {
    const auto next = MustSuggest("quasi_random", study.view(), 1, 9);
    study.Lease(next);
    source.points.push_back({next[0].configuration, Ending::kMeasured, std::sin(i)});
    study.End(Ending::kMeasured, std::sin(i + 0.1));
  }
  study.sources = {std::make_shared<const SourceTaskData>(source)};
  for (const std::string& preset : TransferPresets()) {
    const Suggestion next = MustSuggest(preset, study.view(), 1, 5)[0];
    EXPECT_TRUE(IsLegal(*mixed, next.configuration));
    EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << next.provenance.rung_reason;
  }
}

}  // namespace
}  // namespace slipstream
