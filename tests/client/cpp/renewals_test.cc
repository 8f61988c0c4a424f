#include "client/cpp/renewals.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace slipstream::client_internal {
namespace {

using std::chrono::milliseconds;

TEST(Renewals, RenewUntilNoPauseIsReturned) {
  std::promise<void> ended;
  std::atomic<int> renewed{0};
  Renewals renewals;
  ASSERT_TRUE(renewals.Start().ok());
  renewals.Add(milliseconds(1), [&]() -> Renewals::Pause {
    if (++renewed < 3) return milliseconds(1);
    ended.set_value();
    return std::nullopt;
  });
  ended.get_future().wait();
  EXPECT_EQ(renewed, 3);
}

TEST(Renewals, ServeTheOneThatIsDueFirst) {
  std::promise<void> soon;
  Renewals renewals;
  ASSERT_TRUE(renewals.Start().ok());
  std::atomic<bool> late{false};
  renewals.Add(std::chrono::hours(1), [&]() -> Renewals::Pause {
    late = true;
    return std::nullopt;
  });
  renewals.Add(milliseconds(1), [&]() -> Renewals::Pause {
    soon.set_value();
    return std::nullopt;
  });
  soon.get_future().wait();
  EXPECT_FALSE(late);
}

TEST(Renewals, StopForOneThatWasRemoved) {
  Renewals renewals;
  ASSERT_TRUE(renewals.Start().ok());
  std::atomic<int> removed{0}, kept{0};
  const int64_t id = renewals.Add(milliseconds(1), [&]() -> Renewals::Pause {
    ++removed;
    return milliseconds(1);
  });
  while (removed == 0) std::this_thread::yield();
  renewals.Remove(id);
  const auto count = [&]() -> Renewals::Pause {
    ++kept;
    return milliseconds(1);
  };
  renewals.Add(milliseconds(1), count);
  while (kept < 2) std::this_thread::yield();  // One that was under way is over by now.
  const int before = removed;
  while (kept < 10) std::this_thread::yield();
  EXPECT_EQ(removed, before);
}

TEST(Renewals, TakePausesThatNoClockReaches) {
  Renewals renewals;
  ASSERT_TRUE(renewals.Start().ok());
  std::atomic<int> renewed{0};
  renewals.Add(std::chrono::nanoseconds::max(), [&]() -> Renewals::Pause {
    ++renewed;
    return std::nullopt;
  });
  std::promise<void> soon;
  renewals.Add(milliseconds(1), [&]() -> Renewals::Pause {
    soon.set_value();
    return std::nullopt;
  });
  soon.get_future().wait();
  EXPECT_EQ(renewed, 0);
}

}  // namespace
}  // namespace slipstream::client_internal
