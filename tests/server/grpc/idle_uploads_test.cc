#include "server/grpc/idle_uploads.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/synchronization/notification.h"

namespace slipstream {
namespace {

TEST(IdleUploads, EndsWhatHasWaitedForLongerThanTheLimitOnce) {
  std::atomic<int> ended{0};
  absl::Notification end;
  IdleUploads uploads(absl::Milliseconds(20));
  uploads.Wait(&ended, [&] {
    if (++ended == 1) end.Notify();
  });
  EXPECT_TRUE(end.WaitForNotificationWithTimeout(absl::Seconds(30)));
  absl::Notification second;
  uploads.Wait(&second, [&] { second.Notify(); });
  EXPECT_TRUE(second.WaitForNotificationWithTimeout(absl::Seconds(30)));
  EXPECT_EQ(ended, 1);
}

TEST(IdleUploads, LeavesAloneWhatHasLeft) {
  std::atomic<bool> ended{false};
  absl::Notification other;
  IdleUploads uploads(absl::Milliseconds(20));
  uploads.Wait(&ended, [&] { ended = true; });
  uploads.Leave(&ended);
  uploads.Wait(&other, [&] { other.Notify(); });
  EXPECT_TRUE(other.WaitForNotificationWithTimeout(absl::Seconds(30)));
  EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace slipstream
