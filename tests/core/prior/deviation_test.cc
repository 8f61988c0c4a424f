#include "core/prior/deviation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/naive_regression.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

std::unique_ptr<Transfer> Combined(const DeviationOptions& options, const PriorInput& input) {
  return MakeDeviation(options)->Combine(input).value();
}

double RootMeanSquareDifference(const Vector& a, const Vector& b) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

TEST(Deviation, IsTheRegressionOverPointsAndTasksOfTheHeader) {
  const auto a = SourceOf("a", Wave, 2, 12, 1);
  const auto b = SourceOf("b", Bowl, 2, 9, 4);
  const Situation situation({a, b}, Sampled(Wave, 2, 7, 2));
  const TrainingData& target = situation.target;
  const auto transfer = Combined(DeviationOptions(), situation.input());
  Hyperparameters own = AtLocation(*transfer, kNoise);
  EXPECT_EQ(own.kernel, Vector::Zero(2));
  EXPECT_EQ(own.mean, 0);
  own.kernel = Vector{{std::log(1.2), std::log(0.4)}};

  const auto mean_of = [](const TrainingData& source, const PointMatrix& at) {
    const auto k = [](const Vector& x, const Vector& z) {
      return NaiveMatern52(x, z, Vector::Constant(2, 0.4));
    };
    return NaiveRegression(k, source.x, source.y, Vector::Constant(source.y.size(), 1e-3), at).mean;
  };
  const PointMatrix places = situation.places.topRows(32);
  Matrix tasks = Matrix::Ones(3, 3);
  tasks(0, 1) = 1 - RootMeanSquareDifference(target.y, mean_of(a->data, target.x)) / 30;
  tasks(0, 2) = 1 - RootMeanSquareDifference(target.y, mean_of(b->data, target.x)) / 30;
  tasks(1, 2) =
      1 - RootMeanSquareDifference(mean_of(a->data, places), mean_of(b->data, places)) / 30;
  const auto k = [&](const Vector& x, const Vector& z) {
    const auto i = static_cast<Index>(std::min(x[2], z[2]));
    const auto j = static_cast<Index>(std::max(x[2], z[2]));
    const double distance = (x - z).head(2).norm();
    return 0.3 * 1.44 * std::exp(-distance * distance / (2 * 0.16)) +
           0.7 * tasks(i, j) * (1 - distance / 30);
  };
  PointMatrix x(28, 3);
  x << target.x, Vector::Zero(7), a->data.x, Vector::Ones(12), b->data.x, Vector::Constant(9, 2);
  Vector y(28);
  y << target.y, a->data.y, b->data.y;
  const PointMatrix at = RandomPoints(situation.kinds, 20, 3);
  PointMatrix of_target(20, 3);
  of_target << at, Vector::Zero(20);
  const NaivePosterior naive = NaiveRegression(k, x, y, Vector::Constant(28, kNoise), of_target);
  const auto surrogate = transfer->Fit(own).value();
  const Predictions actual = surrogate->Predict(at);
  EXPECT_LT((actual.mean - naive.mean).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((actual.variance - naive.covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((surrogate->JointCovariance(at) - naive.covariance).cwiseAbs().maxCoeff(), 1e-8);
  ExpectConsistent(*surrogate, at);
  ExpectConsistent(*surrogate->Fantasize(RandomPoints(situation.kinds, 3, 8)).value(), at);

  const double most = 0.3 * 1.44 + 0.7;
  const double of_a = 12 * (0.3 * 1.44 + 0.7 * tasks(0, 1));
  const double of_b = 9 * (0.3 * 1.44 + 0.7 * tasks(0, 2));
  EXPECT_NEAR(transfer->Shares(own)[0], of_a / (of_a + of_b + 7 * most), 1e-8);
  EXPECT_NEAR(transfer->Shares(own)[1], of_b / (of_a + of_b + 7 * most), 1e-8);
}

TEST(Deviation, TakesHyperparametersThatAreGiven) {
  const Situation situation({SourceOf("a", Wave, 2, 12, 1)}, Sampled(Wave, 2, 7, 2));
  PriorInput input = situation.input();
  input.model.given = {.lengthscale = 0.3, .amplitude = 0.5, .mean = -2};
  const Hyperparameters given = AtLocation(*Combined(DeviationOptions(), input), kNoise);
  EXPECT_EQ(given.kernel, (Vector{{std::log(0.5), std::log(0.3)}}));
  EXPECT_EQ(given.mean, -2);
}

TEST(Deviation, OfManyTasksTheNearestAreNeighbours) {
  const auto against = [](const Vector& x) { return -Wave(x); };
  SourceModels sources;
  for (uint64_t i = 0; i < 8; ++i) {
    sources.push_back(
        SourceOf("s", i < 2 ? TestFunction(Wave) : TestFunction(against), 2, 30, i + 1));
  }
  const Situation situation(sources, Sampled(Wave, 2, 8, 2));
  DeviationOptions options;
  options.neighbours = 2;
  const auto transfer = Combined(options, situation.input());
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const Vector shares = transfer->Shares(own);
  EXPECT_LE(shares.sum(), 1);
  for (Index i = 2; i < 8; ++i) EXPECT_GT(shares[0], shares[i]);
  for (const Remark& remark : transfer->Remarks(own)) {
    if (remark.first == "neighbours") {
      EXPECT_EQ(std::get<double>(remark.second), 2);
    }
  }
  ExpectConsistent(*transfer->Fit(own).value(), RandomPoints(situation.kinds, 5, 3));
}

TEST(Deviation, OfVeryManyTasksTheNearestTakePart) {
  const auto against = [](const Vector& x) { return -Wave(x); };
  SourceModels sources;
  for (uint64_t i = 0; i < 6; ++i) {
    sources.push_back(
        SourceOf("s", i % 2 == 1 ? TestFunction(Wave) : TestFunction(against), 2, 30, i + 1));
  }
  const Situation all(sources, Sampled(Wave, 2, 8, 2));
  const Situation alike({sources[1], sources[3], sources[5]}, all.target);
  DeviationOptions options;
  options.most_tasks = 3;
  const auto transfer = Combined(options, all.input());
  const auto of_alike = Combined(options, alike.input());
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const Vector shares = transfer->Shares(own);
  ASSERT_EQ(shares.size(), 6);
  const Vector expected = of_alike->Shares(own);
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(shares[i], i % 2 == 1 ? expected[i / 2] : 0) << i;
  EXPECT_EQ(RemarkOf(*transfer, own, "sources_taking_part"), 3);
  const Predictions predicted = transfer->Fit(own).value()->Predict(all.places);
  EXPECT_EQ(predicted.mean, of_alike->Fit(own).value()->Predict(all.places).mean);
  EXPECT_GT(Combined(options, Situation(sources, FirstOf(all.target, 0)).input())
                ->Shares(own)
                .head(3)
                .minCoeff(),
            0);
}

TEST(Deviation, ShowsACalibrationOnlyTheResultsThatItIsFor) {
  DeviationOptions options;
  options.most_calibrated_points = 20;
  ExpectCalibratesToFirstResults(*MakeDeviation(options));
}

TEST(Deviation, ThinsManyPointsAndIsTheSameEachTime) {
  DeviationOptions options;
  options.most_points = 210;
  ExpectThinsManyPoints(*MakeDeviation(options), "200 of 3000");
}

TEST(Deviation, LivesWithLittleAndWithDegenerateData) {
  ExpectLivesWithLittle(*MakeDeviation(DeviationOptions()));
}

}  // namespace
}  // namespace slipstream
