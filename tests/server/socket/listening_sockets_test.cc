#include "server/socket/listening_sockets.h"

#include <gtest/gtest.h>

#include <string>

namespace slipstream {
namespace {

TEST(ListeningSockets, ATakenPortIsRefusedByName) {
  const auto first = ListeningSockets::At({"127.0.0.1"});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = ListeningSockets::At({"127.0.0.1", first->port()});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(second.status().message().find(std::to_string(first->port())), std::string::npos);
}

TEST(ListeningSockets, TheirAddressIsFreeAgainAfterClosing) {
  auto first = ListeningSockets::At({"localhost"});
  ASSERT_TRUE(first.ok()) << first.status();
  first->Close();
  EXPECT_TRUE(ListeningSockets::At({"localhost", first->port()}).ok());
}

TEST(ListeningSockets, AnAddressOfAnotherMachineIsRefused) {
  for (const char* host : {"192.0.2.1", "no.such.host.invalid"}) {
    EXPECT_EQ(ListeningSockets::At({host}).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(HostAndPort, IsReadAsItIsWritten) {
  for (const char* text : {"127.0.0.1:7411", "[::1]:7411", "localhost:0", "0.0.0.0:65535"}) {
    const auto address = ParseHostAndPort("listen", text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->Text(), text);
  }
  for (const char* text : {"nonsense", "127.0.0.1", "127.0.0.1:x", "a:65536", "a:-1", ":1", "a:",
                           "", "[::1]", "::1", "2001:db8::1", "::1:", "::1:x", "1:2:7411"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseHostAndPort("listen", text).status())) << text;
  }
}

// Texts without brackets were accepted before.
TEST(HostAndPort, AnAddressOfIp6GetsBrackets) {
  for (const char* host : {"::1", "::", "2001:db8::1", "fe80::1%eth0"}) {
    const auto address = ParseHostAndPort("listen", std::string(host) + ":7411");
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->Text(), "[" + std::string(host) + "]:7411");
  }
}

}  // namespace
}  // namespace slipstream
