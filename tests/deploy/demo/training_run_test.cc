#include "deploy/demo/training_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace slipstream {
namespace {

// The best of a grid over the whole space.
HyperParameters BestOf(const Task& task) {
  HyperParameters best;
  for (double rate = -5; rate <= 0; rate += 0.1) {
    for (double decay = -6; decay <= -1; decay += 0.1) {
      for (int64_t layers = 1; layers <= 8; ++layers) {
        const HyperParameters tried{std::pow(10, rate), std::pow(10, decay), layers};
        if (ValidationError(task, tried) < ValidationError(task, best)) best = tried;
      }
    }
  }
  return best;
}

TEST(TrainingRun, TheErrorIsAPercentageEverywhere) {
  for (double rate : {1e-5, 1e-3, 1.0}) {
    for (double decay : {1e-6, 1e-3, 0.1}) {
      for (int64_t layers : {1, 8}) {
        const double error = ValidationError(SimilarTask(1), {rate, decay, layers});
        EXPECT_GT(error, 3.9);
        EXPECT_LE(error, 90.0);
      }
    }
  }
}

TEST(TrainingRun, EqualSeedsGiveEqualTasks) {
  EXPECT_EQ(SimilarTask(3).log_learning_rate, SimilarTask(3).log_learning_rate);
  EXPECT_NE(SimilarTask(3).log_learning_rate, SimilarTask(4).log_learning_rate);
}

TEST(TrainingRun, SimilarTasksWantSimilarHyperparametersAndUnlikeOnesDoNot) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Task task = SimilarTask(seed);
    const double best = ValidationError(task, BestOf(task));
    const double similar = ValidationError(task, BestOf(SimilarTask(seed + 1000)));
    const double unlike = ValidationError(task, BestOf(UnlikeTask(seed + 1000)));
    EXPECT_GE(similar, best);
    EXPECT_LT(similar, 25);
    EXPECT_GT(unlike, 55);
  }
}

}  // namespace
}  // namespace slipstream
