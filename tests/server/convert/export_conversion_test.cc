#include "server/convert/export_conversion.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/status.h"
#include "server/convert/space_conversion.h"
#include "server/convert/trial_conversion.h"
#include "tests/e2e/messages.h"

namespace slipstream {
namespace {

SearchSpace ExampleSpace() { return *SpaceFromProto(ExampleStudy().space()); }

std::string FaultIn(const absl::Status& status) {
  return ViolationOf(status) ? ViolationOf(status)->field : "";
}

// A trial that succeeded, with all that a trial may have.
ImportedTrial RichTrial() {
  const SearchSpace space = ExampleSpace();
  const NewTrial added =
      *AddedTrial(space, "loss", MeasuredObservation(ExampleConfiguration(), 0.25));
  ImportedTrial trial;
  trial.record.number = 3;
  trial.record.state = TrialState::kSucceeded;
  trial.record.suggested = true;
  trial.record.configuration = added.configuration;
  trial.record.worker = "gpu-3";
  trial.record.objective = added.outcome->objective;
  trial.record.measurement = added.outcome->measurement;
  trial.record.create_ms = 1'700'000'000'123;
  trial.record.start_ms = 1'700'000'000'456;
  trial.record.end_ms = 1'700'000'001'789;
  trial.record.requeue_of = 1;
  trial.record.requeues = 2;
  trial.record.process = {"host", 42};
  v1::Trial labelled;
  (*labelled.mutable_labels())["team"] = "vision";
  trial.record.labels = LabelBytes(labelled);
  trial.record.note = "a note";
  trial.reports = {{1, 0.5}, {10, -0.0}};
  v1::Provenance provenance;
  provenance.set_preset("auto");
  provenance.add_notes()->set_name("block");
  provenance.mutable_notes(0)->add_values(0.1);
  trial.provenance = provenance.SerializeAsString();
  return trial;
}

v1::ExportedTrial RichLine() {
  return ExportedTrialLine("s", "loss", RichTrial(), /*trial_count=*/9)->trial();
}

void ExpectTrialRefused(const v1::ExportedTrial& trial, const std::string& field) {
  const auto imported = ImportedTrialFromProto(ExampleSpace(), "loss", trial);
  ASSERT_FALSE(imported.ok()) << trial.ShortDebugString();
  EXPECT_EQ(FaultIn(imported.status()), field) << imported.status();
}

TEST(ExportConversion, ATrialComesBackWhole) {
  const v1::ExportedTrial line = RichLine();
  EXPECT_EQ(line.trial().name(), "");
  const auto imported = ImportedTrialFromProto(ExampleSpace(), "loss", line);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const ImportedTrial given = RichTrial();
  EXPECT_EQ(imported->record.configuration, given.record.configuration);
  EXPECT_EQ(imported->record.measurement, given.record.measurement);
  EXPECT_EQ(imported->record.end_ms, given.record.end_ms);
  EXPECT_EQ(imported->record.process, given.record.process);
  EXPECT_EQ(imported->record.labels, given.record.labels);
  EXPECT_EQ(imported->provenance, given.provenance);
  EXPECT_EQ(imported->reports.size(), 2u);
  const auto again = ExportedTrialLine("other", "loss", *imported, 9);
  EXPECT_EQ(again->trial().DebugString(), line.DebugString());
}

TEST(ExportConversion, EveryStateComesBack) {
  for (const TrialState state :
       {TrialState::kRequested, TrialState::kActive, TrialState::kFailed, TrialState::kInfeasible,
        TrialState::kStopped, TrialState::kStale, TrialState::kWithdrawn}) {
    ImportedTrial trial = RichTrial();
    trial.record.state = state;
    trial.record.objective.reset();
    trial.record.measurement.clear();
    trial.record.reason = HasEnded(state) || state == TrialState::kWithdrawn ? "why" : "";
    if (trial.record.reason.empty()) trial.record.end_ms.reset();
    if (state == TrialState::kRequested) {
      trial.record.worker.clear();
      trial.reports.clear();
    }
    const auto line = ExportedTrialLine("s", "loss", trial, 9);
    const auto imported = ImportedTrialFromProto(ExampleSpace(), "loss", line->trial());
    ASSERT_TRUE(imported.ok()) << imported.status();
    EXPECT_EQ(imported->record.state, state);
    EXPECT_EQ(imported->record.reason, trial.record.reason);
    EXPECT_EQ(ExportedTrialLine("s", "loss", *imported, 9)->DebugString(), line->DebugString());
  }
}

TEST(ExportConversion, AStaleTrialMayTellWhenItsLeaseRanOut) {
  ImportedTrial trial = RichTrial();
  trial.record.state = TrialState::kStale;
  trial.record.objective.reset();
  trial.record.measurement.clear();
  const auto line = ExportedTrialLine("s", "loss", trial, 9);
  const auto imported = ImportedTrialFromProto(ExampleSpace(), "loss", line->trial());
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->record.end_ms, trial.record.end_ms);
  v1::ExportedTrial active = line->trial();
  active.mutable_trial()->set_state(v1::Trial::ACTIVE);
  ExpectTrialRefused(active, "trial.end_time");
}

TEST(ExportConversion, ATrialThatIsNotExportedIsNotNamed) {
  ImportedTrial trial = RichTrial();
  trial.record.requeued_as = 9;
  EXPECT_EQ(ExportedTrialLine("s", "loss", trial, 9)->trial().requeued_as(), 9);
  EXPECT_EQ(ExportedTrialLine("s", "loss", trial, 8)->trial().requeued_as(), 0);
}

TEST(ExportConversion, IllegalTrialsAreRefusedWithTheirField) {
  v1::ExportedTrial trial = RichLine();
  trial.mutable_trial()->set_state(v1::Trial::STATE_UNSPECIFIED);
  ExpectTrialRefused(trial, "trial.state");
  trial = RichLine();
  *trial.mutable_trial()->mutable_configuration() = ExampleConfiguration(5);
  ExpectTrialRefused(trial, "trial.configuration.values[lr]");
  trial = RichLine();
  trial.mutable_trial()->clear_measurement();
  ExpectTrialRefused(trial, "trial.measurement.metrics");
  trial = RichLine();
  trial.mutable_trial()->set_state(v1::Trial::FAILED);
  ExpectTrialRefused(trial, "trial.measurement");
  trial = RichLine();
  trial.mutable_trial()->clear_end_time();
  ExpectTrialRefused(trial, "trial.end_time");
  trial = RichLine();
  trial.mutable_trial()->mutable_create_time()->set_seconds(-1);
  ExpectTrialRefused(trial, "trial.create_time");
  trial = RichLine();
  trial.mutable_trial()->set_worker("a\n");
  ExpectTrialRefused(trial, "trial.worker");
  trial = RichLine();
  trial.mutable_trial()->mutable_worker_process()->set_process_id(-1);
  ExpectTrialRefused(trial, "trial.worker_process.process_id");
  trial = RichLine();
  trial.mutable_trial()->set_note(std::string(1025, 'n'));
  ExpectTrialRefused(trial, "trial.note");
  trial = RichLine();
  trial.mutable_trial()->set_candidate(0);
  ExpectTrialRefused(trial, "trial.candidate");
}

TEST(ExportConversion, LinksAndReportsThatMakeNoSenseAreRefused) {
  v1::ExportedTrial trial = RichLine();
  trial.set_requeue_of(3);
  ExpectTrialRefused(trial, "requeue_of");
  trial = RichLine();
  trial.set_requeued_as(2);
  ExpectTrialRefused(trial, "requeued_as");
  trial = RichLine();
  trial.set_requeues(0);
  ExpectTrialRefused(trial, "requeues");
  trial = RichLine();
  trial.mutable_reports(1)->set_step(1);
  ExpectTrialRefused(trial, "reports[1].step");
  trial = RichLine();
  trial.mutable_reports(1)->clear_measurement();
  ExpectTrialRefused(trial, "reports[1].measurement.metrics");
}

TEST(ExportConversion, AHeaderOfAnotherFormatOrANewerVersionIsRefused) {
  v1::ExportLine::Header header = ExportHeader().header();
  EXPECT_TRUE(CheckExportHeader(header).ok());
  header.set_format_version(kExportFormatVersion + 1);
  EXPECT_EQ(FaultIn(CheckExportHeader(header)), "format_version");
  header = ExportHeader().header();
  header.set_format("something else");
  EXPECT_EQ(FaultIn(CheckExportHeader(header)), "format");
}

TEST(ExportConversion, AStudyComesBackInItsState) {
  v1::Study study = ExampleStudy();
  study.set_name("studies/s");
  study.set_seed(18446744073709551615u);
  study.set_state(v1::Study::COMPLETED);
  study.mutable_create_time()->set_seconds(5);
  study.mutable_update_time()->set_seconds(6);
  const auto head = ImportedHeadFromProto(study);
  ASSERT_TRUE(head.ok()) << head.status();
  EXPECT_EQ(head->study.state, StudyState::kCompleted);
  EXPECT_EQ(head->study.create_ms, 5000);
  EXPECT_EQ(head->study.update_ms, 6000);
  EXPECT_FALSE(head->study.maximize);
  study.set_state(v1::Study::STATE_UNSPECIFIED);
  EXPECT_EQ(FaultIn(ImportedHeadFromProto(study).status()), "state");
  study.set_state(v1::Study::PAUSED);
  study.clear_seed();
  EXPECT_EQ(FaultIn(ImportedHeadFromProto(study).status()), "seed");
}

}  // namespace
}  // namespace slipstream
