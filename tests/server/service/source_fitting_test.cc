#include "server/service/source_fitting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/out_of_memory.h"
#include "tests/server/service/service_fixture.h"
#include "tests/testing/allocation_limit.h"

namespace slipstream {
namespace {

constexpr size_t kFittingBytes = size_t{16} << 20;

std::shared_ptr<const SourceTaskData> ParabolaSource(const std::string& name) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = name;
  source->space = std::make_shared<const SearchSpace>(
      *SearchSpace::Create({{"x", DoubleDomain{0, 1, Scale::kLinear}, {}, {}}}));
  for (int i = 0; i < 12; ++i) {
    const double x = i / 11.0;
    source->points.push_back({source->space->Decode({x}), Ending::kMeasured, x * (1 - x)});
  }
  return source;
}

// Work that counts its runs. They return the given statuses in order, and the last
// one from then on.
class CountedWork {
 public:
  explicit CountedWork(std::vector<absl::Status> statuses) : statuses_(std::move(statuses)) {}

  std::function<absl::Status()> function() {
    return [this] {
      const auto run = static_cast<size_t>(runs_++);
      runs_.notify_all();
      return statuses_[std::min(run, statuses_.size() - 1)];
    };
  }
  int runs() const { return runs_; }
  void WaitForARun() const { runs_.wait(0); }

 private:
  std::vector<absl::Status> statuses_;
  std::atomic<int> runs_{0};
};

TEST(SourceFitting, GivesUpAndFitsNothingMoreOnceStopped) {
  std::stop_source stop;
  SourceFitting fitting(kFittingBytes, 100, {}, stop.get_token());
  EXPECT_FALSE(fitting.GivesUp().has_passed());
  std::promise<void> running;
  std::promise<void> gate;
  std::atomic<bool> has_given_up{false};
  fitting.PrepareTogether("long work", [&] {
    running.set_value();
    gate.get_future().wait();
    has_given_up = fitting.GivesUp().has_passed();
    return absl::OkStatus();
  });
  running.get_future().wait();
  const auto source = ParabolaSource("sourceTasks/a");
  fitting.Prepare(source, *source->space, SourceFitOptions());
  stop.request_stop();
  gate.set_value();
  while (!has_given_up) std::this_thread::yield();
  EXPECT_TRUE(
      absl::IsUnavailable(fitting.Get(source, *source->space, SourceFitOptions()).status()));
}

TEST(SourceFitting, SourcesThatFindNoRoomAreNotFittedOverAndOver) {
  std::atomic<int> told{0};
  // Enough for one of them at least, and not for all.
  SourceFitting fitting(size_t{64} << 10, 100, {}, {},
                        [&told](const std::string&, const absl::Status& status) {
                          told += absl::IsResourceExhausted(status) ? 1 : 0;
                        });
  std::vector<std::shared_ptr<const SourceTaskData>> sources;
  for (int i = 0; i < 40; ++i) {
    sources.push_back(ParabolaSource("sourceTasks/" + std::to_string(i)));
  }
  const auto count = [&](absl::StatusCode code) {
    return std::count_if(sources.begin(), sources.end(), [&](const auto& source) {
      return fitting.Get(source, *source->space, SourceFitOptions()).status().code() == code;
    });
  };
  while (count(absl::StatusCode::kUnavailable) > 0) WaitForFits(&fitting);
  const auto there = count(absl::StatusCode::kOk);
  EXPECT_GE(there, 1);
  EXPECT_LT(there, 40);
  EXPECT_EQ(count(absl::StatusCode::kResourceExhausted), 40 - there);
  EXPECT_EQ(told, 40 - there);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(count(absl::StatusCode::kUnavailable), 0);
    WaitForFits(&fitting);
  }
  EXPECT_EQ(fitting.fits(), 40) << "each once";
}

TEST(SourceFitting, WaitingFitsHoldNoObservationsIfTheyCanBeLoaded) {
  std::promise<void> gate;
  std::vector<std::string> loaded;
  SourceFitting fitting(
      kFittingBytes, 100, [&] { gate.get_future().wait(); }, {}, {},
      [&](const std::string& name) -> absl::StatusOr<std::shared_ptr<const SourceTaskData>> {
        loaded.push_back(name);
        if (name == "sourceTasks/gone") return absl::NotFoundError("deleted");
        return ParabolaSource(name);
      });
  const std::shared_ptr<const SearchSpace> space = ParabolaSource("")->space;
  for (const char* name : {"sourceTasks/gone", "sourceTasks/a"}) {
    auto source = ParabolaSource(name);
    const std::weak_ptr<const SourceTaskData> held = source;
    fitting.Prepare(source, *space, {});
    source.reset();
    EXPECT_TRUE(held.expired()) << name;
  }
  gate.set_value();
  WaitForFits(&fitting);
  EXPECT_EQ(loaded, (std::vector<std::string>{"sourceTasks/gone", "sourceTasks/a"}));
  EXPECT_EQ(fitting.fits(), 1);
  EXPECT_TRUE(fitting.Get(ParabolaSource("sourceTasks/a"), *space, {}).ok());
}

TEST(SourceFitting, WorkOnSeveralSourcesRunsAgainAfterTheFitsThatItAskedFor) {
  const std::vector<std::shared_ptr<const SourceTaskData>> sources = {
      ParabolaSource("sourceTasks/a"), ParabolaSource("sourceTasks/b")};
  std::atomic<int> runs{0};
  std::vector<std::shared_ptr<const FittedSource>> found;
  SourceFitting fitting(kFittingBytes, 100, {});
  fitting.PrepareTogether("study", [&]() -> absl::Status {
    ++runs;
    absl::Status worst;
    for (const auto& source : sources) {
      auto fitted = fitting.Get(source, *source->space, {});
      if (fitted.ok()) {
        found.push_back(*fitted);
      } else {
        worst = fitted.status();
      }
    }
    return worst;
  });
  WaitForFits(&fitting);
  EXPECT_EQ(runs, 2) << "once to request the fits, once to use them";
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[0]->model, nullptr);
  EXPECT_NE(found[1]->model, nullptr);
}

// Eigen and the standard library throw it; there is always other work that fits.
TEST(SourceFitting, AFailedAllocationIsAnErrorOfThatWorkAlone) {
  SourceFitting fitting(kFittingBytes, 100, {});
  std::atomic<int> runs{0};
  const auto greedy = [&]() -> absl::Status {
    ++runs;
    throw std::bad_alloc();
  };
  fitting.PrepareTogether("greedy", greedy);
  WaitForFits(&fitting);
  fitting.PrepareTogether("greedy", greedy);
  const auto source = ParabolaSource("sourceTasks/a");
  fitting.Prepare(source, *source->space, SourceFitOptions());
  WaitForFits(&fitting);
  EXPECT_EQ(runs, 2) << "once it has ended it can be asked for again";
  EXPECT_TRUE(fitting.Get(source, *source->space, SourceFitOptions()).ok());
}

TEST(SourceFitting, AFitThatRunsOutOfMemoryDoesNotCountAsOneThatCannotBeMade) {
  auto source = std::make_shared<SourceTaskData>(*ParabolaSource("sourceTasks/a"));
  for (SourcePoint& point : source->points) point.ending = Ending::kFailed;  // A small model.
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    bool is_first = true;
    std::optional<AllocationLimit> limit;  // Of the fitting thread.
    const auto end = [&] {
      if (!limit.has_value()) return;
      was_reached = limit->was_reached();
      limit.reset();
    };
    std::promise<void> gate;
    SourceFitting fitting(
        kFittingBytes, 100, [&] { gate.get_future().wait(); }, {},
        [&](const std::string&, const absl::Status&) { end(); },
        [&](const std::string&) -> absl::StatusOr<std::shared_ptr<const SourceTaskData>> {
          if (std::exchange(is_first, false)) limit.emplace(allocations);
          return source;
        });
    fitting.Prepare(source, *source->space, {});
    fitting.PrepareTogether("the end", [&] {
      end();
      return absl::OkStatus();
    });
    gate.set_value();
    WaitForFits(&fitting);
    const auto fitted = fitting.Get(source, *source->space, {});
    EXPECT_EQ(fitted.ok(), !was_reached) << allocations;
    EXPECT_FALSE(fitted.ok() && (*fitted)->fit_failed) << allocations;
  }
}

TEST(SourceFitting, WorkThatRunsOutOfMemoryWhileItIsQueuedCanBeAskedForAgain) {
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    SourceFitting fitting(kFittingBytes, 100, {});
    CountedWork work({absl::OkStatus()});
    const auto ask = [&] {
      return OrOutOfMemory([&] {
        fitting.PrepareTogether("work", work.function());
        return absl::OkStatus();
      });
    };
    {
      const AllocationLimit limit(allocations);
      ask().IgnoreError();
      was_reached = limit.was_reached();
    }
    ASSERT_TRUE(ask().ok());
    WaitForFits(&fitting);
    EXPECT_GT(work.runs(), 0) << allocations;
  }
}

TEST(SourceFitting, WorkOfOneNameIsQueuedOnce) {
  std::promise<void> gate;
  CountedWork one({absl::OkStatus()});
  CountedWork other({absl::OkStatus()});
  SourceFitting fitting(kFittingBytes, 100, [&] { gate.get_future().wait(); });
  for (int i = 0; i < 3; ++i) fitting.PrepareTogether("one", one.function());
  fitting.PrepareTogether("other", other.function());
  gate.set_value();
  WaitForFits(&fitting);
  EXPECT_EQ(one.runs(), 1);
  EXPECT_EQ(other.runs(), 1);
  fitting.PrepareTogether("one", one.function());
  WaitForFits(&fitting);
  EXPECT_EQ(one.runs(), 2) << "once it has ended it can be asked for again";
}

TEST(SourceFitting, WorkWhoseSourcesNeverGetReadyIsGivenUp) {
  CountedWork never({absl::UnavailableError("soon")});
  CountedWork useless({absl::FailedPreconditionError("useless")});
  SourceFitting fitting(kFittingBytes, 100, {});
  fitting.PrepareTogether("never", never.function());
  fitting.PrepareTogether("useless", useless.function());
  WaitForFits(&fitting);
  EXPECT_EQ(never.runs(), 2);
  EXPECT_EQ(useless.runs(), 1) << "only unavailable sources are worth another try";
}

TEST(SourceFitting, WorkBeyondTheBoundIsDroppedAndCanBeAskedForAgain) {
  std::promise<void> started;
  std::promise<void> gate;
  CountedWork first({absl::OkStatus()});
  CountedWork second({absl::OkStatus()});
  CountedWork third({absl::OkStatus()});
  SourceFitting fitting(kFittingBytes, 2, [&] {
    started.set_value();
    gate.get_future().wait();
  });
  started.get_future().wait();
  fitting.PrepareTogether("first", first.function());
  fitting.PrepareTogether("second", second.function());
  fitting.PrepareTogether("third", third.function());
  gate.set_value();
  second.WaitForARun();
  EXPECT_EQ(third.runs(), 0);
  fitting.PrepareTogether("third", third.function());
  WaitForFits(&fitting);
  EXPECT_EQ(first.runs(), 1);
  EXPECT_EQ(third.runs(), 1);
}

}  // namespace
}  // namespace slipstream
