#include "client/cli/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(JsonText, HasTheProtobufNamesAndAllPlainFields) {
  v1::Study study;
  study.set_display_name("Zürich");
  const std::string text = JsonText(study);
  EXPECT_THAT(text, HasSubstr("\"displayName\": \"Zürich\""));
  EXPECT_THAT(text, HasSubstr("\"trialCount\": \"0\""));
  EXPECT_THAT(text, Not(HasSubstr("seed")));  // Optional and unset.
  EXPECT_EQ(text.back(), '\n');
}

TEST(JsonText, IsParsedBackToTheSameMessage) {
  v1::Trial trial;
  trial.set_name("studies/d/trials/1");
  trial.set_candidate(0);
  auto& values = *trial.mutable_configuration()->mutable_values();
  values["tiny"].set_double_value(5e-324);
  values["third"].set_double_value(1.0 / 3);
  values["off"].set_boolean_value(false);
  values["large"].set_integer_value(9007199254740993);
  trial.mutable_create_time()->set_seconds(1740830400);
  v1::Trial back;
  ASSERT_TRUE(ParseJson(JsonText(trial), &back).ok());
  EXPECT_TRUE(back.has_candidate());
  EXPECT_EQ(back.configuration().values().at("tiny").double_value(), 5e-324);
  EXPECT_EQ(back.configuration().values().at("third").double_value(), 1.0 / 3);
  EXPECT_TRUE(back.configuration().values().at("off").has_boolean_value());
  EXPECT_EQ(back.configuration().values().at("large").integer_value(), 9007199254740993);
  EXPECT_EQ(back.create_time().seconds(), 1740830400);
}

TEST(JsonText, WritesAListAsOneArray) {
  std::vector<v1::Metric> metrics(2);
  metrics[1].set_name("loss");
  const std::string text = JsonArrayOf(metrics);
  EXPECT_EQ(text.front(), '[');
  EXPECT_THAT(text, HasSubstr("loss"));
  EXPECT_EQ(JsonArrayOf(std::vector<v1::Metric>()), "[]\n");
}

TEST(JsonText, RefusesUnknownFieldsAndBrokenText) {
  v1::Study study;
  EXPECT_THAT(std::string(ParseJson(R"({"titel": "x"})", &study).message()), HasSubstr("titel"));
  for (const char* cut_off : {"{", ""}) {
    const absl::Status status = ParseJson(cut_off, &study);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_FALSE(absl::StrContains(status.message(), '\n')) << status;
  }
}

// A source task's name depends on the signs of zeros in its space.
TEST(JsonText, ZerosKeepTheirSigns) {
  v1::Parameter parameter;
  parameter.set_name("\\\"-0");
  for (const double value : {-1.0, -0.0, 0.0, -1e-20}) {
    parameter.mutable_discrete_domain()->add_values(value);
  }
  for (const std::string& text : {StableJsonLine(parameter), JsonText(parameter)}) {
    v1::Parameter read;
    ASSERT_TRUE(ParseJson(text, &read).ok());
    EXPECT_EQ(read.DebugString(), parameter.DebugString()) << text;
  }
  v1::Parameter written_before;
  const std::string text =
      R"({'name': 'x-0 "', "discreteDomain": {"values": [-0, 1e-0, -0.5]}})";
  ASSERT_TRUE(ParseJson(text, &written_before).ok());
  EXPECT_EQ(written_before.name(), "x-0 \"");
  EXPECT_TRUE(std::signbit(written_before.discrete_domain().values(0)));
}

}  // namespace
}  // namespace slipstream::cli
