#include "server/quota/call_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "core/base/out_of_memory.h"
#include "core/base/refusals.h"
#include "core/base/status.h"
#include "tests/testing/allocation_limit.h"

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CallRatesTest : public testing::Test {
 protected:
  void Limit(const std::string& project, double rate) {
    table_.projects[project].calls_per_second = rate;
    quotas_.Replace(table_);
  }
  void Pass(double seconds) {
    now_ += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds));
  }
  // How many calls in a row are taken now, `most` at most.
  int Taken(const std::string& project, int most = 1000) {
    int taken = 0;
    while (taken < most && rates_.Take(project).ok()) ++taken;
    return taken;
  }

  QuotaTable table_;
  Quotas quotas_{"/etc/quotas"};
  CallRates::Time now_{};
  CallRates rates_{&quotas_, [this] { return now_; }, /*most_projects=*/3};
};

TEST_F(CallRatesTest, FiveSecondsOfCallsMayComeAtOnceAndThenTheRateHolds) {
  Limit("vision", 4);
  EXPECT_EQ(Taken("vision"), 20);
  Pass(1);
  EXPECT_EQ(Taken("vision"), 4);
  Pass(0.25);
  EXPECT_EQ(Taken("vision"), 1);
  Pass(3600);
  EXPECT_EQ(Taken("vision"), 20) << "no more than can be saved";
}

TEST_F(CallRatesTest, ACallForWhichMemoryRunsOutDoesNotCount) {
  for (const std::string project : {"first-of-the-projects", "second-of-the-projects"}) {
    Limit(project, 2);
    bool is_taken = false;
    for (int allocations = 0; !is_taken; ++allocations) {
      const AllocationLimit limit(allocations);
      is_taken = OrOutOfMemory([&] { return rates_.Take(project); }).ok();
    }
    EXPECT_EQ(Taken(project), 9);
  }
  EXPECT_EQ(rates_.size(), 2u);
}

TEST_F(CallRatesTest, ARefusalSaysHowManyAreAllowedAndWhenTheNextIsTaken) {
  Limit("vision", 2);
  EXPECT_EQ(Taken("vision"), 10);
  const absl::Status refusal = rates_.Take("vision");
  EXPECT_TRUE(absl::IsResourceExhausted(refusal));
  EXPECT_TRUE(IsOverload(refusal));
  EXPECT_FALSE(IsOverload(quotas_.Refuse(QuotaKind::kTrials, "vision", "has too many")));
  EXPECT_THAT(std::string(refusal.message()),
              AllOf(HasSubstr("project vision"), HasSubstr("quota of 2 a second"),
                    HasSubstr("in 0.5 s"), HasSubstr("calls_per_second in /etc/quotas")));
  EXPECT_EQ(RetryDelayOf(refusal), absl::Milliseconds(500));
  EXPECT_EQ(quotas_.Refusals()[static_cast<size_t>(QuotaKind::kCalls)], 2);
}

TEST_F(CallRatesTest, ACallIsTakenAfterTheDelayThatARefusalAsksFor) {
  Limit("vision", 3);
  EXPECT_EQ(Taken("vision"), 15);
  const std::optional<absl::Duration> delay = RetryDelayOf(rates_.Take("vision"));
  ASSERT_TRUE(delay.has_value());
  EXPECT_EQ(*delay, absl::Milliseconds(334));
  Pass(absl::ToDoubleSeconds(*delay));
  EXPECT_EQ(Taken("vision"), 1);
}

TEST_F(CallRatesTest, ARateBelowOneACallAllowsOneNowAndThen) {
  Limit("vision", 0.125);
  EXPECT_EQ(Taken("vision"), 1);
  Pass(7);
  EXPECT_EQ(Taken("vision"), 0);
  Pass(1);
  EXPECT_EQ(Taken("vision"), 1);
}

TEST_F(CallRatesTest, ProjectsDoNotShareARate) {
  Limit("vision", 1);
  Limit("nlp", 1);
  EXPECT_EQ(Taken("vision"), 5);
  EXPECT_EQ(Taken("nlp"), 5);
  EXPECT_EQ(Taken("default", 100), 100) << "has no limit";
  EXPECT_EQ(rates_.size(), 2u) << "a project without a limit is not remembered";
}

TEST_F(CallRatesTest, WhatIsTakenAnywayIsOwed) {
  Limit("vision", 1);
  for (int i = 0; i < 100; ++i) rates_.TakeAnyway("vision");
  Pass(5.5);
  EXPECT_EQ(Taken("vision"), 0) << "five calls were owed, however many were made";
  Pass(0.5);
  EXPECT_EQ(Taken("vision"), 1);
}

TEST_F(CallRatesTest, ANewRateHoldsAtOnce) {
  Limit("vision", 100);
  EXPECT_EQ(Taken("vision", 1), 1);
  Limit("vision", 1);
  EXPECT_EQ(Taken("vision"), 5);
  Limit("vision", 2);
  Pass(2);
  EXPECT_EQ(Taken("vision"), 4);
}

TEST_F(CallRatesTest, TheProjectsThatCalledLastAreRemembered) {
  quotas_.Replace({.others = {.calls_per_second = 1}});
  for (const char* project : {"a", "b", "c", "a"}) EXPECT_TRUE(rates_.Take(project).ok());
  EXPECT_EQ(Taken("a"), 3);
  EXPECT_TRUE(rates_.Take("d").ok());
  EXPECT_EQ(rates_.size(), 3u);
  EXPECT_EQ(Taken("a"), 0);
  EXPECT_EQ(Taken("b"), 5) << "was forgotten";
}

TEST_F(CallRatesTest, ThreadsTakeNoMoreThanThereIs) {
  Limit("vision", 100);
  std::atomic<int> taken{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] { taken += Taken("vision"); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(taken, 500);
}

}  // namespace
}  // namespace slipstream
