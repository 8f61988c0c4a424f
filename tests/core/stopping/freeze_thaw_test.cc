#include "core/stopping/freeze_thaw.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/gp/normal.h"
#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

constexpr double kAlpha = 1;
constexpr double kBeta = 0.1;
constexpr double kAsymptote = 0.3;
constexpr double kNoise = 1e-2;

Vector TenTimes() { return Vector::LinSpaced(10, 0.1, 1); }

// Curves drawn from the model itself, of mean 2 + 5 kappa and s = 0.7, known up to `known` of them
// in turn.
ObservedCurves Draw(Index count, uint64_t seed, const std::vector<Index>& known) {
  ObservedCurves curves = {TenTimes(), Matrix::Zero(10, count), {}};
  Matrix k(10, 10);
  for (Index i = 0; i < 10; ++i) {
    for (Index j = 0; j < 10; ++j) {
      const double ratio = kBeta / (curves.times[i] + curves.times[j] + kBeta);
      k(i, j) = kAsymptote + std::pow(ratio, kAlpha) + (i == j ? kNoise : 0);
    }
  }
  const auto factor = Cholesky::Of(k);
  for (Index j = 0; j < count; ++j) {
    Vector normal(10);
    for (Index i = 0; i < 10; ++i) {
      normal[i] = CounterRandomNormal(seed, static_cast<uint64_t>(j), static_cast<uint64_t>(i));
    }
    const Vector drawn = factor->lower() * normal;
    curves.values.col(j) = 0.7 * drawn;
    curves.values.col(j).array() += 2 + 5 * (kBeta / (curves.times.array() + kBeta)).pow(kAlpha);
    curves.lengths.push_back(known[static_cast<size_t>(j) % known.size()]);
    curves.values.col(j).tail(10 - curves.lengths.back()).setZero();
  }
  return curves;
}

ObservedCurve Leading(const ObservedCurves& curves, Index column, Index length) {
  return {curves.times.head(length), curves.values.col(column).head(length)};
}

// The mean and the deviation of all beliefs together.
struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments MomentsOf(const std::vector<CurveBelief>& beliefs) {
  double mean = 0;
  double square = 0;
  for (const CurveBelief& belief : beliefs) {
    mean += belief.weight * belief.mean;
    square += belief.weight * (belief.mean * belief.mean + belief.deviation * belief.deviation);
  }
  return {mean, std::sqrt(square - mean * mean)};
}

TEST(FreezeThawTest, IsAsSureOfEndsAsItIsRight) {
  const FreezeThaw model(Draw(40, 1, {10}));
  const ObservedCurves others = Draw(300, 2, {10});
  for (const Index known : {1, 4, 8}) {
    double squares = 0;
    double within_one = 0;
    for (Index j = 0; j < 300; ++j) {
      const Moments end = MomentsOf(model.BeliefsAtEnd(Leading(others, j, known)));
      const double error = (others.values(9, j) - end.mean) / end.deviation;
      squares += error * error;
      within_one += std::abs(error) < 1 ? 1 : 0;
    }
    EXPECT_NEAR(squares / 300, 1, 0.25) << known;
    EXPECT_NEAR(within_one / 300, 0.683, 0.08) << known;
  }
}

TEST(FreezeThawTest, IsSurerTheMoreIsKnownOfTheCurve) {
  const FreezeThaw model(Draw(40, 1, {10}));
  const ObservedCurves other = Draw(1, 3, {10});
  double before = 1e9;
  for (const Index known : {1, 4, 7, 9}) {
    const Moments end = MomentsOf(model.BeliefsAtEnd(Leading(other, 0, known)));
    EXPECT_LT(end.deviation, before) << known;
    before = end.deviation;
  }
}

TEST(FreezeThawTest, LearnsFromCurvesThatAreKnownInPart) {
  const ObservedCurves others = Draw(200, 2, {10});
  const FreezeThaw whole(Draw(60, 1, {10}));
  const FreezeThaw parts(Draw(60, 1, {10, 5, 3}));
  double difference = 0;
  for (Index j = 0; j < 200; ++j) {
    const Moments a = MomentsOf(whole.BeliefsAtEnd(Leading(others, j, 4)));
    const Moments b = MomentsOf(parts.BeliefsAtEnd(Leading(others, j, 4)));
    difference = std::max(difference, std::abs(a.mean - b.mean) / a.deviation);
  }
  EXPECT_LT(difference, 0.6);
}

TEST(FreezeThawTest, WeightsAddUpToOne) {
  const FreezeThaw model(Draw(5, 4, {10}));
  double sum = 0;
  for (const CurveBelief& belief : model.BeliefsAtEnd(Leading(Draw(1, 5, {10}), 0, 3))) {
    EXPECT_GT(belief.deviation, 0);
    sum += belief.weight;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(FreezeThawTest, ShiftsAndStretchesWithTheValues) {
  ObservedCurves curves = Draw(20, 6, {10, 6});
  const ObservedCurve one = Leading(Draw(1, 7, {10}), 0, 5);
  const Moments plain = MomentsOf(FreezeThaw(curves).BeliefsAtEnd(one));
  curves.values = curves.values.array() * 3 + 100;
  const ObservedCurve other = {one.times, one.values.array() * 3 + 100};
  const Moments moved = MomentsOf(FreezeThaw(curves).BeliefsAtEnd(other));
  EXPECT_NEAR(moved.mean, plain.mean * 3 + 100, 1e-6);
  EXPECT_NEAR(moved.deviation, plain.deviation * 3, 1e-6);
}

TEST(FreezeThawTest, BelievesNothingWithoutASpread) {
  const ObservedCurves level = {TenTimes(), Matrix::Constant(10, 6, 4), {10, 10, 10, 10, 10, 10}};
  EXPECT_TRUE(FreezeThaw(level).BeliefsAtEnd(Leading(level, 0, 3)).empty());
  const ObservedCurves none = {TenTimes(), Matrix::Zero(10, 0), {}};
  EXPECT_TRUE(FreezeThaw(none).BeliefsAtEnd(Leading(level, 0, 3)).empty());
}

}  // namespace
}  // namespace slipstream
