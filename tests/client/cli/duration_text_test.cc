#include "client/cli/duration_text.h"

#include <gtest/gtest.h>

namespace slipstream::cli {
namespace {

TEST(DurationText, RoundsToTheLargestUnit) {
  EXPECT_EQ(RoundDuration(absl::ZeroDuration()), "0 s");
  EXPECT_EQ(RoundDuration(absl::Milliseconds(59'400)), "59 s");
  EXPECT_EQ(RoundDuration(absl::Milliseconds(59'600)), "1 min");
  EXPECT_EQ(RoundDuration(absl::Minutes(59)), "59 min");
  EXPECT_EQ(RoundDuration(absl::Minutes(90)), "1.5 h");
  EXPECT_EQ(RoundDuration(absl::Hours(10)), "10 h");
  EXPECT_EQ(RoundDuration(absl::Hours(60)), "3 d");
  EXPECT_EQ(RoundDuration(-absl::Minutes(5)), "-5 min");
  EXPECT_EQ(RoundDuration(-absl::Milliseconds(600)), "-1 s");
  EXPECT_EQ(RoundDuration(-absl::Milliseconds(40)), "0 s") << "clocks of machines differ";
}

TEST(DurationText, TellsSettingsExactly) {
  EXPECT_EQ(ExactDuration(absl::ZeroDuration()), "0 s");
  EXPECT_EQ(ExactDuration(absl::Seconds(90)), "1 min 30 s");
  EXPECT_EQ(ExactDuration(absl::Seconds(150)), "2 min 30 s");
  EXPECT_EQ(ExactDuration(absl::Minutes(100)), "1 h 40 min");
  EXPECT_EQ(ExactDuration(absl::Hours(1)), "1 h");
  EXPECT_EQ(ExactDuration(absl::Hours(60)), "2 d 12 h");
  EXPECT_EQ(ExactDuration(absl::Milliseconds(61'250)), "1 min 1.25 s");
}

TEST(DurationText, ReadsWhatPeopleType) {
  EXPECT_EQ(*ReadDuration("--lease", "90s"), absl::Seconds(90));
  EXPECT_EQ(*ReadDuration("--lease", "1h30m"), absl::Minutes(90));
  EXPECT_EQ(*ReadDuration("--lease", "2d"), absl::Hours(48));
  EXPECT_EQ(*ReadDuration("--lease", "1d12h"), absl::Hours(36));
  EXPECT_EQ(*ReadDuration("--lease", "off"), absl::ZeroDuration());
  for (const char* text : {"", "5", "soon", "-1h", "d", "1dx", "-1d", "inf", "999999999999999d",
                           "1h2d", "30m1d", "1d2d"}) {
    const auto read = ReadDuration("--lease", text);
    EXPECT_FALSE(read.ok()) << text;
    EXPECT_NE(read.status().message().find("--lease"), absl::string_view::npos);
  }
}

TEST(DurationText, ReadsAnIntervalOnlyIfItIsAboveZero) {
  EXPECT_EQ(*ReadInterval("--every", "1h30m"), absl::Minutes(90));
  for (const char* text : {"", "5", "off", "0", "0s", "0d", "-1h"}) {
    EXPECT_FALSE(ReadInterval("--every", text).ok()) << text;
  }
}

}  // namespace
}  // namespace slipstream::cli
