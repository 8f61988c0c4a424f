#include "server/file/column_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "tests/testing/temporary_file.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  const auto take = [&](const std::vector<absl::string_view>& columns) {
    lines.push_back(absl::StrJoin(columns, "|"));
    return absl::OkStatus();
  };
  EXPECT_TRUE(ForEachLine(text, take).ok());
  return lines;
}

TEST(ColumnFile, SpacesSeparateColumnsAndCommentsAreLeftOut) {
  EXPECT_THAT(LinesOf("# who\n\n  a\tb  c \r\n d\n  # e\n"), ElementsAre("a|b|c", "d"));
  EXPECT_THAT(LinesOf(""), ElementsAre());
}

TEST(ColumnFile, TheFirstLineThatIsRefusedIsNamed) {
  int taken = 0;
  const absl::Status status =
      ForEachLine("# first\n\na\nb\n", [&](const std::vector<absl::string_view>&) {
        ++taken;
        return absl::InvalidArgumentError("no");
      });
  EXPECT_EQ(status, absl::InvalidArgumentError("line 3: no"));
  EXPECT_EQ(taken, 1);
}

TEST(ColumnFile, AByteOrderMarkIsRefusedAndNamed) {
  for (const std::string text : {"a b\n", "# comment\na b\n", ""}) {
    const absl::Status status = ForEachLine("\xEF\xBB\xBF" + text, [](const auto&) {
      ADD_FAILURE() << "no line is taken";
      return absl::OkStatus();
    });
    EXPECT_EQ(status, absl::InvalidArgumentError("line 1 begins with a byte order mark; save the "
                                                 "file as UTF-8 without it"));
  }
}

TEST(ColumnFile, NamesAreShortAndPlain) {
  for (const char* name : {"a", "vision", "team-7"}) EXPECT_TRUE(CheckShortName("it", name).ok());
  for (const std::string name : {"", "A", "7", "a-", "a b", "*", "../a"}) {
    EXPECT_FALSE(CheckShortName("it", name).ok()) << name;
  }
  EXPECT_TRUE(CheckShortName("it", std::string(40, 'a')).ok());
  EXPECT_FALSE(CheckShortName("it", std::string(41, 'a')).ok());
}

TEST(ColumnFile, AFileThatIsMissingOrThatOthersCanWriteIsRefused) {
  const TemporaryFile file;
  const std::string path = file.path();
  EXPECT_EQ(ReadOwnersFile("the rules", path).status(),
            absl::NotFoundError("the rules " + path +
                                " cannot be read: No such file or directory"));
  file.Write("a b\n");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(*ReadOwnersFile("the rules", path), "a b\n");
  ASSERT_EQ(chmod(path.c_str(), 0620), 0);
  const absl::Status status = ReadOwnersFile("the rules", path).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("the rules " + path));
}

TEST(ColumnFile, AFileThatSaysNothingIsRefused) {
  const TemporaryFile file;
  for (const char* text : {"", "\n \n", "# nothing\n"}) {
    file.Write(text);
    ASSERT_EQ(chmod(file.path().c_str(), 0600), 0);
    const absl::Status status = ReadOwnersFile("the rules", file.path()).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("has no line"));
  }
}

}  // namespace
}  // namespace slipstream
