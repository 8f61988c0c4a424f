#include "tests/e2e/histories/event_hints.h"

#include <gtest/gtest.h>

#include "tests/e2e/histories/hand_made_history.h"

namespace slipstream::histories {
namespace {

using Event = v1::StudyEvent;

// Told two milliseconds later.
ToldEvent EventAt(int64_t ms, Event::Kind kind, int64_t number, const std::string& worker = "") {
  ToldEvent told;
  told.event.set_kind(kind);
  told.event.set_trial("studies/s/trials/" + std::to_string(number));
  told.event.set_worker(worker);
  told.event.mutable_time()->set_seconds(ms / 1000);
  told.event.mutable_time()->set_nanos(static_cast<int32_t>(ms % 1000) * 1'000'000);
  told.told_us = (ms + 2) * 1000;
  return told;
}

TEST(EventHints, LeaseEndsBecomeCallsInTheirOrder) {
  std::vector<Call> calls;
  AddLeaseEnds({EventAt(1500, Event::TRIAL_STALE, 2), EventAt(1500, Event::TRIAL_QUEUED, 3),
                EventAt(1501, Event::TRIAL_STALE, 1)},
               calls);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].verb, Verb::kLeaseEnd);
  EXPECT_EQ(calls[0].numbers.front(), 2);
  EXPECT_EQ(calls[0].start_us, 1'500'000);
  EXPECT_EQ(calls[0].end_us, 1'502'000);
  EXPECT_EQ(calls[1].numbers.front(), 1);
}

TEST(EventHints, CallsThatCausedEventsHaveTheirMoments) {
  std::vector<Call> calls = {Lost(SuggestFrom(0, 1, "a", {1})), SuggestFrom(2, 9, "a", {1}),
                             SuggestFrom(2, 9, "b", {2}), ObserveFrom(10, 19, "a", 1, 5),
                             GetFrom(10, 19, Active(2, "b"))};
  HintMoments({EventAt(4, Event::TRIAL_LEASED, 2, "b"), EventAt(4, Event::TRIAL_LEASED, 1, "a"),
               EventAt(12, Event::TRIAL_ENDED, 1)},
              calls);
  EXPECT_EQ(calls[0].moment_us, std::nullopt);
  EXPECT_EQ(calls[2].moment_us, 4'000);
  EXPECT_EQ(calls[1].moment_us, 4'001);
  EXPECT_EQ(calls[3].moment_us, 12'000);
  EXPECT_EQ(calls[4].moment_us, std::nullopt);
}

TEST(EventHints, AnEventThatNoAnsweredCallCausedIsALostOnes) {
  std::vector<Call> calls = {Lost(ObserveFrom(0, 1, "a", 1, 5))};
  HintMoments({EventAt(7, Event::TRIAL_ENDED, 2), EventAt(8, Event::TRIAL_ENDED, 1)}, calls);
  EXPECT_EQ(calls[0].moment_us, 8'000);
}

}  // namespace
}  // namespace slipstream::histories
