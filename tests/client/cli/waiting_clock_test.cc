#include "client/cli/waiting_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace slipstream::cli {
namespace {

TEST(WaitingClock, TellsOnceOfPausesThatComeToASecond) {
  std::ostringstream err;
  std::chrono::nanoseconds slept{0};
  WaitingClock clock("host:1", err, [&](std::chrono::nanoseconds pause) { slept += pause; });
  for (int pause = 0; pause < 9; ++pause) clock.Sleep(std::chrono::milliseconds(100));
  EXPECT_EQ(err.str(), "");
  for (int pause = 0; pause < 20; ++pause) clock.Sleep(std::chrono::milliseconds(100));
  EXPECT_EQ(err.str(), "slipstream: waiting for an answer from host:1\n");
  EXPECT_EQ(slept, std::chrono::milliseconds(2900));
}

}  // namespace
}  // namespace slipstream::cli
