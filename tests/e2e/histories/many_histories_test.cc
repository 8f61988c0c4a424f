// The same as histories_test.cc, forty times.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/e2e/histories/history_round.h"

namespace slipstream::histories {
namespace {

TEST(ManyHistories, AreLinearizableAcrossCrashesRetriesAndLeaseEnds) {
  constexpr int kHistories = 2000;
  const RoundReport report = RunRounds({}, kHistories, 1000);
  std::cout << report.Text() << "\n";
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  EXPECT_EQ(report.histories, kHistories);
  EXPECT_GT(report.crashes, 0);
  EXPECT_GT(report.counts.lost, 0);
  EXPECT_GT(report.counts.retries, 0);
  EXPECT_GT(report.counts.given_up, 0);
  EXPECT_GT(report.counts.late, 0);
  EXPECT_GT(report.lease_ends, 0);
  EXPECT_GT(report.requeued, 0);
  EXPECT_GT(report.withdrawn, 0);
}

}  // namespace
}  // namespace slipstream::histories
