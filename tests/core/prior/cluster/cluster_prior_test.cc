#include "core/prior/cluster/cluster_prior.h"

#include <cmath>
#include <numeric>
#include <thread>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/cluster/naive_cluster.h"
#include "tests/core/prior/prior_fixtures.h"
#include "tests/testing/sanitized.h"

namespace slipstream {
namespace {

// The first results on the scale of that time.
TrainingData EarlierOf(const TrainingData& target, Index count) {
  TrainingData data = FirstOf(target, count);
  data.y.array() -= data.y.mean();
  const double deviation = std::sqrt(data.y.squaredNorm() / static_cast<double>(count));
  if (deviation > 0) data.y /= deviation;
  return data;
}

EarlierResults EarlierIn(const Situation& situation) {
  return EarlierFrom([&](Index count) { return EarlierOf(situation.target, count); },
                     situation.target.y.size());
}

PriorInput InputOf(const Situation& situation) {
  const PriorInput plain = situation.input();
  return {plain.kinds,   plain.target,
          plain.sources, plain.model,
          plain.places,  EarlierIn(situation),
          plain.seed};
}

std::unique_ptr<Transfer> Combined(const Prior& prior, const Situation& situation) {
  return prior.Combine(InputOf(situation)).value();
}

std::unique_ptr<Transfer> Combined(const ClusterOptions& options, const Situation& situation) {
  return Combined(*MakeClusterPrior(options), situation);
}

// 0, 2, 4 and 1, 3 resemble each other.
SourceModels TwoKinds(Index dimension = 2, Index count = 24) {
  return {SourceOf("a", Wave, dimension, count, 1), SourceOf("b", Bowl, dimension, count, 2),
          SourceOf("c", Wave, dimension, count, 3), SourceOf("d", Bowl, dimension, count, 4),
          SourceOf("e", Wave, dimension, count, 5)};
}

ClusterOptions OptionsOf(NormalDistance clustering, NormalDistance weights) {
  ClusterOptions options;
  options.prototypes.clustering.distance = clustering;
  options.weights = weights;
  return options;
}

std::vector<ClusterOptions> AllVariants() {
  const NormalDistance jeffreys = NormalDistance::kJeffreys;
  const NormalDistance wasserstein = NormalDistance::kWasserstein;
  std::vector<ClusterOptions> variants = {
      OptionsOf(wasserstein, wasserstein), OptionsOf(jeffreys, jeffreys),
      OptionsOf(jeffreys, wasserstein), OptionsOf(wasserstein, jeffreys)};
  ClusterOptions options;
  options.prototypes.kind = PrototypeKind::kWassersteinBarycenter;
  variants.push_back(options);
  options.prototypes.kind = PrototypeKind::kGeometricCentre;
  options.prototypes.grouping = SourceGrouping::kTogether;
  variants.push_back(options);
  options.prototypes.grouping = SourceGrouping::kIndividual;
  options.weights = jeffreys;
  variants.push_back(options);
  options.residual_amplitude = 0.3;
  variants.push_back(options);
  return variants;
}

NaiveAlgorithm NaiveOf(const Situation& situation, const std::vector<std::vector<size_t>>& groups,
                       NormalDistance distance, std::vector<NaiveProcess> residuals = {}) {
  return NaiveAlgorithm(InputOf(situation), groups, distance, kSourceNoise, std::move(residuals));
}

TEST(ClusterPrior, IsThePapersAlgorithm) {
  const std::vector<std::vector<size_t>> groups = {{0, 2, 4}, {1, 3}};
  for (NormalDistance distance : {NormalDistance::kJeffreys, NormalDistance::kWasserstein}) {
    const Situation situation(TwoKinds(), Sampled(Wave, 2, 6, 9), 25);
    const NaiveAlgorithm naive = NaiveOf(situation, groups, distance);
    const auto transfer = Combined(OptionsOf(NormalDistance::kWasserstein, distance), situation);
    Hyperparameters hyperparameters = AtLocation(*transfer, kLittleNoise);
    hyperparameters.mean = 0.1;
    const Vector shares = transfer->Shares(hyperparameters);
    for (size_t i = 0; i < groups.size(); ++i) {
      for (size_t member : groups[i]) {
        EXPECT_NEAR(shares[static_cast<Index>(member)],
                    naive.weights[i] / static_cast<double>(groups[i].size()), 1e-8);
      }
    }
    EXPECT_NE(naive.weights[0], naive.weights[1]);
    // And what becomes of it, with the constant.
    const auto surrogate = transfer->Fit(hyperparameters).value();
    const NaiveProcess posterior = NaiveConditioned(naive.Prior(), situation.target.x,
                                                    situation.target.y.array() - 0.1, kLittleNoise);
    const PointMatrix at = RandomPoints(situation.kinds, 12, 3);
    const Vector mean = posterior.MeanAt(at).array() + 0.1;
    EXPECT_LT((surrogate->Predict(at).mean - mean).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT(
        (surrogate->JointCovariance(at) - posterior.CovarianceOf(at, at)).cwiseAbs().maxCoeff(),
        1e-7);
  }
}

TEST(ClusterPrior, IndividualSourcesAreTheirOwnPrototypes) {
  const Situation situation(TwoKinds(), Sampled(Bowl, 2, 5, 9), 25);
  const NaiveAlgorithm naive =
      NaiveOf(situation, {{0}, {1}, {2}, {3}, {4}}, NormalDistance::kJeffreys);
  ClusterOptions options;
  options.prototypes.grouping = SourceGrouping::kIndividual;
  options.weights = NormalDistance::kJeffreys;
  const auto transfer = Combined(options, situation);
  const Vector shares = transfer->Shares(AtLocation(*transfer, kLittleNoise));
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(shares[i], naive.weights[static_cast<size_t>(i)], 1e-8);
  }
}

// IndiWeight's other reading: the centre of all sources with weights for 1/K.
TEST(ClusterPrior, AWeightedCentreHasTheWeightsInItsCovarianceToo) {
  const Situation situation(TwoKinds(), Sampled(Bowl, 2, 2, 9), 25);
  ClusterOptions options;
  options.prototypes.grouping = SourceGrouping::kIndividual;
  options.weights = NormalDistance::kJeffreys;
  options.covariance = CovarianceWeights::kAsMeans;
  const auto transfer = Combined(options, situation);
  const Hyperparameters own = AtLocation(*transfer, kLittleNoise);
  const Vector shares = transfer->Shares(own);
  std::vector<NaiveProcess> naive;
  std::vector<double> equal(5, 0.2);
  std::vector<double> weights;
  for (size_t i = 0; i < 5; ++i) {
    naive.push_back(NaiveSource(situation.sources[i]->data, kSourceNoise));
    weights.push_back(shares[static_cast<Index>(i)]);
  }
  // One step from equal weights, of one result.
  const TrainingData first = EarlierOf(situation.target, 1);
  const double noise = std::exp(transfer->model().Location()[3]);
  const NaiveNormal posterior =
      NaiveAt(NaiveConditioned(NaiveMixture(naive, equal, equal), first.x, first.y, noise),
              situation.places);
  Vector distances(5);
  for (size_t i = 0; i < 5; ++i) {
    distances[static_cast<Index>(i)] =
        NaiveJeffreys(NaiveAt(naive[i], situation.places), posterior);
  }
  Vector expected = (1 - distances.array() / distances.maxCoeff()).exp();
  expected /= expected.sum();
  EXPECT_LT((shares - expected).cwiseAbs().maxCoeff(), 1e-7);
  const NaiveProcess last = NaiveConditioned(NaiveMixture(naive, weights, weights),
                                             situation.target.x, situation.target.y, kLittleNoise);
  const PointMatrix at = RandomPoints(situation.kinds, 10, 3);
  EXPECT_LT((transfer->Fit(own).value()->JointCovariance(at) - last.CovarianceOf(at, at))
                .cwiseAbs()
                .maxCoeff(),
            1e-7);
}

TEST(ClusterPrior, StepsBeginWithTheInitialResults) {
  const Situation situation(TwoKinds(), Sampled(Wave, 2, 7, 9), 25);
  const std::vector<std::vector<size_t>> groups = {{0, 2, 4}, {1, 3}};
  for (const Index initial : {1, 5, 7, 9}) {
    PriorInput input = InputOf(situation);
    input.initial_results = initial;
    const NaiveAlgorithm naive(input, groups, NormalDistance::kWasserstein, kSourceNoise, {});
    const auto transfer = MakeClusterPrior(ClusterOptions())->Combine(input).value();
    const Vector shares = transfer->Shares(AtLocation(*transfer, kLittleNoise));
    EXPECT_NEAR(shares[0], naive.weights[0] / 3, 1e-8) << initial;
    EXPECT_NEAR(shares[1], naive.weights[1] / 2, 1e-8) << initial;
    EXPECT_EQ(naive.weights[0] == 0.5, initial >= 7);
  }
}

// What is given for the posterior that chooses is what the weights' posterior has.
TEST(ClusterPrior, AGivenNoiseAndMeanAreThoseOfTheWeightsToo) {
  const Situation situation(TwoKinds(), Sampled(Wave, 2, 6, 9), 25);
  const auto weight_with = [&](double noise_deviation, double mean) {
    PriorInput input = InputOf(situation);
    input.model.given.noise_deviation = noise_deviation;
    input.model.given.mean = mean;
    const auto transfer = MakeClusterPrior(ClusterOptions())->Combine(input).value();
    const Hyperparameters own = transfer->model().Unpack(transfer->model().Location());
    EXPECT_NEAR(own.log_noise_variance, 2 * std::log(noise_deviation), 1e-12);
    EXPECT_EQ(own.mean, mean);
    EXPECT_TRUE(transfer->model().beliefs[4].is_fixed());
    return transfer->Shares(own)[0];
  };
  const double usual = weight_with(std::exp(-2), 0);
  EXPECT_NE(usual, weight_with(0.5, 0));
  EXPECT_NE(usual, weight_with(std::exp(-2), 0.4));
  const NaiveAlgorithm naive =
      NaiveOf(situation, {{0, 2, 4}, {1, 3}}, NormalDistance::kWasserstein);
  EXPECT_NEAR(usual, naive.weights[0] / 3, 1e-8);
}

TEST(ClusterPrior, AResidualTakesPartInTheSteps) {
  const Situation situation(TwoKinds(), Sampled(Wave, 2, 5, 9), 25);
  const NaiveProcess residual{[](const Vector&) { return 0.0; },
                              [](const Vector& a, const Vector& b) {
                                const double lengthscale = std::exp(-1 + 0.5 * std::log(2.0));
                                const double r = std::sqrt(3.0) * (a - b).norm() / lengthscale;
                                return 0.09 * (1 + r) * std::exp(-r);
                              }};
  const NaiveAlgorithm naive =
      NaiveOf(situation, {{0, 2, 4}, {1, 3}}, NormalDistance::kWasserstein, {residual});
  ClusterOptions options;
  options.residual_amplitude = 0.3;
  const auto transfer = Combined(options, situation);
  EXPECT_NEAR(transfer->Shares(AtLocation(*transfer, kLittleNoise))[1], naive.weights[1] / 2, 1e-8);
}

TEST(ClusterPrior, AGlobalCentreIsAFixedPriorOfEqualShares) {
  const Situation situation(TwoKinds(), Sampled(Bowl, 2, 7, 9), 25);
  ClusterOptions options;
  options.prototypes.grouping = SourceGrouping::kTogether;
  const auto transfer = Combined(options, situation);
  const Hyperparameters own = AtLocation(*transfer, kLittleNoise);
  EXPECT_LT((transfer->Shares(own).array() - 0.2).abs().maxCoeff(), 1e-15);
  std::vector<NaiveProcess> naive;
  for (const auto& source : situation.sources) {
    naive.push_back(NaiveSource(source->data, kSourceNoise));
  }
  const std::vector<double> fifth(5, 0.2);
  const NaiveProcess posterior = NaiveConditioned(
      NaiveMixture(naive, fifth, fifth), situation.target.x, situation.target.y, kLittleNoise);
  const PointMatrix at = RandomPoints(situation.kinds, 10, 3);
  const Predictions actual = transfer->Fit(own).value()->Predict(at);
  EXPECT_LT((actual.mean - posterior.MeanAt(at)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(ClusterPrior, WithBarycentersIsTheDenseRegression) {
  const Situation situation(TwoKinds(), Sampled(Wave, 2, 6, 9), 25);
  ClusterOptions options;
  options.prototypes.kind = PrototypeKind::kWassersteinBarycenter;
  const SourcePrototypes made =
      MakePrototypes(situation.sources, situation.places, options.prototypes).value();
  ASSERT_EQ(made.prototypes.size(), 2U);
  const auto transfer = Combined(options, situation);
  const Hyperparameters own = AtLocation(*transfer, kLittleNoise);
  const Vector shares = transfer->Shares(own);
  std::vector<NaiveProcess> parts;
  std::vector<double> mean_weights;
  std::vector<double> covariance_weights;
  for (const Prototype& prototype : made.prototypes) {
    double weight = 0;
    for (size_t member : prototype.members) {
      weight += shares[static_cast<Index>(member)];
      parts.push_back(NaiveSource(situation.sources[member]->data, kSourceNoise));
      mean_weights.push_back(shares[static_cast<Index>(member)]);
      covariance_weights.push_back(0);
    }
    ASSERT_NE(prototype.barycenter, nullptr);
    const auto covariance = [process = prototype.barycenter](const Vector& a, const Vector& b) {
      return process->Covariance(a.transpose(), b.transpose())(0, 0);
    };
    parts.push_back({[](const Vector&) { return 0.0; }, covariance});
    mean_weights.push_back(0);
    covariance_weights.push_back(weight * weight);
  }
  const NaiveProcess posterior =
      NaiveConditioned(NaiveMixture(parts, mean_weights, covariance_weights), situation.target.x,
                       situation.target.y, kLittleNoise);
  const auto surrogate = transfer->Fit(own).value();
  const PointMatrix at = RandomPoints(situation.kinds, 10, 3);
  EXPECT_LT((surrogate->Predict(at).mean - posterior.MeanAt(at)).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((surrogate->JointCovariance(at) - posterior.CovarianceOf(at, at)).cwiseAbs().maxCoeff(),
            1e-7);
}

// Sources that differ in what they know, so that covariances of some would not do for those of all.
TEST(ClusterPrior, HasTheCovariancesOfAllMembersOfThirtySources) {
  SourceModels sources;
  for (uint64_t i = 0; i < 30; ++i) {
    sources.push_back(SourceOf("s", i % 2 == 0 ? Bowl : Wave, 2, 4 + static_cast<Index>(i), i + 1));
  }
  const Situation situation(sources, Sampled(Wave, 2, 5, 999), 25);
  std::vector<size_t> all(sources.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const NaiveAlgorithm naive = NaiveOf(situation, {all}, NormalDistance::kWasserstein);
  ClusterOptions options;
  options.prototypes.grouping = SourceGrouping::kTogether;
  const auto transfer = Combined(options, situation);
  const auto surrogate = transfer->Fit(AtLocation(*transfer, kLittleNoise)).value();
  const NaiveProcess posterior =
      NaiveConditioned(naive.Prior(), situation.target.x, situation.target.y, kLittleNoise);
  const PointMatrix at = RandomPoints(situation.kinds, 10, 3);
  EXPECT_LT((surrogate->Predict(at).mean - posterior.MeanAt(at)).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((surrogate->JointCovariance(at) - posterior.CovarianceOf(at, at)).cwiseAbs().maxCoeff(),
            1e-7);
}

TEST(ClusterPrior, TakesAHundredSources) {
  SourceModels sources;
  for (uint64_t i = 0; i < 100; ++i) {
    sources.push_back(SourceOf("s", i % 3 == 0 ? Bowl : Wave, 2, 20, i + 1));
  }
  const Situation situation(sources, Sampled(Wave, 2, 8, 999), 30);
  const std::vector<ClusterOptions> variants = AllVariants();
  for (const ClusterOptions& options : {variants[1], variants[4], variants[6]}) {
    const auto transfer = Combined(options, situation);
    const Hyperparameters own = AtLocation(*transfer, kLittleNoise);
    EXPECT_NEAR(transfer->Shares(own).sum(), 1, 1e-12);
    ExpectConsistent(*transfer->Fit(own).value(), RandomPoints(situation.kinds, 2, 3));
    for (const Remark& remark : transfer->Remarks(own)) {
      if (const auto* text = std::get_if<std::string>(&remark.second)) {
        EXPECT_LT(text->size(), 200U);
      }
    }
  }
}

// Copies of one source: whichever of them lend their covariance, the mean of all
// is that of any.
TEST(ClusterPrior, TakesTheMeanCovarianceOfMoreMembersOverSomeOfThem) {
  SourceModels copies;
  for (int i = 0; i < 9; ++i) copies.push_back(SourceOf("copy", Wave, 2, 20, 1));
  const Situation situation(copies, Sampled(Bowl, 2, 6, 2));
  ClusterOptions options;
  options.prototypes.grouping = SourceGrouping::kTogether;
  const auto all = Combined(options, situation);
  options.prototypes.most_covariances = 4;
  const auto some = Combined(options, situation);
  const PointMatrix at = RandomPoints(situation.kinds, 30, 3);
  const Hyperparameters own = AtLocation(*all, kLittleNoise);
  const Predictions by_all = all->Fit(own).value()->Predict(at);
  const Predictions by_some = some->Fit(own).value()->Predict(at);
  EXPECT_LT((by_all.mean - by_some.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((by_all.variance - by_some.variance).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(ClusterPrior, ItsLikelihoodIsThatOfTheDenseModel) {
  const Situation situation(TwoKinds(), Sampled(Wave, 2, 8, 9), 25);
  const NaiveAlgorithm naive =
      NaiveOf(situation, {{0, 2, 4}, {1, 3}}, NormalDistance::kWasserstein);
  const auto transfer = Combined(ClusterOptions(), situation);
  Hyperparameters own = AtLocation(*transfer, kLittleNoise);
  own.mean = -0.2;
  ASSERT_EQ(own.weights.size(), 1);
  EXPECT_EQ(own.weights[0], 1);
  const PointMatrix& x = situation.target.x;
  Matrix k = naive.Prior().CovarianceOf(x, x);
  k.diagonal().array() += kLittleNoise;
  Vector residual = situation.target.y - naive.Prior().MeanAt(x);
  residual.array() += 0.2;
  const double expected = -0.5 * residual.dot(DenseSolve(k, residual)) -
                          0.5 * DenseLogDeterminant(k) - 4 * std::log(2 * M_PI);
  const auto actual = LogMarginalLikelihood(*transfer->model().kernel, transfer->data(), own);
  ASSERT_TRUE(actual.ok()) << actual.status();
  EXPECT_NEAR(actual->value, expected, 1e-6);
}

TEST(ClusterPrior, LeavesNoiseAndMeanOpenAndLengthscalesOnlyOfAResidual) {
  const Situation situation(TwoKinds(), Sampled(Wave, 2, 4, 9), 25);
  const auto open = [&](const ClusterOptions& options) {
    std::vector<bool> result;
    const auto transfer = Combined(options, situation);
    for (const HyperparameterBelief& belief : transfer->model().beliefs) {
      result.push_back(!belief.is_fixed());
    }
    return result;
  };
  ClusterOptions options;
  EXPECT_EQ(open(options), (std::vector<bool>{false, false, false, true, true, false}));
  options.residual_amplitude = 0.5;
  EXPECT_EQ(open(options), (std::vector<bool>{false, true, true, true, true, false}));
  const auto transfer = Combined(options, situation);
  EXPECT_NEAR(transfer->model().kernel->Variance(AtLocation(*transfer, kLittleNoise).kernel), 0.25,
              1e-12);
}

// With or without what an earlier call left, in whatever order: bit for bit.
TEST(ClusterPrior, ComesOutTheSameWhateverIsKept) {
  const SourceModels sources = TwoKinds(3, 17);
  const TrainingData all = Sampled(Wave, 3, 40, 9);
  for (const ClusterOptions& options : AllVariants()) {
    const auto prior = MakeClusterPrior(options);
    for (Index count : {Index{0}, Index{1}, Index{2}, Index{3}, Index{7}, Index{8}, Index{20},
                        Index{19}, Index{39}, Index{40}, Index{12}}) {
      const Situation situation(sources, FirstOf(all, count), 30);
      const auto warm = Combined(*prior, situation);
      const auto cold = Combined(options, situation);
      const Hyperparameters own = AtLocation(*warm, kLittleNoise);
      EXPECT_EQ(warm->Shares(own), cold->Shares(own)) << count;
      const PointMatrix at = RandomPoints(situation.kinds, 5, 3);
      EXPECT_EQ(warm->Fit(own).value()->Predict(at).mean, cold->Fit(own).value()->Predict(at).mean);
      EXPECT_EQ(warm->Remarks(own), cold->Remarks(own));
    }
  }
}

PriorInput InputUntil(const Situation& situation, const Deadline& deadline) {
  PriorInput input = InputOf(situation);
  input.deadline = deadline;
  return input;
}

TEST(ClusterPrior, KeepsToTheDeadline) {
  const Situation situation(TwoKinds(), Sampled(Wave, 2, 6, 9), 25);
  for (const ClusterOptions& options : AllVariants()) {
    const auto prior = MakeClusterPrior(options);
    EXPECT_EQ(prior->Prepare(InputUntil(situation, Deadline::Passed())).code(),
              absl::StatusCode::kDeadlineExceeded);
  }
}

// Each of many calls has a small part of the time that one takes.
TEST(ClusterPrior, GoesOnWhereADeadlineEndedAnEarlierCall) {
  SourceModels sources;
  for (uint64_t i = 0; i < (kSanitized ? 15 : 40); ++i) {
    sources.push_back(SourceOf("s", i % 3 == 0 ? Bowl : Wave, 2, 12, i + 1));
  }
  const Situation situation(sources, Sampled(Wave, 2, 30, 999), 80);
  std::vector<ClusterOptions> variants(3);
  variants[0].prototypes.clustering.distance = NormalDistance::kJeffreys;
  variants[1].prototypes.kind = PrototypeKind::kWassersteinBarycenter;
  variants[1].prototypes.grouping = SourceGrouping::kTogether;
  variants[2].prototypes.grouping = SourceGrouping::kIndividual;
  for (const ClusterOptions& options : variants) {
    const auto start = Deadline::Clock::now();
    const auto whole = Combined(options, situation);
    const absl::Duration part = absl::FromChrono(Deadline::Clock::now() - start) / 5;
    const auto prior = MakeClusterPrior(options);
    absl::StatusOr<std::unique_ptr<Transfer>> made = absl::UnavailableError("not tried");
    int calls = 0;
    for (; !made.ok() && calls < 100; ++calls) {
      made = prior->Combine(InputUntil(situation, Deadline::In(part)));
    }
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_GT(calls, 1);
    const Hyperparameters own = AtLocation(*whole, kLittleNoise);
    EXPECT_EQ((*made)->Shares(own), whole->Shares(own));
    EXPECT_EQ((*made)->Remarks(own), whole->Remarks(own));
    const PointMatrix at = RandomPoints(situation.kinds, 5, 3);
    EXPECT_EQ((*made)->Fit(own).value()->Predict(at).mean,
              whole->Fit(own).value()->Predict(at).mean);
  }
}

// The same final results, but by another way there.
TEST(ClusterPrior, KnowsHistoriesThatOnlyEndAlike) {
  const Situation situation(TwoKinds(), Sampled(Wave, 2, 6, 9), 25);
  const auto other_way = [&](Index count) {
    TrainingData data = EarlierOf(situation.target, count);
    if (count < 4) data.y *= -1;
    return data;
  };
  const PriorInput plain = InputOf(situation);
  const PriorInput other{plain.kinds,  plain.target, plain.sources, plain.model,
                         plain.places, EarlierFrom(other_way, 6), plain.seed};
  const auto prior = MakeClusterPrior(ClusterOptions());
  const auto first = prior->Combine(plain).value();
  const auto warm = prior->Combine(other).value();
  const auto cold = MakeClusterPrior(ClusterOptions())->Combine(other).value();
  const Hyperparameters own = AtLocation(*first, kLittleNoise);
  EXPECT_EQ(warm->Shares(own), cold->Shares(own));
  EXPECT_NE(warm->Shares(own), first->Shares(own));
}

// One result more takes one step more.
TEST(ClusterPrior, AsksForNoMoreStepsThanItHasTo) {
  const SourceModels sources = TwoKinds();
  const TrainingData all = Sampled(Wave, 2, 30, 9);
  const auto prior = MakeClusterPrior(ClusterOptions());
  const auto asked = [&](Index count) {
    const Situation situation(sources, FirstOf(all, count), 25);
    int calls = 0;
    PriorInput input = InputOf(situation);
    input.earlier.at = [&calls, at = input.earlier.at](Index earlier) {
      ++calls;
      return at(earlier);
    };
    EXPECT_TRUE(prior->Combine(input).ok());
    return calls;
  };
  EXPECT_EQ(asked(29), 1 + 28);  // The points, each step.
  EXPECT_EQ(asked(29), 0);
  EXPECT_EQ(asked(30), 1);
}

// Jeffreys divergences are mostly of covariances, so weights by them hardly
// know one function from another; but they do go the right way.
TEST(ClusterPrior, WeighsThePrototypeThatFitsMore) {
  for (const ClusterOptions& options : AllVariants()) {
    if (options.prototypes.grouping == SourceGrouping::kTogether) continue;
    const SourceModels sources = TwoKinds();
    const Situation like_waves(sources, Sampled(Wave, 2, 12, 9), 60);
    const auto waves = Combined(options, like_waves);
    const Vector with_waves = waves->Shares(AtLocation(*waves, kLittleNoise));
    const Situation like_bowls(sources, Sampled(Bowl, 2, 12, 9), 60);
    const auto bowls = Combined(options, like_bowls);
    const Vector with_bowls = bowls->Shares(AtLocation(*bowls, kLittleNoise));
    EXPECT_NEAR(with_waves.sum(), 1, 1e-12);
    EXPECT_GT(with_bowls[1] + with_bowls[3], with_waves[1] + with_waves[3] + 0.03);
    if (options.weights == NormalDistance::kJeffreys) continue;
    EXPECT_GT(with_waves[0] + with_waves[2] + with_waves[4], 0.6);
    EXPECT_GT(with_bowls[1] + with_bowls[3], 0.55);
  }
}

TEST(ClusterPrior, IsConsistentInAllItsVariants) {
  for (const ClusterOptions& options : AllVariants()) {
    for (const Index results : {0, 1, 9}) {
      const Situation situation(TwoKinds(), Sampled(Wave, 2, results, 9), 25);
      const auto transfer = Combined(options, situation);
      const auto surrogate = transfer->Fit(AtLocation(*transfer, kLittleNoise)).value();
      const PointMatrix at = RandomPoints(situation.kinds, 8, 3);
      ExpectConsistent(*surrogate, at);
      const auto fantasy = surrogate->Fantasize(RandomPoints(situation.kinds, 3, 4)).value();
      ExpectConsistent(*fantasy, at);
    }
  }
}

TEST(ClusterPrior, LivesWithOddSourcesAndResults) {
  const SourceModels few = {SourceOf("a", Wave, 2, 1, 1)};
  const SourceModels two = {SourceOf("a", Wave, 2, 1, 1), SourceOf("b", Bowl, 2, 20, 2)};
  const auto same = SourceOf("a", Wave, 2, 20, 1);
  const SourceModels twins = {same, same, same, same};
  TrainingData equal_results = Sampled(Wave, 2, 8, 9);
  equal_results.y.setZero();
  TrainingData duplicates = Sampled(Wave, 2, 8, 9);
  for (Index i = 1; i < 8; ++i) duplicates.x.row(i) = duplicates.x.row(0);
  for (const ClusterOptions& options : AllVariants()) {
    for (const SourceModels& sources : {few, two, twins}) {
      for (const TrainingData& target : {equal_results, duplicates, same->data}) {
        for (const Index places : {0, 1, 40}) {
          const Situation situation(sources, target, places);
          const auto transfer = Combined(options, situation);
          const auto surrogate = transfer->Fit(AtLocation(*transfer, 1e-6));
          ASSERT_TRUE(surrogate.ok()) << surrogate.status();
          const PointMatrix at = RandomPoints(situation.kinds, 5, 3);
          const Predictions there = (*surrogate)->Predict(at);
          EXPECT_TRUE(there.mean.allFinite() && there.variance.allFinite());
          EXPECT_GT(there.variance.minCoeff(), 0);
          const Vector shares = transfer->Shares(AtLocation(*transfer, kLittleNoise));
          EXPECT_NEAR(shares.sum(), 1, 1e-12);
          EXPECT_GE(shares.minCoeff(), 0);
        }
      }
    }
  }
}

// Standardised outputs of 3 g + 5 are those of g.
TEST(ClusterPrior, DoesNotDependOnASourcesUnits) {
  const auto scaled = [](const Vector& x) { return 3 * Wave(x) + 5; };
  SourceModels sources = TwoKinds();
  const Situation plain(sources, Sampled(Wave, 2, 6, 9), 25);
  sources[2] = SourceOf("c", scaled, 2, 24, 3);
  const Situation changed(sources, Sampled(Wave, 2, 6, 9), 25);
  for (const ClusterOptions& options : AllVariants()) {
    const auto first = Combined(options, plain);
    const auto second = Combined(options, changed);
    const Hyperparameters own = AtLocation(*first, kLittleNoise);
    EXPECT_LT((first->Shares(own) - second->Shares(own)).cwiseAbs().maxCoeff(), 1e-9);
    const PointMatrix at = RandomPoints(plain.kinds, 10, 3);
    EXPECT_LT(
        (first->Fit(own).value()->Predict(at).mean - second->Fit(own).value()->Predict(at).mean)
            .cwiseAbs()
            .maxCoeff(),
        1e-8);
  }
}

TEST(ClusterPrior, SaysWhatItMadeOfItsSources) {
  const Situation situation(TwoKinds(), Sampled(Wave, 2, 6, 9), 25);
  const auto transfer = Combined(ClusterOptions(), situation);
  std::vector<std::string> names;
  for (const Remark& remark : transfer->Remarks(AtLocation(*transfer, kLittleNoise))) {
    names.push_back(remark.first);
    if (remark.first == "clusters") {
      EXPECT_EQ(std::get<double>(remark.second), 2);
    }
    if (remark.first == "cluster_weights") {
      EXPECT_EQ(std::get<std::string>(remark.second).substr(0, 12), "3 sources 0.");
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"clusters", "cluster_weights", "cluster_distances",
                                             "intra_cluster_entropy", "inter_cluster_separation"}));
}

TEST(ClusterPrior, TakesNoMoreStepsThanAllowed) {
  const TrainingData all = Sampled(Wave, 2, 12, 9);
  const SourceModels sources = TwoKinds();
  ClusterOptions options;
  options.most_steps = 5;
  const Situation until(sources, FirstOf(all, 6), 25);
  const Situation after(sources, all, 25);
  const auto first = Combined(ClusterOptions(), until);
  const auto last = Combined(options, after);
  const Hyperparameters own = AtLocation(*first, kLittleNoise);
  EXPECT_EQ(first->Shares(own), last->Shares(own));
}

TEST(ClusterPrior, KnowsItsPrototypesOncePrepared) {
  ExpectIsPreparedAhead([] { return MakeClusterPrior(ClusterOptions()); }, 24);
}

TEST(ClusterPrior, ServesManyThreadsAlike) {
  const SourceModels sources = TwoKinds();
  const Situation situation(sources, Sampled(Wave, 2, 10, 9), 25);
  const auto alone = Combined(ClusterOptions(), situation);
  const Vector expected = alone->Shares(AtLocation(*alone, kLittleNoise));
  const auto prior = MakeClusterPrior(ClusterOptions());
  std::vector<Vector> found(4);
  std::vector<std::thread> threads;
  for (Vector& shares : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) {
        const auto transfer = Combined(*prior, situation);
        shares = transfer->Shares(AtLocation(*transfer, kLittleNoise));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Vector& shares : found) EXPECT_EQ(shares, expected);
}

}  // namespace
}  // namespace slipstream
