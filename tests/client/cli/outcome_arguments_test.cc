#include "client/cli/outcome_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/usage_error.h"
#include "slipstream/messages/reason_text.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;

v1::Outcome OutcomeOf(const OutcomeArguments& arguments) {
  return ReadOutcome(arguments, "accuracy")->value();
}

std::string OutcomeComplaint(const OutcomeArguments& arguments) {
  const absl::Status status = ReadOutcome(arguments, "accuracy").status();
  EXPECT_TRUE(IsUsageError(status));
  return std::string(status.message());
}

TEST(OutcomeArguments, MakeOneOutcomeOfEachKind) {
  EXPECT_EQ(OutcomeOf({.value = "-0.5"}).measurement().metrics().at("accuracy"), -0.5);
  EXPECT_EQ(OutcomeOf({.metrics = {"f=1=2e3"}}).measurement().metrics().at("f=1"), 2000);
  EXPECT_EQ(OutcomeOf({.failed = "oom"}).failure().reason(), "oom");
  EXPECT_EQ(OutcomeOf({.infeasible = "nan"}).infeasibility().reason(), "nan");
  EXPECT_EQ(OutcomeOf({.stopped = ""}).early_stop().has_measurement(), false);
}

// The end of a log, for example.
TEST(OutcomeArguments, CutAReasonToWhatTheServerTakes) {
  const std::string log(100'000, 'x');
  const std::string cut = ReasonText(log);
  ASSERT_EQ(cut.size(), 1023u);
  EXPECT_EQ(OutcomeOf({.failed = log}).failure().reason(), cut);
  EXPECT_EQ(OutcomeOf({.failed = "caf\xe9"}).failure().reason(), "caf?");
  EXPECT_EQ(OutcomeOf({.infeasible = log}).infeasibility().reason(), cut);
  EXPECT_EQ(OutcomeOf({.stopped = log}).early_stop().reason(), cut);
}

TEST(OutcomeArguments, AllowAMeasurementOfAStoppedTrial) {
  const v1::Outcome outcome = OutcomeOf({.value = "0.5", .stopped = "hopeless"});
  EXPECT_EQ(outcome.early_stop().measurement().metrics().at("accuracy"), 0.5);
  EXPECT_EQ(outcome.early_stop().reason(), "hopeless");
}

TEST(OutcomeArguments, MayBeAbsent) { EXPECT_FALSE(ReadOutcome({}, "accuracy")->has_value()); }

TEST(OutcomeArguments, ExcludeEachOther) {
  EXPECT_THAT(OutcomeComplaint({.failed = "a", .stopped = "b"}), HasSubstr("exclude"));
  EXPECT_THAT(OutcomeComplaint({.value = "1", .failed = "a"}), HasSubstr("has no --value"));
  EXPECT_THAT(OutcomeComplaint({.value = "1", .metrics = {"accuracy=2"}}),
              HasSubstr("given twice"));
}

TEST(OutcomeArguments, MustBeNumbers) {
  EXPECT_EQ(OutcomeComplaint({.value = "high"}), "--value 'high' is not a number");
  EXPECT_EQ(OutcomeComplaint({.value = "nan"}),
            "--value 'nan' is not a finite number; --infeasible REASON is for what has no value");
  EXPECT_THAT(OutcomeComplaint({.metrics = {"accuracy"}}), HasSubstr("is not NAME=NUMBER"));
  EXPECT_THAT(OutcomeComplaint({.metrics = {"accuracy=x"}}), HasSubstr("'x' is not a number"));
}

}  // namespace
}  // namespace slipstream::cli
