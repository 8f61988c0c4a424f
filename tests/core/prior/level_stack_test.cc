#include "core/prior/level_stack.h"

#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/naive_regression.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

constexpr double kMean = 0.4;
constexpr double kOwnMean = -0.2;

// Three levels of different kernels and, on top, a target.
struct Levels {
  std::vector<double> factors = {1.0, 0.3, 0.7};
  std::vector<double> lengthscales = {0.5, 0.3, 0.8};
  std::vector<Observations> data;
  Observations results;

  explicit Levels(Index result_count) {
    for (uint64_t l = 0; l < 3; ++l) {
      const TrainingData sampled =
          Sampled(l == 1 ? Bowl : Wave, 2, 6 + 3 * static_cast<Index>(l), 21 + l);
      data.push_back({sampled.x, sampled.y, RandomVector(sampled.y.size(), 0.001, 0.05, 31 + l)});
    }
    const TrainingData sampled = Sampled(Wave, 2, result_count, 41);
    results = {sampled.x, sampled.y, RandomVector(result_count, 0.01, 0.1, 42)};
  }

  std::shared_ptr<const LevelStack> Stack() const {
    auto stack = std::make_shared<LevelStack>(kMean);
    for (size_t l = 0; l < 3; ++l) {
      const Smoothness smoothness =
          l == 1 ? Smoothness::kSquaredExponential : Smoothness::kMatern52;
      StackedLevel level;
      level.kernel = MakeStationary(smoothness, Numbers(2), Lengthscales::kShared);
      level.parameters = Vector{{0, std::log(lengthscales[l])}};
      level.factor = factors[l];
      EXPECT_TRUE(stack->Add(level, data[l]).ok());
    }
    return stack;
  }

  OwnPart Own() const {
    OwnPart own;
    own.kernel = MakeStationary(Smoothness::kMatern52, Numbers(2), Lengthscales::kShared);
    own.parameters = Vector{{std::log(0.6), std::log(0.35)}};
    own.mean = kOwnMean;
    return own;
  }

  // The covariance of f_i(a) and f_j(b), the target being f_3.
  double Covariance(size_t i, const Vector& a, size_t j, const Vector& b) const {
    double sum = 0;
    for (size_t l = 0; l < 3 && l <= std::min(i, j); ++l) {
      const Vector each = Vector::Constant(2, lengthscales[l]);
      sum +=
          factors[l] * (l == 1 ? NaiveSquaredExponential(a, b, each) : NaiveMatern52(a, b, each));
    }
    if (i == 3 && j == 3) sum += 0.36 * NaiveMatern52(a, b, Vector::Constant(2, 0.35));
    return sum;
  }

  Matrix Covariances(size_t i, const PointMatrix& a, size_t j, const PointMatrix& b) const {
    return NaiveMatrix(
        [&](const Vector& x, const Vector& other) { return Covariance(i, x, j, other); }, a, b);
  }

  // One regression over everything that was observed of all four functions.
  NaivePosterior Naive(const PointMatrix& at) const {
    std::vector<Observations> all = data;
    all.push_back(results);
    Index size = 0;
    for (const Observations& part : all) size += part.y.size();
    Matrix among(size, size);
    Matrix to(size, at.rows());
    Vector y(size);
    Vector noise(size);
    Index row = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const Index rows = all[i].y.size();
      Index column = 0;
      for (size_t j = 0; j < all.size(); ++j) {
        among.block(row, column, rows, all[j].y.size()) = Covariances(i, all[i].x, j, all[j].x);
        column += all[j].y.size();
      }
      to.middleRows(row, rows) = Covariances(i, all[i].x, 3, at);
      y.segment(row, rows) = all[i].y.array() - kMean - (i == 3 ? kOwnMean : 0);
      noise.segment(row, rows) = all[i].noise_variance;
      row += rows;
    }
    NaivePosterior naive = NaiveRegression(among, noise, to, Covariances(3, at, 3, at), y);
    naive.mean.array() += kMean + kOwnMean;
    return naive;
  }
};

TEST(LevelStack, IsOneRegressionOverLevelsAndPoints) {
  for (const Index results : {0, 1, 8}) {
    const Levels levels(results);
    const PointMatrix at = RandomPoints(Numbers(2), 20, 5);
    const NaivePosterior naive = levels.Naive(at);
    const auto surrogate = FitOnStack(levels.Stack(), levels.Own(), levels.results).value();
    const Predictions actual = surrogate->Predict(at);
    EXPECT_LT((actual.mean - naive.mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((actual.variance - naive.covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((surrogate->Covariance(at, at) - naive.covariance).cwiseAbs().maxCoeff(), 1e-9);
    ExpectConsistent(*surrogate, at);
    ExpectConsistent(*surrogate->Fantasize(RandomPoints(Numbers(2), 3, 6)).value(), at);
  }
}

// Pending points absorbed one after the other, in comparison with a surrogate that takes them all
// in by their joint covariance.
TEST(LevelStack, AbsorbingIsFantasizingButForRoundingAlsoAtRememberedPoints) {
  for (const Index results : {0, 8}) {
    const Levels levels(results);
    const auto surrogate = FitOnStack(levels.Stack(), levels.Own(), levels.results).value();
    const auto untouched = surrogate->Clone();
    const PointMatrix screen = RandomPoints(Numbers(2), 300, 41);
    const PointMatrix pending = RandomPoints(Numbers(2), 9, 42);
    const Predictions before = surrogate->Predict(screen);
    const auto fantasy = surrogate->Fantasize(pending).value();
    surrogate->Remember(screen);
    EXPECT_LT((surrogate->Predict(screen).variance - before.variance).cwiseAbs().maxCoeff(), 1e-9);
    for (Index i = 0; i < pending.rows(); ++i) {
      const absl::StatusOr<bool> absorbed = surrogate->Absorb(pending.row(i));
      ASSERT_TRUE(absorbed.ok()) << absorbed.status();
      EXPECT_TRUE(*absorbed);
    }
    const Predictions expected = fantasy->Predict(screen);
    const Predictions remembered = surrogate->Predict(screen);
    EXPECT_LT((remembered.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((remembered.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-5);
    const PointMatrix few = screen.topRows(20);
    EXPECT_LT((surrogate->Covariance(few, few).diagonal() - remembered.variance.head(20))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-9);
    ExpectConsistent(*surrogate, few);
    EXPECT_LT(surrogate->Predict(pending).variance.maxCoeff(), 1e-5);
    EXPECT_EQ(untouched->Predict(screen).variance, before.variance);
  }
}

TEST(LevelStack, AbsorbsNothingThatIsNotFinite) {
  const Levels levels(8);
  const auto surrogate = FitOnStack(levels.Stack(), levels.Own(), levels.results).value();
  const PointMatrix at = RandomPoints(Numbers(2), 5, 42);
  const Predictions before = surrogate->Predict(at);
  const absl::StatusOr<bool> absorbed =
      surrogate->Absorb(PointMatrix::Constant(1, 2, std::nan("")));
  EXPECT_TRUE(!absorbed.ok() || !*absorbed);
  EXPECT_EQ(surrogate->Predict(at).variance, before.variance);
}

TEST(LevelStack, KnowsItsTopFunction) {
  const Levels levels(0);
  const auto stack = levels.Stack();
  EXPECT_EQ(stack->size(), 6 + 9 + 12);
  EXPECT_NEAR(stack->PriorVariance(), 2, 1e-12);
  const PointMatrix at = RandomPoints(Numbers(2), 10, 5);
  const KnownTerm known = stack->At(at);
  NaivePosterior naive = levels.Naive(at);
  naive.covariance -= levels.Covariances(3, at, 3, at) - levels.Covariances(2, at, 2, at);
  EXPECT_LT((known.mean.array() - naive.mean.array() + kOwnMean).abs().maxCoeff(), 1e-9);
  EXPECT_LT((known.covariance - naive.covariance).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(LevelStack, IsLeftAsItWasByALevelThatCannotBeAdded) {
  const Levels levels(0);
  LevelStack stack = *levels.Stack();
  Observations broken = levels.data[0];
  broken.y[0] = std::nan("");
  EXPECT_FALSE(stack.Add(stack.levels()[0], broken).ok());
  EXPECT_EQ(stack.size(), 27);
  EXPECT_EQ(stack.levels().size(), 3U);
}

}  // namespace
}  // namespace slipstream
