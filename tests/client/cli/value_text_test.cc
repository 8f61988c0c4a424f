#include "client/cli/value_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "client/cli/space_grammar.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;

v1::Parameter Parameter(const std::string& text) { return ParseSpace({text})->parameters(0); }

std::string Complaint(const std::string& parameter, const std::string& text) {
  const auto value = ParseValue(Parameter(parameter), text);
  EXPECT_FALSE(value.ok()) << text;
  return std::string(value.status().message());
}

TEST(ValueText, WritesNumbersShortAndExactly) {
  EXPECT_EQ(FormatNumber(0.1), "0.1");
  EXPECT_EQ(FormatNumber(16), "16");
  EXPECT_EQ(FormatNumber(1e-5), "1e-05");
  for (const double value : {1.0 / 3, 5e-324, -1.7976931348623157e308, 123456789.123}) {
    EXPECT_EQ(ParseNumber(FormatNumber(value)).value(), value);
  }
}

TEST(ValueText, ReadsNumbersInEveryNotation) {
  EXPECT_EQ(ParseNumber(" +1.5e3 ").value(), 1500);
  EXPECT_EQ(ParseNumber("-.5").value(), -0.5);
}

TEST(ValueText, RefusesTextsOtherThanFiniteNumbers) {
  for (const char* text : {"", " ", "x", "1x", "1,5", "1 2", "0x10", "--1"}) {
    EXPECT_THAT(std::string(ParseNumber(text).status().message()), HasSubstr("is not a number"))
        << text;
  }
  for (const char* text : {"nan", "inf", "-Infinity", "1e999"}) {
    EXPECT_THAT(std::string(ParseNumber(text).status().message()),
                HasSubstr("is not a finite number"))
        << text;
  }
}

TEST(ValueText, ReadsIntegersExactly) {
  EXPECT_EQ(ParseInteger("9223372036854775807").value(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ParseInteger("16.0").value(), 16);
  EXPECT_EQ(ParseInteger("1e3").value(), 1000);
}

TEST(ValueText, RefusesFractionsAndNumbersTooLargeToBeExact) {
  for (const char* text : {"1.5", "9223372036854775808", "1e17", "nan", "inf", ""}) {
    EXPECT_FALSE(ParseInteger(text).ok()) << text;
  }
}

TEST(ValueText, ReadsBooleansAsLanguagesWriteThem) {
  for (const char* text : {"true", "True", "TRUE", "1", " true "}) {
    EXPECT_TRUE(ParseBoolean(text).value()) << text;
  }
  for (const char* text : {"false", "False", "0"}) EXPECT_FALSE(ParseBoolean(text).value());
  for (const char* text : {"", "yes", "2", "t"}) EXPECT_FALSE(ParseBoolean(text).ok()) << text;
}

TEST(ValueText, ReadsValuesInTheKindOfTheDomain) {
  EXPECT_EQ(ParseValue(Parameter("x=double:0..1"), "1")->double_value(), 1);
  EXPECT_EQ(ParseValue(Parameter("x=integer:1..8"), "8.0")->integer_value(), 8);
  EXPECT_EQ(ParseValue(Parameter("x=discrete:16,32"), "32")->double_value(), 32);
  EXPECT_EQ(ParseValue(Parameter("x=categorical:a,b"), "b")->category_value(), "b");
  EXPECT_TRUE(ParseValue(Parameter("x=boolean"), "True")->has_boolean_value());
}

TEST(ValueText, SaysWhatADomainWouldAccept) {
  EXPECT_EQ(Complaint("x=double:0..1", "1.5"), "'1.5' is not in 0..1");
  EXPECT_EQ(Complaint("x=integer:1..8", "9"), "'9' is not a whole number in 1..8");
  EXPECT_EQ(Complaint("x=discrete:16,32", "24"), "'24' is not one of 16, 32");
  EXPECT_EQ(Complaint("x=categorical:rbf,poly", "RBF"), "'RBF' is not one of rbf, poly");
  EXPECT_EQ(Complaint("x=boolean", "maybe"), "'maybe' is not true or false");
}

TEST(ValueText, ComparesNumbersAcrossKinds) {
  v1::ParameterValue whole;
  whole.set_integer_value(16);
  v1::ParameterValue real;
  real.set_double_value(16);
  v1::ParameterValue word;
  word.set_category_value("16");
  EXPECT_TRUE(SameValue(whole, real));
  EXPECT_FALSE(SameValue(word, real));
  real.set_double_value(16.5);
  EXPECT_FALSE(SameValue(whole, real));
}

TEST(ValueText, WritesTimesInUtc) {
  google::protobuf::Timestamp time;
  EXPECT_EQ(FormatTime(time), "");
  time.set_seconds(1740830400);
  EXPECT_EQ(FormatTime(time), "2025-03-01 12:00:00Z");
}

}  // namespace
}  // namespace slipstream::cli
