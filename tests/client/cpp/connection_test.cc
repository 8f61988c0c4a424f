#include "client/cpp/connection.h"

#include <gtest/gtest.h>

namespace slipstream::client_internal {
namespace {

TEST(Connection, HasCredentialsOfItsOwnForEachLink) {
  int made = 0;
  Connection connection("127.0.0.1:1", [&made] {
    ++made;
    return made == 2 ? nullptr : grpc::InsecureChannelCredentials();
  });
  EXPECT_EQ(made, 1);
  const std::shared_ptr<const Link> first = connection.Current();
  EXPECT_EQ(connection.Current(), first);
  connection.Replace(*first);
  EXPECT_EQ(made, 2);  // These could not be made, so that the first ones serve again.
  EXPECT_NE(connection.Current(), first);
  connection.Replace(*first);
  EXPECT_EQ(made, 2) << "it was replaced already";
}

}  // namespace
}  // namespace slipstream::client_internal
