#include "core/base/deadline.h"

#include <chrono>
#include <stop_token>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(Deadline, AnInfiniteOneNeverPasses) {
  EXPECT_FALSE(Deadline::Infinite().has_passed());
  EXPECT_TRUE(Deadline::Infinite().is_infinite());
  EXPECT_TRUE(Deadline::Infinite().Check("late").ok());
  EXPECT_TRUE(Deadline::In(absl::InfiniteDuration()).is_infinite());
  EXPECT_TRUE(Deadline::Infinite().Part(0.5).is_infinite());
}

TEST(Deadline, PassesWithTheMonotonicClock) {
  EXPECT_FALSE(Deadline::In(absl::Hours(1)).has_passed());
  EXPECT_TRUE(Deadline::In(absl::ZeroDuration()).has_passed());
  EXPECT_TRUE(Deadline::In(-absl::Hours(1)).has_passed());
  EXPECT_TRUE(Deadline::Passed().has_passed());
  const auto now = Deadline::Clock::now();
  EXPECT_TRUE(Deadline::At(now).has_passed());
  EXPECT_FALSE(Deadline::At(now + std::chrono::hours(1)).has_passed());
  EXPECT_TRUE(Deadline::Clock::is_steady);
}

TEST(Deadline, SaysWhichOfBothHappened) {
  EXPECT_EQ(Deadline::Passed().Check("too late"), absl::DeadlineExceededError("too late"));
  std::stop_source stop;
  const Deadline deadline = Deadline::Infinite().WithStop(stop.get_token());
  EXPECT_TRUE(deadline.Check("too late").ok());
  EXPECT_FALSE(deadline.is_stopped());
  stop.request_stop();
  EXPECT_TRUE(deadline.is_stopped());
  EXPECT_TRUE(deadline.has_passed());
  EXPECT_TRUE(absl::IsCancelled(deadline.Check("too late")));
  EXPECT_TRUE(absl::IsCancelled(deadline.Part(0.5).Check("too late")));
}

TEST(Deadline, APartEndsAtThatShareOfTheTimeLeft) {
  const auto before = Deadline::Clock::now();
  const Deadline whole = Deadline::At(before + std::chrono::hours(10));
  const Deadline part = whole.Part(0.25);
  const auto after = Deadline::Clock::now();
  const auto least = before + std::chrono::minutes(150);
  EXPECT_GE(part.moment(), least - std::chrono::milliseconds(1));
  EXPECT_LE(part.moment(), least + (after - before) + std::chrono::milliseconds(1));
  EXPECT_TRUE(Deadline::Passed().Part(0.25).has_passed());
}

}  // namespace
}  // namespace slipstream
