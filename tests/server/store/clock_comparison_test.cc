#include "server/store/clock_comparison.h"

#include <gtest/gtest.h>

namespace slipstream {
namespace {

TEST(ClockComparison, NoticesThatAClockWasSetByAMinuteOrMore) {
  ClockComparison clocks;
  absl::Time now = absl::FromUnixSeconds(1'777'627'800);
  std::chrono::steady_clock::time_point steady_now;
  const auto set_by = [&](absl::Duration shown, std::chrono::seconds passed) {
    now += shown;
    steady_now += passed;
    return clocks.SetBy(now, steady_now);
  };
  EXPECT_EQ(set_by(absl::Hours(5), std::chrono::hours(1)), absl::ZeroDuration()) << "first";
  EXPECT_EQ(set_by(absl::Hours(3), std::chrono::hours(3)), absl::ZeroDuration());
  EXPECT_EQ(set_by(absl::Seconds(60), std::chrono::seconds(1)), absl::ZeroDuration());
  EXPECT_EQ(set_by(-absl::Seconds(58), std::chrono::seconds(1)), absl::ZeroDuration());
  EXPECT_EQ(set_by(absl::Seconds(61), std::chrono::seconds(1)), absl::Seconds(60));
  EXPECT_EQ(set_by(-absl::Hours(48), std::chrono::seconds(2)), -absl::Hours(48) - absl::Seconds(2));
  EXPECT_EQ(set_by(absl::Seconds(1), std::chrono::seconds(1)), absl::ZeroDuration());
  EXPECT_EQ(clocks.SetSince(now + absl::Hours(1), steady_now), absl::Hours(1));
  EXPECT_EQ(set_by(absl::Hours(2), std::chrono::hours(0)), absl::Hours(2)) << "as if unasked";
}

}  // namespace
}  // namespace slipstream
