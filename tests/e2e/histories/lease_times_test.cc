#include "tests/e2e/histories/lease_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/e2e/histories/hand_made_history.h"
#include "tests/e2e/histories/linearization.h"

namespace slipstream::histories {
namespace {

using testing::HasSubstr;

constexpr Policy kSecond = {1'000'000, 0};
// A lease of a second has to end within this time.
constexpr int64_t kDueMs = 1000 + (kSweepPeriodUs + kMarginUs) / 1000;

bool IsRefused(const std::vector<Call>& calls, const Outages& outages = {}) {
  const Verdict verdict = Linearize(kSecond, calls, outages);
  EXPECT_NE(verdict.kind, Verdict::Kind::kUndecided);
  return !verdict.linearizable();
}

TEST(LeaseTimes, ALeaseThatEndsInTimeIsAccepted) {
  EXPECT_FALSE(IsRefused({SuggestFrom(0, 10, "a", {1}), LeaseEndFrom(1000, 1300, 1)}));
  EXPECT_FALSE(IsRefused({SuggestFrom(0, 10, "a", {1}), LeaseEndFrom(kDueMs, kDueMs + 9000, 1)}))
      << "the event came late, but the lease ended in time";
}

TEST(LeaseTimes, ALeaseThatEndsTooLateIsRefused) {
  const std::vector<Call> calls = {SuggestFrom(0, 10, "a", {1}),
                                   LeaseEndFrom(kDueMs + 11, kDueMs + 20, 1)};
  EXPECT_TRUE(IsRefused(calls));
  EXPECT_THAT(OverdueLease(kSecond, {}, calls), HasSubstr("trial 1 is overdue"));
}

TEST(LeaseTimes, ATrialThatIsStillHeldWhenItsLeaseIsOverdueIsRefused) {
  const Call suggest = SuggestFrom(0, 10, "a", {1});
  const int64_t late = kDueMs + 11;
  EXPECT_FALSE(IsRefused({suggest, GetFrom(kDueMs, late, Active(1, "a"))}));
  EXPECT_TRUE(IsRefused({suggest, GetFrom(late, late + 1, Active(1, "a"))}));
  EXPECT_TRUE(IsRefused({suggest, CallFrom(Verb::kList, late, late + 1, {Active(1, "a")})}));
  EXPECT_TRUE(IsRefused({suggest, HeartbeatFrom(late, late + 1, "a", 1, true)}));
  EXPECT_TRUE(IsRefused({suggest, HeartbeatFrom(late, late + 1, "b", 1, false)}));
  EXPECT_TRUE(IsRefused({suggest, ReportFrom(late, late + 1, 1, 0, 3, 1)}));
}

TEST(LeaseTimes, AnAcknowledgedHeartbeatKeepsTheLease) {
  const std::vector<Call> calls = {SuggestFrom(0, 10, "a", {1}),
                                   HeartbeatFrom(900, 910, "a", 1, true)};
  std::vector<Call> early = calls;
  early.push_back(LeaseEndFrom(1100, 1110, 1));
  EXPECT_TRUE(IsRefused(early));
  std::vector<Call> late = calls;
  late.push_back(LeaseEndFrom(kDueMs + 900, kDueMs + 910, 1));
  EXPECT_FALSE(IsRefused(late));
}

TEST(LeaseTimes, AnAcknowledgedHeartbeatKeepsNoOverdueLease) {
  std::vector<Call> calls = {SuggestFrom(0, 10, "a", {1})};
  for (int64_t ms = 900; ms < 20'000; ms += 900) {
    calls.push_back(HeartbeatFrom(ms, ms + 10, "a", 1, true));
  }
  EXPECT_FALSE(IsRefused(calls));
  calls.erase(calls.begin() + 2, calls.begin() + 10);
  EXPECT_TRUE(IsRefused(calls));
}

TEST(LeaseTimes, ALostHeartbeatMayHaveRenewedTheLeaseOrNot) {
  const Call suggest = SuggestFrom(0, 10, "a", {1});
  const Call lost = Lost(HeartbeatFrom(900, 910, "a", 1, true));
  EXPECT_FALSE(IsRefused({suggest, lost, LeaseEndFrom(1100, 1110, 1)})) << "it had no effect";
  const Call late = LeaseEndFrom(kDueMs + 900, kDueMs + 910, 1);
  EXPECT_TRUE(IsRefused({suggest, late}));
  EXPECT_FALSE(IsRefused({suggest, lost, late})) << "it renewed the lease";
  const int64_t margin = kMarginUs / 1000;
  EXPECT_TRUE(IsRefused({suggest, lost, LeaseEndFrom(kDueMs + 911 + margin, 20'000, 1)}))
      << "not for ever";
}

TEST(LeaseTimes, ALostHeartbeatRenewsWhatItsWorkerHoldsAlone) {
  const Call suggest = SuggestFrom(0, 10, "a", {1});
  const Call seen = GetFrom(kDueMs + 900, kDueMs + 910, Active(1, "a"));
  Call lost = Lost(HeartbeatFrom(900, 910, "a", 2, true));
  EXPECT_TRUE(IsRefused({suggest, lost, seen})) << "another trial's";
  lost.numbers.clear();
  EXPECT_FALSE(IsRefused({suggest, lost, seen})) << "all of the worker's";
  lost.worker = "b";
  EXPECT_TRUE(IsRefused({suggest, lost, seen})) << "another worker's";
}

TEST(LeaseTimes, ALostSuggestOrReportMayHaveRenewedTheLease) {
  const Call suggest = SuggestFrom(0, 10, "a", {1});
  TrialSight reported = Active(1, "a");
  const Call seen = GetFrom(kDueMs + 900, kDueMs + 910, reported);
  EXPECT_FALSE(IsRefused({suggest, Lost(SuggestFrom(900, 910, "a", {1})), seen}));
  EXPECT_TRUE(IsRefused({suggest, Lost(SuggestFrom(900, 910, "b", {1})), seen}));
  EXPECT_EQ(OverdueLease(kSecond, {}, {suggest, Lost(ReportFrom(900, 910, 1, 0, 3, 1)), seen}), "");
  EXPECT_NE(OverdueLease(kSecond, {}, {suggest, Lost(ReportFrom(900, 910, 2, 0, 3, 1)), seen}), "");
}

TEST(LeaseTimes, ALeaseLastsLongerByACrash) {
  const Call suggest = SuggestFrom(0, 10, "a", {1});
  const Outages outage = {{500'000, 900'000}};
  const int64_t longer = 400 + kLostClockUs / 1000;
  EXPECT_FALSE(IsRefused({suggest, LeaseEndFrom(kDueMs + longer, 20'000, 1)}, outage));
  EXPECT_TRUE(IsRefused({suggest, LeaseEndFrom(kDueMs + longer + 11, 20'000, 1)}, outage));
  const Call after = SuggestFrom(1000, 1010, "a", {1});
  EXPECT_TRUE(IsRefused({after, LeaseEndFrom(1000 + kDueMs + 11, 20'000, 1)}, outage))
      << "it began later";
}

}  // namespace
}  // namespace slipstream::histories
