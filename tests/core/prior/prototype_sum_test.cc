#include "core/prior/prototype_sum.h"

#include <cmath>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

// Waves, and bowls from the place `first_bowl` on.
SourceModels ColumnSources(size_t count, size_t first_bowl) {
  SourceModels sources;
  for (size_t k = 0; k < count; ++k) {
    sources.push_back(SourceOf("s" + std::to_string(k), k < first_bowl ? Wave : Bowl, 2, 12, k));
  }
  return sources;
}

std::unique_ptr<Transfer> SummedColumnsOf(const Situation& situation) {
  return MakePrototypeSum({})->Combine(situation.input()).value();
}

// The process of the header's equation for three sources, which have no clusters.
struct NaiveColumns {
  Vector Mean(const PointMatrix& x) const {
    Vector mean = Vector::Constant(x.rows(), own.mean);
    for (Index k = 0; k < 3; ++k) {
      mean += (own.weights[0] / 3 + own.weights[k + 1]) * Source(k).Predict(x).mean;
    }
    return mean;
  }
  Matrix Covariance(const PointMatrix& a, const PointMatrix& b) const {
    Matrix sum = kernel.Covariance(own.kernel, a, b);
    for (Index k = 0; k < 3; ++k) {
      const double factor = std::pow(own.weights[0], 2) / 3 + std::pow(own.weights[k + 1], 2);
      sum += factor * Source(k).CrossCovariance(a, b);
    }
    return sum;
  }
  const GaussianProcess& Source(Index k) const { return *sources[static_cast<size_t>(k)]->process; }

  const SourceModels& sources;
  const Kernel& kernel;
  const Hyperparameters& own;
};

TEST(PrototypeSum, IsTheWeightedSumOfTheCentreAndSourcesGivenTheResults) {
  const SourceModels sources = ColumnSources(3, 2);
  const Situation situation(sources, Sampled(Wave, 2, 8, 20));
  const auto transfer = SummedColumnsOf(situation);
  Hyperparameters own = AtLocation(*transfer, kNoise);
  ASSERT_EQ(own.weights.size(), 4);
  own.weights << 0.8, 0.3, 0, 0.5;
  own.mean = 0.1;
  const NaiveColumns naive{sources, *transfer->model().kernel, own};
  const PointMatrix at = RandomPoints(situation.kinds, 10, 3);
  const auto surrogate = transfer->Fit(own).value();
  ExpectIsRegression(naive, situation.target, at, surrogate->Predict(at), 1e-7);
  ExpectConsistent(*surrogate, at);
}

TEST(PrototypeSum, HasAColumnForEachClusterAndForTheBestRankers) {
  const SourceModels sources = ColumnSources(8, 4);
  const Situation situation(sources, Sampled(Bowl, 2, 12, 20));
  const auto transfer = SummedColumnsOf(situation);
  Hyperparameters own = AtLocation(*transfer, kNoise);
  const double clusters = RemarkOf(*transfer, own, "clusters");
  EXPECT_GE(clusters, 2);
  EXPECT_EQ(own.weights.size(), 1 + static_cast<Index>(clusters) + 4);
  own.weights.head(own.weights.size() - 4).setZero();
  own.weights.tail(4).setConstant(0.25);
  const Vector shares = transfer->Shares(own);  // The target is a bowl, and so are the last four.
  EXPECT_EQ(shares, (Vector{{0, 0, 0, 0, 0.25, 0.25, 0.25, 0.25}}));
}

TEST(PrototypeSum, WithoutResultsExpectsTheCentre) {
  const SourceModels sources = ColumnSources(6, 6);
  const Situation situation(sources, TrainingData{PointMatrix(0, 2), Vector(), Vector()});
  const auto transfer = SummedColumnsOf(situation);
  Hyperparameters own = AtLocation(*transfer, kNoise);
  own.weights.setZero();
  own.weights[0] = 1;
  const PointMatrix at = RandomPoints(situation.kinds, 9, 3);
  Vector common = Vector::Zero(9);
  for (const auto& source : sources) common += source->process->Predict(at).mean / 6;
  EXPECT_LT((transfer->Fit(own).value()->PredictMean(at) - common).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(PrototypeSum, AGivenAmplitudeIsThatOfTheTargetsOwnProcess) {
  const Situation situation(ColumnSources(3, 2), Sampled(Wave, 2, 8, 20));
  PriorInput input = situation.input();
  input.model.given.amplitude = 0.6;
  const auto transfer = MakePrototypeSum({})->Combine(input).value();
  EXPECT_TRUE(transfer->model().beliefs.front().is_fixed());
  EXPECT_EQ(transfer->model().beliefs.front().lower, std::log(0.6));
}

TEST(PrototypeSum, ASingleSourceIsItsOwnColumn) {
  const SourceModels sources = ColumnSources(1, 1);
  const Situation situation(sources, Sampled(Wave, 2, 8, 20));
  const auto transfer = SummedColumnsOf(situation);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  ASSERT_EQ(own.weights.size(), 1);
  EXPECT_NEAR(transfer->Shares(own)[0], 1, 1e-12);
  ExpectConsistent(*transfer->Fit(own).value(), RandomPoints(situation.kinds, 5, 3));
}

}  // namespace
}  // namespace slipstream
