#include "client/cli/server_address.h"

#include <gtest/gtest.h>

namespace slipstream::cli {
namespace {

TEST(ServerAddress, HasTheDefaultPortWhereNoneIsGiven) {
  EXPECT_EQ(WithPort("127.0.0.1"), "127.0.0.1:7411");
  EXPECT_EQ(WithPort("tuner.example.org"), "tuner.example.org:7411");
  EXPECT_EQ(WithPort("::1"), "[::1]:7411");
  EXPECT_EQ(WithPort("[::1]"), "[::1]:7411");
}

TEST(ServerAddress, StaysAsItIsOtherwise) {
  for (const char* address : {"", "localhost:80", "[::1]:80", "unix:socket", "unix:///run/socket",
                              "unix-abstract:name", "dns:///host", "ipv4:127.0.0.1"}) {
    EXPECT_EQ(WithPort(address), address);
  }
}

}  // namespace
}  // namespace slipstream::cli
