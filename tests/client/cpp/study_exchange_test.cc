#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "slipstream/messages/client.h"
#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream {
namespace {

using testing::HasSubstr;

class StudyExchange : public testing::Test {
 protected:
  StudyExchange() {
    ClientOptions options;
    options.address = server_.address();
    options.clock = std::make_shared<FakeClientClock>();
    client_ = *Client::Connect(options);
  }
  absl::Status Export(std::vector<v1::ExportLine>* lines, size_t most = 1000000) {
    return client_->ExportStudy("studies/s", [=](const v1::ExportLine& line) {
      lines->push_back(line);
      return lines->size() < most;
    });
  }

  FakeServer server_;
  std::unique_ptr<Client> client_;
};

std::vector<v1::ExportLine> Numbered(int count) {
  std::vector<v1::ExportLine> lines(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) lines[static_cast<size_t>(i)].mutable_trial()->set_number(i);
  return lines;
}

// Reads lines of some size, and may fail after some of them.
class PaddedLines final : public ExportReader {
 public:
  PaddedLines(int count, size_t padding, int good)
      : count_(count), padding_(padding), good_(good) {}
  absl::Status Rewind() override {
    next_ = 0;
    return absl::OkStatus();
  }
  absl::StatusOr<bool> Next(v1::ExportLine* line) override {
    if (next_ == good_) return absl::DataLossError("the file broke");
    if (next_ == count_) return false;
    line->mutable_trial()->set_number(next_++);
    line->mutable_trial()->mutable_trial()->set_note(std::string(padding_, 'x'));
    return true;
  }

 private:
  const int count_;
  const size_t padding_;
  const int good_;
  int next_ = 0;
};

TEST_F(StudyExchange, AnExportIsPassedOnLineByLine) {
  server_.service().SetExport(Numbered(7));
  std::vector<v1::ExportLine> lines;
  ASSERT_TRUE(Export(&lines).ok());
  ASSERT_EQ(lines.size(), 7u);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(lines[static_cast<size_t>(i)].trial().number(), i);
}

TEST_F(StudyExchange, AnExportThatBreaksGoesOnWithTheNextLine) {
  server_.service().SetExport(Numbered(7));
  server_.service().BreakExports(/*times=*/3, /*messages=*/2);
  std::vector<v1::ExportLine> lines;
  ASSERT_TRUE(Export(&lines).ok());
  ASSERT_EQ(lines.size(), 7u);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(lines[static_cast<size_t>(i)].trial().number(), i);
}

TEST_F(StudyExchange, AVisitorMayHaveEnough) {
  server_.service().SetExport(Numbered(1000));
  std::vector<v1::ExportLine> lines;
  ASSERT_TRUE(Export(&lines, 3).ok());
  EXPECT_EQ(lines.size(), 3u);
}

TEST_F(StudyExchange, AnImportIsSentInMessagesOfBoundedSize) {
  PaddedLines lines(5000, 1000, -1);
  v1::ImportStudyRequest::Header header;
  header.set_study_id("copy");
  const absl::StatusOr<v1::Study> study = client_->ImportStudy(header, lines);
  ASSERT_TRUE(study.ok()) << study.status();
  EXPECT_EQ(study->name(), "studies/copy");
  const std::vector<v1::ImportStudyRequest> messages = server_.service().import();
  EXPECT_NE(messages.front().header().request_id(), "");
  int64_t number = 0;
  for (const v1::ImportStudyRequest& message : messages) {
    EXPECT_LE(message.lines_size(), 1000);
    EXPECT_LT(message.ByteSizeLong(), 1100000u);
    for (const v1::ExportLine& line : message.lines()) EXPECT_EQ(line.trial().number(), number++);
  }
  EXPECT_EQ(number, 5000);
}

TEST_F(StudyExchange, AnImportIsRepeatedWithItsIdAfterALostAnswer) {
  Fault lost;
  lost.status = {grpc::StatusCode::UNAVAILABLE, "lost"};
  lost.lost_answer = true;
  server_.service().FailNext(1, lost);
  PaddedLines lines(3, 1, -1);
  ASSERT_TRUE(client_->ImportStudy({}, lines).ok());
  const std::vector<SeenCall> calls = server_.service().calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].request_id, calls[1].request_id);
}

TEST_F(StudyExchange, AReaderThatFailsEndsTheImport) {
  PaddedLines lines(5000, 1000, /*good=*/2000);
  const absl::Status failed = client_->ImportStudy({}, lines).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(failed.message()), HasSubstr("the file broke"));
}

}  // namespace
}  // namespace slipstream
