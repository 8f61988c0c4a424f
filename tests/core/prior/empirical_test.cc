#include "core/prior/empirical.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

// Waves of different phases, all higher on one side.
SourceModels Waves(Index count) {
  SourceModels sources;
  for (Index k = 0; k < count; ++k) {
    const auto wave = [k](const Vector& x) {
      return Wave(x) + std::sin(3 * x[0] + static_cast<double>(k));
    };
    sources.push_back(
        SourceOf("s" + std::to_string(k), wave, 2, 15, 20 + static_cast<uint64_t>(k)));
  }
  return sources;
}

std::unique_ptr<Transfer> Combined(const Situation& situation) {
  return MakeEmpirical({})->Combine(situation.input()).value();
}

// The process of the header's equation, from the sources' means one by one.
struct NaiveEmpirical {
  Vector CommonMean(const PointMatrix& x) const {
    Vector sum = Vector::Zero(x.rows());
    for (const auto& source : sources) sum += source->process->Predict(x).mean;
    return sum / static_cast<double>(sources.size());
  }
  Vector Mean(const PointMatrix& x) const {
    return (own.weights[0] * CommonMean(x)).array() + own.mean;
  }
  Matrix Covariance(const PointMatrix& a, const PointMatrix& b) const {
    Matrix sum = Matrix::Zero(a.rows(), b.rows());
    for (const auto& source : sources) {
      const Vector left = source->process->Predict(a).mean - CommonMean(a);
      const Vector right = source->process->Predict(b).mean - CommonMean(b);
      sum += left * right.transpose();
    }
    const double weight = own.weights[1] * own.weights[1];
    return kernel.Covariance(own.kernel, a, b) +
           weight / static_cast<double>(sources.size() - 1) * sum;
  }

  const SourceModels& sources;
  const Kernel& kernel;
  const Hyperparameters& own;
};

TEST(Empirical, IsTheProcessOfTheSourcesSampleMomentsGivenTheResults) {
  const SourceModels sources = Waves(6);
  const Situation situation(sources, Sampled(Wave, 2, 8, 2));
  const auto transfer = Combined(situation);
  Hyperparameters own = AtLocation(*transfer, kNoise);
  own.weights[0] = 0.8;
  own.weights[1] = 1.3;
  own.mean = 0.2;
  const NaiveEmpirical naive{sources, *transfer->model().kernel, own};
  const PointMatrix at = RandomPoints(situation.kinds, 12, 3);
  const auto surrogate = transfer->Fit(own).value();
  ExpectIsRegression(naive, situation.target, at, surrogate->Predict(at), 1e-9);
  ExpectConsistent(*surrogate, at);
}

TEST(Empirical, CalibratesToTheLikelihoodOfThatProcess) {
  const SourceModels sources = Waves(5);
  const Situation situation(sources, Sampled(Wave, 2, 7, 2));
  const auto transfer = Combined(situation);
  Hyperparameters own = AtLocation(*transfer, kNoise);
  own.weights[0] = 0.7;
  own.weights[1] = 0.4;
  const TrainingData& target = situation.target;
  const NaiveEmpirical naive{sources, *transfer->model().kernel, own};
  Matrix k = naive.Covariance(target.x, target.x);
  k.diagonal().array() += kNoise;
  const Vector residual = target.y - naive.Mean(target.x);
  const double expected = -0.5 * (residual.dot(DenseSolve(k, residual)) + DenseLogDeterminant(k) +
                                  7 * std::log(2 * M_PI));
  const auto actual = LogMarginalLikelihood(*transfer->model().kernel, transfer->data(), own);
  EXPECT_NEAR(actual->value, expected, 1e-9);
}

TEST(Empirical, FewSourcesAreAWeightedSum) {
  for (const Index count : {1, 4, 5}) {
    const SourceModels sources = Waves(count);
    const Situation situation(sources, Sampled(Wave, 2, 6, 2));
    const auto transfer = Combined(situation);
    // Weights of each source and of its opposite, or of their mean and of their differences.
    EXPECT_EQ(transfer->model().weight_count(), count < 5 ? 2 * count : 2);
  }
}

TEST(Empirical, AGivenAmplitudeIsThatOfTheTargetsOwnProcess) {
  for (const Index count : {2, 6}) {
    const Situation situation(Waves(count), Sampled(Wave, 2, 6, 2));
    PriorInput input = situation.input();
    input.model.given.amplitude = 0.6;
    const auto transfer = MakeEmpirical({})->Combine(input).value();
    EXPECT_TRUE(transfer->model().beliefs.front().is_fixed()) << count;
    EXPECT_EQ(transfer->model().beliefs.front().lower, std::log(0.6)) << count;
    EXPECT_FALSE(Combined(situation)->model().beliefs.front().is_fixed()) << count;
  }
}

TEST(Empirical, FitsWithoutResultsAndThenExpectsTheSourcesMean) {
  const SourceModels sources = Waves(6);
  const Situation situation(sources, TrainingData{PointMatrix(0, 2), Vector(), Vector()});
  const auto transfer = Combined(situation);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const PointMatrix at = RandomPoints(situation.kinds, 40, 3);  // So many go through the caches.
  const auto surrogate = transfer->Fit(own).value();
  const NaiveEmpirical naive{sources, *transfer->model().kernel, own};
  EXPECT_LT((surrogate->PredictMean(at) - naive.Mean(at)).cwiseAbs().maxCoeff(), 1e-12);
}

std::unique_ptr<Prior> WithRoomFor(Index points) {
  EmpiricalOptions options;
  options.most_points = points;
  return MakeEmpirical(options);
}

TEST(Empirical, OfManySourcesIsTheProcessOfThoseThatAreKept) {
  const SourceModels sources = Waves(12);
  const Situation situation(sources, Sampled(Wave, 2, 8, 2));
  const auto transfer = WithRoomFor(7 * 15)->Combine(situation.input()).value();
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const Vector shares = transfer->Shares(own);
  SourceModels kept;
  for (size_t k = 0; k < sources.size(); ++k) {
    if (shares[static_cast<Index>(k)] > 0) kept.push_back(sources[k]);
  }
  ASSERT_EQ(kept.size(), 7U);
  EXPECT_NEAR(shares.sum(), 1, 1e-12);
  const Situation alone(kept, Sampled(Wave, 2, 8, 2));
  const PointMatrix at = RandomPoints(situation.kinds, 12, 3);
  const auto expected = Combined(alone)->Fit(own).value();
  const auto actual = transfer->Fit(own).value();
  EXPECT_EQ(actual->Predict(at).mean, expected->Predict(at).mean);
  EXPECT_EQ(actual->Predict(at).variance, expected->Predict(at).variance);
}

TEST(Empirical, PreparedAheadItKeepsTheSameSources) {
  const SourceModels sources = Waves(12);
  const Situation before(sources, TrainingData{PointMatrix(0, 2), Vector(), Vector()});
  const Situation situation(sources, Sampled(Bowl, 2, 8, 2));
  const auto prepared = WithRoomFor(7 * 15);
  ASSERT_TRUE(prepared->Prepare(before.input()).ok());
  const auto expected = WithRoomFor(7 * 15)->Combine(situation.input()).value();
  const Hyperparameters own = AtLocation(*expected, kNoise);
  EXPECT_EQ(prepared->Combine(situation.input()).value()->Shares(own), expected->Shares(own));
}

// Studies of one space share what was made of their sources, but candidates are other places.
TEST(Empirical, KeepsWhatItMadeOfTheSourcesApartForOtherPlaces) {
  const SourceModels sources = Waves(12);
  const TrainingData none{PointMatrix(0, 2), Vector(), Vector()};
  const Situation all_over(sources, none, 64);
  PriorInput input = all_over.input();
  const PointMatrix corner = 0.9 + 0.1 * all_over.places.array();
  input.places = Places(corner);
  const auto prior = WithRoomFor(5 * 15);
  const auto expected = WithRoomFor(5 * 15)->Combine(input).value();
  const Hyperparameters own = AtLocation(*expected, kNoise);
  const Vector elsewhere = prior->Combine(all_over.input()).value()->Shares(own);
  EXPECT_NE(elsewhere, expected->Shares(own));
  EXPECT_EQ(prior->Combine(input).value()->Shares(own), expected->Shares(own));
}

TEST(Empirical, ResultsSpeakAgainstSourcesThatAreOpposite) {
  const SourceModels sources = Waves(8);
  const auto opposite = [](const Vector& x) { return -Wave(x) + 2 * x[1]; };
  const Situation situation(sources, Sampled(opposite, 2, 25, 2));
  const auto transfer = Combined(situation);
  Hyperparameters own = AtLocation(*transfer, kNoise);
  const auto likelihood = [&](double mean_weight) {
    own.weights[0] = mean_weight;
    return LogMarginalLikelihood(*transfer->model().kernel, transfer->data(), own)->value;
  };
  EXPECT_GT(likelihood(0), likelihood(1) + 1);
  EXPECT_GT(likelihood(-1), likelihood(0) + 1);
}

TEST(Empirical, ReversedSourcesHaveTheirShareAndPeopleAreTold) {
  const Situation situation(Waves(8), Sampled(Bowl, 2, 10, 2));
  const auto transfer = Combined(situation);
  const auto tells = [&](double mean_weight) {
    Hyperparameters own = AtLocation(*transfer, kNoise);
    own.weights = Vector{{mean_weight, 0.1}};
    EXPECT_NEAR(transfer->Shares(own).sum(), std::abs(mean_weight), 1e-12);
    const std::vector<Remark> remarks = transfer->Remarks(own);
    return std::any_of(remarks.begin(), remarks.end(),
                       [](const Remark& remark) { return remark.first == "reversed"; });
  };
  EXPECT_TRUE(tells(-0.8));
  EXPECT_FALSE(tells(-0.2));  // Next to nothing is learnt of them.
  EXPECT_FALSE(tells(0.8));
}

}  // namespace
}  // namespace slipstream
