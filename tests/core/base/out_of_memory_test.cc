#include "core/base/out_of_memory.h"

#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/status.h"
#include "tests/testing/allocation_limit.h"

namespace slipstream {
namespace {

TEST(OutOfMemory, IsAnErrorOfTheWork) {
  const absl::Status failed = OrOutOfMemory([]() -> absl::Status { throw std::bad_alloc(); });
  EXPECT_EQ(failed.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(IsOverload(failed)) << "results must not be lost because memory ran out for a moment";
  const absl::StatusOr<size_t> endless = OrOutOfMemory([]() -> absl::StatusOr<size_t> {
    volatile size_t size = std::numeric_limits<size_t>::max();
    return std::vector<double>(size).size();
  });
  EXPECT_EQ(endless.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(IsOverload(endless.status()));
}

TEST(OutOfMemory, IsAnErrorThatTakesNoMemory) {
  absl::Status failed;
  {
    const AllocationLimit limit(0);
    failed = OrOutOfMemory([]() -> absl::Status { throw std::bad_alloc(); });
  }
  EXPECT_TRUE(IsOverload(failed)) << failed;
}

TEST(OutOfMemory, OtherResultsPassThrough) {
  EXPECT_EQ(*OrOutOfMemory([]() -> absl::StatusOr<int> { return 7; }), 7);
  EXPECT_TRUE(absl::IsNotFound(OrOutOfMemory([] { return absl::NotFoundError("x"); })));
}

}  // namespace
}  // namespace slipstream
