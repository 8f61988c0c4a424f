#include "client/cli/interruption.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>

namespace slipstream::cli {
namespace {

void AwaitStop(const Interruption& interruption) {
  while (!interruption.stop().stop_requested()) std::this_thread::yield();
}

TEST(Interruption, AsksForAStopAndThenEndsTheProcessByTheSignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(
        {
          const Interruption interruption;
          raise(signal);
          AwaitStop(interruption);
          interruption.Finish();
        },
        testing::KilledBySignal(signal), "");
  }
}

TEST(Interruption, EndsTheProcessAtALaterSignal) {
  EXPECT_EXIT(
      {
        const Interruption interruption;
        raise(SIGINT);
        AwaitStop(interruption);
        const auto begin = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() < begin + Interruption::kTogether) {
          std::this_thread::yield();
        }
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(Interruption, TakesSignalsThatComeTogetherForOne) {
  EXPECT_EXIT(
      {
        const Interruption interruption;
        raise(SIGTERM);
        raise(SIGTERM);
        raise(SIGINT);
        AwaitStop(interruption);
        std::cerr << "asked to stop";
        interruption.Finish();
      },
      testing::KilledBySignal(SIGTERM), "asked to stop");
}

TEST(Interruption, DoesNothingWithoutASignalAndLeavesSignalsAsTheyWere) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    const Interruption interruption;
    raise(SIGINT);
    interruption.Finish();
    EXPECT_FALSE(interruption.stop().stop_requested());
  }
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
}

}  // namespace
}  // namespace slipstream::cli
