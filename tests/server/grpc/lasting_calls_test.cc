#include "server/grpc/lasting_calls.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <string>

namespace slipstream {
namespace {

Peer At(int family, const char* address, int port) {
  std::string ip(family == AF_INET ? 4 : 16, '\0');
  inet_pton(family, address, ip.data());
  return {ip, port};
}

TEST(LastingCalls, AreCountedByTheirPeer) {
  LastingCalls calls;
  const Peer one = At(AF_INET, "192.0.2.1", 7);
  const Peer other = At(AF_INET, "192.0.2.1", 8);
  calls.Begin(one);
  calls.Begin(one);
  calls.Begin(other);
  calls.End(one);
  EXPECT_EQ(calls.Of(one), 1);
  EXPECT_EQ(calls.Of(other), 1);
  calls.End(one);
  EXPECT_EQ(calls.Of(one), 0);
}

TEST(PeerNamed, ReadsWhatGrpcWrites) {
  EXPECT_EQ(PeerNamed("ipv4:192.0.2.1:7411"), At(AF_INET, "192.0.2.1", 7411));
  EXPECT_EQ(PeerNamed("ipv6:[2001:db8::1]:7"), At(AF_INET6, "2001:db8::1", 7));
  EXPECT_EQ(PeerNamed("ipv6:%5B::1%5D:7"), At(AF_INET6, "::1", 7));
  EXPECT_EQ(PeerNamed("ipv6:[fe80::1%25eth0]:7"), At(AF_INET6, "fe80::1", 7));
  for (const char* none : {"", "unix:/socket", "ipv4:192.0.2.1", "ipv4:nonsense:7"}) {
    EXPECT_EQ(PeerNamed(none), Peer()) << none;
  }
}

}  // namespace
}  // namespace slipstream
