#include "server/telemetry/line_limit.h"

#include <gtest/gtest.h>

namespace slipstream {
namespace {

constexpr absl::Duration kWindow = absl::Seconds(10);
const absl::Time kStart = absl::FromUnixSeconds(1'000'000);

TEST(LineLimit, SoManyLinesOfAKindAreWrittenInAWindow) {
  LineLimit limit({.lines = 2, .window = kWindow});
  EXPECT_TRUE(limit.Admit("a", kStart));
  EXPECT_TRUE(limit.Admit("a", kStart));
  EXPECT_FALSE(limit.Admit("a", kStart + absl::Seconds(9)));
  EXPECT_TRUE(limit.Admit("b", kStart + absl::Seconds(9))) << "another kind";
  EXPECT_TRUE(limit.Admit("a", kStart + kWindow)) << "the next window";
}

TEST(LineLimit, WhatWasLeftOutIsToldOnceWhenTheWindowIsOver) {
  LineLimit limit({.lines = 1, .window = kWindow});
  for (int i = 0; i < 5; ++i) limit.Admit("a", kStart);
  limit.Admit("b", kStart);
  EXPECT_TRUE(limit.TakeRepeats(kStart + absl::Seconds(9)).empty());
  const auto repeats = limit.TakeRepeats(kStart + kWindow);
  ASSERT_EQ(repeats.size(), 1u);
  EXPECT_EQ(repeats[0].key, "a");
  EXPECT_EQ(repeats[0].count, 4);
  EXPECT_EQ(repeats[0].window, kWindow);
  EXPECT_TRUE(limit.TakeRepeats(kStart + kWindow).empty());
}

TEST(LineLimit, WhatWasLeftOutIsToldAlsoWhenANewWindowHasBegun) {
  LineLimit limit({.lines = 1, .window = kWindow});
  for (int i = 0; i < 3; ++i) limit.Admit("a", kStart);
  limit.Admit("a", kStart + kWindow);
  const auto repeats = limit.TakeRepeats(kStart + kWindow);
  ASSERT_EQ(repeats.size(), 1u);
  EXPECT_EQ(repeats[0].count, 2);
}

TEST(LineLimit, AClockThatIsSetBackBeginsANewWindow) {
  LineLimit limit({.lines = 1, .window = kWindow});
  EXPECT_TRUE(limit.Admit("a", kStart));
  EXPECT_TRUE(limit.Admit("a", kStart - absl::Hours(1)));
  EXPECT_FALSE(limit.Admit("a", kStart - absl::Hours(1)));
}

TEST(LineLimit, KeysBeyondTheLimitCountTogether) {
  LineLimit limit({.lines = 1, .window = kWindow, .keys = 2});
  EXPECT_TRUE(limit.Admit("a", kStart));
  EXPECT_TRUE(limit.Admit("b", kStart));
  EXPECT_TRUE(limit.Admit("c", kStart));
  EXPECT_FALSE(limit.Admit("d", kStart));
  EXPECT_EQ(limit.TakeRepeats(kStart + kWindow).size(), 1u);
}

}  // namespace
}  // namespace slipstream
