#include "server/store/sqlite/lease_horizon.h"

#include <gtest/gtest.h>

#include <limits>

namespace slipstream {
namespace {

using sqlite::LeaseHorizon;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

TEST(LeaseHorizonTest, ALeaseMayHaveRunOutBeforeTheFirstScan) {
  LeaseHorizon horizon;
  EXPECT_LT(horizon.bound(), std::numeric_limits<int64_t>::min() + 1);
  horizon.Note(100);
  EXPECT_LT(horizon.bound(), 0);
}

TEST(LeaseHorizonTest, AScanRaisesTheBoundToTheEarliestLease) {
  LeaseHorizon horizon;
  horizon.BeginScan();
  horizon.EndScan(500);
  EXPECT_EQ(horizon.bound(), 500);
  horizon.BeginScan();
  horizon.EndScan(std::nullopt);
  EXPECT_EQ(horizon.bound(), kNever);
}

TEST(LeaseHorizonTest, ALeaseThatIsGrantedLowersIt) {
  LeaseHorizon horizon;
  horizon.BeginScan();
  horizon.EndScan(500);
  horizon.Note(700);
  EXPECT_EQ(horizon.bound(), 500);
  horizon.Note(300);
  EXPECT_EQ(horizon.bound(), 300);
}

TEST(LeaseHorizonTest, AScanThatDoesNotSeeANotedLeaseDoesNotForgetIt) {
  LeaseHorizon horizon;
  horizon.BeginScan();
  horizon.EndScan(std::nullopt);
  horizon.Note(200);  // Committed after the next scan's snapshot, and noted before it begins.
  horizon.BeginScan();
  horizon.Note(300);  // The same, and noted while it goes on.
  horizon.EndScan(std::nullopt);
  EXPECT_EQ(horizon.bound(), 200);
  horizon.BeginScan();  // Sees the first, which has been renewed meanwhile.
  horizon.EndScan(900);
  EXPECT_EQ(horizon.bound(), 300);
  horizon.BeginScan();
  horizon.EndScan(900);
  EXPECT_EQ(horizon.bound(), 900);
}

}  // namespace
}  // namespace slipstream
