#include "client/cpp/shared_objects.h"

#include <gtest/gtest.h>

namespace slipstream::client_internal {
namespace {

TEST(SharedObjects, LastForAsLongAsSomebodyHoldsThem) {
  SharedObjects<int> numbers;
  int made = 0;
  const auto make = [&made] { return std::make_shared<int>(++made); };
  std::shared_ptr<int> first = numbers.Get("a", make);
  EXPECT_EQ(numbers.Get("a", make), first);
  EXPECT_EQ(*numbers.Get("b", make), 2);
  first = nullptr;
  EXPECT_EQ(*numbers.Get("a", make), 3);
}

}  // namespace
}  // namespace slipstream::client_internal
