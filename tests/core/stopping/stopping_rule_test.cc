#include "core/stopping/stopping_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "core/base/status.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

FieldViolation Refused(absl::string_view name, const std::map<std::string, double>& options) {
  const auto rule = MakeStoppingRule(name, options);
  EXPECT_EQ(rule.status().code(), absl::StatusCode::kInvalidArgument) << rule.status();
  return ViolationOf(rule.status()).value_or(FieldViolation());
}

TEST(StoppingRuleTest, EveryRowMakesItsRule) {
  for (const StoppingRow* row : StoppingRows()) {
    SCOPED_TRACE(row->about.name);
    EXPECT_FALSE(row->about.summary.empty());
    EXPECT_TRUE(MakeStoppingRule(row->about.name, {}).ok());
  }
}

TEST(StoppingRuleTest, DefaultsAreWithinTheirBounds) {
  for (const StoppingRow* row : StoppingRows()) {
    const Choice<StoppingRow> rule(*row);
    for (const OptionInfo& info : rule.options().Infos()) {
      SCOPED_TRACE(info.name);
      EXPECT_FALSE(info.summary.empty());
      EXPECT_LT(info.least, info.most);
      const std::optional<double> value = rule.options().Get(info.name);
      if (!value.has_value()) continue;
      EXPECT_TRUE(MakeStoppingRule(row->about.name, {{std::string(info.name), *value}}).ok());
    }
  }
}

TEST(StoppingRuleTest, RefusesAnUnknownNameAndSaysWhichThereAre) {
  const FieldViolation violation = Refused("medium", {});
  EXPECT_EQ(violation.field, "rule");
  EXPECT_EQ(violation.value, "medium");
  EXPECT_THAT(violation.bound, HasSubstr("none"));
}

TEST(StoppingRuleTest, RefusesAnOptionThatTheRuleDoesNotHave) {
  const FieldViolation violation = Refused("none", {{"grace_steps", 3}});
  EXPECT_EQ(violation.field, "options[grace_steps]");
  EXPECT_EQ(violation.value, "3");
  EXPECT_EQ(violation.bound, "absent: none has no options");
}

TEST(StoppingRuleTest, RefusesValuesBeyondTheBoundsOfEveryOption) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const StoppingRow* row : StoppingRows()) {
    const std::vector<OptionInfo> infos = Choice<StoppingRow>(*row).options().Infos();
    for (const OptionInfo& info : infos) {
      const std::string name(info.name);
      SCOPED_TRACE(name);
      for (const double value :
           {std::nextafter(info.least, -infinity), std::nextafter(info.most, infinity), nan}) {
        const FieldViolation violation = Refused(row->about.name, {{name, value}});
        EXPECT_EQ(violation.field, "options[" + name + "]");
        EXPECT_THAT(violation.bound, HasSubstr(FormatNumber(info.most)));
      }
      EXPECT_TRUE(MakeStoppingRule(row->about.name, {{name, info.most}}).ok());
      if (info.whole) Refused(row->about.name, {{name, info.least + 0.5}});
    }
  }
}

TEST(StoppingRuleTest, GoesOnWhileNothingIsReported) {
  for (const StoppingRow* row : StoppingRows()) {
    const StoppingAdvice advice = (*MakeStoppingRule(row->about.name, {}))->Advise({});
    EXPECT_FALSE(advice.stop);
    EXPECT_EQ(advice.reason, "The trial has reported nothing yet.");
  }
}

}  // namespace
}  // namespace slipstream
