// tests/e2e/access_test.cc covers what the server writes and that it may be moved away.
#include "server/telemetry/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/testing/temporary_file.h"

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A disk that has room for no file longer than this, while it exists.
class FullDisk {
 public:
  explicit FullDisk(rlim_t longest) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {longest, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_ = {};
};

// The methods of the records; "none" for a line that is no JSON object.
std::vector<std::string> MethodsIn(const std::string& path) {
  std::vector<std::string> methods;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    methods.push_back(record.is_object() ? record.value("method", "none") : "none");
  }
  return methods;
}

TEST(AuditLog, ALineForWhichThereIsNoRoomIsCountedAndLeavesNoPart) {
  const TemporaryFile file;
  const auto log = AuditLog::Open(file.path());
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_TRUE((*log)->Write({{"method", std::string("First")}}).ok());
  const auto size = std::filesystem::file_size(file.path());
  {
    const FullDisk disk(size + 10);
    for (int i = 0; i < 2; ++i) {
      const absl::Status status = (*log)->Write({{"method", std::string("Missing")}});
      EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    }
  }
  EXPECT_EQ(std::filesystem::file_size(file.path()), size);
  EXPECT_EQ((*log)->failures(), 2);
  EXPECT_TRUE((*log)->Write({{"method", std::string("Last")}}).ok());
  EXPECT_THAT(MethodsIn(file.path()), ElementsAre("First", "Last"));
}

TEST(AuditLog, ALineIsNotJoinedToThePartThatACrashHasLeft) {
  const TemporaryFile file;
  {
    const auto log = AuditLog::Open(file.path());
    ASSERT_TRUE((*log)->Write({{"method", std::string("First")}}).ok());
    ASSERT_TRUE((*log)->Write({{"method", std::string("Broken")}}).ok());
  }
  std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) - 5);
  const auto log = AuditLog::Open(file.path());
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_TRUE((*log)->Write({{"method", std::string("Last")}}).ok());
  std::ifstream written(file.path());
  std::vector<std::string> lines;
  for (std::string line; std::getline(written, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("First"));
  EXPECT_THAT(lines[2], AllOf(StartsWith("{\"time\""), HasSubstr("Last"), EndsWith("}")));
}

}  // namespace
}  // namespace slipstream
