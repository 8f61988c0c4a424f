#include "server/service/exchange_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/resource_message.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

class Exchange : public ServiceFixture {
 protected:
  absl::StatusOr<std::unique_ptr<StudyExport>> Open(const std::string& name) {
    v1::ExportStudyRequest request;
    request.set_name(name);
    return Open(request);
  }
  absl::StatusOr<std::unique_ptr<StudyExport>> Open(const v1::ExportStudyRequest& request) {
    std::promise<absl::StatusOr<std::unique_ptr<StudyExport>>> opened;
    service_->exchange().ExportStudy(&request,
                                     [&](auto found) { opened.set_value(std::move(found)); });
    return opened.get_future().get();
  }
  absl::StatusOr<v1::ExportStudyResponse> Next(StudyExport* open) {
    std::promise<absl::StatusOr<v1::ExportStudyResponse>> read;
    service_->exchange().NextLines(open, [&](auto lines) { read.set_value(std::move(lines)); });
    return read.get_future().get();
  }
  std::vector<v1::ExportLine> Export(const std::string& name) {
    auto open = Open(name);
    EXPECT_TRUE(open.ok()) << open.status();
    std::vector<v1::ExportLine> lines;
    while (open.ok()) {
      const auto answer = Next(open->get());
      EXPECT_TRUE(answer.ok()) << answer.status();
      if (!answer.ok() || answer->lines().empty()) break;
      EXPECT_LT(answer->ByteSizeLong(), 2 * StudyExport::kFullBytes);
      lines.insert(lines.end(), answer->lines().begin(), answer->lines().end());
    }
    return lines;
  }
  absl::Status Import(const std::vector<v1::ExportLine>& lines,
                      const v1::ImportStudyRequest::Header& header, v1::Study* response = nullptr) {
    v1::ImportStudyRequest message;
    *message.mutable_header() = header;
    for (const v1::ExportLine& line : lines) *message.add_lines() = line;
    auto import = std::make_unique<StudyImport>();
    const absl::Status added = import->Add(message);
    if (!added.ok()) return added;
    v1::Study ignored;
    return Await([&](const Done& done) {
      service_->exchange().ImportStudy(std::move(import), response != nullptr ? response : &ignored,
                                       done);
    });
  }
  static v1::ImportStudyRequest::Header As(const std::string& id, bool replace = false,
                                           const std::string& request_id = "") {
    v1::ImportStudyRequest::Header header;
    header.set_study_id(id);
    header.set_replace_existing(replace);
    header.set_request_id(request_id);
    return header;
  }
  void Report(const std::string& trial, int steps) {
    v1::ReportRequest request;
    request.set_trial(trial);
    for (int step = 0; step < steps; ++step) {
      request.add_reports()->set_step(step);
      (*request.mutable_reports(step)->mutable_measurement()->mutable_metrics())["loss"] = step;
    }
    const absl::Status reported = Call(&ReportService::Report, request);
    ASSERT_TRUE(reported.ok()) << reported;
  }
};

// The lines without the study's name and times of the import.
std::string TextOf(std::vector<v1::ExportLine> lines) {
  std::string text;
  for (v1::ExportLine& line : lines) {
    if (line.has_study()) line.mutable_study()->clear_name();
    text += line.ShortDebugString() + "\n";
  }
  return text;
}

TEST_F(Exchange, TheExportOfAnImportEqualsTheFirst) {
  Create(ExampleStudy());
  AddResults({3, 2, 1});
  const v1::Trial trial = Suggest("w");
  Report(trial.name(), 5);
  Observe(trial.name(), 0.5);
  const std::vector<v1::ExportLine> lines = Export("studies/s");
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[5].trial().reports_size(), 5);
  EXPECT_TRUE(lines[5].trial().has_provenance());
  v1::Study imported;
  const absl::Status status = Import(lines, As("copy"), &imported);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(imported.name(), "studies/copy");
  EXPECT_EQ(imported.trial_count(), 4);
  EXPECT_EQ(imported.succeeded_trial_count(), 4);
  EXPECT_EQ(TextOf(Export("studies/copy")), TextOf(lines));
  Restart();
  EXPECT_EQ(TextOf(Export("studies/copy")), TextOf(lines));
}

TEST_F(Exchange, AnImportedStudySuggestsWhatTheFirstWouldHave) {
  Create(ExampleStudy("gp_log_ei"));
  AddResults({3, 2, 1, 4, 5, 6});
  const auto lines = Export("studies/s");
  ASSERT_TRUE(Import(lines, As("copy")).ok());
  const v1::Trial first = Suggest("w");
  const v1::Trial second = Suggest("w", "studies/copy");
  EXPECT_EQ(first.configuration().DebugString(), second.configuration().DebugString());
}

TEST_F(Exchange, AStudyOfManyTrialsIsReadInParts) {
  Create(ExampleStudy());
  for (int i = 0; i < 5; ++i) AddResults(std::vector<double>(1000, 1));
  auto open = Open("studies/s");
  ASSERT_TRUE(open.ok()) << open.status();
  const auto part = Next(open->get());
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_LT(part->lines_size(), 5000);
  // What is made meanwhile is not part of it.
  AddResults({1});
  const auto lines = Export("studies/s");
  EXPECT_EQ(lines.size(), 5004u);
  Delete("s");
  EXPECT_EQ(Next(open->get()).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(Exchange, AStudyThatExistsIsReplacedOnlyWhenToldTo) {
  Create(ExampleStudy());
  AddResults({1});
  const auto lines = Export("studies/s");
  AddResults({2});
  const absl::Status refused = Import(lines, As(""));
  EXPECT_EQ(refused.code(), absl::StatusCode::kAlreadyExists) << refused;
  ASSERT_TRUE(Import(lines, As("", /*replace=*/true)).ok());
  EXPECT_EQ(TextOf(Export("studies/s")), TextOf(lines));
  // The cached study is the new one.
  EXPECT_EQ(Suggest("w").name(), "studies/s/trials/2");
}

TEST_F(Exchange, ARepeatIsAnsweredAsTheFirstCall) {
  Create(ExampleStudy());
  AddResults({1});
  const auto lines = Export("studies/s");
  v1::Study first;
  ASSERT_TRUE(Import(lines, As("copy", false, "id"), &first).ok());
  Suggest("w", "studies/copy");
  v1::Study again;
  ASSERT_TRUE(Import(lines, As("copy", false, "id"), &again).ok());
  EXPECT_EQ(again.DebugString(), first.DebugString());
  ExpectViolation(Import(lines, As("other", false, "id")), "request_id");
}

TEST_F(Exchange, AnImportNeedsItsSourceTasks) {
  const std::string source = RegisterExample(5);
  v1::Study study = ExampleStudy();
  study.add_source_tasks(source);
  Create(study);
  const auto lines = Export("studies/s");
  ASSERT_TRUE(Import(lines, As("copy")).ok());
  Delete("s");
  Delete("copy");
  v1::DeleteSourceTaskRequest request;
  request.set_name(source);
  ASSERT_TRUE(Call(&SourceTaskService::DeleteSourceTask, request).ok());
  const absl::Status refused = Import(lines, As("copy"));
  EXPECT_EQ(refused.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(refused.message()), HasSubstr(source));
}

TEST_F(Exchange, TooLittleMemoryRefusesAnImportOrAnExport) {
  Create(ExampleStudy());
  const std::vector<v1::ExportLine> lines = Export("studies/s");
  RunOutOfMemoryIn("FindAnswer");
  const absl::Status refused = Import(lines, As("t", /*replace=*/false, "the-id"));
  EXPECT_TRUE(IsOverload(refused)) << refused;
  RunOutOfMemoryIn("GetStudy");
  const absl::Status unopened = Open("studies/s").status();
  EXPECT_TRUE(IsOverload(unopened)) << unopened;
}

TEST_F(Exchange, NoOtherStudyOfTheNameIsExported) {
  Create(ExampleStudy());
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  v1::Study study;
  ASSERT_TRUE(Call(&StudyService::GetStudy, get, &study).ok());
  v1::ExportStudyRequest request;
  request.set_name("studies/s");
  *request.mutable_study_create_time() = study.create_time();
  EXPECT_TRUE(Open(request).ok());
  request.mutable_study_create_time()->set_seconds(study.create_time().seconds() + 1);
  EXPECT_TRUE(absl::IsNotFound(Open(request).status()));
}

TEST_F(Exchange, AStudyThatIsDeletedAfterItWasFoundIsNotExported) {
  Create(ExampleStudy());
  auto open = Open("studies/s");
  ASSERT_TRUE(open.ok()) << open.status();
  Delete("s");
  EXPECT_EQ(Next(open->get()).status(), StudyNotFound("s"));
}

TEST_F(Exchange, AStudyThatIsNotThereIsNotExported) {
  EXPECT_EQ(Open("studies/none").status().code(), absl::StatusCode::kNotFound);
  ExpectViolation(Open("none").status(), "name");
}

}  // namespace
}  // namespace slipstream
