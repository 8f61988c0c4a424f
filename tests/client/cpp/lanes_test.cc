#include "client/cpp/lanes.h"

#include <gtest/gtest.h>

namespace slipstream::client_internal {
namespace {

TEST(Lanes, TakeTheFirstWithoutOpenTrials) {
  Lanes lanes("gpu-3");
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(2)), "gpu-3");
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu-3.2");
  lanes.GiveBack(0);
  EXPECT_EQ(lanes.WorkerOf(lanes.Take(1)), "gpu-3.3");
  lanes.GiveBack(0);
  EXPECT_EQ(lanes.Take(1), 0u);
  lanes.GiveBack(1);
  EXPECT_EQ(lanes.Take(1), 1u);
}

TEST(ChooseWorker, KeepsAnIdAndMakesUpDistinctOnes) {
  EXPECT_EQ(ChooseWorker("gpu-3"), "gpu-3");
  EXPECT_NE(ChooseWorker(""), ChooseWorker(""));
  EXPECT_LE(ChooseWorker("").size(), 128u);
}

}  // namespace
}  // namespace slipstream::client_internal
