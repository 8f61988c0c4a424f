#include "client/cli/usage_error.h"

#include <gtest/gtest.h>

namespace slipstream::cli {
namespace {

TEST(UsageError, HasAnExitCodeOfItsOwn) {
  EXPECT_EQ(ExitCode(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCode(absl::InvalidArgumentError("refused by the server")), 1);
  EXPECT_EQ(ExitCode(UsageError("--limit is missing")), 2);
  EXPECT_EQ(ExitCode(AsNoMoreTrials(absl::FailedPreconditionError("is PAUSED"))), 3);
}

TEST(UsageError, IsMadeOfAnotherErrorWithAPrefix) {
  const absl::Status status = AsUsageError("--value ", absl::NotFoundError("'x' is not a number"));
  EXPECT_TRUE(IsUsageError(status));
  EXPECT_EQ(status.message(), "--value 'x' is not a number");
}

TEST(UsageError, IsNotMadeOfOk) { EXPECT_TRUE(AsUsageError("--value ", absl::OkStatus()).ok()); }

}  // namespace
}  // namespace slipstream::cli
