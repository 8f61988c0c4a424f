#include "slipstream/messages/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace slipstream {
namespace {

using testing::HasSubstr;

v1::Trial Sample() {
  v1::Trial trial;
  v1::Configuration* const configuration = trial.mutable_configuration();
  SetDouble(configuration, "rate", 0.5);
  SetDouble(configuration, "whole", 16.0);
  SetInteger(configuration, "layers", 3);
  SetInteger(configuration, "huge", std::numeric_limits<int64_t>::max());
  SetCategory(configuration, "kernel", "rbf");
  SetBoolean(configuration, "bias", true);
  return trial;
}

TEST(Configuration, ReturnsEveryKindOfValue) {
  const v1::Trial trial = Sample();
  EXPECT_EQ(GetDouble(trial, "rate").value(), 0.5);
  EXPECT_EQ(GetInteger(trial, "layers").value(), 3);
  EXPECT_EQ(GetCategory(trial, "kernel").value(), "rbf");
  EXPECT_TRUE(GetBoolean(trial, "bias").value());
}

TEST(Configuration, AcceptsWholeDoublesAsIntegersAndIntegersAsDoubles) {
  EXPECT_EQ(GetInteger(Sample(), "whole").value(), 16);
  EXPECT_EQ(GetDouble(Sample(), "layers").value(), 3.0);
}

TEST(Configuration, RefusesInexactConversions) {
  EXPECT_EQ(GetInteger(Sample(), "rate").status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(GetDouble(Sample(), "huge").status().code(), absl::StatusCode::kOutOfRange);
}

TEST(Configuration, RefusesNumbersOutsideTheIntegerRange) {
  v1::Configuration configuration;
  for (const double value : {9223372036854775808.0, -1e300, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    SetDouble(&configuration, "x", value);
    EXPECT_EQ(GetInteger(configuration, "x").status().code(), absl::StatusCode::kOutOfRange);
  }
}

TEST(Configuration, SaysThatAnInactiveParameterHasNoValue) {
  const v1::Trial trial = Sample();
  EXPECT_FALSE(HasValue(trial.configuration(), "degree"));
  EXPECT_TRUE(HasValue(trial.configuration(), "bias"));
  EXPECT_EQ(GetDouble(trial, "degree").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(GetDouble(trial, "degree").status().message()), HasSubstr("'degree'"));
}

TEST(Configuration, SaysWhichKindAValueHas) {
  const absl::Status status = GetDouble(Sample(), "kernel").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), "'kernel' is a category, not a double");
  EXPECT_EQ(GetCategory(Sample(), "bias").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(GetBoolean(Sample(), "layers").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Configuration, SettingReplacesAValueOfAnotherKind) {
  v1::Configuration configuration;
  SetDouble(&configuration, "x", 1);
  SetCategory(&configuration, "x", "one");
  EXPECT_EQ(GetCategory(configuration, "x").value(), "one");
  EXPECT_EQ(configuration.values_size(), 1);
}

}  // namespace
}  // namespace slipstream
