#include "core/prior/rgpe.h"

#include <malloc.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

constexpr double kRgpeNoise = 0.05;

double Opposite(const Vector& x) { return -Wave(x); }

std::unique_ptr<Transfer> Combined(const RgpeOptions& options, const Situation& situation) {
  return MakeRgpe(options)->Combine(situation.input()).value();
}

// ---- The method once more, naively: dense inverses, another random generator.

struct DensePosterior {
  Vector mean;
  Matrix covariance;
};

DensePosterior Regressed(const Kernel& kernel, const Hyperparameters& own, const TrainingData& data,
                         const PointMatrix& at) {
  Matrix k = kernel.Covariance(own.kernel, data.x, data.x);
  k.diagonal().array() += std::exp(own.log_noise_variance);
  const Matrix inverse = DenseInverse(k);
  const Matrix cross = kernel.Covariance(own.kernel, at, data.x);
  const Vector residual = data.y.array() - own.mean;
  Vector mean = cross * (inverse * residual);
  mean.array() += own.mean;
  return {mean, kernel.Covariance(own.kernel, at, at) - cross * inverse * cross.transpose()};
}

TrainingData Without(const TrainingData& data, Index left_out) {
  std::vector<Index> rows;
  for (Index i = 0; i < data.y.size(); ++i) {
    if (i != left_out) rows.push_back(i);
  }
  return RowsOf(data, rows);
}

class NaiveRgpe {
 public:
  NaiveRgpe(const Situation& situation, const Kernel& kernel, const Hyperparameters& own)
      : target_(situation.target) {
    const Index n = target_.y.size();
    for (const auto& source : situation.sources) {
      sources_.push_back(
          Regressed(*source->kernel, source->hyperparameters, source->data, target_.x));
    }
    all_ = Regressed(kernel, own, target_, target_.x);
    for (Index j = 0; j < n; ++j) {
      left_out_.push_back(Regressed(kernel, own, Without(target_, j), target_.x));
    }
  }

  // One row a draw, the target last.
  Matrix Losses(RgpeLoss loss, Index draws) {
    Matrix losses(draws, static_cast<Index>(sources_.size()) + 1);
    for (Index s = 0; s < draws; ++s) {
      if (loss == RgpeLoss::kBootstrap) {
        Bootstrap(losses, s);
        continue;
      }
      for (size_t i = 0; i < sources_.size(); ++i) {
        const Vector f = sources_[i].mean + Root(sources_[i].covariance) * Normals();
        losses(s, static_cast<Index>(i)) = PairLoss(f, f);
      }
      losses(s, losses.cols() - 1) = loss == RgpeLoss::kCorrect ? Correct() : Simplified();
    }
    return losses;
  }

 private:
  static Matrix Root(const Matrix& covariance) {
    Matrix k = covariance;
    k.diagonal().array() += 1e-10;
    return DenseLowerFactor(k);
  }

  Vector Normals() {
    std::normal_distribution<double> normal;
    Vector z(target_.y.size());
    for (double& value : z) value = normal(generator_);
    return z;
  }

  double PairLoss(const Vector& left, const Vector& right) const {
    double loss = 0;
    for (Index j = 0; j < left.size(); ++j) {
      for (Index k = 0; k < left.size(); ++k) {
        if (k != j) loss += (left[j] < right[k]) != (target_.y[j] < target_.y[k]) ? 1 : 0;
      }
    }
    return loss;
  }

  double Correct() {
    const Vector common = Root(all_.covariance) * Normals();
    const Vector own = Normals();
    double loss = 0;
    for (Index j = 0; j < own.size(); ++j) {
      const DensePosterior& model = left_out_[static_cast<size_t>(j)];
      const Matrix added = model.covariance - all_.covariance;  // Has rank one.
      const Vector f = model.mean + common + own[j] / std::sqrt(added(j, j)) * added.col(j);
      for (Index k = 0; k < own.size(); ++k) {
        if (k != j) loss += (f[j] < f[k]) != (target_.y[j] < target_.y[k]) ? 1 : 0;
      }
    }
    return loss;
  }

  double Simplified() {
    Vector drawn = Normals();
    for (Index j = 0; j < drawn.size(); ++j) {
      const DensePosterior& model = left_out_[static_cast<size_t>(j)];
      drawn[j] = model.mean[j] + std::sqrt(model.covariance(j, j)) * drawn[j];
    }
    return PairLoss(drawn, target_.y);
  }

  void Bootstrap(Matrix& losses, Index s) {
    const Index n = target_.y.size();
    std::uniform_int_distribution<Index> choose(0, n - 1);
    std::vector<Index> sample;
    for (Index j = 0; j < n; ++j) sample.push_back(choose(generator_));
    losses.row(s).setZero();
    for (Index j : sample) {
      for (Index k : sample) {
        if (j == k) continue;
        const bool order = target_.y[j] < target_.y[k];
        for (size_t i = 0; i < sources_.size(); ++i) {
          const Vector& mean = sources_[i].mean;
          losses(s, static_cast<Index>(i)) += (mean[j] < mean[k]) != order ? 1 : 0;
        }
        const double own = left_out_[static_cast<size_t>(j)].mean[j];
        losses(s, losses.cols() - 1) += (own < target_.y[k]) != order ? 1 : 0;
      }
    }
  }

  TrainingData target_;
  std::vector<DensePosterior> sources_;
  DensePosterior all_;
  std::vector<DensePosterior> left_out_;
  std::mt19937_64 generator_{20240611};
};

Vector NaiveWeights(const Matrix& losses) {
  const Index target = losses.cols() - 1;
  Vector weights = Vector::Zero(losses.cols());
  for (Index s = 0; s < losses.rows(); ++s) {
    double least = losses(s, 0);
    for (Index i = 1; i < losses.cols(); ++i) least = std::min(least, losses(s, i));
    std::vector<Index> best;
    for (Index i = 0; i < losses.cols(); ++i) {
      if (losses(s, i) == least) best.push_back(i);
    }
    if (best.back() == target) best = {target};
    for (Index i : best) weights[i] += 1.0 / static_cast<double>(best.size());
  }
  return weights / static_cast<double>(losses.rows());
}

Situation MixedSituation() {
  return Situation({SourceOf("a", Wave, 2, 7, 1), SourceOf("b", Bowl, 2, 9, 2),
                    SourceOf("c", Wave, 2, 5, 3), SourceOf("d", Opposite, 2, 6, 4)},
                   Sampled(Wave, 2, 6, 5));
}

TEST(Rgpe, HasTheWeightsOfANaiveImplementation) {
  constexpr Index kDraws = 20000;
  const Situation situation = MixedSituation();
  for (const RgpeLoss loss : {RgpeLoss::kCorrect, RgpeLoss::kSimplified, RgpeLoss::kBootstrap}) {
    RgpeOptions options;
    options.loss = loss;
    options.draws = kDraws;
    options.dilution = RgpeDilution::kNone;
    const auto transfer = Combined(options, situation);
    const Hyperparameters own = AtLocation(*transfer, kRgpeNoise);
    const Matrix losses =
        NaiveRgpe(situation, *transfer->model().kernel, own).Losses(loss, kDraws);
    const Vector expected = NaiveWeights(losses);
    const Vector shares = transfer->Shares(own);
    // Four deviations of the difference of two frequencies.
    const double tolerance = 4 * std::sqrt(0.5 / kDraws);
    EXPECT_LT((shares - expected.head(4)).cwiseAbs().maxCoeff(), tolerance)
        << shares.transpose() << " against " << expected.transpose();
    EXPECT_NEAR(RemarkOf(*transfer, own, "target_weight"), expected[4], tolerance);
    EXPECT_NEAR(shares.sum() + RemarkOf(*transfer, own, "target_weight"), 1, 1e-12);
  }
}

TEST(Rgpe, IsTheWeightedSumOfIndependentRegressions) {
  const Situation situation = MixedSituation();
  RgpeOptions options;
  const auto transfer = Combined(options, situation);
  const Hyperparameters own = AtLocation(*transfer, kRgpeNoise);
  const PointMatrix at = RandomPoints(situation.kinds, 15, 6);
  const Vector shares = transfer->Shares(own);
  ASSERT_GT(shares.minCoeff(), -1e-15);
  ASSERT_GT(shares.maxCoeff(), 0.05);
  const double rest = 1 - shares.sum();
  const DensePosterior target = Regressed(*transfer->model().kernel, own, situation.target, at);
  Vector mean = rest * target.mean;
  Matrix covariance = rest * rest * target.covariance;
  for (Index i = 0; i < 4; ++i) {
    const SourceModel& source = *situation.sources[static_cast<size_t>(i)];
    const DensePosterior there = Regressed(*source.kernel, source.hyperparameters, source.data, at);
    mean += shares[i] * there.mean;
    covariance += shares[i] * shares[i] * there.covariance;
  }
  const auto surrogate = transfer->Fit(own).value();
  EXPECT_LT((surrogate->Predict(at).mean - mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((surrogate->Predict(at).variance - covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((surrogate->JointCovariance(at) - covariance).cwiseAbs().maxCoeff(), 1e-9);
  ExpectConsistent(*surrogate, at);
  ExpectConsistent(*surrogate->Fantasize(at.topRows(2)).value(), at.bottomRows(8));
}

TEST(Rgpe, WeighsAllModelsTheSameBeforeTheThirdResult) {
  for (const Index results : {0, 1, 2}) {
    const Situation situation({SourceOf("a", Wave, 2, 8, 1), SourceOf("b", Bowl, 2, 8, 2)},
                              Sampled(Wave, 2, results, 3));
    const auto transfer = Combined(RgpeOptions(), situation);
    const Hyperparameters own = AtLocation(*transfer, kRgpeNoise);
    EXPECT_LT((transfer->Shares(own).array() - 1.0 / 3).abs().maxCoeff(), 1e-15);
    EXPECT_EQ(RemarkOf(*transfer, own, "kept_sources"), 2);
    ExpectConsistent(*transfer->Fit(own).value(), RandomPoints(situation.kinds, 5, 4));
  }
}

TEST(Rgpe, FollowsASourceThatIsTheTargetAndNotOneThatIsItsOpposite) {
  const Situation situation(
      {SourceOf("same", Wave, 2, 40, 1), SourceOf("against", Opposite, 2, 40, 2)},
      Sampled(Wave, 2, 12, 3), 4, 5);
  for (const RgpeLoss loss : {RgpeLoss::kCorrect, RgpeLoss::kSimplified, RgpeLoss::kBootstrap}) {
    for (const RgpeDilution dilution :
         {RgpeDilution::kNone, RgpeDilution::kPercentile, RgpeDilution::kProbabilistic}) {
      RgpeOptions options;
      options.loss = loss;
      options.dilution = dilution;
      options.budget = 1000000;
      const auto transfer = Combined(options, situation);
      const Hyperparameters own = AtLocation(*transfer, kRgpeNoise);
      const Vector shares = transfer->Shares(own);
      EXPECT_GT(shares[0], 0.8);
      EXPECT_EQ(shares[1], 0);
      EXPECT_LT(RemarkOf(*transfer, own, "best_source_median_loss"),
                RemarkOf(*transfer, own, "target_median_loss"));
      if (dilution != RgpeDilution::kNone) {
        EXPECT_EQ(RemarkOf(*transfer, own, "kept_sources"), 1);
      }
    }
  }
}

TEST(Rgpe, DropsByThePercentileWhatWouldWinNowAndThen) {
  SourceModels sources;  // Each has two points, noise, and so wins in some draws.
  for (uint64_t i = 0; i < 15; ++i) sources.push_back(SourceOf("poor", Opposite, 2, 2, i + 1));
  const Situation situation(sources, Sampled(Wave, 2, 8, 30));
  RgpeOptions options;
  options.most_sources = 15;
  options.dilution = RgpeDilution::kNone;
  const auto with_all = Combined(options, situation);
  options.dilution = RgpeDilution::kPercentile;
  options.percentile = 0.5;
  const auto with_few = Combined(options, situation);
  const Hyperparameters own = AtLocation(*with_all, kRgpeNoise);
  EXPECT_EQ(RemarkOf(*with_all, own, "kept_sources"), 15);
  EXPECT_LT(RemarkOf(*with_few, own, "kept_sources"), 8);
  EXPECT_GE(RemarkOf(*with_few, own, "target_weight"), RemarkOf(*with_all, own, "target_weight"));
}

TEST(Rgpe, KeepsSourcesWithAProbabilityThatFallsWithTheBudget) {
  constexpr int kSeeds = 300;
  const std::shared_ptr<const SourceModel> source = SourceOf("a", Wave, 2, 40, 1);
  const TrainingData target = Sampled(Wave, 2, 10, 3);
  const auto kept = [&](Index budget) {
    double sum = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
      const Situation situation({source}, target, 4, static_cast<uint64_t>(seed));
      RgpeOptions options;
      options.dilution = RgpeDilution::kProbabilistic;
      options.budget = budget;
      options.draws = 64;
      const auto transfer = Combined(options, situation);
      sum += RemarkOf(*transfer, AtLocation(*transfer, kRgpeNoise), "kept_sources");
    }
    return sum / kSeeds;
  };
  EXPECT_GT(kept(1000000), 0.9);
  EXPECT_NEAR(kept(20), 0.5, 0.15);
  EXPECT_EQ(kept(10), 0);
  EXPECT_EQ(kept(5), 0);
}

TEST(Rgpe, MakesFewerDrawsOnlyWhereTheirLossesWouldBeManyMillions) {
  RgpeOptions options;
  EXPECT_EQ(RgpeDraws(options, 100'000), 256);
  options.loss = RgpeLoss::kBootstrap;
  EXPECT_EQ(RgpeDraws(options, 100'000), 1000);
  options.draws = 100'000;
  EXPECT_EQ(RgpeDraws(options, 10), 100'000);
  EXPECT_EQ(RgpeDraws(options, 83), 100'000);
  EXPECT_EQ(RgpeDraws(options, 1000), 8388);
  EXPECT_EQ(RgpeDraws(options, 100'000), 1000);
  options.draws = 50;
  EXPECT_EQ(RgpeDraws(options, 100'000), 50);
}

size_t AllocatedBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Sanitizers have a heap of their own, and nothing is measured with them.
TEST(Rgpe, KeepsNoRandomNumbersOfManyDraws) {
  const Situation situation({SourceOf("a", Wave, 2, 10, 1)}, Sampled(Wave, 2, 60, 2));
  for (const RgpeLoss loss : {RgpeLoss::kCorrect, RgpeLoss::kSimplified, RgpeLoss::kBootstrap}) {
    RgpeOptions options;
    options.loss = loss;
    options.draws = 50'000;  // 24 MB of numbers.
    const size_t before = AllocatedBytes();
    const auto transfer = Combined(options, situation);
    EXPECT_LT(AllocatedBytes(), before + (size_t{8} << 20));
    // Of many draws the weights hardly depend on the number, nor on how they are made.
    const Hyperparameters own = AtLocation(*transfer, kRgpeNoise);
    const Vector shares = transfer->Shares(own);
    options.draws = 2000;
    EXPECT_NEAR(Combined(options, situation)->Shares(own)[0], shares[0], 0.05);
  }
}

TEST(Rgpe, OfManySourcesTheBestRankersAreDrawn) {
  SourceModels sources;
  for (uint64_t i = 0; i < 100; ++i) {
    sources.push_back(i % 20 == 3 ? SourceOf("good", Wave, 2, 20, i + 1)
                                  : SourceOf("bad", Opposite, 2, 20, i + 1));
  }
  const Situation situation(sources, Sampled(Wave, 2, 10, 2));
  RgpeOptions options;
  options.most_sources = 5;
  const auto transfer = Combined(options, situation);
  const Vector shares = transfer->Shares(AtLocation(*transfer, kRgpeNoise));
  ASSERT_EQ(shares.size(), 100);
  EXPECT_LE(shares.sum(), 1 + 1e-12);
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(shares[i] > 0, i % 20 == 3) << i;
}

TEST(Rgpe, IsTheSameEachTime) {
  const TrainingData target = Sampled(Bowl, 2, 9, 2);
  const SourceModels others = {SourceOf("b", Bowl, 2, 10, 3)};
  const Situation plain({SourceOf("a", Wave, 2, 20, 1), others[0]}, target);
  const Situation again({SourceOf("a", Wave, 2, 20, 1), others[0]}, target);
  const PointMatrix at = RandomPoints(plain.kinds, 10, 3);
  for (const RgpeLoss loss : {RgpeLoss::kCorrect, RgpeLoss::kSimplified, RgpeLoss::kBootstrap}) {
    RgpeOptions options;
    options.loss = loss;
    const auto first = Combined(options, plain);
    const Hyperparameters own = AtLocation(*first, kRgpeNoise);
    const Predictions expected = first->Fit(own).value()->Predict(at);
    const Predictions twice = Combined(options, again)->Fit(own).value()->Predict(at);
    EXPECT_EQ(expected.mean, twice.mean);
    EXPECT_EQ(expected.variance, twice.variance);
  }
}

TEST(Rgpe, CalibratesTheTargetsOwnRegressionOnTheFirstResults) {
  const Situation situation({SourceOf("a", Wave, 2, 8, 1)}, Sampled(Wave, 2, 9, 3));
  PriorInput input = situation.input();
  input.calibrated_results = 6;
  const auto transfer = MakeRgpe(RgpeOptions())->Combine(input).value();
  EXPECT_EQ(transfer->data().y, situation.target.y.head(6));
  EXPECT_TRUE(transfer->data().terms.empty());
  EXPECT_EQ(transfer->model().weight_count(), 0);
  const auto surrogate = transfer->Fit(AtLocation(*transfer, 1e-6)).value();
  EXPECT_LE(surrogate->Predict(situation.target.x).variance.maxCoeff(), 1);
}

TEST(Rgpe, StaysFiniteWhereThereIsNothingToRank) {
  for (const RgpeLoss loss : {RgpeLoss::kCorrect, RgpeLoss::kSimplified, RgpeLoss::kBootstrap}) {
    RgpeOptions options;
    options.loss = loss;
    ExpectFiniteWhereDataAreDegenerate(*MakeRgpe(options));
  }
}

TEST(Rgpe, SaysSoWhenTheTargetCannotBeRegressed) {
  TrainingData target = Sampled(Wave, 2, 5, 3);
  target.y[2] = std::numeric_limits<double>::quiet_NaN();
  const Situation situation({SourceOf("a", Wave, 2, 5, 1)}, target);
  const auto transfer = Combined(RgpeOptions(), situation);
  const Hyperparameters own = AtLocation(*transfer, kRgpeNoise);
  EXPECT_FALSE(transfer->Fit(own).ok());
  EXPECT_EQ(transfer->Shares(own), Vector::Zero(1));
  EXPECT_TRUE(transfer->Remarks(own).empty());
}

}  // namespace
}  // namespace slipstream
