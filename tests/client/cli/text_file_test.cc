#include "client/cli/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/testing/temporary_file.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;

TEST(TextFile, IsReadWholeAndUnchanged) {
  const TemporaryFile file;
  const std::string content = std::string("a,b\r\n\0", 6) + std::string(200'000, 'x');
  file.Write(content);
  EXPECT_EQ(ReadTextFile(file.path()).value(), content);
}

TEST(TextFile, ThatIsMissingIsNotFound) {
  const absl::Status status = ReadTextFile("/nonexistent.csv").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot open /nonexistent.csv"));
}

TEST(TextFile, IsReadUpToItsBound) {
  const TemporaryFile file;
  const std::string content(100'000, 'x');
  file.Write(content);
  EXPECT_EQ(ReadTextFile(file.path(), content.size()).value(), content);
  for (const std::string& path : {file.path(), std::string("/dev/zero")}) {
    const absl::Status status = ReadTextFile(path, content.size() - 1).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), path + " is too large: it has more than 99999 bytes");
  }
}

TEST(TextFile, CannotBeAFolder) {
  EXPECT_THAT(std::string(ReadTextFile("/").status().message()), HasSubstr("cannot read /"));
}

}  // namespace
}  // namespace slipstream::cli
