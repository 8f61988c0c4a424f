// A server that is killed at random moments keeps what it acknowledged. Ten thousand kills, or as
// many as there is time for: kill_rounds.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>

#include "server/access/rpc_table.h"
#include "tests/e2e/kills/kill_lane.h"

namespace slipstream::kills {
namespace {

// In memory where there is room for files: nothing but a kill happens to the machine here.
std::string Folder() {
  constexpr char kMemory[] = "/dev/shm";
  return std::filesystem::is_directory(kMemory) ? kMemory : "";
}

#ifdef __SANITIZE_ADDRESS__
constexpr int kKills = 80;  // Each takes several times as long.
#else
constexpr int kKills = 200;
#endif

TEST(Kills, LoseNothingAcknowledgedLeaseNothingTwiceAndHideNoEvent) {
  const LaneReport report = RunKills({.kills = kKills, .folder = Folder()});
  std::cout << report.Text() << "\n";
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  EXPECT_GE(report.kills, kKills);
  EXPECT_GT(report.kills_at_start, 0);
  EXPECT_GT(report.calls.lost, 0);
  EXPECT_GT(report.calls.repeated, 0);
  EXPECT_GT(report.trials_compared, 0);
  EXPECT_GT(report.provenances_compared, 0);
  EXPECT_GT(report.events, 0);
  for (const RpcEntry& entry : RpcTable()) {
    if (!entry.changes) continue;
    EXPECT_GT(report.calls.answered.count(std::string(entry.name)), 0u) << entry.name;
  }
}

TEST(Kills, FailIfThereIsNoTimeForAllOfThem) {
  const LaneReport report = RunKills({.kills = 1000, .seconds = 0.1, .folder = Folder()});
  EXPECT_LT(report.kills, 1000);
  EXPECT_THAT(report.failures, testing::ElementsAre(testing::HasSubstr("of 1000 kills in 0.1 s")));
}

}  // namespace
}  // namespace slipstream::kills
