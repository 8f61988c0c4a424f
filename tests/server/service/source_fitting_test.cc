#include "server/service/source_fitting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
    source->points.push_back({source->space->Decode({{x}, {}}), Ending::kMeasured, x * (1 - x)});
  }
  return source;
}

// Work that counts its runs and ends with the statuses given, the last one over
// and over.
class CountedWork {
 public:
  explicit CountedWork(std::vector<absl::Status> statuses) : statuses_(std::move(statuses)) {}

  std::function<absl::Status()> function() {
    return [this] {
      const auto run = static_cast<size_t>(runs_++);
      return statuses_[std::min(run, statuses_.size() - 1)];
    };
  }
  int runs() const { return runs_; }

 private:
  std::vector<absl::Status> statuses_;
  std::atomic<int> runs_{0};
};

void Finish(const SourceFitting& fitting) {
  while (fitting.busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(SourceFitting, WorkOnSeveralSourcesWaitsForTheFitsThatItAsksFor) {
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
  Finish(fitting);
  EXPECT_FALSE(fitting.busy());
  EXPECT_EQ(runs, 2) << "once to ask for them, once with them";
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[0]->model, nullptr);
  EXPECT_NE(found[1]->model, nullptr);
}

TEST(SourceFitting, WorkOfOneNameIsNotDoneTwiceAtATime) {
  std::promise<void> gate;
  CountedWork one({absl::OkStatus()});
  CountedWork other({absl::OkStatus()});
  SourceFitting fitting(kFittingBytes, 100, [&] { gate.get_future().wait(); });
  for (int i = 0; i < 3; ++i) fitting.PrepareTogether("one", one.function());
  fitting.PrepareTogether("other", other.function());
  EXPECT_TRUE(fitting.busy());
  gate.set_value();
  Finish(fitting);
  EXPECT_EQ(one.runs(), 1);
  EXPECT_EQ(other.runs(), 1);
  fitting.PrepareTogether("one", one.function());
  Finish(fitting);
  EXPECT_EQ(one.runs(), 2) << "when it is over it may be asked for again";
}

TEST(SourceFitting, WorkThatNeverGetsItsSourcesIsGivenUp) {
  CountedWork never({absl::UnavailableError("soon")});
  CountedWork useless({absl::FailedPreconditionError("of no use")});
  SourceFitting fitting(kFittingBytes, 100, {});
  fitting.PrepareTogether("never", never.function());
  fitting.PrepareTogether("useless", useless.function());
  Finish(fitting);
  EXPECT_EQ(never.runs(), 2);
  EXPECT_EQ(useless.runs(), 1) << "only what is not ready yet is tried again";
}

TEST(SourceFitting, WorkBeyondItsBoundIsNotTakenAndNotRemembered) {
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
  while (second.runs() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(third.runs(), 0);
  fitting.PrepareTogether("third", third.function());
  Finish(fitting);
  EXPECT_EQ(first.runs(), 1);
  EXPECT_EQ(third.runs(), 1);
}

}  // namespace
}  // namespace slipstream
