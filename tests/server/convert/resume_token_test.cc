#include "server/convert/resume_token.h"

#include <gtest/gtest.h>

#include "core/base/status.h"
#include "server/convert/page_token.h"

namespace slipstream {
namespace {

EventRecord ExampleEvent() {
  EventRecord event;
  event.sequence = 7;
  event.kind = EventKind::kTrialLeased;
  event.study_key = 3;
  event.number = 2;
  event.time_ms = 1'700'000'000'000;
  event.detail = "w";
  return event;
}

TEST(ResumeToken, ReadsBackInItsScope) {
  const ResumePlace places[] = {{0, ""}, {7, StampOf(ExampleEvent())}};
  for (const ResumePlace& place : places) {
    const auto parsed = ParseResumeToken("events of s", MakeResumeToken("events of s", place));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, place);
  }
}

TEST(ResumeToken, OfAnEarlierVersionHasNoStamp) {
  const auto parsed = ParseResumeToken("events", MakePageToken("events", 7));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, (ResumePlace{7, ""}));
}

TEST(ResumeToken, IsRefusedElsewhereOrWhenMadeUp) {
  const std::string stamp = StampOf(ExampleEvent());
  const std::string token = MakeResumeToken("events of s", {7, stamp});
  const std::string without_stamp = token.substr(0, token.find('.'));
  for (const std::string& bad :
       {MakeResumeToken("events of t", {7, stamp}), token + "A", without_stamp,
        without_stamp + ".0123456789ab", std::string("nonsense"), "." + stamp}) {
    const auto parsed = ParseResumeToken("events of s", bad);
    EXPECT_TRUE(absl::IsInvalidArgument(parsed.status())) << bad;
    ASSERT_TRUE(ViolationOf(parsed.status()).has_value());
    EXPECT_EQ(ViolationOf(parsed.status())->field, "resume_token");
  }
}

TEST(ResumeToken, TheStampTellsWhatHappenedAndWhen) {
  const std::string stamp = StampOf(ExampleEvent());
  EXPECT_EQ(StampOf(ExampleEvent()), stamp);
  EventRecord other = ExampleEvent();
  ++other.time_ms;
  EXPECT_NE(StampOf(other), stamp);
  other = ExampleEvent();
  other.kind = EventKind::kTrialEnded;
  EXPECT_NE(StampOf(other), stamp);
  other = ExampleEvent();
  other.detail = "v";
  EXPECT_NE(StampOf(other), stamp);
}

}  // namespace
}  // namespace slipstream
