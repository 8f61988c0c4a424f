#include "slipstream/messages/utf8_text.h"

#include <gtest/gtest.h>

namespace slipstream::client {
namespace {

TEST(Utf8Text, MayHaveCharactersOfEveryLength) {
  for (const char* text : {"", "a", "\u00E4", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFD",
                           "\U00010000", "\U0010FFFF", "a\u00E4\u20AC\U0001F600z"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
}

TEST(Utf8Text, HasNoMalformedCharacters) {
  for (const char* text :
       {"\xFF\xFE", "a\x80", "\xC3", "\xC3(", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF",
        "\xE2\x82", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80"}) {
    EXPECT_FALSE(IsUtf8(text));
  }
}

}  // namespace
}  // namespace slipstream::client
