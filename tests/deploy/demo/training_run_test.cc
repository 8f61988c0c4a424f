#include "deploy/demo/training_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace slipstream {
namespace {

// The best of a grid over the whole space.
HyperParameters BestOf(DataSet data_set) {
  HyperParameters best;
  for (double rate = -5; rate <= 0; rate += 0.1) {
    for (double decay = -6; decay <= -1; decay += 0.1) {
      for (int64_t layers = 1; layers <= 8; ++layers) {
        const HyperParameters tried{std::pow(10, rate), std::pow(10, decay), layers};
        if (ValidationError(data_set, tried) < ValidationError(data_set, best)) best = tried;
      }
    }
  }
  return best;
}

TEST(TrainingRun, TheErrorIsAPercentageEverywhere) {
  for (double rate : {1e-5, 1e-3, 1.0}) {
    for (double decay : {1e-6, 1e-3, 0.1}) {
      for (int64_t layers : {1, 8}) {
        const double error = ValidationError(DataSet::kThisYear, {rate, decay, layers});
        EXPECT_GT(error, 4.7);
        EXPECT_LE(error, 90.0);
      }
    }
  }
}

TEST(TrainingRun, TheDataSetsWantSimilarButNotTheSameHyperparameters) {
  const HyperParameters last_year = BestOf(DataSet::kLastYear);
  const double best_error = ValidationError(DataSet::kThisYear, BestOf(DataSet::kThisYear));
  const double carried_over = ValidationError(DataSet::kThisYear, last_year);
  EXPECT_GT(carried_over, best_error + 1);  // There is something left to tune.
  EXPECT_LT(carried_over, 20);              // Yet it is far better than guessing.
}

}  // namespace
}  // namespace slipstream
