#include "core/calibration/posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gtest/gtest.h"
#include "tests/core/calibration/naive_posterior.h"

namespace slipstream {
namespace {

const Vector kPlace{{0.3, -1.2, -0.4, -3.0, 0.25}};

TEST(LogPosterior, IsTheLikelihoodWithOrWithoutTheBeliefs) {
  const Model model = SmoothModel(2);
  TrainingData data = SampleData(14, 2, 0.2, 1);
  data.repeats[3] = 5;
  Vector gradient(5);
  const std::optional<double> without = LogPosterior(model, data, false)(kPlace, gradient);
  ASSERT_TRUE(without.has_value());
  EXPECT_NEAR(*without, NaiveLogLikelihood(data, kPlace), 1e-8);
  const std::optional<double> with = LogPosterior(model, data, true)(kPlace, gradient);
  ASSERT_TRUE(with.has_value());
  EXPECT_NEAR(*with - *without, NaiveLogBelief(model, kPlace), 1e-8);
}

TEST(LogPosterior, HasTheGradientOfItsValue) {
  const Model model = SmoothModel(2);
  TrainingData data = SampleData(14, 2, 0.2, 1);
  data.repeats[3] = 5;
  for (bool with_beliefs : {false, true}) {
    Vector gradient = Vector::Constant(5, 777);  // Must be overwritten.
    LogPosterior(model, data, with_beliefs)(kPlace, gradient);
    const auto naive = [&](const Vector& place) {
      return NaiveLogLikelihood(data, place) + (with_beliefs ? NaiveLogBelief(model, place) : 0);
    };
    for (Index i = 0; i < 5; ++i) {
      Vector up = kPlace;
      Vector down = kPlace;
      up[i] += 1e-5;
      down[i] -= 1e-5;
      const double slope = (naive(up) - naive(down)) / 2e-5;
      EXPECT_NEAR(gradient[i], slope, 1e-5 * (1 + std::fabs(slope))) << i;
    }
  }
}

TEST(LogPosterior, IsNothingWhereItCannotBeComputed) {
  const Model model = SmoothModel(2);
  TrainingData data = SampleData(14, 2, 0.2, 1);
  data.y[5] = std::numeric_limits<double>::quiet_NaN();
  Vector gradient(5);
  EXPECT_FALSE(LogPosterior(model, data, true)(kPlace, gradient).has_value());
}

// Results that tell their place in the order.
TrainingData Numbered(Index count) {
  TrainingData data{PointMatrix(count, 1), Vector(count), Vector(count)};
  for (Index i = 0; i < count; ++i) {
    data.y[i] = data.x(i, 0) = static_cast<double>(i);
    data.repeats[i] = static_cast<double>(i + 1);
  }
  return data;
}

TEST(EvenlySpread, KeepsAsManyInTheirOrderAndTheLast) {
  for (Index size : {1, 2, 7, 100, 1000}) {
    for (Index count : {1, 2, 3, 10, 99, 500}) {
      const TrainingData spread = EvenlySpread(Numbered(size), count);
      const Index kept = std::min(size, count);
      ASSERT_EQ(spread.y.size(), kept);
      ASSERT_EQ(spread.x.rows(), kept);
      ASSERT_EQ(spread.repeats.size(), kept);
      EXPECT_EQ(spread.y[kept - 1], static_cast<double>(size - 1));
      const double gap = static_cast<double>(size) / static_cast<double>(kept);
      for (Index i = 0; i < kept; ++i) {
        EXPECT_EQ(spread.x(i, 0), spread.y[i]);
        EXPECT_EQ(spread.repeats[i], spread.y[i] + 1);
        const double before = i == 0 ? -1 : spread.y[i - 1];
        EXPECT_GE(spread.y[i] - before, std::floor(gap));
        EXPECT_LE(spread.y[i] - before, std::ceil(gap));
      }
    }
  }
}

}  // namespace
}  // namespace slipstream
