#include "client/cli/waiting_notice.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace slipstream::cli {
namespace {

constexpr std::chrono::milliseconds kPause(100);

const FailedAttempt kSilence = {absl::UnavailableError("connection refused"), false, kPause};

FailedAttempt Refusal(const char* message) {
  return {absl::ResourceExhaustedError(message), true, kPause};
}

TEST(WaitingNotice, TellsOnceOfSilenceWhenPausesComeToASecond) {
  std::ostringstream err;
  WaitingNotice notice("host:1", err);
  for (int pause = 0; pause < 9; ++pause) notice.Add(kSilence);
  EXPECT_EQ(err.str(), "");
  for (int pause = 0; pause < 20; ++pause) notice.Add(kSilence);
  EXPECT_EQ(err.str(), "slipstream: waiting for an answer from host:1\n");
}

TEST(WaitingNotice, TellsOnceWhatAServerAnswersThatHasToBeAskedAgain) {
  std::ostringstream err;
  WaitingNotice notice("host:1", err);
  for (int pause = 0; pause < 20; ++pause) notice.Add(Refusal("vision makes more calls"));
  const std::string told =
      "slipstream: trying again until host:1 accepts it: vision makes more calls\n";
  EXPECT_EQ(err.str(), told);
  notice.Add(kSilence);
  EXPECT_EQ(err.str(), told + "slipstream: waiting for an answer from host:1\n");
}

TEST(WaitingNotice, TellsSoonOfAttemptsThatTakeLong) {
  std::ostringstream err;
  WaitingNotice notice("host:1", err);
  FailedAttempt slow = kSilence;
  slow.took = std::chrono::seconds(10);
  notice.Add(slow);
  EXPECT_EQ(err.str(), "slipstream: waiting for an answer from host:1\n");
}

TEST(WaitingNotice, NoAnswerColoursATerminal) {
  std::ostringstream err;
  WaitingNotice notice("host:1", err);
  for (int pause = 0; pause < 20; ++pause) notice.Add(Refusal("\x1b[31mred"));
  EXPECT_EQ(err.str().find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace slipstream::cli
