// Histories of twenty concurrent clients of a real server that is killed now and then.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/e2e/histories/history_round.h"

namespace slipstream::histories {
namespace {

TEST(Histories, AreLinearizableAcrossCrashesRetriesAndLeaseEnds) {
  const RoundReport report = RunRounds({}, 50, 1);
  std::cout << report.Text() << "\n";
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  EXPECT_EQ(report.histories, 50);
  EXPECT_GT(report.crashes, 0);
  EXPECT_GT(report.counts.lost, 0);
  EXPECT_GT(report.counts.retries, 0);
  EXPECT_GT(report.counts.given_up, 0);
  EXPECT_GT(report.lease_ends, 0);
  EXPECT_GT(report.requeued, 0);
}

}  // namespace
}  // namespace slipstream::histories
