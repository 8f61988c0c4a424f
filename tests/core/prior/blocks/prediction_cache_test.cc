#include "core/prior/blocks/prediction_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/base/counter_random.h"
#include "core/base/out_of_memory.h"
#include "core/gp/kernel.h"
#include "core/prior/blocks/source_model.h"
#include "tests/core/prior/prior_fixtures.h"
#include "tests/testing/allocation_limit.h"

namespace slipstream {
namespace {

constexpr Index kTestDimension = 3;

PointMatrix PointsOf(Index count, uint64_t seed) {
  PointMatrix x(count, kTestDimension);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < kTestDimension; ++j) {
      x(i, j) = CounterRandomUniform(seed, static_cast<uint64_t>(i), static_cast<uint64_t>(j));
    }
  }
  return x;
}

std::shared_ptr<const SourceModel> SourceOfSize(Index size, bool is_product) {
  TrainingData data = Sampled(Wave, kTestDimension, size, 11, size > 1);
  if (!is_product) return SourceOf("source", std::move(data));
  std::vector<std::unique_ptr<Kernel>> parts;
  for (Smoothness smoothness : {Smoothness::kMatern32, Smoothness::kMatern12}) {
    parts.push_back(MakeStationary(
        smoothness, CoordinateKinds(kTestDimension, CoordinateKind::kNumber), Lengthscales::kEach));
  }
  std::shared_ptr<const Kernel> kernel = MakeProduct(std::move(parts));
  Hyperparameters hyperparameters{Vector::Constant(kernel->parameter_count(), -0.6), -6, 0.1, {}};
  return FitSourceModel("source", std::move(data), kernel, hyperparameters).value();
}

// All that a cache tells about one result and one point.
struct Answers {
  Vector mean;
  Vector variance;
  Matrix between;
};

Answers AnswersOneByOne(PredictionCache& cache, const PointMatrix& results, const PointMatrix& x) {
  Answers answers{Vector(x.rows()), Vector(x.rows()), Matrix(results.rows(), x.rows())};
  for (Index i = x.rows() - 1; i >= 0; --i) {
    const CachedPoints point(x.row(i));
    for (Index j = 0; j < results.rows(); ++j) {
      const auto there = cache.Between(CachedPoints(results.row(j)), point);
      answers.between(j, i) = there.between(0, 0);
    }
    const Predictions there = cache.Predict(point);
    answers.mean[i] = there.mean[0];
    answers.variance[i] = there.variance[0];
  }
  return answers;
}

TEST(PredictionCacheTest, SaysTheSameWhenMemoryRunsOutForWhatItKeeps) {
  const auto source = SourceOfSize(41, false);
  const CachedPoints x(PointsOf(7, 1));
  const Vector expected = PredictionCache(source->expansion, 1 << 20).Means(x);
  PredictionCache cache(source->expansion, 1 << 20);
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    cache.Clear();
    {
      const AllocationLimit limit(allocations);
      const absl::Status asked = OrOutOfMemory([&] {
        EXPECT_EQ(cache.Means(x), expected);
        return absl::OkStatus();
      });
      was_reached = limit.was_reached();
    }
    EXPECT_EQ(cache.Means(x), expected) << "after " << allocations << " allocations";
  }
}

TEST(PredictionCacheTest, SaysWhatTheExpansionSays) {
  for (const bool is_product : {false, true}) {
    const auto source = SourceOfSize(41, is_product);
    const PointMatrix x = PointsOf(70, 1);
    const PointMatrix results = PointsOf(5, 2);
    const auto there = source->cache->Between(CachedPoints(results), CachedPoints(x));
    const Predictions expected = source->expansion->Predict(x);
    EXPECT_TRUE(there.at_points.mean.isApprox(expected.mean, 1e-10));
    EXPECT_TRUE(there.at_points.variance.isApprox(expected.variance, 1e-8));
    EXPECT_LT((there.between - source->expansion->Covariance(results, x)).cwiseAbs().maxCoeff(),
              1e-10);
    EXPECT_EQ(source->cache->Means(CachedPoints(x)), there.at_points.mean);
    EXPECT_EQ(source->cache->Covariance(CachedPoints(results), CachedPoints(x)), there.between);
    const Matrix pulled = source->expansion->reduction * source->expansion->Cross(results);
    EXPECT_TRUE(source->cache->ReducedCross(CachedPoints(results)).isApprox(pulled, 1e-10));
  }
}

TEST(PredictionCacheTest, SaysTheSameToTheLastBitHoweverItIsAsked) {
  for (const bool is_product : {false, true}) {
    for (const Index size : {1, 2, 7, 18, 31, 32, 33, 41, 50, 127}) {
      const auto source = SourceOfSize(size, is_product);
      const PointMatrix x = PointsOf(75, 1);
      const PointMatrix results = PointsOf(6, 2);
      PredictionCache whole(source->expansion, size_t{1} << 30);
      PredictionCache parts(source->expansion, size_t{1} << 30);
      PredictionCache forgetful(source->expansion, 0);
      const auto at_once = whole.Between(CachedPoints(results), CachedPoints(x));
      const Answers one_by_one = AnswersOneByOne(parts, results, x);
      EXPECT_EQ(at_once.at_points.mean, one_by_one.mean) << size;
      EXPECT_EQ(at_once.at_points.variance, one_by_one.variance) << size;
      EXPECT_EQ(at_once.between, one_by_one.between) << size;
      for (PredictionCache* cache : {&whole, &parts, &forgetful}) {
        const auto again = cache->Between(CachedPoints(results), CachedPoints(x.bottomRows(50)));
        EXPECT_EQ(again.at_points.mean, at_once.at_points.mean.tail(50)) << size;
        EXPECT_EQ(again.at_points.variance, at_once.at_points.variance.tail(50)) << size;
        EXPECT_EQ(again.between, at_once.between.rightCols(50)) << size;
        EXPECT_EQ(cache->ReducedCross(CachedPoints(results)),
                  whole.ReducedCross(CachedPoints(results)))
            << size;
      }
    }
  }
}

TEST(PredictionCacheTest, StaysBounded) {
  const auto source = SourceOfSize(20, false);
  constexpr size_t kMost = 20000;
  PredictionCache cache(source->expansion, kMost);
  const CachedPoints results(PointsOf(4, 2));
  for (uint64_t seed = 0; seed < 50; ++seed) {
    cache.Between(results, CachedPoints(PointsOf(40, seed)));
    EXPECT_LT(cache.bytes(), kMost + 20000);
  }
  EXPECT_GT(cache.bytes(), 0u);
  cache.Clear();
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(PredictionCacheTest, StaysBoundedHoweverMuchIsAskedForAtOnce) {
  const auto source = SourceOfSize(20, false);
  constexpr size_t kMost = 100000;
  PredictionCache cache(source->expansion, kMost);
  const CachedPoints few(PointsOf(4, 2));
  const CachedPoints many(PointsOf(300, 3));
  for (uint64_t seed = 10; seed < 30; ++seed) {
    EXPECT_EQ(cache.Covariance(many, many), source->cache->Covariance(many, many));
    EXPECT_LE(cache.bytes(), kMost);
    cache.Between(few, CachedPoints(PointsOf(40, seed)));
    EXPECT_GT(cache.bytes(), 0u);
    EXPECT_LE(cache.bytes(), kMost + 1000);  // Sets of points are counted afterwards.
  }
}

TEST(PredictionCacheTest, CountsWhatKnownPointsGetLater) {
  const auto source = SourceOfSize(200, false);
  constexpr size_t kMost = 300'000;
  PredictionCache cache(source->expansion, kMost);
  const CachedPoints points(PointsOf(100, 3));
  cache.Predict(points);
  EXPECT_GT(cache.bytes(), 0u);
  const size_t before = cache.bytes();
  cache.Covariance(points, points);  // Takes more than that for itself.
  EXPECT_EQ(cache.bytes(), before);
}

TEST(PredictionCacheTest, KeepsMoreWhileASharedBudgetLends) {
  const auto source = SourceOfSize(20, false);
  const CachedPoints many(PointsOf(300, 3));
  const auto budget = std::make_shared<ByteBudget>(1'000'000);
  {
    PredictionCache lucky(source->expansion, 1000, budget);
    PredictionCache late(source->expansion, 1000, budget);
    lucky.Covariance(many, many);
    EXPECT_GT(lucky.bytes(), 700'000u);
    EXPECT_LE(lucky.bytes(), 1000 + 1'000'000 - budget->left() + 2000);
    late.Covariance(many, many);
    EXPECT_EQ(late.bytes(), 0u);
    lucky.Clear();
    EXPECT_EQ(budget->left(), 1'000'000u);
    late.Covariance(many, many);
    EXPECT_GT(late.bytes(), 700'000u);
  }
  EXPECT_EQ(budget->left(), 1'000'000u);
}

TEST(PredictionCacheTest, TakesNothing) {
  const auto source = SourceOfSize(20, false);
  const CachedPoints none(PointMatrix(0, kTestDimension));
  EXPECT_EQ(source->cache->Predict(none).mean.size(), 0);
  EXPECT_EQ(source->cache->Between(none, CachedPoints(PointsOf(3, 1))).between.rows(), 0);
  EXPECT_EQ(source->cache->ReducedCross(none).cols(), 0);
}

}  // namespace
}  // namespace slipstream
