#include "core/prior/collaborative.h"

#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/naive_ranking.h"
#include "tests/core/prior/naive_regression.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

std::unique_ptr<Transfer> Combined(const CollaborativeOptions& options, const PriorInput& input) {
  return MakeCollaborative(options)->Combine(input).value();
}

Predictions Believed(const Situation& situation) {
  const auto transfer = Combined(CollaborativeOptions(), situation.input());
  return transfer->Fit(AtLocation(*transfer, kNoise)).value()->Predict(situation.places);
}

// The two stages written out; the last coordinate of a point is its task.
struct NaiveCollaborative {
  NaiveCollaborative(const Situation& situation, const Hyperparameters& own,
                     const PointMatrix& at) {
    const TrainingData& target = situation.target;
    Index size = target.y.size();
    for (const auto& source : situation.sources) size += source->data.y.size();
    PointMatrix x(size, 3);
    Vector y(size);
    std::vector<Index> counts;
    const auto put = [&](const TrainingData& data, Index first, double task) {
      const Index count = data.y.size();
      x.block(first, 0, count, 2) = data.x;
      x.block(first, 2, count, 1).setConstant(task);
      y.segment(first, count) = data.y;
      counts.push_back(count);
      return first + count;
    };
    Index first = put(target, 0, 0);
    for (size_t s = 0; s < situation.sources.size(); ++s) {
      first = put(situation.sources[s]->data, first, static_cast<double>(s + 1));
    }
    // Different tasks are a distance of 1 apart.
    const auto apart = [](const Vector& a, const Vector& b) { return a[2] == b[2] ? 0.0 : 1.0; };
    const double lengthscale = std::exp(-1) * std::sqrt(2);
    scores = NaiveScores(NaiveMatrix(
                             [&](const Vector& a, const Vector& b) {
                               return NaiveSquaredExponential(a.head(2), b.head(2),
                                                              Vector::Constant(2, lengthscale)) *
                                      std::exp(-apart(a, b) / 2);
                             },
                             x, x),
                         y, counts, 10);
    double squares = 0;
    first = 0;
    for (Index count : counts) {
      const double mean = scores.segment(first, count).mean();
      for (Index i = first; i < first + count; ++i) squares += std::pow(scores[i] - mean, 2);
      first += count;
    }
    scores /= std::sqrt(squares / static_cast<double>(size));
    scores.array() += target.y.mean() - scores.head(target.y.size()).mean();

    const Vector lengthscales = own.kernel.tail(3).array().exp();
    const auto k = [&](const Vector& a, const Vector& b) {
      Vector moved = b;
      moved[2] = a[2] + apart(a, b);
      return std::exp(2 * own.kernel[0]) * NaiveMatern52(a, moved, lengthscales);
    };
    PointMatrix of_target(at.rows(), 3);
    of_target << at, Vector::Zero(at.rows());
    posterior = NaiveRegression(k, x, Vector(scores.array() - own.mean),
                                Vector::Constant(size, kNoise), of_target);
    posterior.mean.array() += own.mean;
  }

  Vector scores;
  NaivePosterior posterior;
};

TEST(Collaborative, IsARegressionOnTheScoresOfARankingMachine) {
  const Situation situation({SourceOf("a", Wave, 2, 9, 1), SourceOf("b", Bowl, 2, 6, 4)},
                            Sampled(Wave, 2, 5, 2));
  const auto transfer = Combined(CollaborativeOptions(), situation.input());
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const PointMatrix at = RandomPoints(situation.kinds, 15, 3);
  const NaiveCollaborative naive(situation, own, at);
  ASSERT_EQ(transfer->data().y.size(), 20);
  EXPECT_LT((transfer->data().y - naive.scores).cwiseAbs().maxCoeff(), 2e-3);
  const auto surrogate = transfer->Fit(own).value();
  const Predictions actual = surrogate->Predict(at);
  EXPECT_LT((actual.mean - naive.posterior.mean).cwiseAbs().maxCoeff(), 5e-3);
  EXPECT_LT((actual.variance - naive.posterior.covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-8);
  ExpectConsistent(*surrogate, at);
  ExpectConsistent(*surrogate->Fantasize(RandomPoints(situation.kinds, 3, 8)).value(), at);
}

// exp(9 w) + 5 has its values in the order of w.
TEST(Collaborative, UsesOnlyTheOrderOfASourcesResults) {
  TrainingData data = Sampled(Wave, 2, 30, 1);
  const auto plain = SourceOf("a", data);
  data.y = (9 * data.y.array()).exp() + 5;
  const auto bent = SourceOf("a", data);
  const TrainingData target = Sampled(Wave, 2, 6, 2);
  EXPECT_EQ(Believed({{plain}, target}).mean, Believed({{bent}, target}).mean);
}

TEST(Collaborative, OrdersTheTargetAsItsSourceDoes) {
  const auto ranked_by = [](const TestFunction& function) {
    const Situation situation(
        {SourceOf("a", function, 2, 50, 1), SourceOf("b", function, 2, 50, 3)},
        Sampled(Wave, 2, 5, 2));
    const Vector mean = Believed(situation).mean;
    double right = 0;
    double all = 0;
    for (Index i = 0; i < mean.size(); ++i) {
      for (Index j = 0; j < mean.size(); ++j) {
        const double here = Wave(situation.places.row(i).transpose());
        const double there = Wave(situation.places.row(j).transpose());
        if (here <= there) continue;
        all += 1;
        if (mean[i] > mean[j]) right += 1;
      }
    }
    return right / all;
  };
  EXPECT_GT(ranked_by([](const Vector& x) { return std::exp(3 * Wave(x)); }), 0.85);
  EXPECT_LT(ranked_by([](const Vector& x) { return -Wave(x); }), 0.6);
}

TEST(Collaborative, ShowsACalibrationTheTargetFirstAndWhatItIsFor) {
  CollaborativeOptions options;
  options.most_calibrated_points = 20;
  const auto transfer = ExpectCalibratesToFirstResults(*MakeCollaborative(options));
  EXPECT_EQ(transfer->data().x.col(2).tail(14), Vector::Ones(14));
  EXPECT_EQ(AtLocation(*transfer, kNoise).kernel.size(), 4);
}

TEST(Collaborative, CountsSourcesByTheirTasksCorrelation) {
  const Situation situation({SourceOf("a", Wave, 2, 10, 1), SourceOf("b", Wave, 2, 20, 4)},
                            Sampled(Wave, 2, 5, 2));
  const auto transfer = Combined(CollaborativeOptions(), situation.input());
  Hyperparameters own = AtLocation(*transfer, kNoise);
  own.kernel[3] = std::log(0.7);
  const double r = std::sqrt(5.0) / 0.7;
  const double correlation = (1 + r + r * r / 3) * std::exp(-r);
  const Vector shares = transfer->Shares(own);
  EXPECT_NEAR(shares[0], 10 * correlation / (30 * correlation + 5), 1e-12);
  EXPECT_NEAR(shares[1], 20 * correlation / (30 * correlation + 5), 1e-12);
}

TEST(Collaborative, ThinsManyPointsAndIsTheSameEachTime) {
  CollaborativeOptions options;
  options.most_points = 110;
  ExpectThinsManyPoints(*MakeCollaborative(options), "100 of 3000");
}

TEST(Collaborative, LivesWithLittleAndWithDegenerateData) {
  ExpectLivesWithLittle(*MakeCollaborative(CollaborativeOptions()));
}

}  // namespace
}  // namespace slipstream
