#include "core/prior/source_stack.h"

#include <cmath>
#include <ctime>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/prior/source_sum.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/naive_regression.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

std::unique_ptr<Transfer> Combined(const SourceStackOptions& options, const Situation& situation) {
  return MakeSourceStack(options)->Combine(situation.input()).value();
}

double SourceCorrelation(const Vector& a, const Vector& b) {
  return NaiveMatern52(a, b, Vector::Constant(a.size(), 0.4));
}

// The lower source's posterior at the upper one's points, and how probable an
// amplitude of the difference is.
struct NaiveLevel {
  NaiveLevel(const TrainingData& lower, const TrainingData& upper)
      : below(NaiveRegression(SourceCorrelation, lower.x, lower.y,
                              Vector::Constant(lower.y.size(), kSourceNoise), upper.x)),
        difference(NaiveMatrix(SourceCorrelation, upper.x, upper.x)),
        residual(upper.y - below.mean) {}

  double LogProbability(double amplitude) const {
    Matrix k = below.covariance + amplitude * amplitude * difference;
    k.diagonal().array() += kSourceNoise;
    const double z = (std::log(amplitude) + 1) / 1.5;
    return -0.5 * residual.dot(DenseSolve(k, residual)) - 0.5 * DenseLogDeterminant(k) -
           0.5 * z * z;
  }

  // By golden sections around the best of many.
  double Best() const {
    double best = -6;
    for (double there = -6; there < 3; there += 0.05) {
      if (LogProbability(std::exp(there)) > LogProbability(std::exp(best))) best = there;
    }
    double low = best - 0.1;
    double high = best + 0.1;
    while (high - low > 1e-9) {
      const double a = high - 0.618 * (high - low);
      const double b = low + 0.618 * (high - low);
      (LogProbability(std::exp(a)) > LogProbability(std::exp(b)) ? high : low) =
          LogProbability(std::exp(a)) > LogProbability(std::exp(b)) ? b : a;
    }
    return std::exp(low);
  }

  NaivePosterior below;
  Matrix difference;
  Vector residual;
};

TEST(SourceStack, OfOneSourceIsTheStackedModel) {
  const auto source = SourceOf("a", Wave, 2, 25, 1);
  for (const Index results : {0, 1, 9}) {
    const Situation situation({source}, Sampled(Bowl, 2, results, 2));
    const auto transfer = Combined(SourceStackOptions(), situation);
    const auto expected = MakeSourceSum(SourceSumOptions())->Combine(situation.input()).value();
    EXPECT_EQ(transfer->model().Location(), expected->model().Location());
    EXPECT_EQ(transfer->model().Lower(), expected->model().Lower());
    const Hyperparameters own = AtLocation(*transfer, kNoise);
    const auto one = transfer->Fit(own).value();
    const auto other = expected->Fit(own).value();
    const PointMatrix at = RandomPoints(situation.kinds, 300, 3);
    EXPECT_LT((one->Predict(at).mean - other->Predict(at).mean).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((one->Predict(at).variance - other->Predict(at).variance).cwiseAbs().maxCoeff(),
              1e-10);
    EXPECT_LT((one->JointCovariance(at) - other->JointCovariance(at)).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_EQ(transfer->Shares(own), expected->Shares(own));
    const auto of_one =
        LogMarginalLikelihood(*transfer->model().kernel, transfer->data(), own).value();
    const auto of_other =
        LogMarginalLikelihood(*expected->model().kernel, expected->data(), own).value();
    EXPECT_NEAR(of_one.value, of_other.value, 1e-8);
  }
}

// The amplitude is found, and the rest is one regression over both sources and
// the target.
TEST(SourceStack, OfTwoSourcesIsTheJointRegressionAtTheMostProbableAmplitude) {
  const auto tilted = [](const Vector& x) { return Wave(x) + 2 * x[0]; };
  const auto a = SourceOf("a", Wave, 2, 10, 1);
  const auto b = SourceOf("b", tilted, 2, 8, 4);
  const Situation situation({a, b}, Sampled(Wave, 2, 6, 2));
  const TrainingData& target = situation.target;
  const auto transfer = Combined(SourceStackOptions(), situation);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const double amplitude = NaiveLevel(a->data, b->data).Best();
  const Vector shares = transfer->Shares(own);
  EXPECT_NEAR(std::sqrt(shares[1] / shares[0]), amplitude, 1e-4 * amplitude);

  const double factor = shares[1] / shares[0];
  const Vector lengthscales = own.kernel.tail(2).array().exp();
  const auto covariance = [&](int i, const PointMatrix& x, int j, const PointMatrix& z) {
    return NaiveMatrix(
        [&](const Vector& p, const Vector& q) {
          double sum = SourceCorrelation(p, q);
          if (i > 0 && j > 0) sum += factor * SourceCorrelation(p, q);
          if (i > 1 && j > 1) {
            sum += std::exp(2 * own.kernel[0]) * NaiveMatern52(p, q, lengthscales);
          }
          return sum;
        },
        x, z);
  };
  const PointMatrix at = RandomPoints(situation.kinds, 15, 3);
  const std::vector<PointMatrix> x = {a->data.x, b->data.x, target.x};
  Matrix among(24, 24);
  Matrix to(24, 15);
  Index row = 0;
  for (int i = 0; i < 3; ++i) {
    const auto place = static_cast<size_t>(i);
    Index column = 0;
    for (int j = 0; j < 3; ++j) {
      const PointMatrix& other = x[static_cast<size_t>(j)];
      among.block(row, column, x[place].rows(), other.rows()) = covariance(i, x[place], j, other);
      column += other.rows();
    }
    to.middleRows(row, x[place].rows()) = covariance(i, x[place], 2, at);
    row += x[place].rows();
  }
  Vector y(24);
  y << a->data.y, b->data.y, target.y;
  Vector noise(24);
  noise << Vector::Constant(18, kSourceNoise), Vector::Constant(6, kNoise);
  const NaivePosterior naive = NaiveRegression(among, noise, to, covariance(2, at, 2, at), y);
  const auto surrogate = transfer->Fit(own).value();
  const Predictions actual = surrogate->Predict(at);
  EXPECT_LT((actual.mean - naive.mean).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((actual.variance - naive.covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-8);
  ExpectConsistent(*surrogate, at);
  ExpectConsistent(*surrogate->Fantasize(RandomPoints(situation.kinds, 2, 9)).value(), at);
}

TEST(SourceStack, TakesEqualSourcesForOneAndDifferentOnesForDifferent) {
  const auto source = SourceOf("a", Wave, 2, 40, 1);
  const auto again = SourceOf("b", Wave, 2, 40, 2);
  const auto other = SourceOf("c", Bowl, 2, 40, 3);
  const auto share_of_second = [](const Situation& situation) {
    const auto transfer = Combined(SourceStackOptions(), situation);
    return transfer->Shares(AtLocation(*transfer, kNoise))[1];
  };
  const TrainingData target = Sampled(Wave, 2, 5, 2);
  EXPECT_LT(share_of_second({{source, again}, target}), 0.1);
  EXPECT_GT(share_of_second({{source, other}, target}), 0.3);
}

TEST(SourceStack, ScreensThinsAndSaysSo) {
  SourceModels sources;
  for (uint64_t i = 0; i < 30; ++i) {
    const auto against = [](const Vector& x) { return -Wave(x); };
    sources.push_back(i % 10 == 3 ? SourceOf("good", Wave, 2, 20, i + 1)
                                  : SourceOf("bad", against, 2, 20, i + 1));
  }
  const Situation situation(sources, Sampled(Wave, 2, 10, 2));
  SourceStackOptions options;
  options.most_sources = 3;
  options.most_points = 45;
  const auto transfer = Combined(options, situation);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const Vector shares = transfer->Shares(own);
  ASSERT_EQ(shares.size(), 30);
  EXPECT_NEAR(shares.sum(), 1, 1e-12);
  for (Index i = 0; i < 30; ++i) EXPECT_EQ(shares[i] > 0, i % 10 == 3) << i;
  std::string points;
  for (const Remark& remark : transfer->Remarks(own)) {
    if (remark.first == "source_points") points = std::get<std::string>(remark.second);
  }
  EXPECT_EQ(points, "45 of 60");
  ExpectConsistent(*transfer->Fit(own).value(), RandomPoints(situation.kinds, 5, 3));
}

TEST(SourceStack, ThePriorTakesAsManySourcesAsItsOptionSays) {
  SourceModels sources;
  for (uint64_t i = 0; i < 4; ++i) sources.push_back(SourceOf("s", Wave, 2, 8, i + 1));
  const Situation situation(sources, Sampled(Wave, 2, 5, 2));
  OptionSet options = kStackedPrior.about.options();
  options.Set("most_sources", 3);
  const auto transfer = kStackedPrior.make(options, {})->Combine(situation.input()).value();
  EXPECT_EQ(RemarkOf(*transfer, AtLocation(*transfer, kNoise), "levels"), 3);
}

TEST(SourceStack, GivesTheSameFromItsCacheAndAnew) {
  const auto a = SourceOf("a", Wave, 2, 10, 1);
  const auto b = SourceOf("b", Bowl, 2, 10, 4);
  const TrainingData target = Sampled(Wave, 2, 5, 2);
  const auto prior = MakeSourceStack(SourceStackOptions());
  const auto mean_of = [&](const Prior& from, const SourceModels& sources) {
    const Situation situation(sources, target);
    const auto transfer = from.Combine(situation.input()).value();
    return transfer->Fit(AtLocation(*transfer, kNoise)).value()->Predict(situation.places).mean;
  };
  const Vector first = mean_of(*prior, {a, b});
  const Vector turned = mean_of(*prior, {b, a});
  EXPECT_NE(first, turned);
  EXPECT_EQ(mean_of(*prior, {a, b}), first);
  EXPECT_EQ(mean_of(*prior, {b, a}), turned);
  EXPECT_EQ(mean_of(*MakeSourceStack(SourceStackOptions()), {b, a}), turned);
  // Others at the same address are not taken for these.
  for (uint64_t i = 1; i < 8; ++i) {
    const SourceModels others = {SourceOf("x", Wave, 2, 6, i), SourceOf("y", Wave, 2, 6, 20 + i)};
    EXPECT_EQ(mean_of(*prior, others), mean_of(*MakeSourceStack(SourceStackOptions()), others));
  }
}

TEST(SourceStack, StandsOncePrepared) {
  ExpectIsPreparedAhead([] { return MakeSourceStack(SourceStackOptions()); }, 8);
}

// Which of many sources it takes, the results tell.
TEST(SourceStack, OfManySourcesNothingIsPrepared) {
  SourceModels sources;
  for (uint64_t i = 0; i < 9; ++i) sources.push_back(SourceOf("s", Wave, 2, 200, i));
  const Situation situation(sources, Sampled(Wave, 2, 0, 2));
  const auto prior = MakeSourceStack(SourceStackOptions());
  const std::clock_t begin = std::clock();
  ASSERT_TRUE(prior->Prepare(situation.input()).ok());
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.01);
}

TEST(SourceStack, LivesWithLittleAndWithDegenerateData) {
  ExpectLivesWithLittle(*MakeSourceStack(SourceStackOptions()));
}

}  // namespace
}  // namespace slipstream
