#include "client/cpp/lanes.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

namespace slipstream::client_internal {
namespace {

TEST(Lanes, TakeTheFirstWithoutOpenTrials) {
  Lanes lanes("gpu-3");
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(2)), "gpu-3");
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu-3#2");
  lanes.GiveBack(0);
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu-3#3");
  lanes.GiveBack(0);
  EXPECT_EQ(lanes.Take(1), 0u);
  lanes.GiveBack(1);
  EXPECT_EQ(lanes.Take(1), 1u);
}

TEST(Lanes, ResumeWhatWasLeftBeforeTheyTakeOthers) {
  Lanes lanes("gpu", /*may_have_left=*/true);
  EXPECT_FALSE(lanes.recalled());
  lanes.Recall({"gpu#3", "another", "gpu#2#1", "gpu#3", "gpu#5"});
  EXPECT_TRUE(lanes.recalled());
  lanes.Recall({"gpu", "gpu#2"});  // Those that were handed out since.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu#3");
    lanes.Resumed(2, 1);
    lanes.GiveBack(2);
  }
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu#5");
  lanes.ResumedAll(4);  // Its trial has been taken away meanwhile.
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu#3");
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu");
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu#2");
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu#4");
  EXPECT_TRUE(Lanes("gpu").recalled());
}

TEST(Lanes, OfTwoWorkersHaveNoNameInCommon) {
  std::set<std::string> names;
  for (const char* worker : {"gpu", "gpu#", "gpu#1", "gpu#2", "gpu#02", "gpu#2#1", "gpu.2", "#2"}) {
    for (size_t lane = 0; lane < 3; ++lane) {
      const std::string name = LaneName(worker, lane);
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_EQ(LaneNamed(worker, name), lane);
      if (std::string(worker) == "gpu") continue;
      EXPECT_EQ(LaneNamed("gpu", name), std::nullopt) << name;
    }
  }
  EXPECT_EQ(LaneName("10.0.0.5", 0), "10.0.0.5") << "an id stays what it is wherever it can";
  for (const char* name : {"gpu#1", "gpu#02", "gpu#0", "gpu#-2", "gpu#99999999999", "gpu#2 "}) {
    EXPECT_EQ(LaneNamed("gpu", name), std::nullopt) << name;
  }
}

TEST(ChooseWorker, KeepsAnIdAndMakesUpDistinctOnes) {
  EXPECT_EQ(ChooseWorker("gpu-3"), "gpu-3");
  EXPECT_NE(ChooseWorker(""), ChooseWorker(""));
  EXPECT_LE(ChooseWorker("").size(), 128u);
}

}  // namespace
}  // namespace slipstream::client_internal
