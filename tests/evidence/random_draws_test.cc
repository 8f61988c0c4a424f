#include "tests/evidence/random_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace slipstream::evidence {
namespace {

using Kernel = ProcessShape::Kernel;

constexpr int kDraws = 4000;
// The deviation of a mean of so many products of normal numbers of variance 2
// is at most 2 * sqrt(2 / kDraws), 0.045.
constexpr double kTolerance = 0.15;

// The mean of f(x) f(y) over draws.
double Covariance(const ProcessShape& shape, const std::vector<double>& x,
                  const std::vector<double>& y) {
  double sum = 0;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    const auto draw = DrawProcess(shape, x.size(), seed);
    sum += draw(x) * draw(y);
  }
  return sum / kDraws;
}

TEST(RandomDraws, RowsAreDifferentAndAnyCanComeFirst) {
  std::set<size_t> first;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<size_t> rows = RandomRows(7, 5, seed);
    EXPECT_EQ(rows.size(), 5);
    EXPECT_EQ(std::set<size_t>(rows.begin(), rows.end()).size(), 5);
    EXPECT_LT(*std::max_element(rows.begin(), rows.end()), 7);
    first.insert(rows.front());
  }
  EXPECT_EQ(first.size(), 7);
  EXPECT_EQ(RandomRows(3, 5, 1).size(), 3);
  EXPECT_NE(RandomRows(100, 5, 1, 1), RandomRows(100, 5, 1, 2));
}

TEST(RandomDraws, NormalNumbersHaveTheirMoments) {
  double mean = 0;
  double square = 0;
  double of_two_lanes = 0;
  for (uint64_t index = 0; index < 10000; ++index) {
    const double number = StandardNormal(3, index);
    mean += number / 10000;
    square += number * number / 10000;
    of_two_lanes += number * StandardNormal(3, index, 1) / 10000;
  }
  EXPECT_NEAR(mean, 0, 0.04);
  EXPECT_NEAR(square, 1, 0.06);
  EXPECT_NEAR(of_two_lanes, 0, 0.04);
}

TEST(RandomDraws, ADrawIsDeterminedByItsSeed) {
  const ProcessShape shape = {};
  const std::vector<double> x = {0.3, -0.2};
  EXPECT_EQ(DrawProcess(shape, 2, 7)(x), DrawProcess(shape, 2, 7)(x));
  EXPECT_NE(DrawProcess(shape, 2, 7)(x), DrawProcess(shape, 2, 8)(x));
}

// At a distance of one lengthscale they are exp(-1/2) and (1 + a + a^2 / 3) exp(-a) for
// a = sqrt(5).
TEST(RandomDraws, ASmoothProcessHasItsKernelsCovariances) {
  const ProcessShape shape = {Kernel::kSquaredExponential, 0.5, 2};
  EXPECT_NEAR(Covariance(shape, {0.1, 0.2}, {0.1, 0.2}), 2, kTolerance);
  EXPECT_NEAR(Covariance(shape, {0.1, 0.2}, {0.4, 0.6}), 2 * 0.60653, kTolerance);
  EXPECT_NEAR(Covariance(shape, {0.1, 0.2}, {2.1, 0.2}), 0, kTolerance);
}

TEST(RandomDraws, AMaternProcessHasItsKernelsCovariances) {
  const ProcessShape shape = {Kernel::kMatern52, 0.5, 2};
  EXPECT_NEAR(Covariance(shape, {0.1, 0.2}, {0.1, 0.2}), 2, kTolerance);
  EXPECT_NEAR(Covariance(shape, {0.1, 0.2}, {0.4, 0.6}), 2 * 0.52399, kTolerance);
  EXPECT_NEAR(Covariance(shape, {0.1, 0.2}, {2.1, 0.2}), 2 * 0.0048, kTolerance);
}

}  // namespace
}  // namespace slipstream::evidence
