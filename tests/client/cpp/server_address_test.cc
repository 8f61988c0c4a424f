#include "client/cpp/server_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace slipstream::client_internal {
namespace {

using testing::HasSubstr;

TEST(ServerAddress, HasTheDefaultPortWhereNoneIsGiven) {
  EXPECT_EQ(WithPort("127.0.0.1"), "127.0.0.1:7411");
  EXPECT_EQ(WithPort("tuner.example.org"), "tuner.example.org:7411");
  EXPECT_EQ(WithPort("::1"), "[::1]:7411");
  EXPECT_EQ(WithPort("[::1]"), "[::1]:7411");
  EXPECT_EQ(WithPort("[::1:7411]"), "[::1:7411]:7411");
  EXPECT_EQ(WithPort("fe80::1%eth0"), "[fe80::1%eth0]:7411");
}

TEST(ServerAddress, StaysAsItIsOtherwise) {
  for (const char* address : {"", "localhost:80", "[::1]:80", "my_host.example:1",
                              "[fe80::1%eth0]:65535", "unix:socket", "unix:///run/socket",
                              "unix-abstract:name", "dns:///host", "ipv4:127.0.0.1"}) {
    EXPECT_EQ(WithPort(address), address);
    EXPECT_TRUE(CheckAddress(address).ok()) << address;
  }
}

TEST(ServerAddress, ThatCannotBeMeantIsRefused) {
  for (const char* address :
       {"127.0.0.1:82947", "host:65536", "host:0", "host:000080", "host:", "foo:bar", "host:-1",
        "host:+1", "host: 1", ":7411", "http://127.0.0.1:7411", "http://127.0.0.1", "a b", "a b:1",
        "user@host:7411", "host:7411/", "host:7411\n", "host\n", "[::1", "[::1]:", "[::1]7411",
        "[host]:7411", "[host", "[]", "[", "]", "::1:x", "1:2:3:x"}) {
    const absl::Status refused = CheckAddress(address);
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << address;
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr("must be host:port with a port from 1 to 65535"));
    EXPECT_EQ(WithPort(address), address);
  }
}

TEST(ServerAddress, WhereNobodyCanTellWhetherThereIsAPortIsRefused) {
  EXPECT_EQ(WithPort("::1:7411"), "::1:7411");
  const absl::Status refused = CheckAddress("::1:7411");
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("must be [::1]:7411"));
  EXPECT_TRUE(CheckAddress("2001:db8::7412").ok());
}

}  // namespace
}  // namespace slipstream::client_internal
