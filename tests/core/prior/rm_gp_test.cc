#include "core/prior/rm_gp.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

// The first `initial` results are of the study's start.
std::unique_ptr<Transfer> Combined(const RmGpOptions& options, const Situation& situation,
                                   Index initial = 1) {
  PriorInput input = situation.input();
  input.initial_results = initial;
  return MakeRmGp(options)->Combine(input).value();
}

RmGpOptions Exact() {
  RmGpOptions options;
  options.least_weight = 0;
  return options;
}

std::string DrawnFrom(const Transfer& transfer, const Hyperparameters& own) {
  for (const Remark& remark : transfer.Remarks(own)) {
    if (remark.first == "drawn_from") return std::get<std::string>(remark.second);
  }
  return "";
}

// ---- The method once more, naively: a dense inverse for every round.

struct NaivePrediction {
  double mean = 0;
  double deviation = 0;
};

NaivePrediction NaiveMoments(const Kernel& kernel, const Hyperparameters& own,
                             const TrainingData& data, const PointMatrix& point) {
  NaivePrediction result{own.mean, std::sqrt(kernel.Variance(own.kernel))};
  if (data.y.size() == 0) return result;
  Matrix k = kernel.Covariance(own.kernel, data.x, data.x);
  k.diagonal().array() += std::exp(own.log_noise_variance);
  const Vector cross = kernel.Covariance(own.kernel, data.x, point).col(0);
  const Vector solved = DenseSolve(k, cross);
  for (Index i = 0; i < data.y.size(); ++i) result.mean += solved[i] * (data.y[i] - own.mean);
  result.deviation = std::sqrt(kernel.Variance(own.kernel) - solved.dot(cross));
  return result;
}

struct NaiveRounds {
  double nu = 1;
  double multiplier = 0;
  std::vector<double> weights;
  std::vector<double> gaps;
};

NaiveRounds RunNaively(const Situation& situation, const Kernel& kernel, const Hyperparameters& own,
                       const RmGpOptions& options, Index first) {
  const auto dimension = static_cast<double>(situation.target.x.cols());
  NaiveRounds state;
  std::vector<double> sums(situation.sources.size(), 0);
  for (Index t = 1; t + first <= situation.target.y.size() + 1; ++t) {
    state.multiplier = std::sqrt(0.2 * dimension * std::log(2.0 * static_cast<double>(t)));
    const TrainingData before = FirstOf(situation.target, t - 1 + first);
    state.gaps.clear();
    for (const auto& source : situation.sources) {
      double sum = 0;
      const Index points = source->data.y.size();
      for (Index j = 0; j < points; ++j) {
        const NaivePrediction there = NaiveMoments(kernel, own, before, source->data.x.row(j));
        const double upper = there.mean + state.multiplier * there.deviation;
        const double lower = there.mean - state.multiplier * there.deviation;
        sum += std::max(std::abs(upper - source->data.y[j]), std::abs(lower - source->data.y[j]));
      }
      state.gaps.push_back(sum / static_cast<double>(points));
    }
    double total = 0;
    state.weights.clear();
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] += state.gaps[i];
      state.weights.push_back(std::exp(-options.learning_rate * sums[i]));
      total += state.weights.back();
    }
    double expected_gap = 0;
    for (size_t i = 0; i < sums.size(); ++i) {
      state.weights[i] /= total;
      expected_gap += state.weights[i] * state.gaps[i];
    }
    state.nu *= std::min(options.slowest_decay, std::pow(expected_gap, -options.decay_power));
  }
  return state;
}

double Against(const Vector& x) { return -Wave(x); }

Situation ThreeSources(Index results) {
  return Situation({SourceOf("a", Wave, 2, 9, 1), SourceOf("b", Bowl, 2, 6, 2),
                    SourceOf("c", Against, 2, 12, 3)},
                   Sampled(Wave, 2, results, 5));
}

TEST(RmGp, MaximisesThePapersAcquisitionFunction) {
  std::vector<RmGpOptions> variants(3, Exact());
  variants[1].learning_rate = 0.1;
  variants[2].source_confidence = 2.5;
  variants[2].acquisition_multiplier = 1.8;
  variants[2].slowest_decay = 1;
  variants[2].decay_power = 0.5;
  for (const RmGpOptions& options : variants) {
    const Index initial = options.learning_rate == 0.1 ? 3 : 0;
    for (const Index results : {0, 1, 4, 7}) {
      const Situation situation = ThreeSources(results);
      const auto transfer = Combined(options, situation, initial);
      const Hyperparameters own = AtLocation(*transfer, kNoise);
      NaiveRounds naive = RunNaively(situation, *transfer->model().kernel, own, options, initial);
      if (naive.weights.empty()) {
        naive.weights.assign(3, 1.0 / 3);
        naive.multiplier = std::sqrt(0.4 * std::log(2.0));
      }
      EXPECT_NEAR(RemarkOf(*transfer, own, "nu"), naive.nu, 1e-9);
      const auto surrogate = transfer->Fit(own).value();
      const double beta = options.acquisition_multiplier.value_or(naive.multiplier);
      const PointMatrix at = RandomPoints(situation.kinds, 12, 6);
      const Predictions there = surrogate->Predict(at);
      for (Index p = 0; p < at.rows(); ++p) {
        const NaivePrediction target =
            NaiveMoments(*transfer->model().kernel, own, situation.target, at.row(p));
        double zeta = (1 - naive.nu) * (target.mean + beta * target.deviation);
        for (size_t i = 0; i < 3; ++i) {
          const SourceModel& source = *situation.sources[i];
          const NaivePrediction of_source =
              NaiveMoments(*source.kernel, source.hyperparameters, source.data, at.row(p));
          zeta += naive.nu * naive.weights[i] *
                  (of_source.mean + std::sqrt(options.source_confidence) * of_source.deviation);
        }
        EXPECT_NEAR(there.mean[p] + beta * std::sqrt(there.variance[p]), zeta, 1e-8);
      }
      ExpectConsistent(*surrogate, at.topRows(4));
      ExpectConsistent(*surrogate->Fantasize(at.topRows(2)).value(), at.bottomRows(4));
    }
  }
}

TEST(RmGp, WeighsSourcesByTheirGaps) {
  const Situation situation = ThreeSources(6);
  const auto transfer = Combined(Exact(), situation, 0);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const NaiveRounds naive = RunNaively(situation, *transfer->model().kernel, own, Exact(), 0);
  const Vector shares = transfer->Shares(own);
  double mean_gap = 0;
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(shares[static_cast<Index>(i)], naive.nu * naive.weights[i], 1e-10);
    mean_gap += naive.weights[i] * naive.gaps[i];
  }
  EXPECT_NEAR(RemarkOf(*transfer, own, "mean_gap"), mean_gap, 1e-9);
  EXPECT_NEAR(RemarkOf(*transfer, own, "least_gap"),
              *std::min_element(naive.gaps.begin(), naive.gaps.end()), 1e-9);
  EXPECT_EQ(RemarkOf(*transfer, own, "rounds"), 7);
  EXPECT_GT(shares[0], shares[2]);
}

TEST(RmGp, StopsTransferringWithinAFewRounds) {
  double before = 1;
  for (const Index results : {1, 2, 10, 60}) {
    const Situation situation = ThreeSources(results);
    const auto transfer = Combined(RmGpOptions(), situation);
    const Hyperparameters own = AtLocation(*transfer, kNoise);
    const double nu = RemarkOf(*transfer, own, "nu");
    EXPECT_LE(nu, std::pow(0.7, results) * (1 + 1e-12));
    EXPECT_LT(nu, before);
    before = nu;
  }
  const Situation situation = ThreeSources(60);
  const auto transfer = Combined(RmGpOptions(), situation);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  EXPECT_EQ(transfer->Shares(own), Vector::Zero(3));
  const GaussianProcess alone = FitProcess(transfer->model().kernel, situation.target, own).value();
  const PointMatrix at = RandomPoints(situation.kinds, 9, 6);
  const auto surrogate = transfer->Fit(own).value();
  EXPECT_EQ(surrogate->Predict(at).mean, alone.Predict(at).mean);
}

// The published runs count from an initial design of five.
TEST(RmGp, AllInitialResultsMakeOneUpdateOfTheWeights) {
  for (const Index results : {4, 5, 8}) {
    const Situation situation = ThreeSources(results);
    const auto transfer = Combined(RmGpOptions(), situation, 5);
    const Hyperparameters own = AtLocation(*transfer, kNoise);
    const NaiveRounds naive = RunNaively(situation, *transfer->model().kernel, own, Exact(), 5);
    EXPECT_EQ(RemarkOf(*transfer, own, "rounds"), std::max<Index>(0, results - 4));
    EXPECT_EQ(transfer->Round(), std::max<Index>(1, results - 4));
    EXPECT_NEAR(RemarkOf(*transfer, own, "nu"), naive.nu, 1e-9);
  }
}

// kThompson takes the target's posterior or the sources', never a blend.
TEST(RmGp, DrawsFromTheTargetOrFromTheSources) {
  constexpr int kSeeds = 400;
  RmGpOptions options = Exact();
  options.mode = RmGpMode::kThompson;
  const Situation first = ThreeSources(2);
  const PointMatrix at = RandomPoints(first.kinds, 9, 6);
  int from_sources = 0;
  double nu = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Situation situation(first.sources, first.target, 4, static_cast<uint64_t>(seed));
    const auto transfer = Combined(options, situation, 0);
    const Hyperparameters own = AtLocation(*transfer, kNoise);
    nu = RemarkOf(*transfer, own, "nu");
    const Vector shares = transfer->Shares(own);
    const Predictions there = transfer->Fit(own).value()->Predict(at);
    Vector mean = Vector::Zero(9);
    Vector variance = Vector::Zero(9);
    if (DrawnFrom(*transfer, own) == "sources") {
      ++from_sources;
      EXPECT_NEAR(shares.sum(), 1, 1e-12);
      for (Index i = 0; i < 3; ++i) {
        const Predictions of_source = first.sources[static_cast<size_t>(i)]->process->Predict(at);
        mean += shares[i] * of_source.mean;
        variance += shares[i] * shares[i] * of_source.variance;
      }
    } else {
      EXPECT_EQ(shares, Vector::Zero(3));
      const GaussianProcess alone =
          FitProcess(transfer->model().kernel, situation.target, own).value();
      mean = alone.Predict(at).mean;
      variance = alone.Predict(at).variance;
    }
    EXPECT_LT((there.mean - mean).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((there.variance - variance).cwiseAbs().maxCoeff(), 1e-12);
  }
  EXPECT_NEAR(static_cast<double>(from_sources) / kSeeds, nu,
              4 * std::sqrt(nu * (1 - nu) / kSeeds));
}

TEST(RmGp, TakesTheHeaviestOfManySourcesAndThinsTheirPoints) {
  SourceModels sources;
  for (uint64_t i = 0; i < 100; ++i) {
    sources.push_back(i % 20 == 3 ? SourceOf("good", Wave, 2, 30, i + 1)
                                  : SourceOf("bad", Against, 2, 30, i + 1));
  }
  const Situation situation(sources, Sampled(Wave, 2, 10, 2));
  RmGpOptions options = Exact();
  options.most_sources = 5;
  options.most_points = 20;
  const auto transfer = Combined(options, situation, 0);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const Vector shares = transfer->Shares(own);
  EXPECT_NEAR(shares.sum(), RemarkOf(*transfer, own, "nu"), 1e-12);
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(shares[i] > 0, i % 20 == 3) << i;
  EXPECT_EQ(RemarkOf(*transfer, own, "kept_sources"), 5);
}

TEST(RmGp, ThinsASourceEvenly) {
  // Every other one of six points: as if the source had only these.
  const TrainingData six = Sampled(Wave, 2, 6, 1);
  const TrainingData three = RowsOf(six, {0, 2, 4});
  RmGpOptions thinned;
  thinned.most_points = 3;
  const TrainingData target = Sampled(Wave, 2, 5, 2);
  const Situation with_six({SourceOf("a", six)}, target);
  const Situation with_three({SourceOf("a", three)}, target);
  const auto first = Combined(thinned, with_six);
  const auto second = Combined(RmGpOptions(), with_three);
  const Hyperparameters own = AtLocation(*first, kNoise);
  EXPECT_EQ(RemarkOf(*first, own, "least_gap"), RemarkOf(*second, own, "least_gap"));
  EXPECT_EQ(RemarkOf(*first, own, "nu"), RemarkOf(*second, own, "nu"));
}

TEST(RmGp, IsTheSameEachTime) {
  const TrainingData target = Sampled(Bowl, 2, 6, 2);
  const auto other = SourceOf("b", Bowl, 2, 10, 3);
  const Situation plain({SourceOf("a", Wave, 2, 20, 1), other}, target);
  const Situation again({SourceOf("a", Wave, 2, 20, 1), other}, target);
  const PointMatrix at = RandomPoints(plain.kinds, 10, 3);
  for (const RmGpMode mode : {RmGpMode::kUpperBound, RmGpMode::kThompson}) {
    RmGpOptions options;
    options.mode = mode;
    const auto first = Combined(options, plain);
    const Hyperparameters own = AtLocation(*first, kNoise);
    const Predictions expected = first->Fit(own).value()->Predict(at);
    const Predictions twice = Combined(options, again)->Fit(own).value()->Predict(at);
    EXPECT_EQ(expected.mean, twice.mean);
    EXPECT_EQ(expected.variance, twice.variance);
  }
}

TEST(RmGp, StaysFiniteWhereverDataAreDegenerate) {
  for (const RmGpMode mode : {RmGpMode::kUpperBound, RmGpMode::kThompson}) {
    RmGpOptions options = Exact();
    options.mode = mode;
    ExpectFiniteWhereDataAreDegenerate(*MakeRmGp(options));
  }
}

TEST(RmGp, CalibratesTheTargetsOwnRegressionOnTheFirstResults) {
  const Situation situation = ThreeSources(9);
  PriorInput input = situation.input();
  input.calibrated_results = 6;
  const auto transfer = MakeRmGp(RmGpOptions())->Combine(input).value();
  EXPECT_EQ(transfer->data().y, situation.target.y.head(6));
  EXPECT_EQ(transfer->model().weight_count(), 0);
  EXPECT_EQ(RemarkOf(*transfer, AtLocation(*transfer, kNoise), "rounds"), 9);
}

}  // namespace
}  // namespace slipstream
