#include "server/grpc/listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <vector>

#include "tests/e2e/raw_connection.h"

namespace slipstream {
namespace {

TEST(Listener, RefusesBeyondItsLimitAndGoesOnWhenOthersHaveEnded) {
  std::mutex mutex;
  std::vector<int> taken;
  std::string told;
  const auto listener =
      Listener::Listen("127.0.0.1", 0, {5, [&](const std::string& text) { told = text; }});
  ASSERT_TRUE(listener.ok()) << listener.status();
  (*listener)->Start([&](int connection) {
    const std::lock_guard lock(mutex);
    taken.push_back(connection);
  });
  const std::string address = "127.0.0.1:" + std::to_string((*listener)->port());
  // Both ends are in this process, so that each connection takes two descriptors.
  std::vector<RawConnection> connections;
  connections.emplace_back(address);
  while (!connections.back().IsClosedWithin(std::chrono::milliseconds(20))) {
    ASSERT_LT(connections.size(), 10u) << "none is refused";
    connections.emplace_back(address);
  }
  connections.clear();
  {
    const std::lock_guard lock(mutex);
    for (const int each : taken) close(each);
    taken.clear();
  }
  RawConnection later(address);
  EXPECT_FALSE(later.IsClosedWithin(std::chrono::milliseconds(50)));
  (*listener)->Close();
  EXPECT_NE(told.find("--max-connections 5"), std::string::npos) << told;
  for (const int each : taken) close(each);
}

TEST(Listener, ATakenPortIsRefusedByName) {
  const auto first = Listener::Listen("127.0.0.1", 0, {});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Listener::Listen("127.0.0.1", (*first)->port(), {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(second.status().message().find(std::to_string((*first)->port())), std::string::npos);
}

TEST(Listener, ItsAddressIsFreeAgainAfterClosing) {
  auto first = Listener::Listen("localhost", 0, {});
  ASSERT_TRUE(first.ok()) << first.status();
  const int port = (*first)->port();
  first->reset();
  EXPECT_TRUE(Listener::Listen("localhost", port, {}).ok());
}

TEST(Listener, AnAddressOfAnotherMachineIsRefused) {
  EXPECT_EQ(Listener::Listen("192.0.2.1", 0, {}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Listener::Listen("no.such.host.invalid", 0, {}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace slipstream
