#include "core/gp/output_transform.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"

namespace slipstream {
namespace {

constexpr OutputWarp kWarps[] = {OutputWarp::kStandardize, OutputWarp::kPower, OutputWarp::kCopula};

struct Results {
  std::string name;
  Vector values;
};

Vector Of(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

// All kinds of results that a user may report.
std::vector<Results> AllResults() {
  const Vector plain = RandomVector(30, -3, 5, 1);
  const Vector tail = RandomVector(40, -1, 8, 2).array().exp();
  Vector outlier = plain;
  outlier[7] = 1e12;
  Vector low_outlier = plain;
  low_outlier[7] = -1e300;
  Vector both = plain;
  both[3] = -1e308;
  both[4] = 1.7e308;
  return {{"plain", plain},
          {"longtail", tail},
          {"outlier", outlier},
          {"lowoutlier", low_outlier},
          {"both", both},
          {"shifted", plain.array() + 1e6},
          {"tiny", plain * 1e-300},
          {"huge", plain * 1e300},
          {"negative", -tail},
          {"one", Of({3.25})},
          {"zero", Of({0})},
          {"two", Of({1, 2})},
          {"equal", Vector::Constant(12, 0.1)},
          {"zeros", Vector::Zero(5)},
          {"ties", Of({1, 2, 2, 2, 3, 3, 9})},
          {"close", Of({1, std::nextafter(1.0, 2.0), 1.5})},
          {"denormal", Of({5e-324, 1e-323, 0})},
          {"extremes",
           Of({-std::numeric_limits<double>::max(), 0, std::numeric_limits<double>::max()})}};
}

template <typename Body>
void ForEachWarpResultsAndSign(const Body& body) {
  for (const Results& results : AllResults()) {
    for (const OutputWarp warp : kWarps) {
      for (const double sign : {1.0, -1.0}) {
        SCOPED_TRACE(results.name + ", warp " + std::to_string(static_cast<int>(warp)) + ", sign " +
                     std::to_string(sign));
        body(results, OutputTransform::Fit(warp, results.values, sign), sign);
      }
    }
  }
}

std::vector<double> Sorted(const Vector& values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

TEST(OutputTransform, IsNeverNaNOrInfiniteForItsResults) {
  ForEachWarpResultsAndSign([](const Results& results, const OutputTransform& transform, double) {
    EXPECT_TRUE(transform.Apply(results.values).allFinite());
    for (const double result : results.values) {
      EXPECT_EQ(transform.Apply(result), transform.Apply(Vector::Constant(1, result))[0]);
    }
  });
}

TEST(OutputTransform, IsNeverNaNForAnyOtherResultEither) {
  ForEachWarpResultsAndSign([](const Results&, const OutputTransform& transform, double) {
    for (const double extreme :
         {0.0, 5e-324, 1e-300, 1.0, 1e10, 1e300, std::numeric_limits<double>::max()}) {
      for (const double result : {extreme, -extreme}) {
        EXPECT_FALSE(std::isnan(transform.Apply(result))) << result;
        EXPECT_TRUE(std::isfinite(transform.Invert(result))) << result;
      }
    }
  });
}

TEST(OutputTransform, MoreIsBetterWhicheverTheGoal) {
  ForEachWarpResultsAndSign(
      [](const Results& results, const OutputTransform& transform, double sign) {
        const std::vector<double> sorted = Sorted(results.values);
        for (size_t i = 1; i < sorted.size(); ++i) {
          const double step = transform.Apply(sorted[i]) - transform.Apply(sorted[i - 1]);
          // Results too close for the scale may meet, but never change places.
          const double range = sorted.back() / 2 - sorted.front() / 2;
          const bool apart = (sorted[i] / 2 - sorted[i - 1] / 2) > 1e-12 * range;
          if (apart) {
            EXPECT_GT(sign * step, 0) << sorted[i - 1] << " and " << sorted[i];
          } else {
            EXPECT_GE(sign * step, 0) << sorted[i - 1] << " and " << sorted[i];
          }
        }
      });
}

TEST(OutputTransform, EqualResultsHaveEqualValues) {
  ForEachWarpResultsAndSign([](const Results& results, const OutputTransform& transform, double) {
    const Vector values = transform.Apply(results.values);
    for (Index i = 0; i < values.size(); ++i) {
      for (Index j = 0; j < i; ++j) {
        if (results.values[i] != results.values[j]) continue;
        EXPECT_EQ(values[i], values[j]);
      }
    }
  });
}

TEST(OutputTransform, ComesBackToEachResult) {
  ForEachWarpResultsAndSign([](const Results& results, const OutputTransform& transform, double) {
    const double magnitude = results.values.cwiseAbs().maxCoeff();
    for (const double result : results.values) {
      EXPECT_LE(std::abs(transform.Invert(transform.Apply(result)) / 2 - result / 2),
                1e-9 * magnitude)
          << result;
    }
  });
}

TEST(OutputTransform, IsMonotoneAndInvertibleBetweenAndBeyondItsResults) {
  for (const char* name :
       {"plain", "longtail", "negative", "shifted", "ties", "two", "tiny", "huge"}) {
    const std::vector<Results> all = AllResults();
    const auto results = std::find_if(all.begin(), all.end(),
                                      [&](const Results& each) { return each.name == name; });
    const double least = results->values.minCoeff();
    const double range = results->values.maxCoeff() - least;
    for (const OutputWarp warp : kWarps) {
      SCOPED_TRACE(std::string(name) + std::to_string(static_cast<int>(warp)));
      const OutputTransform transform = OutputTransform::Fit(warp, results->values, -1);
      double last = std::numeric_limits<double>::infinity();
      for (double part = -0.5; part <= 1.5; part += 0.01) {
        const double result = least + part * range;
        const double value = transform.Apply(result);
        EXPECT_LT(value, last) << result;
        EXPECT_NEAR(transform.Invert(value) / range, result / range,
                    1e-9 * (1 + std::abs(least / range)));
        last = value;
      }
    }
  }
}

TEST(OutputTransform, StandardizesToMeanZeroAndDeviationOne) {
  for (const char* name : {"plain", "longtail", "shifted", "tiny", "huge", "two"}) {
    for (const Results& results : AllResults()) {
      if (results.name != name) continue;
      for (const OutputWarp warp : {OutputWarp::kStandardize, OutputWarp::kPower}) {
        const Vector values = OutputTransform::Fit(warp, results.values, 1).Apply(results.values);
        EXPECT_NEAR(values.mean(), 0, 1e-8) << name;
        const double square = (values.array() - values.mean()).square().mean();
        EXPECT_NEAR(square, 1, values.size() == 2 ? 0.6 : 0.05) << name;
      }
    }
  }
}

TEST(OutputTransform, OneResultOrAllEqualBecomeZeroWithAFiniteScale) {
  for (const Vector& results : {Of({3.25}), Of({0}), Vector(Vector::Constant(12, 0.1)),
                                Vector(Vector::Constant(3, -1e300)), Of({1e-300})}) {
    for (const OutputWarp warp : kWarps) {
      const OutputTransform transform = OutputTransform::Fit(warp, results, 1);
      EXPECT_NEAR(transform.Apply(results[0]), 0, 1e-12);
      EXPECT_GT(transform.Apply(results[0] + std::abs(results[0]) + 1), 0);
      EXPECT_LT(transform.Apply(results[0] - std::abs(results[0]) - 1), 0);
    }
  }
}

TEST(OutputTransform, DoesNotCareAboutTheUnit) {
  const Vector results = RandomVector(25, -3, 5, 9).array().exp();
  for (const OutputWarp warp : kWarps) {
    const Vector plain = OutputTransform::Fit(warp, results, 1).Apply(results);
    for (const double unit : {1e-290, 1e-7, 1e7, 1e290}) {
      const Vector scaled = results * unit;
      const Vector other = OutputTransform::Fit(warp, scaled, 1).Apply(scaled);
      EXPECT_LE((other - plain).cwiseAbs().maxCoeff(), 1e-6)
          << static_cast<int>(warp) << " " << unit;
    }
  }
}

TEST(OutputTransform, TheLogarithmOfItsSlopeIsThatOfADifference) {
  for (const OutputWarp warp : {OutputWarp::kStandardize, OutputWarp::kPower}) {
    for (const double unit : {1e-200, 1.0, 1e200}) {
      const Vector results = unit * RandomVector(40, -1, 2, 12).array().exp();
      const OutputTransform transform = OutputTransform::Fit(warp, results, -1);
      for (const double result : results) {
        const double step = 1e-5 * unit;
        const double slope =
            (transform.Apply(result - step) - transform.Apply(result + step)) / (2 * 1e-5);
        EXPECT_NEAR(transform.LogSlopeAt(transform.Apply(result)), std::log(slope) - std::log(unit),
                    1e-6);
      }
    }
  }
}

double Skewness(const Vector& values) {
  const Eigen::ArrayXd centred = values.array() - values.mean();
  return centred.cube().mean() / std::pow(centred.square().mean(), 1.5);
}

TEST(OutputTransform, ThePowerMakesALongTailSymmetric) {
  const Vector results = RandomVector(200, -1, 1.5, 11).array().exp();
  EXPECT_GT(Skewness(results), 0.7);
  for (const double sign : {1.0, -1.0}) {
    const Vector values = OutputTransform::Fit(OutputWarp::kPower, results, sign).Apply(results);
    EXPECT_LT(std::abs(Skewness(values)), 0.2);
  }
}

TEST(OutputTransform, ADeviationIsWorthHalfOfTheDistanceOfItsEnds) {
  const Vector results = RandomVector(40, -1, 2, 12);
  for (const OutputWarp warp :
       {OutputWarp::kStandardize, OutputWarp::kPower, OutputWarp::kCopula}) {
    const OutputTransform transform = OutputTransform::Fit(warp, results, -1);
    const double distance = transform.Invert(0.2) - transform.Invert(0.6);
    EXPECT_NEAR(transform.InvertDeviation(0.4, 0.2), 0.5 * distance, 1e-12);
  }
}

// A few results far ahead of the others are moved close to the end of the power's range.
TEST(OutputTransform, ADeviationBeyondTheEndOfAPowersRangeIsWorthNoHugeNumber) {
  const Vector results = RandomVector(60, -1, 2, 13).array().exp().exp();
  const OutputTransform transform = OutputTransform::Fit(OutputWarp::kPower, results, 1);
  const double mean = transform.Apply(results.maxCoeff());
  EXPECT_GT(transform.Invert(mean + 4), 1e6 * results.maxCoeff());
  const double worth = transform.InvertDeviation(mean, 4);
  EXPECT_GT(worth, 0.5 * results.maxCoeff());
  EXPECT_LT(worth, 10 * results.maxCoeff());
}

// Accuracies that crowd at their best, so that the power ends not far below the worst.
TEST(OutputTransform, WhatIsBeyondTheEndOfAPowersRangeComesNearTheResults) {
  for (const double sign : {1.0, -1.0}) {
    Vector results(9);
    results << 0.9425, 0.9425, 0.885, 0.9425, 0.931, 0.9425, 0.736, 0.9425, 0.919;
    results *= sign;
    const OutputTransform transform = OutputTransform::Fit(OutputWarp::kPower, results, sign);
    const Vector values = transform.Apply(results);
    const double worst = sign * 0.736;
    const double range = sign * (0.9425 - 0.736);
    ASSERT_GT(std::abs(transform.Invert(values.minCoeff() - 50)), 1e3);
    const double nearer = transform.Nearer(values.minCoeff() - 50, values);
    EXPECT_NEAR(transform.Invert(nearer), worst - range, 1e-9);
    EXPECT_GT(transform.InvertDeviation(nearer, 0.2), 0.01);
    for (const double value : {values.minCoeff(), 0.0, values.maxCoeff()}) {
      EXPECT_EQ(transform.Nearer(value, values), value);
    }
    EXPECT_EQ(transform.Nearer(-50, Vector()), -50);
    EXPECT_EQ(OutputTransform::Fit(OutputWarp::kStandardize, results, sign).Nearer(-50, values),
              -50);
  }
}

TEST(OutputTransform, NearerIsFiniteAndKeepsResultsWhateverTheyAre) {
  ForEachWarpResultsAndSign([](const Results& results, const OutputTransform& transform, double) {
    const Vector values = transform.Apply(results.values);
    for (const double value : values) EXPECT_EQ(transform.Nearer(value, values), value);
    for (const double far : {-1e6, 1e6}) {
      EXPECT_TRUE(std::isfinite(transform.Nearer(far, values))) << far;
    }
  });
}

// Yeo and Johnson's definition, equation 2.1, for exponents other than 0 and 2.
long double YeoJohnson(long double x, long double exponent) {
  return x >= 0 ? (std::pow(x + 1, exponent) - 1) / exponent
                : -(std::pow(1 - x, 2 - exponent) - 1) / (2 - exponent);
}

struct Power {
  long double likelihood = 0;
  LongVector values;  // Mean 0, deviation 1.
};

// Equation 3.1 at the most likely mean and variance.
Power PowerOf(const Vector& x, long double exponent) {
  const auto size = static_cast<long double>(x.size());
  Power power;
  long double mean = 0;
  long double log_slopes = 0;
  for (const double value : x) {
    power.values.push_back(YeoJohnson(value, exponent));
    mean += power.values.back() / size;
    log_slopes += (exponent - 1) * std::copysign(std::log1p(std::abs(value)), value);
  }
  long double squares = 0;
  for (long double& value : power.values) {
    value -= mean;
    squares += value * value;
  }
  for (long double& value : power.values) value /= std::sqrt(squares / (size - 1));
  power.likelihood = -size / 2 * std::log(squares / size) + log_slopes;
  return power;
}

TEST(OutputTransform, ThePowerIsTheMostLikelyOfAFineGrid) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Vector results =
        RandomVector(60, -1, 0.5 + 0.2 * static_cast<double>(seed), seed).array().exp();
    const Vector standard =
        OutputTransform::Fit(OutputWarp::kStandardize, results, 1).Apply(results);
    Power best = PowerOf(standard, -0.9985L);
    for (long double exponent = -0.9985L; exponent < 3; exponent += 0.001L) {
      Power power = PowerOf(standard, exponent);
      if (power.likelihood > best.likelihood) best = std::move(power);
    }
    const Vector actual = OutputTransform::Fit(OutputWarp::kPower, results, 1).Apply(results);
    EXPECT_LE(RelativeError(actual, best.values), 2e-3) << seed;
  }
}

// A diverged run must not make all others look the same.
TEST(OutputTransform, TheCopulaKeepsTheOrderNextToAnyOutlier) {
  for (const double outlier : {1e12, 1e30, 1e100, 1.7e308, -1e12, -1e30, -1.7e308}) {
    Vector results = RandomVector(30, -3, 5, 13);
    results[7] = outlier;
    Vector tame = results;
    tame[7] = std::copysign(10, outlier);
    for (const double sign : {1.0, -1.0}) {
      const OutputTransform transform = OutputTransform::Fit(OutputWarp::kCopula, results, sign);
      const Vector expected = OutputTransform::Fit(OutputWarp::kCopula, tame, sign).Apply(tame);
      const Vector values = transform.Apply(results);
      EXPECT_LE((values - expected).cwiseAbs().maxCoeff(), 1e-9) << outlier;
      for (Index i = 0; i < results.size(); ++i) {
        EXPECT_NEAR(transform.Invert(values[i]) / results[i], 1, 1e-9) << outlier;
      }
    }
  }
}

TEST(OutputTransform, TheCopulaOnlySeesTheOrder) {
  const Vector results = RandomVector(31, -1, 1, 12);
  Vector bent = results.array().exp();
  bent = bent.array().exp();
  const Vector plain = OutputTransform::Fit(OutputWarp::kCopula, results, 1).Apply(results);
  const Vector other = OutputTransform::Fit(OutputWarp::kCopula, bent, 1).Apply(bent);
  EXPECT_LE((plain - other).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(plain.mean(), 0, 1e-9);
  EXPECT_LE(plain.cwiseAbs().maxCoeff(), 3.5);
}

TEST(OutputTransform, TheCopulaTurnsUpsideDownWithTheGoal) {
  const Vector results = Of({1, 2, 2, 2, 3, 3, 9});
  const Vector up = OutputTransform::Fit(OutputWarp::kCopula, results, 1).Apply(results);
  const Vector down = OutputTransform::Fit(OutputWarp::kCopula, results, -1).Apply(results);
  EXPECT_LE((up + down).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace slipstream
