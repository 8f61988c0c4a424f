#include "client/cli/escaped_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipstream::cli {
namespace {

using testing::ElementsAre;

TEST(EscapedText, SplitsAtUnescapedSeparatorsOnly) {
  EXPECT_THAT(SplitEscaped(R"(a,b\,c,,d)", ','), ElementsAre("a", R"(b\,c)", "", "d"));
  EXPECT_THAT(SplitEscaped(R"(a\\,b)", ','), ElementsAre(R"(a\\)", "b"));
  EXPECT_THAT(SplitEscaped("", ','), ElementsAre(""));
}

TEST(EscapedText, LeavesTheRestInTheLastPart) {
  EXPECT_THAT(SplitEscaped("a=b=c", '=', 2), ElementsAre("a", "b=c"));
}

TEST(EscapedText, KeepsABackslashAtTheEnd) {
  EXPECT_EQ(Unescape("a\\"), "a\\");
  EXPECT_THAT(SplitEscaped("a\\", ','), ElementsAre("a\\"));
}

TEST(EscapedText, UndoesEscape) {
  const std::string nasty = R"(a=b:c;d,e|f\g)";
  EXPECT_EQ(Unescape(Escape(nasty)), nasty);
  for (const char separator : std::string("=:;,|")) {
    EXPECT_EQ(SplitEscaped(Escape(nasty), separator).size(), 1u) << separator;
  }
}

TEST(EscapedText, IsOneWordForAShell) {
  EXPECT_EQ(ShellWord("gpu-3.node_7:2"), "gpu-3.node_7:2");
  EXPECT_EQ(ShellWord("gpu 3"), "'gpu 3'");
  EXPECT_EQ(ShellWord("$(x)'s"), "'$(x)'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
}

}  // namespace
}  // namespace slipstream::cli
