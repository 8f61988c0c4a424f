#include "client/cli/interruption.h"

#include <gtest/gtest.h>

#include <csignal>
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

TEST(Interruption, EndsTheProcessAtTheSecondSignal) {
  EXPECT_EXIT(
      {
        const Interruption interruption;
        raise(SIGINT);
        AwaitStop(interruption);
        raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
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
