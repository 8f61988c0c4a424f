#include "server/store/store_options.h"

#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

absl::Status Check(void (*change)(StoreOptions&)) {
  StoreOptions options;
  change(options);
  return CheckStoreOptions(options, 1000000);
}

TEST(CheckStoreOptions, NamesTheOptionThatIsOutOfItsBounds) {
  EXPECT_TRUE(Check([](StoreOptions&) {}).ok());
  EXPECT_THAT(Check([](StoreOptions& o) { o.now_ms = nullptr; }),
              IsRefusal(kInvalidArgument, "now_ms is empty, must be a function"));
  EXPECT_THAT(Check([](StoreOptions& o) { o.steady_now = nullptr; }),
              IsRefusal(kInvalidArgument, "steady_now is empty, must be a function"));
  EXPECT_THAT(Check([](StoreOptions& o) { o.retention = absl::ZeroDuration(); }),
              IsRefusal(kInvalidArgument, "retention is 0"));
  EXPECT_THAT(Check([](StoreOptions& o) { o.retention = absl::InfiniteDuration(); }),
              IsRefusal(kInvalidArgument, "retention is inf"));
  EXPECT_THAT(Check([](StoreOptions& o) { o.max_waiting_writes = 0; }),
              IsRefusal(kInvalidArgument, "max_waiting_writes is 0, must be 1 to"));
  EXPECT_THAT(Check([](StoreOptions& o) { o.max_writes_per_commit = 0; }),
              IsRefusal(kInvalidArgument, "max_writes_per_commit is 0, must be 1 to"));
  EXPECT_THAT(Check([](StoreOptions& o) { o.max_trials_per_study = 0; }),
              IsRefusal(kInvalidArgument, "max_trials_per_study is 0, must be 1 to 1000000"));
  EXPECT_THAT(Check([](StoreOptions& o) { o.max_trials_per_study = 1000001; }),
              IsRefusal(kInvalidArgument, "max_trials_per_study"));
}

TEST(CheckStoreOptions, TheDefaultClockIsTheSystems) {
  const int64_t before = absl::ToUnixMillis(absl::Now());
  const int64_t now = StoreOptions().now_ms();
  EXPECT_LE(before, now);
  EXPECT_LE(now, absl::ToUnixMillis(absl::Now()));
}

}  // namespace
}  // namespace slipstream
