#include "server/service/lease_sweeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "tests/server/service/observed_store.h"
#include "tests/server/store/store_calls.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;

class LeaseSweeperTest : public ::testing::Test {
 protected:
  LeaseSweeperTest() {
    StoreOptions options;
    options.now_ms = clock_.Function();
    options.max_leases_per_sweep = 2;
    store_ = MakeMemoryStore(options);
    NewStudy study = StudyNamed("s");
    study.lease = {.duration_ms = 1'000, .max_requeues = 1};
    study_ = *CreateStudy(*store_, study);
    EXPECT_TRUE(LeaseFresh(*store_, study_, "w", 5).ok());
  }

  FakeClock clock_;
  std::unique_ptr<Store> store_;
  StudyRecord study_;
};

TEST_F(LeaseSweeperTest, ASweepEndsAllLeasesThatHaveRunOut) {
  int64_t stale = 0;
  LeaseSweeper sweeper(store_.get(), absl::InfiniteDuration(),
                       [&stale](const LeaseSweep& sweep) { stale += sweep.stale; });
  ASSERT_TRUE(sweeper.Sweep().ok());
  EXPECT_EQ(stale, 0);
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(sweeper.Sweep().ok());
  EXPECT_EQ(stale, 5);
  EXPECT_EQ(store_->GetStudy("s")->trial_count, 10);
}

TEST_F(LeaseSweeperTest, ItsThreadSweepsByItself) {
  clock_.Advance(absl::Seconds(1));
  std::promise<void> swept;
  int64_t stale = 0;
  const LeaseSweeper sweeper(store_.get(), absl::Milliseconds(1), [&](const LeaseSweep& sweep) {
    stale += sweep.stale;
    if (stale == 5) swept.set_value();
  });
  swept.get_future().wait();
  EXPECT_EQ(store_->GetTrial("s", 5)->state, TrialState::kStale);
}

// Whose sweeps fail.
class StoreThatIsLocked : public ObservedStore {
 public:
  explicit StoreThatIsLocked(Store* store) : ObservedStore(store, [](const std::string&) {}) {}
  void SweepLeases(Write<LeaseSweep> write) override {
    write.done(absl::UnavailableError("it is locked"), std::nullopt);
  }
};

TEST_F(LeaseSweeperTest, SweepsThatFailAreReportedAndCounted) {
  clock_.Advance(absl::Seconds(1));
  StoreThatIsLocked locked(store_.get());
  std::vector<std::string> failures;
  LeaseSweeper sweeper(
      &locked, absl::InfiniteDuration(), [](const LeaseSweep&) { FAIL() << "nothing was swept"; },
      [&](const absl::Status& status) { failures.emplace_back(status.message()); });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(sweeper.Sweep().message(), "it is locked");
  EXPECT_THAT(failures, ElementsAre("it is locked", "it is locked"));
  EXPECT_EQ(sweeper.failures(), 2);
}

// Whose reads want more memory than there is.
class StoreWithoutMemory : public ObservedStore {
 public:
  explicit StoreWithoutMemory(Store* store) : ObservedStore(store, [](const std::string&) {}) {}
  absl::StatusOr<bool> LeasesNeedSweep() override { throw std::bad_alloc(); }
};

TEST_F(LeaseSweeperTest, WithoutMemoryASweepFailsAndNotTheServer) {
  StoreWithoutMemory store(store_.get());
  LeaseSweeper sweeper(&store, absl::InfiniteDuration());
  EXPECT_TRUE(absl::IsResourceExhausted(sweeper.Sweep()));
  EXPECT_EQ(sweeper.failures(), 1);
}

}  // namespace
}  // namespace slipstream
