#include "server/telemetry/upkeep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tests/server/service/observed_store.h"
#include "tests/server/store/store_calls.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Upkeep, AClockThatWasSetIsReported) {
  std::vector<std::string> lines;
  LogOptions options;
  options.sink = [&](absl::string_view line) { lines.emplace_back(line); };
  Log log(options);
  absl::Time now = absl::FromUnixSeconds(1'777'627'800);
  std::chrono::steady_clock::time_point steady;
  const std::unique_ptr<Store> store = MakeMemoryStore({});
  Upkeep upkeep(store.get(), &log, [](bool) {}, [](const LeaseSweep&) {},
                {.now = [&] { return now; }, .steady_now = [&] { return steady; }});
  const auto pass = [&](absl::Duration shown, std::chrono::seconds passed) {
    now += shown;
    steady += passed;
    upkeep.Run();
  };
  pass(absl::Seconds(1), std::chrono::seconds(1));
  pass(absl::Hours(3), std::chrono::hours(3));  // A round that came late.
  pass(absl::Seconds(30), std::chrono::seconds(1));
  EXPECT_THAT(lines, IsEmpty());
  pass(absl::Hours(48), std::chrono::seconds(0));
  pass(-absl::Hours(48), std::chrono::seconds(0));
  pass(absl::Seconds(1), std::chrono::seconds(1));
  EXPECT_THAT(lines,
              ElementsAre(HasSubstr("warning the system's clock was set by_seconds=172800 "),
                          HasSubstr("by_seconds=-172800 ")));
}

// Whose disk was full at the latest attempt to write.
class StoreThatWasFull : public ObservedStore {
 public:
  explicit StoreThatWasFull(Store* store) : ObservedStore(store, [](const std::string&) {}) {}
  StoreFigures Figures() override {
    StoreFigures figures;
    figures.database.refusal = "the disk is full";
    return figures;
  }
};

TEST(Upkeep, AnAttemptToWriteThatRunsOutOfMemoryIsRepeated) {
  class StoreWithoutMemory : public StoreThatWasFull {
   public:
    using StoreThatWasFull::StoreThatWasFull;
    void SweepLeases(Write<LeaseSweep>) override {
      ++attempts;
      throw std::bad_alloc();
    }
    int attempts = 0;
  };
  const std::unique_ptr<Store> store = MakeMemoryStore({});
  StoreWithoutMemory without_memory(store.get());
  Log log({.sink = [](absl::string_view) {}});
  Upkeep upkeep(&without_memory, &log, [](bool) {}, [](const LeaseSweep&) {});
  for (int round = 0; round < 2; ++round) {
    try {
      upkeep.Run();
    } catch (const std::bad_alloc&) {
    }
  }
  EXPECT_EQ(without_memory.attempts, 2);
}

TEST(Upkeep, LeasesThatItsAttemptToWriteEndsAreReportedAsAnyOthers) {
  FakeClock clock;
  StoreOptions options;
  options.now_ms = clock.Function();
  const std::unique_ptr<Store> store = MakeMemoryStore(options);
  NewStudy study = StudyNamed("s");
  study.lease = {.duration_ms = 1'000};
  ASSERT_TRUE(LeaseFresh(*store, *CreateStudy(*store, study), "w", 3).ok());
  clock.Advance(absl::Seconds(1));
  StoreThatWasFull full(store.get());
  Log log({.sink = [](absl::string_view) {}});
  std::promise<LeaseSweep> noted;
  Upkeep upkeep(&full, &log, [](bool) {},
                [&](const LeaseSweep& sweep) { noted.set_value(sweep); });
  upkeep.Run();
  std::future<LeaseSweep> sweep = noted.get_future();
  ASSERT_EQ(sweep.wait_for(std::chrono::seconds(30)),
            std::future_status::ready);
  EXPECT_EQ(sweep.get().stale, 3);
  EXPECT_EQ(store->GetTrial("s", 3)->state, TrialState::kStale);
}

}  // namespace
}  // namespace slipstream
