#include "server/service/prepared_suggestions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr size_t kEnoughBytes = size_t{1} << 20;
constexpr HistoryVersion kVersion = {.trials = 10, .suggested = 4, .ended = 8, .open = 2};

std::vector<PreparedSuggestion> Numbered(int count) {
  std::vector<PreparedSuggestion> suggestions(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) suggestions[static_cast<size_t>(i)].suggestion.candidate = i;
  return suggestions;
}

TEST(PreparedSuggestions, HoldForTheHistoryThatTheyWereMadeFor) {
  PreparedSuggestions prepared(4, kEnoughBytes);
  EXPECT_TRUE(prepared.Find(1, kVersion, 1).empty());
  prepared.Put(1, {kVersion}, Numbered(3));
  ASSERT_EQ(prepared.Find(1, kVersion, 2).size(), 2u);
  EXPECT_EQ(prepared.Find(1, kVersion, 2)[1].candidate, 1);
  EXPECT_TRUE(prepared.Find(1, kVersion, 4).empty()) << "there are but three";
  EXPECT_TRUE(prepared.Find(2, kVersion, 1).empty()) << "another study";
  HistoryVersion observed = kVersion;
  ++observed.ended;
  --observed.open;
  EXPECT_FALSE(prepared.Has(1, observed));
  HistoryVersion queued = kVersion;
  ++queued.trials;
  ++queued.open;
  EXPECT_FALSE(prepared.Has(1, queued)) << "a person's trial";
  HistoryVersion late = kVersion;
  ++late.late;
  EXPECT_FALSE(prepared.Has(1, late));
  HistoryVersion stale = kVersion;
  --stale.open;
  EXPECT_FALSE(prepared.Has(1, stale));
}

TEST(PreparedSuggestions, HoldWhileNothingButTheirOwnLeasesHappens) {
  PreparedSuggestions prepared(4, kEnoughBytes);
  prepared.Put(1, {kVersion}, Numbered(3));
  ASSERT_EQ(prepared.Find(1, kVersion.AfterLeases(1), 2).size(), 2u);
  EXPECT_EQ(prepared.Find(1, kVersion.AfterLeases(1), 2)[0].candidate, 1);
  EXPECT_EQ(prepared.Find(1, kVersion.AfterLeases(2), 1)[0].candidate, 2);
  EXPECT_TRUE(prepared.Find(1, kVersion.AfterLeases(3), 1).empty());
  EXPECT_TRUE(prepared.Find(1, kVersion.AfterLeases(2), 2).empty());
}

// A lease that failed gives nobody what it counted, and the next call is given the same.
TEST(PreparedSuggestions, NoneIsUsedMoreThanOnce) {
  PreparedSuggestions prepared(1, kEnoughBytes);
  prepared.CountUsed(1, 2);
  EXPECT_EQ(prepared.used(), 0) << "there are none";
  prepared.Put(1, {kVersion}, Numbered(3));
  prepared.CountUsed(1, 2);
  prepared.CountUsed(1, 2);
  EXPECT_EQ(prepared.used(), 3);
}

TEST(PreparedSuggestions, ThoseThatWereReplacedBeforeTheyWereUsedAreWasted) {
  PreparedSuggestions prepared(1, kEnoughBytes);
  prepared.Put(1, {kVersion}, Numbered(3));
  prepared.CountUsed(1, 2);
  EXPECT_EQ(prepared.made(), 3);
  EXPECT_EQ(prepared.used(), 2);
  EXPECT_EQ(prepared.wasted(), 0) << "the third one may still be asked for";
  prepared.Put(1, {kVersion.AfterLeases(2)}, Numbered(2));
  EXPECT_EQ(prepared.wasted(), 1);
  prepared.Put(2, {kVersion}, Numbered(1));
  EXPECT_EQ(prepared.wasted(), 3) << "the study made room for another one";
  EXPECT_EQ(prepared.made(), 6);
}

TEST(PreparedSuggestions, EvictTheLeastRecentlyUsedStudy) {
  PreparedSuggestions prepared(2, kEnoughBytes);
  prepared.Put(1, {kVersion}, Numbered(1));
  prepared.Put(2, {kVersion}, Numbered(1));
  EXPECT_TRUE(prepared.Has(1, kVersion));
  prepared.Put(3, {kVersion}, Numbered(1));
  EXPECT_TRUE(prepared.Has(1, kVersion));
  EXPECT_FALSE(prepared.Has(2, kVersion));
  EXPECT_TRUE(prepared.Has(3, kVersion));
}

// As far as a transaction can tell: by the counts in the study's row, and by which trials are open.
TEST(PreparedSuggestions, TheNextOnesHoldIfTheTrialsAreStillOpen) {
  PreparedSuggestions prepared(4, kEnoughBytes);
  EXPECT_TRUE(prepared.FindNext(1, {10, 4, 0}, 1).suggestions.empty());
  prepared.Put(1, {kVersion, {3, 9}}, Numbered(3));
  const auto first = prepared.FindNext(1, {10, 4, 0}, 1);
  EXPECT_EQ(first.suggestions.at(0).suggestion.candidate, 0);
  EXPECT_THAT(first.open, ElementsAre(3, 9));
  const auto later = prepared.FindNext(1, {11, 5, 0}, 2);
  ASSERT_EQ(later.suggestions.size(), 2u);
  EXPECT_EQ(later.suggestions[0].suggestion.candidate, 1);
  EXPECT_THAT(later.open, ElementsAre(3, 9, 11)) << "also the one that was leased since";
  EXPECT_TRUE(prepared.FindNext(1, {11, 5, 0}, 3).suggestions.empty()) << "there are but two";
  EXPECT_TRUE(prepared.FindNext(1, {11, 5, 0}, 3).holds);
  EXPECT_FALSE(prepared.FindNext(1, {11, 4, 0}, 1).holds) << "a person's trial";
  EXPECT_FALSE(prepared.FindNext(1, {10, 4, 1}, 1).holds) << "a late result";
  EXPECT_FALSE(prepared.FindNext(1, {9, 3, 0}, 1).holds) << "another history";
  EXPECT_FALSE(prepared.FindNext(1, {13, 7, 0}, 1).holds) << "others were leased instead of these";
}

TEST(PreparedSuggestions, ThoseMadeWithoutResultsHoldWhateverBecomesOfTrials) {
  PreparedSuggestions prepared(4, kEnoughBytes);
  prepared.Put(1, {{.trials = 10, .suggested = 4}, {}, /*without_results=*/true}, Numbered(3));
  const auto next = prepared.FindNext(1, {11, 5, 7}, 2);
  EXPECT_EQ(next.suggestions.at(0).suggestion.candidate, 1);
  EXPECT_THAT(next.open, IsEmpty());
  EXPECT_TRUE(prepared.Has(1, {11, 5, 3, 2, 1}));
  EXPECT_FALSE(prepared.Has(1, {11, 4, 3, 2, 1})) << "a person's trial";
  EXPECT_TRUE(prepared.FindNext(1, {11, 4, 0}, 1).suggestions.empty());
  EXPECT_EQ(prepared.made() + prepared.used() + prepared.wasted(), 0) << "they cost nothing";
}

TEST(PreparedSuggestions, AreUnusedUntilAsManyWereGiven) {
  PreparedSuggestions prepared(4, kEnoughBytes);
  EXPECT_FALSE(prepared.HasUnused(1));
  prepared.Put(1, {kVersion}, Numbered(2));
  prepared.CountUsed(1, 1);
  EXPECT_TRUE(prepared.HasUnused(1));
  prepared.CountUsed(1, 1);
  EXPECT_FALSE(prepared.HasUnused(1));
  EXPECT_EQ(prepared.UsedUp(1), 2);
  EXPECT_EQ(prepared.bytes(), 0u) << "what is used up is not kept";
  EXPECT_TRUE(prepared.FindNext(1, {10, 4, 0}, 1).suggestions.empty());
  prepared.Put(1, {kVersion}, Numbered(2));
  EXPECT_EQ(prepared.UsedUp(1), 0);
  prepared.Forget(1);
  EXPECT_FALSE(prepared.HasUnused(1));
  EXPECT_EQ(prepared.wasted(), 2);
}

TEST(PreparedSuggestions, ThoseMadeWithoutResultsMakeRoomFirst) {
  PreparedSuggestions prepared(2, kEnoughBytes);
  prepared.Put(1, {kVersion}, Numbered(1));
  prepared.Put(2, {.version = kVersion, .without_results = true}, Numbered(1));
  prepared.Put(3, {.version = kVersion, .without_results = true}, Numbered(1));
  EXPECT_TRUE(prepared.Has(1, kVersion)) << "a model made it, though earlier";
  EXPECT_FALSE(prepared.Has(2, kVersion));
  EXPECT_TRUE(prepared.Has(3, kVersion));
}

TEST(PreparedSuggestions, KeepToTheirBytes) {
  PreparedSuggestions small(100, size_t{64} << 10);
  std::vector<PreparedSuggestion> large = Numbered(4);
  for (PreparedSuggestion& each : large) each.suggestion.configuration.values.resize(100);
  size_t most = 0;
  for (int64_t study = 1; study <= 50; ++study) {
    small.Put(study, {kVersion}, large);
    most = std::max(most, small.bytes());
  }
  EXPECT_LE(most, size_t{64} << 10);
  EXPECT_FALSE(small.Has(1, kVersion));
  EXPECT_TRUE(small.Has(50, kVersion));
  large.front().suggestion.configuration.values.resize(100'000);
  small.Put(50, {kVersion}, large);
  EXPECT_FALSE(small.Has(50, kVersion)) << "too large alone";
  for (int64_t study = 1; study <= 50; ++study) small.Forget(study);
  EXPECT_EQ(small.bytes(), 0u);
}

class PreparedAheadTest : public ServiceFixture {
 protected:
  void SetUp() override {
    ServiceOptions options;
    options.prepare_ahead = true;
    service_.reset();
    service_.emplace(&observed_store_, options);
    Create(ExampleStudy("gp_log_ei"));
    AddResults({3, 1, 4, 1, 5, 9, 2, 6});
  }

  // Returns once nothing is being computed for the study: the queue computes one thing at a time.
  void WaitForPreparation() { service_->WaitUntilComputed(); }
};

TEST_F(PreparedAheadTest, TheNextSuggestionIsThereAfterAResultAndIsTheSame) {
  const v1::Trial first = Suggest("w");
  Observe(first.name(), 7);
  WaitForPreparation();
  EXPECT_EQ(service_->Figures().prepared_used, 0);
  const v1::Trial second = Suggest("w");
  EXPECT_EQ(service_->Figures().prepared_used, 1);
  const v1::Explanation explanation = Explain(second.name());
  EXPECT_EQ(explanation.provenance().rung(), v1::Provenance::RECIPE);
  EXPECT_EQ(explanation.provenance().last_trial_seen(), 9);
  // Without preparation, from the same history.
  Restart();
  Create(ExampleStudy("gp_log_ei"), "other");
  v1::AddTrialsRequest request;
  request.set_study("studies/other");
  for (const double loss : {3, 1, 4, 1, 5, 9, 2, 6}) {
    const int i = request.observations_size();
    *request.add_observations() =
        MeasuredObservation(ExampleConfiguration(0.001 * (i + 1), 1 + i % 8), loss);
  }
  ASSERT_TRUE(Call(&TrialService::AddTrials, request).ok());
  const v1::Trial same_first = Suggest("w", "studies/other");
  EXPECT_EQ(same_first.configuration().DebugString(), first.configuration().DebugString());
  Observe(same_first.name(), 7);
  EXPECT_EQ(Suggest("w", "studies/other").configuration().DebugString(),
            second.configuration().DebugString());
}

TEST_F(PreparedAheadTest, AnotherResultMakesWhatWasPreparedVoid) {
  const v1::Trial first = Suggest("w");
  Observe(first.name(), 7);
  WaitForPreparation();
  AddResults({8});
  Suggest("w");
  EXPECT_EQ(service_->Figures().prepared_used, 0);
}

// The start of `auto` on a candidate list: what served its sources best.
TEST_F(PreparedAheadTest, AStartFromSourcesIsPreparedToo) {
  constexpr int kCandidates = 20;
  v1::Study study = ExampleStudy("auto");
  for (int task = 0; task < 2; ++task) study.add_source_tasks(RegisterExample(kCandidates, task));
  for (const v1::Observation& observation : ExampleObservations(kCandidates, 0)) {
    *study.mutable_space()->mutable_candidates()->add_configurations() =
        observation.configuration();
  }
  Create(study, "start");
  for (int used = 0; used < 3; ++used) {
    const v1::Trial trial = Suggest("w", "studies/start");
    EXPECT_EQ(service_->Figures().prepared_used, used);
    EXPECT_EQ(Explain(trial.name()).provenance().rung(), v1::Provenance::RECIPE);
    Observe(trial.name(), 5 - used);
    WaitForPreparation();
  }
}

}  // namespace
}  // namespace slipstream
