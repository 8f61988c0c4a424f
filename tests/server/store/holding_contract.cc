// The contract of leases that end, of reports, and of what people write on trials.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/server/store/recount.h"
#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr LeasePolicy kMinuteLease = {.duration_ms = 60'000, .max_requeues = 1};

StudyRecord CreateLeased(Store& store, LeasePolicy lease = kMinuteLease,
                         const std::string& id = "s") {
  NewStudy study = StudyNamed(id);
  study.lease = lease;
  return *CreateStudy(store, study);
}

// As a server does that is up for `duration`.
void PassTime(Store& store, FakeClock& clock, absl::Duration duration) {
  for (; duration > absl::ZeroDuration(); duration -= absl::Seconds(4)) {
    clock.Advance(std::min(duration, absl::Seconds(4)));
    const auto needed = store.LeasesNeedSweep();
    ASSERT_TRUE(needed.ok()) << needed.status();
    if (!*needed) continue;
    ASSERT_TRUE(SweepLeases(store).ok());
  }
}

std::vector<double> ValuesOf(const absl::StatusOr<std::vector<ReportRecord>>& reports) {
  std::vector<double> values;
  for (const ReportRecord& record : reports.value()) values.push_back(record.report.value);
  return values;
}

TEST_P(StoreContract, ALeaseTellsItsEndAndRunsOut) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  const int64_t end_ms = clock_.NowMs() + 60'000;
  EXPECT_EQ(store().GetTrial("s", 1)->lease_end_ms, end_ms);
  PassTime(store(), clock_, absl::Seconds(59));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kActive);
  EXPECT_EQ(store().ListTrials("s", {})->front().lease_end_ms, end_ms);
  PassTime(store(), clock_, absl::Seconds(1));
  const auto stale = store().GetTrial("s", 1);
  EXPECT_EQ(stale->state, TrialState::kStale);
  EXPECT_EQ(stale->worker, "w");
  EXPECT_EQ(stale->end_ms, clock_.NowMs());
  EXPECT_EQ(stale->requeued_as, 2);
  EXPECT_FALSE(stale->lease_end_ms.has_value());
  const auto repeat = store().GetTrial("s", 2);
  EXPECT_EQ(repeat->state, TrialState::kRequested);
  EXPECT_EQ(repeat->requeue_of, 1);
  EXPECT_EQ(repeat->requeues, 1);
  EXPECT_EQ(repeat->configuration, stale->configuration);
  EXPECT_EQ(repeat->create_ms, clock_.NowMs());
  EXPECT_EQ(store().GetStudy("s")->trial_count, 2);
  EXPECT_EQ(store().GetStudy("s")->suggested_count, 1);
  EXPECT_FALSE(*store().LeasesNeedSweep());
}

TEST_P(StoreContract, AConfigurationIsQueuedAgainAsOftenAsThePolicySays) {
  const StudyRecord study = CreateLeased(store(), {.duration_ms = 1'000, .max_requeues = 2});
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  for (int64_t number = 1; number <= 3; ++number) {
    PassTime(store(), clock_, absl::Seconds(2));
    EXPECT_EQ(store().GetTrial("s", number)->state, TrialState::kStale);
    EXPECT_EQ(store().GetTrial("s", number)->requeued_as, number < 3 ? number + 1 : 0);
    if (number == 3) break;
    EXPECT_EQ(store().GetTrial("s", number + 1)->requeue_of, 1);
    LeaseBatch batch;
    batch.study_key = study.key;
    batch.study_id = "s";
    batch.expected_trial_count = number + 1;
    batch.grants.emplace_back().worker = "w";
    batch.grants.back().queued = {number + 1};
    ASSERT_TRUE(LeaseTrials(store(), batch).ok());
  }
  EXPECT_EQ(store().GetStudy("s")->trial_count, 3);
}

TEST_P(StoreContract, TimeInWhichNoStoreIsOpenCountsForNoLease) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  PassTime(store(), clock_, absl::Seconds(30));
  clock_.Advance(absl::Hours(10));
  Reopen();
  ASSERT_TRUE(UpdateStudy(store(), "s", {}).ok());
  PassTime(store(), clock_, absl::Seconds(29));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kActive);
  PassTime(store(), clock_, absl::Seconds(7));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kStale);
}

TEST_P(StoreContract, AJumpOfTheWallClockCountsForNoLease) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  for (const absl::Duration jump : {absl::Hours(3), -absl::Hours(20), absl::Hours(1)}) {
    clock_.Advance(jump);
    ASSERT_TRUE(*store().LeasesNeedSweep());
    EXPECT_EQ(SweepLeases(store())->stale, 0);
  }
  PassTime(store(), clock_, absl::Seconds(61));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kStale);
}

// As if it were another server's that is ahead.
TEST_P(StoreContract, AWallClockThatIsSetBackALittleStandsStillForLeases) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  clock_.Advance(-absl::Seconds(30));
  EXPECT_FALSE(*store().LeasesNeedSweep());
  Reopen();
  ASSERT_TRUE(UpdateStudy(store(), "s", {}).ok()) << "waits until it is open";
  PassTime(store(), clock_, absl::Seconds(88));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kActive);
  PassTime(store(), clock_, absl::Seconds(3));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kStale);
}

TEST_P(StoreContract, AHeartbeatRenewsWhatTheWorkerHolds) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 2).ok());
  ASSERT_TRUE(LeaseFresh(store(), study, "v", 1).ok());
  clock_.Advance(absl::Seconds(3));
  const auto all = Heartbeat(store(), {"s", "w", {}});
  ASSERT_TRUE(all.ok()) << all.status;
  ASSERT_THAT(all->trials, SizeIs(2));
  EXPECT_EQ(all->lease_ms, 60'000);
  EXPECT_EQ(all->trials[1].lease_end_ms, clock_.NowMs() + 60'000);
  EXPECT_EQ(store().GetTrial("s", 2)->lease_end_ms, clock_.NowMs() + 60'000);
  const auto strange = Heartbeat(store(), {"s", "w", {3}});
  ASSERT_TRUE(strange.ok()) << strange.status;
  EXPECT_EQ(strange->trials[0].worker, "v");
  EXPECT_EQ(store().GetTrial("s", 3)->lease_end_ms, clock_.NowMs() + 57'000);
  EXPECT_THAT(Heartbeat(store(), {"s", "w", {9}}).status, HasCode(kNotFound));
  EXPECT_THAT(Heartbeat(store(), {"gone", "w", {}}).status, HasCode(kNotFound));
}

TEST_P(StoreContract, LeasesWithoutADurationNeverEnd) {
  const StudyRecord study = CreateLeased(store(), {});
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  PassTime(store(), clock_, absl::Minutes(3));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kActive);
  EXPECT_FALSE(store().GetTrial("s", 1)->lease_end_ms.has_value());
  // A policy that comes later holds from the next renewal on.
  StudyChange change;
  change.lease = kMinuteLease;
  ASSERT_TRUE(UpdateStudy(store(), "s", change).ok());
  ASSERT_TRUE(Heartbeat(store(), {"s", "w", {}}).ok());
  PassTime(store(), clock_, absl::Minutes(2));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kStale);
}

TEST_P(StoreContract, ALateResultIsTakenAndTheRepeatWithdrawn) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  PassTime(store(), clock_, absl::Seconds(61));
  ASSERT_EQ(store().GetTrial("s", 2)->state, TrialState::kRequested);
  clock_.Advance(absl::Seconds(5));
  const auto late = ObserveTrial(store(), {"s", 1, Success(0.5)});
  ASSERT_TRUE(late.ok()) << late.status;
  EXPECT_EQ(store().GetTrial("s", 1)->end_ms, clock_.NowMs());
  EXPECT_EQ(late->state, TrialState::kSucceeded);
  EXPECT_EQ(store().GetStudy("s")->succeeded_count, 1);
  EXPECT_EQ(store().GetStudy("s")->late_count, 1);
  EXPECT_EQ(store().GetTrial("s", 2)->state, TrialState::kWithdrawn);
  EXPECT_EQ(store().GetTrial("s", 2)->end_ms, clock_.NowMs());
  EXPECT_THAT(ObserveTrial(store(), {"s", 2, Success(0.5)}).status,
              IsRefusal(kFailedPrecondition, "withdrawn"));
  EXPECT_THAT(store().PlanLeases(study.key, "s", {}, 5)->queued, IsEmpty());
}

TEST_P(StoreContract, ALateFailureLeavesTheRepeatInTheQueue) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  PassTime(store(), clock_, absl::Seconds(61));
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Ending(TrialState::kFailed)}).ok());
  EXPECT_EQ(store().GetTrial("s", 2)->state, TrialState::kRequested);
}

TEST_P(StoreContract, ReleasedTrialsAreQueuedAgainUnderTheirNumbers) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 2).ok());
  ASSERT_TRUE(ReportSteps(store(), {"s", 2, {{1, 0.5}}}).ok());
  EXPECT_THAT(ReleaseTrials(store(), {"s", "v", {1, 2}}).status,
              IsRefusal(kFailedPrecondition, "held by worker 'w'"));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kActive);
  const auto released = ReleaseTrials(store(), {"s", "w", {}}, {"r", "f"}, "first");
  ASSERT_TRUE(released.ok()) << released.status;
  EXPECT_THAT(*released, SizeIs(2));
  const auto trial = store().GetTrial("s", 2);
  EXPECT_EQ(trial->state, TrialState::kRequested);
  EXPECT_EQ(trial->worker, "");
  EXPECT_FALSE(trial->start_ms.has_value());
  EXPECT_EQ(trial->report_count, 0);
  EXPECT_THAT(ValuesOf(store().ListReports("s", 0, 9, 9)), IsEmpty());
  EXPECT_THAT(store().PlanLeases(study.key, "s", {"w"}, 5)->queued, ElementsAre(1, 2));
  EXPECT_EQ(ReleaseTrials(store(), {"s", "w", {}}, {"r", "f"}).earlier, "first");
  EXPECT_THAT(ReleaseTrials(store(), {"s", "", {1}}).status,
              IsRefusal(kFailedPrecondition, "nobody holds it"));
}

TEST_P(StoreContract, NothingIsQueuedInACompletedStudyByGivingItBack) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 2).ok());
  ASSERT_TRUE(ReportSteps(store(), {"s", 1, {{1, 0.5}}}).ok());
  StudyChange complete;
  complete.state = StudyState::kCompleted;
  ASSERT_TRUE(UpdateStudy(store(), "s", complete).ok());
  const auto released = ReleaseTrials(store(), {"s", "w", {1}});
  ASSERT_TRUE(released.ok()) << released.status;
  EXPECT_EQ(released->front().state, TrialState::kWithdrawn);
  const auto trial = store().GetTrial("s", 1);
  EXPECT_EQ(trial->state, TrialState::kWithdrawn);
  EXPECT_EQ(trial->reason, "it was given back after its study was COMPLETED");
  EXPECT_EQ(trial->end_ms, clock_.NowMs());
  EXPECT_FALSE(trial->lease_end_ms.has_value());
  EXPECT_THAT(ValuesOf(store().ListReports("s", 0, 9, 9)), ElementsAre(0.5));
  EXPECT_THAT(store().PlanLeases(study.key, "s", {}, 5)->queued, IsEmpty());
  EXPECT_EQ(store().ListEvents(0, 99)->events.back().kind, EventKind::kTrialWithdrawn);
  EXPECT_EQ(ObserveTrial(store(), {"s", 1, Success(1)}).status.code(), kFailedPrecondition);
  // A worker that goes on still tells its result.
  EXPECT_TRUE(ObserveTrial(store(), {"s", 2, Success(1)}).ok());
}

TEST_P(StoreContract, ReportsAreKeptByStepAndRenewTheLease) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 2).ok());
  PassTime(store(), clock_, absl::Seconds(40));
  ASSERT_TRUE(ReportSteps(store(), {"s", 1, {{5, 0.5}, {1, 0.1}}}).ok());
  const auto reported = ReportSteps(store(), {"s", 1, {{1, 0.2}}});
  ASSERT_TRUE(reported.ok()) << reported.status;
  EXPECT_EQ(reported->report_count, 2);
  EXPECT_EQ(reported->last_step, 5);
  EXPECT_EQ(reported->last_value, 0.5);
  EXPECT_THAT(ValuesOf(store().ListReports("s", 0, 9, 9)), ElementsAre(0.2, 0.5));
  EXPECT_THAT(ValuesOf(store().ListReports("s", 0, 9, 1)), ElementsAre(0.2));
  EXPECT_THAT(ValuesOf(store().ListReports("s", 1, 9, 9)), IsEmpty());
  PassTime(store(), clock_, absl::Seconds(40));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kActive);
  EXPECT_EQ(store().GetTrial("s", 2)->state, TrialState::kStale);
  EXPECT_TRUE(ReportSteps(store(), {"s", 2, {{1, 0.1}}}).ok());
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(1)}).ok());
  EXPECT_THAT(ReportSteps(store(), {"s", 1, {{9, 0.9}}}).status,
              IsRefusal(kFailedPrecondition, "has ended"));
  EXPECT_THAT(ReportSteps(store(), {"s", 3, {{9, 0.9}}}).status,
              IsRefusal(kFailedPrecondition, "REQUESTED"));
  EXPECT_THAT(store().ListReports("gone", 0, 9, 9).status(), HasCode(kNotFound));
}

TEST_P(StoreContract, ATrialTakesReportsUpToItsLimit) {
  options_.max_reports_per_trial = 3;
  Reopen();
  CreateWithLeases("s", 1);
  ASSERT_TRUE(ReportSteps(store(), {"s", 1, {{1, 1}, {2, 2}}}).ok());
  EXPECT_THAT(ReportSteps(store(), {"s", 1, {{3, 3}, {4, 4}}}).status,
              IsRefusal(kResourceExhausted, "the limit of 3 reports of a trial"));
  EXPECT_EQ(store().GetTrial("s", 1)->report_count, 2);
  // Steps that are known take no room.
  EXPECT_TRUE(ReportSteps(store(), {"s", 1, {{1, 7}, {2, 8}, {3, 9}, {3, 10}}}).ok());
  CreateWithLeases("t", 1);
  ASSERT_TRUE(ReportSteps(store(), {"t", 1, {{1, 1}}}).ok());
  EXPECT_THAT(ReportSteps(store(), {"t", 1, {{2, 2}, {3, 3}, {4, 4}}}).status,
              IsRefusal(kResourceExhausted, "has 1 report, 3 more would be above"));
  EXPECT_THAT(ValuesOf(store().ListReports("s", 0, 1, 9)), ElementsAre(7, 8, 10));
}

TEST_P(StoreContract, ADeletedStudysLeasesAndReportsAreGone) {
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 3).ok());
  ASSERT_TRUE(ReportSteps(store(), {"s", 1, {{1, 1}}}).ok());
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  clock_.Advance(absl::Seconds(61));
  EXPECT_EQ(SweepLeases(store())->stale, 0);
  CreateWithLeases("s", 1);
  EXPECT_THAT(ValuesOf(store().ListReports("s", 0, 9, 9)), IsEmpty());
}

TEST_P(StoreContract, ASweepEndsABoundedNumberOfLeases) {
  options_.max_leases_per_sweep = 2;
  Reopen();
  const StudyRecord study = CreateLeased(store());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 3).ok());
  clock_.Advance(absl::Seconds(60));
  const auto first = SweepLeases(store());
  EXPECT_EQ(first->stale, 2);
  EXPECT_EQ(first->queued_again, 2);
  EXPECT_TRUE(first->more);
  const auto second = SweepLeases(store());
  EXPECT_EQ(second->stale, 1);
  EXPECT_FALSE(second->more);
}

TEST_P(StoreContract, AStudyThatIsFullTellsWhyConfigurationsAreNotQueuedAgain) {
  options_.max_trials_per_study = 2;
  Reopen();
  ASSERT_TRUE(LeaseFresh(store(), CreateLeased(store()), "w", 2).ok());
  // One that would not be queued again anyway.
  const StudyRecord other = CreateLeased(store(), {.duration_ms = 60'000, .max_requeues = 0}, "t");
  ASSERT_TRUE(LeaseFresh(store(), other, "w", 2).ok());
  clock_.Advance(absl::Seconds(60));
  const auto sweep = SweepLeases(store());
  EXPECT_EQ(sweep->stale, 4);
  EXPECT_EQ(sweep->queued_again, 0);
  EXPECT_EQ(sweep->dropped, 2);
  EXPECT_THAT(sweep->dropped_trials,
              testing::UnorderedElementsAre("studies/s/trials/1", "studies/s/trials/2"));
  const auto dropped = store().GetTrial("s", 1);
  EXPECT_EQ(dropped->state, TrialState::kStale);
  EXPECT_EQ(dropped->worker, "w");
  EXPECT_EQ(dropped->end_ms, clock_.NowMs());
  EXPECT_THAT(dropped->reason,
              testing::HasSubstr("2 trials and the limit is 2 (--max-trials-per-study)"));
  EXPECT_EQ(store().GetTrial("t", 1)->reason, "");
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
  // A late result has a reason of its own, or none.
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(1)}).ok());
  EXPECT_EQ(store().GetTrial("s", 1)->reason, "");
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
}

TEST_P(StoreContract, AStudyThatIsFullSinceTheLimitWasLoweredTellsTheLimit) {
  ASSERT_TRUE(LeaseFresh(store(), CreateLeased(store()), "w", 3).ok());
  options_.max_trials_per_study = 1;
  Reopen();
  EXPECT_EQ(SweepLeases(store())->dropped, 0);
  clock_.Advance(absl::Seconds(60));
  EXPECT_EQ(SweepLeases(store())->dropped, 3);
  EXPECT_THAT(store().GetTrial("s", 3)->reason, testing::HasSubstr("3 trials and the limit is 1"));
}

TEST_P(StoreContract, ASweepNamesTheFirstTrialsWhoseLeasesRanOut) {
  NewStudy named = StudyNamed("vision/s");
  named.lease = {.duration_ms = 60'000, .max_requeues = 0};
  const StudyRecord study = *CreateStudy(store(), named);
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  clock_.Advance(absl::Seconds(60));
  EXPECT_THAT(SweepLeases(store())->trials, ElementsAre("projects/vision/studies/s/trials/1"));
  ASSERT_TRUE(LeaseFresh(store(), *store().GetStudy("vision/s"), "w", 5).ok());
  clock_.Advance(absl::Seconds(60));
  const auto sweep = SweepLeases(store());
  EXPECT_EQ(sweep->stale, 5);
  EXPECT_THAT(sweep->trials, SizeIs(LeaseSweep::kNamedTrials));
  EXPECT_EQ(std::set<std::string>(sweep->trials.begin(), sweep->trials.end()).size(),
            LeaseSweep::kNamedTrials);
}

TEST_P(StoreContract, LabelsAndNotesOfTrialsComeBack) {
  CreateWithLeases("s", 1);
  TrialChange change;
  change.labels = "labels";
  ASSERT_TRUE(UpdateTrial(store(), "s", 1, change).ok());
  change = {};
  change.note = "note";
  const auto changed = UpdateTrial(store(), "s", 1, change, {"r", "f"});
  ASSERT_TRUE(changed.ok()) << changed.status;
  EXPECT_EQ(changed->labels, "labels");
  Reopen();
  EXPECT_EQ(store().GetTrial("s", 1)->labels, "labels");
  EXPECT_EQ(store().GetTrial("s", 1)->note, "note");
  EXPECT_THAT(UpdateTrial(store(), "s", 2, change).status, HasCode(kNotFound));
}

TEST_P(StoreContract, ALeaseSaysWhereItsWorkerRuns) {
  const StudyRecord study = CreateLeased(store());
  LeaseBatch batch;
  batch.study_key = study.key;
  batch.study_id = "s";
  batch.grants.emplace_back().worker = "w";
  batch.grants.back().process = {"host", 42};
  batch.grants.back().fresh = {NewSuggestion("x")};
  ASSERT_TRUE(LeaseTrials(store(), batch).ok());
  EXPECT_EQ(store().GetTrial("s", 1)->process, (WorkerProcess{"host", 42}));
  // The same worker in another process gets its trial again, with a new lease.
  clock_.Advance(absl::Seconds(3));
  batch.expected_trial_count = 1;
  batch.grants.front().fresh.clear();
  batch.grants.front().again = {1};
  batch.grants.front().process = {"other", 43};
  ASSERT_TRUE(LeaseTrials(store(), batch).ok());
  const auto trial = store().GetTrial("s", 1);
  EXPECT_EQ(trial->process, (WorkerProcess{"other", 43}));
  EXPECT_EQ(trial->start_ms, clock_.NowMs() - 3'000);
  EXPECT_EQ(trial->lease_end_ms, clock_.NowMs() + 60'000);
}

}  // namespace
}  // namespace slipstream
