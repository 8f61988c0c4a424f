#include "server/service/lease_sweeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "server/service/service.h"
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
  std::vector<LeaseSweep> told;
  LeaseSweeper sweeper(store_.get(), absl::InfiniteDuration(),
                       [&told](const LeaseSweep& sweep) { told.push_back(sweep); });
  ASSERT_TRUE(sweeper.Sweep().ok());
  EXPECT_TRUE(told.empty());
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(sweeper.Sweep().ok());
  ASSERT_EQ(told.size(), 1u) << "it takes three transactions";
  EXPECT_EQ(told[0].stale, 5);
  EXPECT_EQ(told[0].queued_again, 5);
  EXPECT_THAT(told[0].trials,
              ElementsAre("studies/s/trials/1", "studies/s/trials/2", "studies/s/trials/3"));
  EXPECT_EQ(store_->GetStudy("s")->trial_count, 10);
}

TEST_F(LeaseSweeperTest, TimeThatCountsAsNoneIsReported) {
  std::vector<int64_t> uncounted;
  LeaseSweeper sweeper(store_.get(), absl::InfiniteDuration(), [&](const LeaseSweep& sweep) {
    EXPECT_EQ(sweep.stale, 0);
    uncounted.push_back(sweep.uncounted_ms);
  });
  for (const absl::Duration step : {absl::Milliseconds(500), absl::Minutes(2), -absl::Minutes(2),
                                    -absl::Seconds(60)}) {
    clock_.Advance(step);
    ASSERT_TRUE(sweeper.Sweep().ok());
  }
  EXPECT_THAT(uncounted, ElementsAre(120'500, -120'000));
  EXPECT_EQ(store_->GetTrial("s", 5)->state, TrialState::kActive);
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

TEST_F(LeaseSweeperTest, TheServiceCountsSweepsOfOthersToo) {
  std::vector<int64_t> ended;
  std::vector<absl::Duration> gaps;
  ServiceOptions options;
  options.lease_sweep_period = absl::InfiniteDuration();
  options.on_lease_sweep = [&](const LeaseSweep& sweep) { ended.push_back(sweep.stale); };
  options.on_lease_clock_gap = [&](absl::Duration by) { gaps.push_back(by); };
  Service service(store_.get(), options);
  LeaseSweep stopped;
  stopped.uncounted_ms = -90'000;
  service.NoteSweep(stopped);
  LeaseSweep ending;
  ending.stale = 3;
  ending.queued_again = 2;
  service.NoteSweep(ending);
  EXPECT_THAT(ended, ElementsAre(3));
  EXPECT_THAT(gaps, ElementsAre(-absl::Seconds(90)));
  const ServiceFigures figures = service.Figures();
  EXPECT_EQ(figures.stale_leases, 3);
  EXPECT_EQ(figures.queued_again, 2);
  EXPECT_EQ(figures.lease_clock_gaps, 1);
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
