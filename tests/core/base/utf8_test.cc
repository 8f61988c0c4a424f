#include "core/base/utf8.h"

#include <string>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(Utf8, AcceptsTheFirstAndLastCharacterOfEveryLength) {
  for (const char* text :
       {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
  EXPECT_TRUE(IsUtf8(absl::string_view("a\0b", 3)));
}

TEST(Utf8, RefusesOverlongSurrogateTruncatedAndOutOfRangeForms) {
  for (const char* text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xE2\x82",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x9F\x98", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "fine until here \xFE"}) {
    EXPECT_FALSE(IsUtf8(text));
  }
}

TEST(Utf8, FindsBothRangesOfControlCharacters) {
  EXPECT_TRUE(HasControlCharacter("a\nb"));
  EXPECT_TRUE(HasControlCharacter(absl::string_view("\0", 1)));
  EXPECT_TRUE(HasControlCharacter("\x7F"));
  EXPECT_TRUE(HasControlCharacter("\xC2\x80"));
  EXPECT_TRUE(HasControlCharacter("\xC2\x9F"));
  EXPECT_FALSE(HasControlCharacter("\xC2\xA0"));
  EXPECT_FALSE(HasControlCharacter("Lernrate \xCE\xB7 ~ !"));
}

TEST(Utf8, PrintableTextReplacesUnprintableCharacters) {
  EXPECT_EQ(PrintableText("a\tb\xC2\x85" "c\xFF" "d", 100), "a?b?c?d");
}

TEST(Utf8, PrintableTextTruncatesBetweenCharactersAtAnyLimit) {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";
  size_t last = 0;
  for (size_t limit = 0; limit <= text.size(); ++limit) {
    const std::string cut = PrintableText(text, limit);
    EXPECT_LE(cut.size(), limit);
    EXPECT_GE(cut.size(), last);
    EXPECT_TRUE(IsUtf8(cut));
    EXPECT_EQ(text.substr(0, cut.size()), cut);
    last = cut.size();
  }
  EXPECT_EQ(last, text.size());
}

}  // namespace
}  // namespace slipstream
