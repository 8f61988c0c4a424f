#include "slipstream/messages/reason_text.h"

#include <gtest/gtest.h>

#include <string>

namespace slipstream {
namespace {

TEST(ReasonText, StaysIfTheServerTakesIt) {
  EXPECT_EQ(ReasonText(""), "");
  EXPECT_EQ(ReasonText("no memory\n\u00e9"), "no memory\n\u00e9");
  EXPECT_EQ(ReasonText(std::string(1024, 'x')), std::string(1024, 'x'));
}

TEST(ReasonText, HasQuestionMarksForBytesThatAreNoText) {
  EXPECT_EQ(ReasonText("caf\xE9!"), "caf?!");
  EXPECT_EQ(ReasonText("\xC3"), "?");
  EXPECT_EQ(ReasonText("\xED\xA0\x80"), "???") << "a surrogate";
  EXPECT_EQ(ReasonText("\xC0\x80"), "??") << "longer than it has to be";
}

TEST(ReasonText, KeepsTheBeginningAndTheEndBetweenCharacters) {
  std::string reason = "x";
  for (int i = 0; i < 600; ++i) reason += "\u00e9";
  EXPECT_EQ(ReasonText(reason), reason.substr(0, 509) + " ... " + reason.substr(693));
  const std::string lines = "first" + std::string(5000, '.') + "last";
  EXPECT_EQ(ReasonText(lines).substr(0, 5), "first");
  EXPECT_EQ(ReasonText(lines).substr(1023 - 4), "last");
}

}  // namespace
}  // namespace slipstream
