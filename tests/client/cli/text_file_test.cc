#include "client/cli/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace slipstream::cli {
namespace {

using testing::HasSubstr;

TEST(TextFile, IsReadWholeAndUnchanged) {
  const std::string path = testing::TempDir() + "text_file_test.csv";
  const std::string content = std::string("a,b\r\n\0", 6) + std::string(200'000, 'x');
  std::ofstream(path, std::ios::binary) << content;
  EXPECT_EQ(ReadTextFile(path).value(), content);
}

TEST(TextFile, ThatIsMissingIsNotFound) {
  const absl::Status status = ReadTextFile("/nonexistent.csv").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot open /nonexistent.csv"));
}

TEST(TextFile, IsReadUpToItsBound) {
  const std::string path = testing::TempDir() + "text_file_bound.csv";
  const std::string content(100'000, 'x');
  std::ofstream(path, std::ios::binary) << content;
  EXPECT_EQ(ReadTextFile(path, content.size()).value(), content);
  for (const std::string& file : {path, std::string("/dev/zero")}) {
    const absl::Status status = ReadTextFile(file, content.size() - 1).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), file + " is too large: it has more than 99999 bytes");
  }
}

TEST(TextFile, CannotBeAFolder) {
  EXPECT_THAT(std::string(ReadTextFile("/").status().message()), HasSubstr("cannot read /"));
}

}  // namespace
}  // namespace slipstream::cli
