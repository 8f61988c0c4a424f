#include <string>
#include <utility>
#include <vector>

#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

LeaseBatch BatchFor(const StudyRecord& study, int64_t expected_trial_count,
                    std::vector<LeaseGrant> grants) {
  LeaseBatch batch;
  batch.study_key = study.key;
  batch.study_id = study.id;
  batch.expected_trial_count = expected_trial_count;
  batch.grants = std::move(grants);
  return batch;
}

LeaseGrant GrantTo(const std::string& worker, std::vector<int64_t> again,
                   std::vector<int64_t> queued, std::vector<std::string> fresh) {
  LeaseGrant grant;
  grant.worker = worker;
  grant.again = std::move(again);
  grant.queued = std::move(queued);
  for (const std::string& configuration : fresh) {
    grant.fresh.push_back(NewSuggestion(configuration));
  }
  return grant;
}

LeaseGrant Guarded(LeaseGrant grant, const std::string& request_id,
                   const std::string& answer = "answer") {
  grant.guard = {request_id, "fingerprint"};
  grant.render = [answer](const std::vector<TrialRecord>&) { return answer; };
  return grant;
}

// A study with ACTIVE trials 1 and 2 of "w" and REQUESTED trials 3 and 4.
class StudyWithOpenTrials {
 public:
  explicit StudyWithOpenTrials(Store& store) {
    study = *CreateStudy(store, StudyNamed("s"));
    EXPECT_TRUE(LeaseFresh(store, study, "w", 2).ok());
    EXPECT_TRUE(AddTrials(store, "s", {NewSuggestion("q3"), NewSuggestion("q4")}).ok());
  }
  StudyRecord study;
};

// Expects that a refused batch has changed nothing.
void ExpectUntouched(Store& store) {
  const auto study = store.GetStudy("s");
  EXPECT_EQ(study->trial_count, 4);
  EXPECT_EQ(study->suggested_count, 2);
  EXPECT_EQ(store.GetTrial("s", 3)->state, TrialState::kRequested);
  EXPECT_EQ(store.GetTrial("s", 3)->worker, "");
  EXPECT_THAT(store.GetTrial("s", 5).status(), HasCode(kNotFound));
}

TEST_P(StoreContract, APlanShowsActiveAndQueuedTrials) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  ASSERT_TRUE(LeaseFresh(store(), study, "v", 1).ok());
  ASSERT_TRUE(LeaseFresh(store(), study, "", 1).ok());
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(1)}).ok());
  CreateWithLeases("other", 3, "w");
  const auto plan = store().PlanLeases(study.key, "s", {"v", "nobody", "w", ""}, 5);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->active, ElementsAre(ElementsAre(5), IsEmpty(), ElementsAre(2), ElementsAre(6)));
  EXPECT_THAT(plan->queued, ElementsAre(3, 4));
  EXPECT_EQ(plan->study.trial_count, 6);
  EXPECT_EQ(plan->study.definition, "");
  EXPECT_THAT(store().PlanLeases(study.key, "s", {}, 1)->queued, ElementsAre(3));
  EXPECT_THAT(store().PlanLeases(study.key, "s", {}, 0)->queued, IsEmpty());
  EXPECT_THAT(store().PlanLeases(study.key + 100, "gone", {}, 1).status(),
              IsRefusal(kNotFound, "studies/gone"));
}

TEST_P(StoreContract, AGrantHandsOutAgainThenQueuedThenFresh) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  clock_.Advance(absl::Minutes(1));
  const auto leased = LeaseTrials(
      store(),
      BatchFor(study, 4, {GrantTo("w", {1, 2}, {4}, {"a"}), GrantTo("v", {}, {3}, {"b", "c"})}));
  ASSERT_TRUE(leased.ok()) << leased.status();
  ASSERT_THAT(*leased, ElementsAre(SizeIs(4), SizeIs(3)));
  EXPECT_EQ((*leased)[0][0].configuration, "x1");
  EXPECT_EQ((*leased)[0][0].start_ms, clock_.NowMs() - 60000);
  EXPECT_EQ((*leased)[0][2].number, 4);
  EXPECT_EQ((*leased)[0][2].worker, "w");
  EXPECT_EQ((*leased)[0][3].number, 5);
  EXPECT_EQ((*leased)[1][2].number, 7);
  Reopen();
  const auto queued = store().GetTrial("s", 3);
  EXPECT_EQ(queued->state, TrialState::kActive);
  EXPECT_EQ(queued->worker, "v");
  EXPECT_EQ(queued->start_ms, clock_.NowMs());
  EXPECT_EQ(queued->create_ms, clock_.NowMs() - 60000);
  EXPECT_FALSE(queued->suggested);
  const auto fresh = store().GetTrial("s", 7);
  EXPECT_EQ(fresh->configuration, "c");
  EXPECT_EQ(fresh->worker, "v");
  EXPECT_TRUE(fresh->suggested);
  EXPECT_EQ(store().GetExplainedTrial("s", 7)->provenance, "why c");
  EXPECT_EQ(store().GetStudy("s")->trial_count, 7);
  EXPECT_EQ(store().GetStudy("s")->suggested_count, 5);
  EXPECT_THAT(store().PlanLeases(study.key, "s", {"w"}, 9)->active[0], ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(store().PlanLeases(study.key, "s", {"w"}, 9)->queued, IsEmpty());
}

TEST_P(StoreContract, ALeaseNeedsAnUpToDatePlan) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  for (const int64_t other_count : {3, 5}) {
    EXPECT_THAT(
        LeaseTrials(store(), BatchFor(study, other_count, {GrantTo("w", {}, {3}, {"a"})})).status(),
        IsRefusal(kAborted, "studies/s"));
  }
  ExpectUntouched(store());
}

TEST_P(StoreContract, AChangedTrialAbortsTheWholeBatch) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  const LeaseGrant good = Guarded(GrantTo("v", {}, {3}, {"a"}), "good");
  const std::vector<LeaseGrant> bad = {
      GrantTo("other", {1}, {}, {}),  // Leased to another worker.
      GrantTo("w", {3}, {}, {}),      // Not ACTIVE.
      GrantTo("w", {9}, {}, {}),      // Absent.
      GrantTo("w", {}, {1}, {}),      // Not REQUESTED.
      GrantTo("w", {}, {3}, {}),      // Taken by the good grant.
      GrantTo("w", {}, {4, 4}, {}),   // Twice.
      GrantTo("w", {}, {9}, {"b"}),   // Absent.
  };
  for (const LeaseGrant& grant : bad) {
    EXPECT_THAT(LeaseTrials(store(), BatchFor(study, 4, {good, grant})).status(),
                HasCode(kAborted));
    ExpectUntouched(store());
  }
  EXPECT_EQ(*store().FindAnswer({"good", "fingerprint"}), std::nullopt);
  EXPECT_TRUE(LeaseTrials(store(), BatchFor(study, 4, {good})).ok());
}

TEST_P(StoreContract, AnObservedTrialIsNotHandedOutAgain) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(1)}).ok());
  EXPECT_THAT(LeaseTrials(store(), BatchFor(study, 4, {GrantTo("w", {1}, {}, {})})).status(),
              HasCode(kAborted));
}

TEST_P(StoreContract, OnlyAnActiveStudyLeasesWhatNobodyHas) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  for (const StudyState state : {StudyState::kPaused, StudyState::kCompleted}) {
    StudyChange change;
    change.state = state;
    ASSERT_TRUE(UpdateStudy(store(), "s", change).ok());
    EXPECT_THAT(LeaseTrials(store(), BatchFor(study, 4, {GrantTo("w", {}, {3}, {})})).status(),
                IsRefusal(kAborted, "studies/s is out of date: it is not ACTIVE"));
    EXPECT_THAT(LeaseTrials(store(), BatchFor(study, 4, {GrantTo("w", {}, {}, {"a"})})).status(),
                IsRefusal(kAborted, "it is not ACTIVE"));
  }
  ExpectUntouched(store());
  EXPECT_TRUE(LeaseTrials(store(), BatchFor(study, 4, {GrantTo("w", {1}, {}, {})})).ok());
}

TEST_P(StoreContract, ALeaseIsOnlyForTheStudyOfItsPlan) {
  const StudyRecord old = CreateWithLeases("s", 1);
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  CreateWithLeases("s", 1);
  EXPECT_THAT(LeaseTrials(store(), BatchFor(old, 1, {GrantTo("w", {}, {}, {"a"})})).status(),
              IsRefusal(kNotFound, "studies/s"));
  EXPECT_EQ(store().GetStudy("s")->trial_count, 1);
}

TEST_P(StoreContract, EachGrantHasItsOwnAnswer) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  const LeaseBatch batch =
      BatchFor(study, 4,
               {Guarded(GrantTo("w", {1}, {}, {}), "r1", "one"), GrantTo("u", {}, {}, {"a"}),
                Guarded(GrantTo("v", {}, {3}, {}), "r2", "two")});
  ASSERT_TRUE(LeaseTrials(store(), batch).ok());
  Reopen();
  EXPECT_EQ(*store().FindAnswer({"r1", "fingerprint"}), "one");
  EXPECT_EQ(*store().FindAnswer({"r2", "fingerprint"}), "two");
}

TEST_P(StoreContract, AUsedRequestIdAbortsTheWholeBatch) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  const LeaseGrant same = Guarded(GrantTo("w", {1}, {}, {}), "r");
  ASSERT_TRUE(LeaseTrials(store(), BatchFor(study, 4, {same})).ok());
  LeaseGrant other = same;
  other.guard.fingerprint = "another";
  for (const LeaseGrant& used : {same, other}) {
    EXPECT_THAT(
        LeaseTrials(store(), BatchFor(study, 4, {GrantTo("v", {}, {3}, {"a"}), used})).status(),
        IsRefusal(kAborted, "request id r"));
  }
  const LeaseGrant twin = Guarded(GrantTo("v", {}, {}, {"a"}), "twin");
  EXPECT_THAT(LeaseTrials(store(), BatchFor(study, 4, {twin, twin})).status(), HasCode(kAborted));
  ExpectUntouched(store());
}

TEST_P(StoreContract, AnEmptyBatchIsDone) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  EXPECT_TRUE(LeaseTrials(store(), BatchFor(study, 4, {})).ok());
  ExpectUntouched(store());
}

// ---- Leases without a plan ----

// One worker's lease of trials that are called "p5", "p6" and so on.
PreparedLease LeaseFor(const StudyRecord& study, const std::string& worker, int count,
                       std::vector<int64_t> open = {}) {
  PreparedLease lease;
  lease.study_key = study.key;
  lease.study_id = study.id;
  lease.worker = worker;
  lease.count = count;
  lease.prepared = [open = std::move(open)](const TrialCounts& counts, int missing) {
    PreparedTrials prepared{{}, open};
    for (int i = 1; i <= missing; ++i) {
      prepared.trials.push_back(NewSuggestion("p" + std::to_string(counts.trials + i)));
    }
    return prepared;
  };
  return lease;
}

std::vector<std::string> ConfigurationsOf(const std::vector<TrialRecord>& trials) {
  std::vector<std::string> configurations;
  for (const TrialRecord& trial : trials) configurations.push_back(trial.configuration);
  return configurations;
}

TEST_P(StoreContract, WhatIsPreparedComesAfterOwnAndQueuedTrials) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  const auto own = LeasePrepared(store(), LeaseFor(study, "w", 1));
  ASSERT_TRUE(own.ok()) << own.status;
  EXPECT_THAT(ConfigurationsOf(*own), ElementsAre("x1"));
  ExpectUntouched(store());
  const auto all = LeasePrepared(store(), LeaseFor(study, "w", 6));
  ASSERT_TRUE(all.ok()) << all.status;
  EXPECT_THAT(ConfigurationsOf(*all), ElementsAre("x1", "x2", "q3", "q4", "p5", "p6"));
  EXPECT_EQ(store().GetTrial("s", 6)->worker, "w");
  EXPECT_EQ(store().GetExplainedTrial("s", 6)->provenance, "why p6");
  EXPECT_EQ(store().GetStudy("s")->suggested_count, 4);
  const auto next = LeasePrepared(store(), LeaseFor(study, "v", 1, {1, 2, 3, 4, 5, 6}));
  ASSERT_TRUE(next.ok()) << next.status;
  EXPECT_THAT(ConfigurationsOf(*next), ElementsAre("p7"));
}

TEST_P(StoreContract, WhatIsPreparedDoesNotHoldOnceATrialHasEnded) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(1)}).ok());
  for (const int64_t number : {1, 9}) {
    EXPECT_THAT(LeasePrepared(store(), LeaseFor(study, "v", 3, {2, number})).status,
                HasCode(kAborted));
    ExpectUntouched(store());
  }
  EXPECT_TRUE(LeasePrepared(store(), LeaseFor(study, "v", 2, {1})).ok()) << "queued trials suffice";
  EXPECT_TRUE(LeasePrepared(store(), LeaseFor(study, "u", 1, {2, 3, 4})).ok());
}

TEST_P(StoreContract, ALeaseThatCannotBeDecidedNeedsAPlan) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  PreparedLease too_little = LeaseFor(study, "v", 4);
  too_little.prepared = [](const TrialCounts& counts, int missing) {
    EXPECT_EQ(counts.trials, 4);
    EXPECT_EQ(counts.suggested, 2);
    EXPECT_EQ(missing, 2);
    return PreparedTrials{{NewSuggestion("only one")}};
  };
  EXPECT_THAT(LeasePrepared(store(), too_little, {"id", "f"}).status, HasCode(kAborted));
  PreparedLease other_study = LeaseFor(study, "v", 1);
  other_study.study_create_ms = study.create_ms + 1;
  EXPECT_THAT(LeasePrepared(store(), other_study).status, HasCode(kAborted));
  PreparedLease cancelled = LeaseFor(study, "w", 1);
  cancelled.is_cancelled = [] { return true; };
  EXPECT_THAT(LeasePrepared(store(), cancelled).status, HasCode(absl::StatusCode::kCancelled));
  StudyChange change;
  change.state = StudyState::kPaused;
  ASSERT_TRUE(UpdateStudy(store(), "s", change).ok());
  EXPECT_THAT(LeasePrepared(store(), LeaseFor(study, "w", 1)).status, HasCode(kAborted));
  change.state = StudyState::kActive;
  ASSERT_TRUE(UpdateStudy(store(), "s", change).ok());
  ExpectUntouched(store());
  EXPECT_EQ(*store().FindAnswer({"id", "f"}), std::nullopt);
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  EXPECT_THAT(LeasePrepared(store(), LeaseFor(study, "w", 1)).status, HasCode(kNotFound));
}

TEST_P(StoreContract, AWorkerGetsTheTrialsThatAreThereWhereThereIsNoRoomForWhatIsPrepared) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  Limit("default", {.trials = 4});
  const auto own = LeasePrepared(store(), LeaseFor(study, "w", 6));
  ASSERT_TRUE(own.ok()) << own.status;
  EXPECT_THAT(ConfigurationsOf(*own), ElementsAre("x1", "x2", "q3", "q4"));
  EXPECT_THAT(LeasePrepared(store(), LeaseFor(study, "v", 6)).status, HasCode(kResourceExhausted));
  EXPECT_EQ(store().GetStudy("s")->trial_count, 4);
}

TEST_P(StoreContract, ARepeatedLeaseGetsItsFirstAnswer) {
  const StudyRecord study = StudyWithOpenTrials(store()).study;
  ASSERT_TRUE(LeasePrepared(store(), LeaseFor(study, "v", 3), {"id", "f"}, "first").ok());
  Reopen();
  EXPECT_EQ(LeasePrepared(store(), LeaseFor(study, "v", 3), {"id", "f"}).earlier, "first");
  EXPECT_THAT(LeasePrepared(store(), LeaseFor(study, "v", 2), {"id", "g"}).status,
              HasCode(kInvalidArgument));
  EXPECT_EQ(store().GetStudy("s")->trial_count, 5);
}

}  // namespace
}  // namespace slipstream
