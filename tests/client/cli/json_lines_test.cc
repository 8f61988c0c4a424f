#include "client/cli/json_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "slipstream/v1/study_export.pb.h"
#include "tests/testing/temporary_file.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string ContentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

v1::ExportLine StudyLine() {
  v1::ExportLine line;
  line.mutable_study()->set_name("studies/s");
  line.mutable_study()->set_seed(18446744073709551615u);
  for (const char* key : {"b", "a", "c"}) (*line.mutable_study()->mutable_labels())[key] = "\n\"é";
  return line;
}

v1::ExportLine TrialLine(double value) {
  v1::ExportLine line;
  line.mutable_trial()->set_number(1);
  (*line.mutable_trial()->mutable_trial()->mutable_measurement()->mutable_metrics())["loss"] =
      value;
  return line;
}

TEST(JsonLines, ComeBackAsTheyWere) {
  const TemporaryFile file;
  const std::string path = file.path();
  const std::vector<v1::ExportLine> lines = {StudyLine(), TrialLine(0.1), TrialLine(1e-300),
                                             TrialLine(-1.0 / 3), TrialLine(-0.0)};
  auto writer = JsonLinesWriter::Open(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const v1::ExportLine& line : lines) ASSERT_TRUE((*writer)->Add(line).ok());
  ASSERT_TRUE((*writer)->Publish().ok());
  auto reader = JsonLinesReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_TRUE((*reader)->Rewind().ok());
    for (const v1::ExportLine& expected : lines) {
      v1::ExportLine line;
      ASSERT_TRUE((*reader)->Next(&line).value());
      EXPECT_EQ(line.DebugString(), expected.DebugString());
    }
    v1::ExportLine line;
    EXPECT_FALSE((*reader)->Next(&line).value());
  }
}

TEST(JsonLines, FileIsThereOnlyOnceItIsWhole) {
  const TemporaryFile file;
  const std::string path = file.path();
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  file.Write("before");
  {
    auto writer = JsonLinesWriter::Open(path);
    ASSERT_TRUE(writer.ok()) << writer.status();
    ASSERT_TRUE((*writer)->Add(StudyLine()).ok());
    EXPECT_EQ(ContentOf(path), "before");
  }
  EXPECT_EQ(ContentOf(path), "before");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(entry.path(), path) << "nothing is left beside it";
  }
  auto writer = JsonLinesWriter::Open(path);
  ASSERT_TRUE((*writer)->Add(StudyLine()).ok());
  ASSERT_TRUE((*writer)->Publish().ok());
  EXPECT_THAT(ContentOf(path), StartsWith("{\"study\":{\"name\":\"studies/s\""));
}

TEST(JsonLines, AnInterruptedExportLeavesNothingBehind) {
  const TemporaryFile file;
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(
        {
          std::istringstream in;
          std::ostringstream out;
          const auto client = *Client::Connect({.address = "unix:/nonexistent"});
          Session session(*client, {in, out, out}, Format::kTable);
          (void)WriteExport("studies/s", file.path(), session,
                            [signal](const AddLine& add) -> absl::Status {
                              EXPECT_TRUE(add(StudyLine()).ok());
                              raise(signal);
                              while (true) pause();  // As for a server that does not answer.
                            });
        },
        testing::KilledBySignal(signal), "");
    EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(file.path()).parent_path()));
  }
}

TEST(JsonLines, OneThatIsNoneIsToldWithItsPlace) {
  const TemporaryFile file;
  const std::string path = file.path();
  for (const std::string bad : {"{\"trial\":", "", "{\"nothing\":1}", "[]"}) {
    std::ofstream(path) << "{\"header\":{}}\n" << bad << "\n";
    auto reader = JsonLinesReader::Open(path);
    ASSERT_TRUE((*reader)->Rewind().ok());
    v1::ExportLine line;
    ASSERT_TRUE((*reader)->Next(&line).value());
    const absl::Status status = (*reader)->Next(&line).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(status.message()), StartsWith(path + ":2: "));
  }
}

TEST(JsonLines, AreReadUpToTheirBound) {
  const TemporaryFile file;
  const std::string path = file.path();
  const std::string content = "{\"header\":{}}";
  // Around the size of the parts in which lines are read, the last one without an end.
  for (const size_t size : {size_t{20}, size_t{4094}, size_t{4095}, size_t{4096}, size_t{9000}}) {
    const std::string whole = content + std::string(size - content.size(), ' ');
    std::ofstream(path) << whole << "\n" << whole;
    auto reader = JsonLinesReader::Open(path, size);
    ASSERT_TRUE((*reader)->Rewind().ok());
    v1::ExportLine line;
    for (int i = 0; i < 2; ++i) {
      line.Clear();
      ASSERT_TRUE((*reader)->Next(&line).value()) << size;
      EXPECT_TRUE(line.has_header());
    }
    EXPECT_FALSE((*reader)->Next(&line).value()) << size;
    auto refusing = JsonLinesReader::Open(path, size - 1);
    ASSERT_TRUE((*refusing)->Rewind().ok());
    EXPECT_EQ((*refusing)->Next(&line).status(),
              absl::InvalidArgumentError(absl::StrCat(
                  path, ":1: the line is too long: it has more than ", size - 1, " bytes")));
  }
  auto endless = JsonLinesReader::Open("/dev/zero", 1 << 20);
  ASSERT_TRUE((*endless)->Rewind().ok());
  v1::ExportLine line;
  EXPECT_THAT(std::string((*endless)->Next(&line).status().message()),
              StartsWith("/dev/zero:1: the line is too long"));
}

TEST(JsonLines, FileThatCannotBeOpenedIsNamed) {
  EXPECT_THAT(std::string(JsonLinesReader::Open("/none/file").status().message()),
              HasSubstr("/none/file"));
  EXPECT_THAT(std::string(JsonLinesWriter::Open("/none/file").status().message()),
              HasSubstr("/none/file"));
}

}  // namespace
}  // namespace slipstream::cli
