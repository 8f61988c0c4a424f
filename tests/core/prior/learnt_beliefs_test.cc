#include "core/prior/learnt_beliefs.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

// Sources under fixed hyperparameters, but for the noise of every second one.
SourceModels TeachingSources(size_t count) {
  SourceModels sources;
  for (size_t k = 0; k < count; ++k) {
    sources.push_back(
        SourceOf("s" + std::to_string(k), Sampled(Wave, 2, 10, k), k % 2 == 0 ? 1e-3 : 1e-1));
  }
  return sources;
}

Model UntaughtModel(const SourceModels& sources) {
  return DefaultModel(CoordinateKinds(static_cast<size_t>(sources.front()->data.x.cols())), {});
}

TEST(LearntBeliefs, AreThoseOfAMixtureOfSourcesAndTheDefault) {
  const SourceModels sources = TeachingSources(6);
  const Model before = UntaughtModel(sources);
  Model after = before;
  EXPECT_EQ(LearnBeliefs(sources, after), 6U);
  // Six sources beside a belief that counts as three.
  const double part = 6.0 / 9.0;
  for (size_t i = 0; i < 4; ++i) {
    const auto value = [&](size_t k) {
      const Hyperparameters& own = sources[k]->hyperparameters;
      return i < 3 ? own.kernel[static_cast<Index>(i)] : own.log_noise_variance;
    };
    const double mean = (value(0) + value(1)) / 2;
    const double between = std::pow(value(0) - mean, 2);
    const double apart = mean - before.beliefs[i].location;
    const double variance = part * between + (1 - part) * std::pow(before.beliefs[i].deviation, 2) +
                            part * (1 - part) * apart * apart;
    EXPECT_NEAR(after.beliefs[i].location, before.beliefs[i].location + part * apart, 1e-12) << i;
    EXPECT_NEAR(after.beliefs[i].deviation, std::sqrt(variance), 1e-12) << i;
    EXPECT_EQ(after.beliefs[i].lower, before.beliefs[i].lower) << i;
  }
  EXPECT_EQ(after.beliefs[4], before.beliefs[4]);  // The mean's.
}

TEST(LearntBeliefs, AreNarrowerWithMoreAlikeSources) {
  double wider = INFINITY;
  for (const size_t count : {1, 3, 10, 100}) {
    SourceModels sources(count, SourceOf("s", Wave, 2, 10, 1));
    Model model = UntaughtModel(sources);
    LearnBeliefs(sources, model);
    EXPECT_LT(model.beliefs[1].deviation, wider) << count;
    EXPECT_GE(model.beliefs[1].deviation, 0.1) << count;
    wider = model.beliefs[1].deviation;
  }
}

TEST(LearntBeliefs, WhatIsFixedStaysSo) {
  const SourceModels sources = TeachingSources(4);
  Model model = UntaughtModel(sources);
  model.beliefs[1] = {-1, 1, -1, -1};
  const HyperparameterBelief before = model.beliefs[1];
  LearnBeliefs(sources, model);
  EXPECT_EQ(model.beliefs[1], before);
}

TEST(LearntBeliefs, AreNotTaughtByOtherKernels) {
  const SourceModels sources = TeachingSources(4);
  ModelOptions shared;
  shared.lengthscales = Lengthscales::kShared;
  Model model = DefaultModel(CoordinateKinds(2), shared);
  const Model before = model;
  EXPECT_EQ(LearnBeliefs(sources, model), 0U);
  EXPECT_EQ(model.beliefs, before.beliefs);
}

TEST(LearntNoise, IsBelievedToBeLessWhereSourcesHaveLess) {
  EXPECT_EQ(LearntNoise({}), kUsualNoise);
  EXPECT_EQ(LearntNoise({SourceOf("s", Sampled(Wave, 2, 10, 1), 0.1)}), kUsualNoise);
  const HyperparameterBelief of_one = LearntNoise({SourceOf("s", Sampled(Wave, 2, 10, 1), 1e-4)});
  const double apart = std::log(1e-4) - kUsualNoise.location;
  EXPECT_NEAR(of_one.location, kUsualNoise.location + apart / 4, 1e-12);
  EXPECT_NEAR(of_one.deviation, std::sqrt(0.75 + 0.1875 * apart * apart), 1e-12);
  EXPECT_EQ(of_one.lower, kUsualNoise.lower);
}

TEST(LearntNoise, OfManyExactSourcesLeavesRoomForMore) {
  const SourceModels exact(200, SourceOf("s", Sampled(Wave, 2, 10, 1), 1e-8));
  const HyperparameterBelief belief = LearntNoise(exact);
  EXPECT_EQ(belief.location, -6.5);
  EXPECT_GE(belief.deviation, 1.75);
}

TEST(LearntNoise, IsNotLearntFromSourcesWithoutDifferences) {
  const SourceModels sources(3, SourceOf("s", Sampled(Wave, 2, 10, 1), 1e-3));
  SourceModels more = sources;
  TrainingData equal = Sampled(Wave, 2, 10, 1);
  equal.y.setZero();
  more.push_back(SourceOf("equal", equal, 1e-6));
  EXPECT_EQ(LearntNoise(more), LearntNoise(sources));
  EXPECT_EQ(LearntNoise({more.back()}), kUsualNoise);
}

TEST(LearntNoise, IsNeverSurerThanUsualNorBelowItsBound) {
  for (const double noise : {1e-2, 1e-5, 1e-8}) {
    const SourceModels sources(200, SourceOf("s", Sampled(Wave, 2, 10, 1), noise));
    const HyperparameterBelief belief = LearntNoise(sources);
    EXPECT_GE(belief.deviation, kUsualNoise.deviation) << noise;
    EXPECT_LT(belief.location, kUsualNoise.location) << noise;
    EXPECT_GE(belief.location, belief.lower) << noise;
  }
}

TEST(LearntBeliefs, TheFunctionIsTheTargetsAlone) {
  const SourceModels sources = TeachingSources(5);
  const Situation situation(sources, Sampled(Bowl, 2, 8, 2));
  const auto transfer = MakeLearntBeliefs()->Combine(situation.input()).value();
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  EXPECT_EQ(transfer->Shares(own), Vector(Vector::Zero(5)));
  EXPECT_EQ(RemarkOf(*transfer, own, "sources_that_teach_beliefs"), 5);
  const PointMatrix at = Sampled(Wave, 2, 6, 3).x;
  const auto surrogate = transfer->Fit(own).value();
  const auto expected = FitProcess(transfer->model().kernel, situation.target, own).value();
  EXPECT_EQ(surrogate->Predict(at).mean, expected.Predict(at).mean);
  ExpectConsistent(*surrogate, at);
}

}  // namespace
}  // namespace slipstream
