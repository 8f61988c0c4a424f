#include "client/cli/text_width.h"

#include <gtest/gtest.h>

namespace slipstream::cli {
namespace {

TEST(TextWidth, CountsTheColumnsOfATerminal) {
  EXPECT_EQ(TextWidth(""), 0u);
  EXPECT_EQ(TextWidth("lr = 0.1"), 8u);
  EXPECT_EQ(TextWidth("caf\u00e9"), 4u);
  EXPECT_EQ(TextWidth("cafe\u0301"), 4u) << "the accent is a mark of its own";
  EXPECT_EQ(TextWidth("\u65e5\u672c"), 4u);
  EXPECT_EQ(TextWidth("\ud55c\uad6d"), 4u);
  EXPECT_EQ(TextWidth("\U0001F600"), 2u);
  EXPECT_EQ(TextWidth("a\xff\xfe"), 3u) << "not UTF-8";
}

TEST(TextWidth, ABeginningEndsBetweenCharacters) {
  EXPECT_EQ(BeginningOf("abc", 2), "ab");
  EXPECT_EQ(BeginningOf("abc", 9), "abc");
  EXPECT_EQ(BeginningOf("\u65e5\u672c", 3), "\u65e5");
  EXPECT_EQ(BeginningOf("e\u0301e", 1), "e\u0301");
  EXPECT_EQ(BeginningOf("abc", 0), "");
}

}  // namespace
}  // namespace slipstream::cli
