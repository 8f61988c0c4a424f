#include "tests/e2e/histories/linearization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/e2e/histories/hand_made_history.h"

namespace slipstream::histories {
namespace {

using testing::HasSubstr;

// The lease ends a second after it was given; nothing is queued more than twice again.
constexpr Policy kPolicy = {1'000'000, 2};

Verdict VerdictOn(const std::vector<Call>& calls) { return Linearize(kPolicy, calls); }

TEST(Linearization, AHistoryWithoutCallsIsLinearizable) {
  EXPECT_TRUE(VerdictOn({}).linearizable());
}

TEST(Linearization, CallsOneAfterTheOtherHaveOneOrder) {
  EXPECT_TRUE(VerdictOn({SuggestFrom(0, 10, "a", {1}), ObserveFrom(20, 30, "a", 1, 5),
                         GetFrom(40, 50, Succeeded(1, "a", 5)), SuggestFrom(60, 70, "a", {2})})
                  .linearizable());
}

TEST(Linearization, ConcurrentCallsMayHappenInAnyOrder) {
  const Call first = SuggestFrom(0, 100, "a", {2});
  const Call second = SuggestFrom(50, 150, "b", {1});
  EXPECT_TRUE(VerdictOn({first, second}).linearizable());
  EXPECT_TRUE(VerdictOn({second, first}).linearizable());
}

TEST(Linearization, CallsOneAfterTheOtherMayNotChangePlaces) {
  EXPECT_FALSE(
      VerdictOn({SuggestFrom(0, 40, "a", {2}), SuggestFrom(50, 150, "b", {1})}).linearizable());
}

TEST(Linearization, ATrialThatTwoWorkersGetAtOnceIsRefused) {
  const Verdict verdict = VerdictOn({SuggestFrom(0, 100, "a", {1}), SuggestFrom(0, 100, "b", {1})});
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNotLinearizable);
  EXPECT_THAT(verdict.reason, HasSubstr("Suggest by b"));
}

TEST(Linearization, ALostObserveThatWasAcknowledgedIsRefused) {
  EXPECT_FALSE(VerdictOn({SuggestFrom(0, 10, "a", {1}), ObserveFrom(20, 30, "a", 1, 5),
                          GetFrom(40, 50, Active(1, "a"))})
                   .linearizable());
  EXPECT_FALSE(VerdictOn({SuggestFrom(0, 10, "a", {1}), ObserveFrom(20, 30, "a", 1, 5),
                          SuggestFrom(40, 50, "a", {1})})
                   .linearizable());
}

TEST(Linearization, AnObserveWithAnotherValueThanTheFirstIsRefused) {
  const std::vector<Call> calls = {SuggestFrom(0, 10, "a", {1}), ObserveFrom(20, 30, "a", 1, 5)};
  std::vector<Call> both = calls;
  both.push_back(ObserveFrom(40, 50, "a", 1, 6));
  EXPECT_FALSE(VerdictOn(both).linearizable());
  both.back() = Refused(both.back());
  EXPECT_TRUE(VerdictOn(both).linearizable());
  both.back() = ObserveFrom(40, 50, "a", 1, 5);
  EXPECT_TRUE(VerdictOn(both).linearizable());
}

// The second trial exists as the server did the same Suggest again and leased another one.
TEST(Linearization, ARetryThatWasAppliedTwiceIsRefused) {
  EXPECT_FALSE(VerdictOn({SuggestFrom(0, 100, "a", {1}),
                          CallFrom(Verb::kList, 110, 120, {Active(1, "a"), Active(2, "a")})})
                   .linearizable());
  EXPECT_FALSE(
      VerdictOn({AddFrom(0, 100, 1, "x"), CallFrom(Verb::kList, 110, 120, {Queued(1), Queued(2)})})
          .linearizable());
  // A release that was done again took a trial away that the worker had just been given anew.
  EXPECT_FALSE(VerdictOn({SuggestFrom(0, 10, "a", {1}), ReleaseFrom(20, 30, "a", 1),
                          SuggestFrom(40, 50, "a", {1}), GetFrom(60, 70, Queued(1))})
                   .linearizable());
}

TEST(Linearization, AStaleReadIsRefused) {
  EXPECT_FALSE(VerdictOn({SuggestFrom(0, 10, "a", {1}), ReleaseFrom(20, 30, "a", 1),
                          GetFrom(40, 50, Active(1, "a"))})
                   .linearizable());
  // While the change is under way, either may be read; but not the old state after the new one.
  const Call change = UpdateFrom(20, 100, Active(1, "a"), "new");
  TrialSight before = Active(1, "a");
  before.note = "";
  TrialSight after = before;
  after.note = "new";
  EXPECT_TRUE(VerdictOn({SuggestFrom(0, 10, "a", {1}), change, GetFrom(30, 40, before),
                         GetFrom(50, 60, after)})
                  .linearizable());
  EXPECT_FALSE(VerdictOn({SuggestFrom(0, 10, "a", {1}), change, GetFrom(30, 40, after),
                          GetFrom(50, 60, before)})
                   .linearizable());
}

TEST(Linearization, ALostCallMayHaveHappenedOrNot) {
  const Call lost = Lost(SuggestFrom(0, 10, "a", {1}));
  EXPECT_TRUE(VerdictOn({lost, SuggestFrom(20, 30, "b", {1})}).linearizable());
  EXPECT_TRUE(VerdictOn({lost, SuggestFrom(20, 30, "b", {2})}).linearizable());
  EXPECT_FALSE(VerdictOn({lost, SuggestFrom(20, 30, "b", {3})}).linearizable());
}

TEST(Linearization, ALostCallMayHappenLongAfter) {
  EXPECT_TRUE(VerdictOn({Lost(AddFrom(0, 10, 1, "x")), SuggestFrom(20, 30, "b", {1}),
                         CallFrom(Verb::kList, 40, 50, {Active(1, "b"), Queued(2)})})
                  .linearizable());
}

TEST(Linearization, ALostCallHappensOnceAtMostAndNotBeforeItBegins) {
  const Call lost = Lost(AddFrom(20, 30, 1, "x"));
  EXPECT_FALSE(
      VerdictOn({lost, CallFrom(Verb::kList, 40, 50, {Queued(1), Queued(2)})}).linearizable());
  EXPECT_FALSE(VerdictOn({lost, CallFrom(Verb::kList, 0, 10, {Queued(1)})}).linearizable());
}

TEST(Linearization, ALeaseEndQueuesTheConfigurationAgain) {
  TrialSight stale = Stale(1, "a");
  stale.next = 2;
  TrialSight repeat = Active(2, "b");
  repeat.first = 1;
  Call again = SuggestFrom(1400, 1410, "b", {2});
  again.trials = {repeat};
  EXPECT_TRUE(VerdictOn({SuggestFrom(0, 10, "a", {1}), LeaseEndFrom(1100, 1300, 1), again,
                         GetFrom(1500, 1510, stale)})
                  .linearizable());
  EXPECT_FALSE(VerdictOn({SuggestFrom(0, 10, "a", {1}), again}).linearizable());
}

TEST(Linearization, ALeaseThatEndsTooEarlyIsRefused) {
  EXPECT_FALSE(
      VerdictOn({SuggestFrom(0, 10, "a", {1}), LeaseEndFrom(900, 1300, 1)}).linearizable());
  EXPECT_FALSE(VerdictOn({SuggestFrom(0, 10, "a", {1}), HeartbeatFrom(500, 510, "a", 1, true),
                          LeaseEndFrom(1100, 1300, 1)})
                   .linearizable());
  EXPECT_FALSE(VerdictOn({SuggestFrom(0, 10, "a", {1}), ReportFrom(500, 510, 1, 0, 3, 1),
                          LeaseEndFrom(1100, 1300, 1)})
                   .linearizable());
  EXPECT_TRUE(VerdictOn({SuggestFrom(0, 10, "a", {1}), HeartbeatFrom(500, 510, "a", 1, true),
                         LeaseEndFrom(1510, 1600, 1)})
                  .linearizable());
}

TEST(Linearization, LeasesEndInTheOrderOfTheirEvents) {
  const Call both = SuggestFrom(0, 10, "a", {1, 2});
  TrialSight first = Stale(1, "a");
  first.next = 3;
  EXPECT_TRUE(VerdictOn({both, LeaseEndFrom(1100, 1300, 1), LeaseEndFrom(1100, 1300, 2),
                         GetFrom(1400, 1410, first)})
                  .linearizable());
  EXPECT_FALSE(VerdictOn({both, LeaseEndFrom(1100, 1300, 2), LeaseEndFrom(1100, 1300, 1),
                          GetFrom(1400, 1410, first)})
                   .linearizable());
}

TEST(Linearization, AQueuedTrialThatWasPassedOverIsRefused) {
  EXPECT_FALSE(VerdictOn({AddFrom(0, 10, 1, "x"), SuggestFrom(20, 30, "a", {2})}).linearizable());
}

TEST(Linearization, ATrialHasOneConfiguration) {
  TrialSight other = Queued(1);
  other.configuration = "y";
  const Verdict verdict = VerdictOn({AddFrom(0, 10, 1, "x"), GetFrom(20, 30, other)});
  EXPECT_FALSE(verdict.linearizable());
  EXPECT_THAT(verdict.reason, HasSubstr("two configurations"));
}

TEST(Linearization, ASearchThatIsTooLongIsUndecided) {
  std::vector<Call> calls;
  for (int64_t i = 0; i < 12; ++i) {
    calls.push_back(SuggestFrom(0, 1000, "w" + std::to_string(i), {i + 1}));
  }
  calls.push_back(SuggestFrom(0, 1000, "x", {14}));
  EXPECT_EQ(Linearize(kPolicy, calls, {}, 3).kind, Verdict::Kind::kUndecided);
  EXPECT_EQ(Linearize(kPolicy, calls).kind, Verdict::Kind::kNotLinearizable);
}

// The verdict must not depend on the order in which calls are given, and a long history of many
// clients must be decided at once.
TEST(Linearization, ShuffledHistoriesOfManyClientsAreFoundLinearizable) {
  std::vector<Call> calls;
  for (int64_t i = 0; i < 200; ++i) {
    const std::string worker = "w" + std::to_string(i % 20);
    calls.push_back(SuggestFrom(10 * i, 10 * i + 90, worker, {i + 1}));
    calls.push_back(ObserveFrom(10 * i + 100, 10 * i + 190, worker, i + 1, 1));
  }
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::shuffle(calls.begin(), calls.end(), random);
    const Verdict verdict = VerdictOn(calls);
    EXPECT_TRUE(verdict.linearizable()) << verdict.reason;
    EXPECT_LT(verdict.steps, 5000);
  }
}

}  // namespace
}  // namespace slipstream::histories
