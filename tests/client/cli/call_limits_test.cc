#include "client/cli/call_limits.h"

#include <gtest/gtest.h>

#include <chrono>

namespace slipstream::cli {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(CallLimits, EveryKindOfCallEndsAtTheTimeout) {
  ClientOptions options;
  LimitCalls(2, &options);
  for (const Deadlines& deadlines : {options.call, options.suggest, options.outcome,
                                     options.registration, options.backup}) {
    EXPECT_EQ(deadlines.overall, seconds(2));
    EXPECT_EQ(deadlines.attempt, seconds(2));
  }
  EXPECT_TRUE(CheckOptions(options).ok());
}

TEST(CallLimits, ALongTimeoutRepeatsHungCallsButDoesNotCutALargeOneShort) {
  ClientOptions options;
  LimitCalls(3600, &options);
  EXPECT_EQ(options.call.attempt, seconds(10));
  EXPECT_EQ(options.call.overall, minutes(60));
  EXPECT_EQ(options.registration.attempt, minutes(60));
  EXPECT_EQ(options.retry.longest_outage, minutes(60));
  EXPECT_TRUE(CheckOptions(options).ok());
}

TEST(CallLimits, AnOutcomeIsToldForLonger) {
  ClientOptions options;
  LimitCalls(std::nullopt, &options);
  EXPECT_EQ(options.retry.longest_outage, seconds(12));
  LimitCallsOfOutcome(std::nullopt, &options);
  EXPECT_EQ(options.retry.longest_outage, minutes(5));
  EXPECT_EQ(options.call.overall, minutes(5)) << "it reads the study first";
  LimitCallsOfOutcome(2, &options);
  EXPECT_EQ(options.retry.longest_outage, seconds(2));
  EXPECT_EQ(options.outcome.overall, seconds(2));
  EXPECT_TRUE(CheckOptions(options).ok());
}

}  // namespace
}  // namespace slipstream::cli
