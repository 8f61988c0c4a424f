// The contract of imports: a study is stored as it was elsewhere, whole or not at all.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/store/recount.h"
#include "tests/server/store/store_contract.h"
#include "tests/server/store/write_ends.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

ImportedTrial TrialIn(TrialState state, int64_t number) {
  ImportedTrial trial;
  trial.record.number = number;
  trial.record.state = state;
  trial.record.configuration = "configuration " + std::to_string(number);
  trial.record.create_ms = 1000 + number;
  return trial;
}

ImportedTrial SucceededTrial(int64_t number, double objective) {
  ImportedTrial trial = TrialIn(TrialState::kSucceeded, number);
  trial.record.objective = objective;
  trial.record.measurement = "measured";
  trial.record.end_ms = 2000 + number;
  return trial;
}

// Trials in four states, of which the second was queued again as the third.
ImportedStudy ExampleImport(const std::string& id = "s") {
  ImportedStudy imported;
  imported.study = StudyNamed(id);
  imported.state = StudyState::kPaused;
  imported.create_ms = 500;
  imported.update_ms = 600;
  ImportedTrial first = SucceededTrial(1, 0.5);
  first.record.suggested = true;
  first.record.candidate = 4;
  first.record.worker = "w";
  first.record.process = {"host", 7};
  first.record.start_ms = 1500;
  first.record.labels = "labels";
  first.record.note = "note";
  first.provenance = "provenance";
  first.reports = {{1, 0.9}, {4, 0.7}};
  ImportedTrial stale = TrialIn(TrialState::kStale, 2);
  stale.record.requeued_as = 3;
  ImportedTrial repeat = TrialIn(TrialState::kRequested, 3);
  repeat.record.requeue_of = 2;
  repeat.record.requeues = 1;
  imported.trials = {first, stale, repeat, SucceededTrial(4, 0.25)};
  return imported;
}

void ExpectSame(const TrialRecord& stored, const TrialRecord& given) {
  EXPECT_EQ(stored.state, given.state);
  EXPECT_EQ(stored.suggested, given.suggested);
  EXPECT_EQ(stored.configuration, given.configuration);
  EXPECT_EQ(stored.candidate, given.candidate);
  EXPECT_EQ(stored.worker, given.worker);
  EXPECT_EQ(stored.objective, given.objective);
  EXPECT_EQ(stored.measurement, given.measurement);
  EXPECT_EQ(stored.reason, given.reason);
  EXPECT_EQ(stored.create_ms, given.create_ms);
  EXPECT_EQ(stored.start_ms, given.start_ms);
  EXPECT_EQ(stored.end_ms, given.end_ms);
  EXPECT_EQ(stored.requeue_of, given.requeue_of);
  EXPECT_EQ(stored.requeued_as, given.requeued_as);
  EXPECT_EQ(stored.requeues, given.requeues);
  EXPECT_EQ(stored.process, given.process);
  EXPECT_EQ(stored.labels, given.labels);
  EXPECT_EQ(stored.note, given.note);
}

TEST_P(StoreContract, AnImportedStudyIsAsItWasElsewhere) {
  const ImportedStudy imported = ExampleImport();
  const auto written = ImportStudy(store(), imported);
  ASSERT_TRUE(written.ok()) << written.status;
  EXPECT_EQ(written->trial_count, 4);
  Reopen();

  const auto study = store().GetStudy("s");
  ASSERT_TRUE(study.ok()) << study.status();
  EXPECT_EQ(study->definition, imported.study.definition);
  EXPECT_EQ(study->state, StudyState::kPaused);
  EXPECT_EQ(study->create_ms, 500);
  EXPECT_EQ(study->update_ms, 600);
  EXPECT_EQ(study->trial_count, 4);
  EXPECT_EQ(study->succeeded_count, 2);
  EXPECT_EQ(study->suggested_count, 1);
  EXPECT_EQ(study->best, 0.25);
  const auto trials = store().ListTrials("s", {});
  ASSERT_THAT(*trials, SizeIs(4));
  for (size_t i = 0; i < 4; ++i) ExpectSame((*trials)[i], imported.trials[i].record);
  EXPECT_EQ(trials->front().report_count, 2);
  EXPECT_EQ(trials->front().last_step, 4);
  EXPECT_EQ(trials->front().last_value, 0.7);
  EXPECT_EQ(store().GetExplainedTrial("s", 1)->provenance, "provenance");
  const auto reports = store().ListReports("s", 0, 4, 10);
  ASSERT_THAT(*reports, SizeIs(2));
  EXPECT_EQ(reports->back().report.step, 4);
}

TEST_P(StoreContract, ACompletedStudyIsKeptFromItsImportOn) {
  ImportedStudy imported = ExampleImport();
  imported.state = StudyState::kCompleted;
  clock_.Advance(absl::Hours(24) * 365);
  ASSERT_TRUE(ImportStudy(store(), imported).ok());
  EXPECT_EQ(store().GetStudy("s")->create_ms, 500);
  EXPECT_FALSE(ExpireStudy(store(), "s", absl::Hours(1)).ok());
  clock_.Advance(absl::Hours(1));
  EXPECT_TRUE(ExpireStudy(store(), "s", absl::Hours(1)).ok());
}

TEST_P(StoreContract, AnImportedStudyGoesOn) {
  ASSERT_TRUE(ImportStudy(store(), ExampleImport()).ok());
  StudyChange resume;
  resume.state = StudyState::kActive;
  ASSERT_TRUE(UpdateStudy(store(), "s", resume).ok());
  const StudyRecord study = *store().GetStudy("s");
  ASSERT_TRUE(LeaseFresh(store(), study, "worker", 1).ok());
  EXPECT_EQ(store().GetTrial("s", 5)->state, TrialState::kActive);
  // The late result of the STALE trial withdraws the one that repeats it.
  ASSERT_TRUE(ObserveTrial(store(), {"s", 2, Success(1)}).ok());
  EXPECT_EQ(store().GetTrial("s", 3)->state, TrialState::kWithdrawn);
}

TEST_P(StoreContract, AQueuedTrialOfAnImportBeginsWithItsLease) {
  ImportedStudy imported = ExampleImport();
  imported.state = StudyState::kActive;
  imported.trials = {TrialIn(TrialState::kRequested, 1)};
  imported.trials[0].record.start_ms = 1;
  ASSERT_TRUE(ImportStudy(store(), imported).ok());
  PreparedLease lease;
  lease.study_key = store().GetStudy("s")->key;
  lease.study_id = "s";
  lease.worker = "w";
  ASSERT_TRUE(LeasePrepared(store(), lease).ok());
  EXPECT_EQ(store().GetTrial("s", 1)->start_ms, clock_.NowMs());
}

TEST_P(StoreContract, ActiveTrialsOfAnImportAreGivenBack) {
  ImportedStudy imported = ExampleImport();
  ImportedTrial active = TrialIn(TrialState::kActive, 5);
  active.record.worker = "w";
  active.record.start_ms = 1;
  active.reports = {{1, 1.0}};
  imported.trials.push_back(active);
  ASSERT_TRUE(ImportStudy(store(), imported).ok());
  const auto trial = store().GetTrial("s", 5);
  EXPECT_EQ(trial->state, TrialState::kRequested);
  EXPECT_EQ(trial->worker, "");
  EXPECT_EQ(trial->report_count, 0);
  EXPECT_FALSE(trial->start_ms.has_value());
  EXPECT_THAT(*store().ListReports("s", 4, 5, 10), IsEmpty());
}

TEST_P(StoreContract, ActiveTrialsOfAnImportThatIsCompletedAreWithdrawn) {
  ImportedStudy imported = ExampleImport();
  imported.state = StudyState::kCompleted;
  imported.trials.push_back(TrialIn(TrialState::kActive, 5));
  ASSERT_TRUE(ImportStudy(store(), imported).ok());
  EXPECT_EQ(store().GetTrial("s", 5)->state, TrialState::kWithdrawn);
}

TEST_P(StoreContract, ActiveTrialsOfAnImportWhoseConfigurationHasItsResultAreWithdrawn) {
  ImportedStudy imported = ExampleImport();
  imported.trials[1].record.requeued_as = 0;
  ImportedTrial late = SucceededTrial(5, 1);
  late.record.requeued_as = 6;
  ImportedTrial repeat = TrialIn(TrialState::kActive, 6);
  repeat.record.requeue_of = 5;
  repeat.record.requeues = 1;
  repeat.reports = {{1, 1.0}};
  imported.trials.push_back(late);
  imported.trials.push_back(repeat);
  ASSERT_TRUE(ImportStudy(store(), imported).ok());
  const auto trial = store().GetTrial("s", 6);
  EXPECT_EQ(trial->state, TrialState::kWithdrawn);
  EXPECT_EQ(trial->reason, "trial 5 gave a result for this configuration");
  EXPECT_EQ(trial->end_ms, absl::ToUnixMillis(clock_.Now()));
  EXPECT_EQ(trial->report_count, 1);
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
}

// It is one change: what it changes of its trials is done before anybody sees them, in the
// transactions that store them.
TEST_P(StoreContract, AnImportIsOneEvent) {
  ImportedStudy imported = ExampleImport();
  for (int64_t number = 5; number <= 9; ++number) {
    imported.trials.push_back(TrialIn(TrialState::kActive, number));
  }
  ASSERT_TRUE(ImportStudy(store(), imported).ok());
  const auto page = store().ListEvents(0, 100);
  ASSERT_THAT(page->events, SizeIs(1));
  EXPECT_EQ(page->events[0].kind, EventKind::kStudyCreated);
}

TEST_P(StoreContract, AnImportReplacesAStudyOnlyWhenToldTo) {
  const StudyRecord old = CreateWithLeases("s", 9);
  EXPECT_THAT(ImportStudy(store(), ExampleImport()).status, IsRefusal(kAlreadyExists, "studies/s"));
  EXPECT_THAT(*store().ListTrials("s", {}), SizeIs(9));
  ImportedStudy imported = ExampleImport();
  imported.replace_existing = true;
  const auto written = ImportStudy(store(), imported);
  ASSERT_TRUE(written.ok()) << written.status;
  EXPECT_GT(written->key, old.key);
  EXPECT_THAT(*store().ListTrials("s", {}), SizeIs(4));
  EXPECT_EQ(store().Count()->studies, 1);
  EXPECT_EQ(store().Count()->trials, 4);
}

TEST_P(StoreContract, AnImportThatIsRefusedLeavesTheStudyThatItWouldReplace) {
  CreateWithLeases("s", 9);
  ImportedStudy imported = ExampleImport();
  imported.replace_existing = true;
  imported.study.source_ids = {"missing"};
  EXPECT_THAT(ImportStudy(store(), imported).status, IsRefusal(kNotFound, "sourceTasks/missing"));
  EXPECT_THAT(*store().ListTrials("s", {}), SizeIs(9));
}

TEST_P(StoreContract, AnImportNeedsTrialsWithoutGapsValuesAndStepsInOrder) {
  ImportedStudy gap = ExampleImport();
  gap.trials.erase(gap.trials.begin());
  EXPECT_THAT(ImportStudy(store(), gap).status, IsRefusal(kInvalidArgument, "number"));
  ImportedStudy steps = ExampleImport();
  steps.trials[0].reports = {{4, 1}, {4, 1}};
  EXPECT_THAT(ImportStudy(store(), steps).status, IsRefusal(kInvalidArgument, "step"));
  ImportedStudy without_value = ExampleImport();
  without_value.trials[0].record.objective.reset();
  EXPECT_THAT(ImportStudy(store(), without_value).status, IsRefusal(kInvalidArgument, "objective"));
  EXPECT_THAT(store().GetStudy("s").status(), HasCode(kNotFound));
}

TEST_P(StoreContract, AnImportObeysTheLimits) {
  options_.max_trials_per_study = 3;
  options_.max_reports_per_trial = 1;
  Reopen();
  EXPECT_THAT(ImportStudy(store(), ExampleImport()).status,
              IsRefusal(kResourceExhausted, "limit of 3"));
  ImportedStudy short_study = ExampleImport();
  short_study.trials.resize(1);
  EXPECT_THAT(ImportStudy(store(), short_study).status,
              IsRefusal(kResourceExhausted,
                        "s/trials/1 has 2 reports, which is above the limit of 1 report of"));
}

TEST_P(StoreContract, AnImportIsMadeOnceForItsRequestId) {
  const RequestGuard guard{"id", "fingerprint"};
  ASSERT_TRUE(ImportStudy(store(), ExampleImport(), guard, "first").ok());
  ASSERT_TRUE(ObserveTrial(store(), {"s", 2, Success(1)}).ok());
  const auto again = ImportStudy(store(), ExampleImport(), guard, "second");
  ASSERT_TRUE(again.ok()) << again.status;
  EXPECT_EQ(again.earlier, "first");
  EXPECT_EQ(store().GetTrial("s", 2)->state, TrialState::kSucceeded);
}

// ---- Imports that take several transactions ----

constexpr int kLarge = 3000;

ImportedStudy LargeImport(const std::string& id) {
  ImportedStudy imported;
  imported.study = StudyNamed(id);
  imported.create_ms = 500;
  imported.update_ms = 600;
  for (int number = 1; number <= kLarge; ++number) {
    ImportedTrial& trial = imported.trials.emplace_back(SucceededTrial(number, kLarge - number));
    if (number % 1000 == 0) trial = TrialIn(TrialState::kActive, number);
    trial.record.suggested = number % 2 == 0;
    trial.provenance = "why";
    trial.reports = {{1, 0.5}, {number, 0.25}};
    if (number == 1) trial.reports.pop_back();
  }
  return imported;
}

// Few trials that are long, as those of studies with many source tasks are.
ImportedStudy LongImport(const std::string& id) {
  ImportedStudy imported;
  imported.study = StudyNamed(id);
  for (int number = 1; number <= 12; ++number) {
    imported.trials.push_back(SucceededTrial(number, 1));
    imported.trials.back().provenance = std::string(1 << 20, 'x');
  }
  return imported;
}

TEST_P(StoreContract, OtherWritesComeBetweenThePartsOfALargeImport) {
  Create("other");
  for (const ImportedStudy& imported : {LargeImport("s"), LongImport("t")}) {
    Ends ends;
    SubmitTogether(store(), [&] {
      store().ImportStudy(imported, ends.Noting<StudyRecord>("import"));
      store().AddTrials({"other", {NewSuggestion("x")}},
                        ends.Noting<std::vector<TrialRecord>>("addition"));
    });
    ends.all.get_future().wait();
    EXPECT_THAT(ends.ends, ElementsAre("addition OK", "import OK"));
  }
}

TEST_P(StoreContract, ALargeImportIsStoredAsASmallOneIs) {
  Limit("default", {.studies = 1, .trials = kLarge});
  const auto written = ImportStudy(store(), LargeImport("s"));
  ASSERT_TRUE(written.ok()) << written.status;
  EXPECT_EQ(written->trial_count, kLarge);
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
  Reopen();
  const StudyRecord study = *store().GetStudy("s");
  EXPECT_EQ(study.create_ms, 500);
  EXPECT_EQ(study.trial_count, kLarge);
  EXPECT_EQ(study.succeeded_count, kLarge - kLarge / 1000);
  EXPECT_EQ(study.suggested_count, kLarge / 2);
  EXPECT_EQ(study.best, 1);
  TrialFilter filter;
  filter.limit = kLarge + 1;
  const auto trials = store().ListTrials("s", filter);
  ASSERT_THAT(*trials, SizeIs(kLarge));
  for (const TrialRecord& trial : *trials) {
    const bool was_active = trial.number % 1000 == 0;
    EXPECT_EQ(trial.state, was_active ? TrialState::kRequested : TrialState::kSucceeded);
    EXPECT_EQ(trial.report_count, was_active ? 0 : trial.number == 1 ? 1 : 2) << trial.number;
  }
  EXPECT_THAT(*store().ListProvenances("s", 0, kLarge), SizeIs(kLarge));
  // The project has no room for another one.
  EXPECT_THAT(ImportStudy(store(), LargeImport("t")).status, HasCode(kResourceExhausted));
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  EXPECT_TRUE(ImportStudy(store(), LargeImport("s")).ok());
}

TEST_P(StoreContract, ALargeImportThatIsOvertakenLeavesNothing) {
  Ends ends;
  SubmitTogether(store(), [&] {
    store().ImportStudy(LargeImport("s"), ends.Noting<StudyRecord>("import"));
    store().CreateStudy(StudyNamed("s"), ends.Noting<StudyRecord>("creation"));
  });
  ends.all.get_future().wait();
  EXPECT_THAT(ends.ends, ElementsAre("creation OK", "import ALREADY_EXISTS"));
  EXPECT_EQ(store().Count()->trials, 0);
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
  ImportedStudy again = LargeImport("s");
  again.replace_existing = true;
  ASSERT_TRUE(ImportStudy(store(), again).ok());
  EXPECT_EQ(store().Count()->trials, kLarge);
  EXPECT_EQ(store().Count()->studies, 1);
}

TEST_P(StoreContract, ALargeImportIsMadeOnceForItsRequestId) {
  const RequestGuard guard{"id", "fingerprint"};
  Ends ends;
  SubmitTogether(store(), [&] {
    for (const char* name : {"first", "second"}) {
      store().ImportStudy(LargeImport("s"), ends.Noting<StudyRecord>(name, guard));
    }
  });
  ends.all.get_future().wait();
  EXPECT_THAT(ends.ends, ElementsAre("first OK", "second OK before"));
  EXPECT_EQ(ImportStudy(store(), LargeImport("s"), guard).earlier, "first");
  EXPECT_THAT(ImportStudy(store(), LargeImport("s"), {"id", "other"}).status,
              HasCode(kInvalidArgument));
  EXPECT_EQ(store().Count()->trials, kLarge);
}

}  // namespace
}  // namespace slipstream
