#include "server/service/study_import.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/status.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

v1::ImportStudyRequest ImportHeader(const std::string& id = "") {
  v1::ImportStudyRequest message;
  message.mutable_header()->set_study_id(id);
  message.mutable_header()->set_request_id("the-id");
  message.mutable_header()->set_parent("projects/default");
  return message;
}

v1::ExportLine StudyLine() {
  v1::ExportLine line;
  v1::Study& study = *line.mutable_study();
  study = ExampleStudy();
  study.set_name("projects/vision/studies/digits");
  study.set_seed(7);
  study.set_state(v1::Study::ACTIVE);
  study.mutable_create_time()->set_seconds(1);
  study.mutable_update_time()->set_seconds(1);
  return line;
}

v1::ExportLine TrialLine(int64_t number) {
  v1::ExportLine line;
  line.mutable_trial()->set_number(number);
  v1::Trial& trial = *line.mutable_trial()->mutable_trial();
  trial.set_state(v1::Trial::STALE);
  trial.set_worker("w");
  *trial.mutable_configuration() = ExampleConfiguration();
  trial.mutable_create_time()->set_seconds(2);
  return line;
}

// A header, the study, trials and the end.
std::vector<v1::ExportLine> ExampleLines(int trials) {
  std::vector<v1::ExportLine> lines = {ExportHeader(), StudyLine()};
  for (int number = 1; number <= trials; ++number) lines.push_back(TrialLine(number));
  lines.push_back(ExportEnd(trials));
  return lines;
}

// The first error of adding the lines one by one, and of the end.
absl::Status ImportLines(const std::vector<v1::ExportLine>& lines) {
  StudyImport import;
  absl::Status status = import.Add(ImportHeader());
  for (const v1::ExportLine& line : lines) {
    v1::ImportStudyRequest message;
    *message.add_lines() = line;
    if (status.ok()) status = import.Add(message);
  }
  return status.ok() ? import.Finish().status() : status;
}

std::string FaultIn(const absl::Status& status) {
  return ViolationOf(status) ? ViolationOf(status)->field : status.ToString();
}

TEST(StudyImport, AnotherProjectThanTheDefaultHasToBeNamed) {
  for (const char* id : {"", "other"}) {
    for (const char* parent : {"", "projects/default", "projects/vision"}) {
      StudyImport import;
      v1::ImportStudyRequest message = ImportHeader(id);
      message.mutable_header()->set_parent(parent);
      for (const v1::ExportLine& line : ExampleLines(1)) *message.add_lines() = line;
      const absl::Status status = import.Add(message);
      EXPECT_EQ(status.ok(), *parent != '\0') << status;
      if (status.ok()) continue;
      EXPECT_EQ(FaultIn(status), "line 2: study.name");
      EXPECT_NE(status.message().find("projects/vision keeps it"), absl::string_view::npos);
    }
  }
}

TEST(StudyImport, TakesTheNameOfTheExportUnlessThereIsAnother) {
  for (const std::string id : {"", "other"}) {
    StudyImport import;
    v1::ImportStudyRequest message = ImportHeader(id);
    for (const v1::ExportLine& line : ExampleLines(2)) *message.add_lines() = line;
    ASSERT_TRUE(import.Add(message).ok());
    EXPECT_GT(import.held_bytes(), 0);
    const auto study = import.Finish();
    ASSERT_TRUE(study.ok()) << study.status();
    EXPECT_EQ(study->study.id, id.empty() ? "digits" : id);
    EXPECT_EQ(study->trials.size(), 2u);
  }
}

TEST(StudyImport, NeedsOneHeaderInItsFirstMessage) {
  StudyImport without;
  v1::ImportStudyRequest message;
  *message.add_lines() = ExportHeader();
  EXPECT_EQ(FaultIn(without.Add(message)), "header");
  StudyImport twice;
  ASSERT_TRUE(twice.Add(ImportHeader()).ok());
  EXPECT_EQ(FaultIn(twice.Add(ImportHeader())), "header");
  EXPECT_EQ(FaultIn(StudyImport().Add(ImportHeader("Not-an-id"))), "header.study_id");
}

TEST(StudyImport, NamesTheLineOfAFault) {
  std::vector<v1::ExportLine> lines = ExampleLines(3);
  lines[3].mutable_trial()->mutable_trial()->set_state(v1::Trial::STATE_UNSPECIFIED);
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 4: trial.trial.state");
  lines = ExampleLines(3);
  lines[1].mutable_study()->mutable_space()->clear_parameters();
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 2: study.space.parameters");
  lines = ExampleLines(3);
  lines[0].mutable_header()->set_format_version(99);
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 1: format_version");
}

TEST(StudyImport, NoticesLinesThatAreMissingTwiceOrInDisorder) {
  std::vector<v1::ExportLine> lines = ExampleLines(3);
  lines.pop_back();
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 6: kind");
  lines = ExampleLines(3);
  lines.erase(lines.begin() + 3);
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 4: trial.number");
  lines = ExampleLines(3);
  lines.erase(lines.begin() + 4);
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 5: end.trial_count");
  lines = ExampleLines(3);
  lines.push_back(TrialLine(4));
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 7: kind");
  lines = ExampleLines(3);
  lines.erase(lines.begin());
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 1: kind");
  EXPECT_EQ(FaultIn(ImportLines({ExportHeader(), TrialLine(1)})), "line 2: kind");
  EXPECT_EQ(FaultIn(ImportLines({})), "line 1: kind");
}

TEST(StudyImport, TrialsThatWereQueuedAgainNameEachOther) {
  std::vector<v1::ExportLine> lines = ExampleLines(3);
  lines[2].mutable_trial()->set_requeued_as(3);
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 3: trial.requeued_as");
  lines[4].mutable_trial()->set_requeue_of(1);
  lines[4].mutable_trial()->set_requeues(2);
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 3: trial.requeued_as");
  lines[4].mutable_trial()->set_requeues(101);
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 5: trial.requeues");
  lines[4].mutable_trial()->set_requeues(1);
  EXPECT_TRUE(ImportLines(lines).ok()) << ImportLines(lines);
  lines[2].mutable_trial()->set_requeued_as(4);
  EXPECT_EQ(FaultIn(ImportLines(lines)), "line 3: trial.requeued_as");
}

TEST(StudyImport, TheGuardTellsContentsApartHoweverTheyWereSent) {
  const auto guard_of = [](int trials, bool in_one_message) {
    StudyImport import;
    v1::ImportStudyRequest message = ImportHeader();
    for (const v1::ExportLine& line : ExampleLines(trials)) {
      *message.add_lines() = line;
      if (in_one_message) continue;
      EXPECT_TRUE(import.Add(message).ok());
      message.Clear();
    }
    EXPECT_TRUE(import.Add(message).ok());
    return import.Guard();
  };
  EXPECT_EQ(guard_of(2, true).request_id, "the-id");
  EXPECT_EQ(guard_of(2, true).fingerprint, guard_of(2, false).fingerprint);
  EXPECT_NE(guard_of(2, true).fingerprint, guard_of(3, true).fingerprint);
}

}  // namespace
}  // namespace slipstream
