#include "server/grpc/listener.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/raw_connection.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

// At a free port of this host.
ListeningSockets SocketsAt(const std::string& host) {
  auto sockets = ListeningSockets::At({host});
  if (!sockets.ok()) throw std::runtime_error(sockets.status().ToString());
  return *std::move(sockets);
}

// Takes connections and keeps them.
class Taken {
 public:
  void Take(int connection) {
    const std::lock_guard lock(mutex_);
    connections_.push_back(connection);
  }
  void CloseAll() {
    const std::lock_guard lock(mutex_);
    for (const int each : connections_) close(each);
    connections_.clear();
  }
  ~Taken() { CloseAll(); }

 private:
  std::mutex mutex_;
  std::vector<int> connections_;
};

class ListenerTest : public testing::Test {
 protected:
  void Start(int max_connections, int max_connections_per_address) {
    ListeningSockets sockets = SocketsAt("127.0.0.1");
    address_ = "127.0.0.1:" + std::to_string(sockets.port());
    listener_ = std::make_unique<Listener>(
        std::move(sockets),
        ListenerOptions{max_connections, max_connections_per_address,
                        [this](const std::string& text) {
                          if (is_out_of_memory_) throw std::bad_alloc();
                          told_ += text + "\n";
                        }});
    listener_->Start([this](int connection) {
      if (cannot_take_) throw std::bad_alloc();
      taken_.Take(connection);
    });
  }
  bool IsTaken(const std::string& from) {
    return !connections_.emplace_back(address_, from).IsClosedWithin(std::chrono::milliseconds(50));
  }

  bool is_out_of_memory_ = false;
  bool cannot_take_ = false;
  std::string told_;  // Safe to read once the listener has been closed.
  Taken taken_;
  std::unique_ptr<Listener> listener_;
  std::string address_;
  std::vector<RawConnection> connections_;
};

TEST_F(ListenerTest, ClosesAConnectionForWhichMemoryRunsOutAndGoesOn) {
  is_out_of_memory_ = true;
  Start(100, 1);
  EXPECT_TRUE(IsTaken("127.0.0.1"));
  EXPECT_FALSE(IsTaken("127.0.0.1"));
  EXPECT_TRUE(IsTaken("127.0.0.2"));
}

TEST_F(ListenerTest, ClosesAConnectionThatCannotBeTakenAsMemoryRunsOut) {
  cannot_take_ = true;
  Start(100, 100);
  EXPECT_FALSE(IsTaken("127.0.0.1"));
}

TEST_F(ListenerTest, RefusesBeyondItsLimitAndGoesOnWhenOthersHaveEnded) {
  Start(5, 100);
  // Both ends are in this process, so that each connection takes two descriptors.
  while (IsTaken("127.0.0.1")) ASSERT_LT(connections_.size(), 10u) << "none is refused";
  connections_.clear();
  taken_.CloseAll();
  EXPECT_TRUE(IsTaken("127.0.0.1"));
  listener_->Close();
  EXPECT_THAT(told_, HasSubstr("--max-connections 5"));
  EXPECT_GE(listener_->refused(Listener::Limit::kConnections), 1);
}

TEST_F(ListenerTest, OneAddressIsRefusedBeyondItsLimitAndOthersAreServed) {
  Start(1000, 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(IsTaken("127.0.0.1"));
  EXPECT_FALSE(IsTaken("127.0.0.1"));
  EXPECT_FALSE(IsTaken("127.0.0.1"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(IsTaken("127.0.0.2"));
  EXPECT_FALSE(IsTaken("127.0.0.2"));
  connections_.clear();
  taken_.CloseAll();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(IsTaken("127.0.0.1")) << "the others have ended";
  EXPECT_FALSE(IsTaken("127.0.0.1"));
  listener_->Close();
  EXPECT_THAT(told_, HasSubstr("as many of 127.0.0.1 are open as are allowed"));
  EXPECT_THAT(told_, HasSubstr("(--max-connections-per-address 3)"));
  EXPECT_EQ(listener_->refused(Listener::Limit::kOfAnAddress), 4);
  EXPECT_EQ(listener_->refused(Listener::Limit::kConnections), 0);
}

TEST(Listener, CallersByIp4AreKnownAsSuchWhereIp6IsListenedTo) {
  std::string told;
  Taken taken;
  auto sockets = ListeningSockets::At({"[::]"});
  if (!sockets.ok()) GTEST_SKIP() << sockets.status();
  const std::string address = "127.0.0.1:" + std::to_string(sockets->port());
  Listener listener(*std::move(sockets), {100, 2, [&](const std::string& text) { told = text; }});
  listener.Start([&](int connection) { taken.Take(connection); });
  std::vector<RawConnection> connections;
  for (int i = 0; i < 3; ++i) connections.emplace_back(address);
  EXPECT_TRUE(connections.back().IsClosedWithin(std::chrono::seconds(20)));
  listener.Close();
  EXPECT_THAT(told, HasSubstr("of 127.0.0.1 are open"));
}

// As some load balancers do to see whether a port is open.
void ConnectAndReset(uint16_t port) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const linger none = {.l_onoff = 1, .l_linger = 0};
  setsockopt(made, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(made, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  close(made);
}

// Whose they were is not known any more.
TEST(Listener, ConnectionsThatWereResetBeforeTheyAreAcceptedDoNotCount) {
  std::string told;
  Taken taken;
  ListeningSockets sockets = SocketsAt("127.0.0.1");
  const int port = sockets.port();
  for (int i = 0; i < 3; ++i) ConnectAndReset(static_cast<uint16_t>(port));
  Listener listener(std::move(sockets), {100, 1, [&](const std::string& text) { told += text; }});
  listener.Start([&](int connection) { taken.Take(connection); });
  RawConnection later("127.0.0.1:" + std::to_string(port));
  EXPECT_FALSE(later.IsClosedWithin(std::chrono::milliseconds(50)));
  listener.Close();
  EXPECT_EQ(told, "");
  EXPECT_EQ(listener.refused(Listener::Limit::kOfAnAddress), 0);
}

// A socket whose other end is this port of this machine.
int ConnectedTo(uint16_t port) {
  const int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(made, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return made;
}

// Looking takes as many system calls as connections are open.
TEST(OpenConnections, ClosedOnesAreNotLookedForAgainAtOnce) {
  OpenConnections::Time now;
  OpenConnections open(1, [&now] { return now; });
  const int first = ConnectedTo(1001);
  const int second = ConnectedTo(1002);
  const int third = ConnectedTo(1003);
  EXPECT_TRUE(open.Add(first, PeerOf(first)));
  EXPECT_FALSE(open.Add(second, PeerOf(second))) << "the first is still open";
  close(first);
  EXPECT_FALSE(open.Add(second, PeerOf(second))) << "it was looked at a moment ago";
  now += std::chrono::seconds(1);
  EXPECT_TRUE(open.Add(second, PeerOf(second)));
  close(second);
  EXPECT_FALSE(open.Add(third, PeerOf(third))) << "the second was open a moment ago";
  now += std::chrono::seconds(1);
  EXPECT_TRUE(open.Add(third, PeerOf(third)));
  close(third);
}

TEST(AddressOf, IsAnAddressOfIp4OrANetworkOfIp6) {
  const auto address_of = [](int family, const char* text) {
    std::string ip(family == AF_INET ? 4 : 16, '\0');
    inet_pton(family, text, ip.data());
    return AddressOf({ip, 7});
  };
  EXPECT_EQ(address_of(AF_INET, "192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(address_of(AF_INET6, "2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(AddressOf({}), "");
}

}  // namespace
}  // namespace slipstream
