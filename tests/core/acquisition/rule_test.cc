#include "core/acquisition/rule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "boost/multiprecision/cpp_bin_float.hpp"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using Exact = boost::multiprecision::cpp_bin_float_50;

const Exact kTwoPi = 8 * atan(Exact(1));

double RelativeError(double value, const Exact& expected) {
  if (expected == 0) return std::fabs(value);
  return static_cast<double>(abs((Exact(value) - expected) / expected));
}

Exact LogDensity(const Exact& u) { return -u * u / 2 - log(kTwoPi) / 2; }

// 1/(x + 2/(x + 3/(x + ...))), so that the upper tail of the normal distribution
// over its density is 1/(x + t) (Laplace); for x of at least 3.
Exact TailFraction(const Exact& x) {
  Exact fraction = 0;
  for (int k = 300; k >= 2; --k) fraction = k / (x + fraction);
  return 1 / (x + fraction);
}

// The distribution function by its Taylor series, for |u| of at most 3.
Exact CentralDistribution(const Exact& u) {
  Exact term = u;
  Exact sum = 0;
  for (int k = 1; k < 300; ++k) {
    sum += term;
    term *= u * u / (2 * k + 1);
  }
  return Exact(0.5) + exp(LogDensity(u)) * sum;
}

// log(phi(u) + u Phi(u)) without cancellation.
Exact ExactLogImprovement(const Exact& u) {
  if (u < -3) {
    const Exact t = TailFraction(-u);
    return LogDensity(u) + log(t / (t - u));
  }
  if (u <= 3) return log(exp(LogDensity(u)) + u * CentralDistribution(u));
  return log(u + exp(ExactLogImprovement(-u)));  // h(u) - h(-u) = u.
}

// Phi(u)/h(u).
Exact ExactSlope(const Exact& u) {
  if (u < -3) return 1 / TailFraction(-u);
  const Exact improvement = exp(ExactLogImprovement(u));
  if (u <= 3) return CentralDistribution(u) / improvement;
  return (1 - exp(LogDensity(u)) / (u + TailFraction(u))) / improvement;
}

// phi(u)/h(u).
Exact ExactDensity(const Exact& u) {
  if (u < -3) return 1 - u / TailFraction(-u);
  return exp(LogDensity(u) - ExactLogImprovement(u));
}

// Around 0, both branch points, and 10^-12 to 10^150 both ways; ascending.
std::vector<double> Sweep() {
  std::vector<double> sweep;
  for (double exponent = -12; exponent <= 150; exponent += exponent < 8 ? 0.125 : 3.5) {
    sweep.push_back(std::pow(10.0, exponent));
    sweep.push_back(-std::pow(10.0, exponent));
  }
  for (double centre : {-1.0, -1e6, -7.0710678118654755, 1.0, 1e6}) {  // The third: x = 5 in erfcx.
    for (int step = -20; step <= 20; ++step) sweep.push_back(centre * (1 + step * 1e-3));
  }
  for (double u = -40; u <= 40; u += 0.37) sweep.push_back(u);
  sweep.insert(sweep.end(), {0.0, 1e99, -1e99, 1e150, -1e150});
  std::sort(sweep.begin(), sweep.end());
  return sweep;
}

TEST(LogExpectedImprovement, AgreesWithFiftyDigitsFromTailToTail) {
  for (double u : Sweep()) {
    SCOPED_TRACE(u);
    const LogImprovement improvement = LogExpectedImprovementOf(u);
    const Exact expected = ExactLogImprovement(u);
    EXPECT_NEAR(improvement.value, static_cast<double>(expected),
                1e-13 * (1 + std::fabs(static_cast<double>(expected))));
    EXPECT_LT(RelativeError(improvement.slope, ExactSlope(u)), 1e-10);
    const Exact density = ExactDensity(u);
    // Below the smallest doubles an underflow to 0 is right.
    if (density > Exact(1e-300)) {
      EXPECT_LT(RelativeError(improvement.density, density), 1e-10);
    }
  }
}

TEST(LogExpectedImprovement, IsFiniteAndNeverFallsAsTheMeanRises) {
  double last = -std::numeric_limits<double>::infinity();
  for (double u : Sweep()) {
    SCOPED_TRACE(u);
    const LogImprovement improvement = LogExpectedImprovementOf(u);
    ASSERT_TRUE(std::isfinite(improvement.value));
    ASSERT_TRUE(std::isfinite(improvement.slope));
    ASSERT_TRUE(std::isfinite(improvement.density));
    EXPECT_GT(improvement.slope, 0);
    EXPECT_GE(improvement.density, 0);
    EXPECT_GE(improvement.value, last);
    last = improvement.value;
  }
}

TEST(LogExpectedImprovement, IsContinuousAtItsBranchPoints) {
  for (double branch : {-1.0, -1e6, -5.0, -5 * std::sqrt(2.0), 0.0, 5.0}) {
    SCOPED_TRACE(branch);
    const LogImprovement below = LogExpectedImprovementOf(std::nextafter(branch, -1e300));
    const LogImprovement at = LogExpectedImprovementOf(branch);
    const LogImprovement above = LogExpectedImprovementOf(std::nextafter(branch, 1e300));
    for (const LogImprovement& other : {below, above}) {
      EXPECT_NEAR(other.value, at.value, 1e-14 * (1 + std::fabs(at.value)));
      EXPECT_NEAR(other.slope, at.slope, 1e-10 * at.slope);
      EXPECT_NEAR(other.density, at.density, 1e-10 * at.density);
    }
  }
}

using Formula = std::function<Exact(const Exact& mean, const Exact& deviation)>;

// Central differences with steps of 10^-12 in fifty digits: exact to 10^-20.
Exact ByMean(const Formula& formula, double mean, double deviation) {
  const Exact step = Exact(deviation) * 1e-12;
  return (formula(mean + step, deviation) - formula(mean - step, deviation)) / (2 * step);
}

Exact ByDeviation(const Formula& formula, double mean, double deviation) {
  const Exact step = Exact(deviation) * 1e-12;
  return (formula(mean, deviation + step) - formula(mean, deviation - step)) / (2 * step);
}

// The size of the terms: a difference of some may lose its digits.
void ExpectNear(double value, const Exact& expected, double scale) {
  EXPECT_NEAR(value, static_cast<double>(expected),
              1e-11 * (scale + std::fabs(static_cast<double>(expected))));
}

void ExpectRuleIs(const AcquisitionRule& rule, const Formula& formula) {
  for (double mean : {-30.0, -3.7, -1.5, -0.2, 0.0, 0.5, 1.1, 4.0, 25.0}) {
    for (double deviation : {1e-3, 0.04, 0.7, 1.0, 3.3, 60.0}) {
      SCOPED_TRACE(testing::Message() << "mean " << mean << " deviation " << deviation);
      const Utility utility = rule.Evaluate(mean, deviation);
      ExpectNear(utility.value, formula(mean, deviation), 1);
      ExpectNear(utility.by_mean, ByMean(formula, mean, deviation), 1);
      ExpectNear(utility.by_deviation, ByDeviation(formula, mean, deviation), 1);
    }
  }
}

TEST(AcquisitionRule, UpperConfidenceBoundIsMeanPlusDeviations) {
  for (double multiplier : {0.0, 0.5, 3.0}) {
    ExpectRuleIs(
        *MakeUpperConfidenceBound(multiplier),
        [multiplier](const Exact& m, const Exact& s) { return Exact(m + multiplier * s); });
  }
}

TEST(AcquisitionRule, ExpectedImprovementIsTheExpectationAndHasItsDerivatives) {
  for (double incumbent : {-2.0, 0.0, 1.25}) {
    ExpectRuleIs(*MakeExpectedImprovement(incumbent), [incumbent](const Exact& m, const Exact& s) {
      return Exact(s * exp(ExactLogImprovement((m - incumbent) / s)));
    });
  }
}

TEST(AcquisitionRule, LogExpectedImprovementIsItsLogarithmAndHasItsDerivatives) {
  for (double incumbent : {-2.0, 0.0, 1.25}) {
    ExpectRuleIs(*MakeLogExpectedImprovement(incumbent),
                 [incumbent](const Exact& m, const Exact& s) {
                   return Exact(log(s) + ExactLogImprovement((m - incumbent) / s));
                 });
  }
}

TEST(AcquisitionRule, ProbabilityOfImprovementCountsTheNoiseOfResults) {
  for (double noise : {0.0, 1e-4, 0.5, 9.0}) {
    ExpectRuleIs(*MakeProbabilityOfImprovement(0.75, noise),
                 [noise](const Exact& m, const Exact& s) {
                   return Exact((m - 0.75) / sqrt(s * s + noise));
                 });
  }
}

TEST(AcquisitionRule, WithScaledDeviationIsTheRuleOfAModelThatErrsSoMuchMore) {
  for (double factor : {0.35, 1.0, 2.5}) {
    ExpectRuleIs(*MakeWithScaledDeviation(MakeLogExpectedImprovement(0.5), factor),
                 [factor](const Exact& m, const Exact& s) {
                   return Exact(log(factor * s) + ExactLogImprovement((m - 0.5) / (factor * s)));
                 });
    ExpectRuleIs(*MakeWithScaledDeviation(MakeUpperConfidenceBound(2), factor),
                 [factor](const Exact& m, const Exact& s) { return Exact(m + 2 * factor * s); });
  }
}

TEST(AcquisitionRule, ExpectedImprovementIsTheMeanOfWhatIsGained) {
  // The defining integral, by the trapezoid rule over 12 deviations.
  const double mean = 0.3, deviation = 0.8, incumbent = 0.9;
  double sum = 0;
  const double step = 1e-3;
  for (double z = -12; z <= 12; z += step) {
    sum += std::fmax(mean + deviation * z - incumbent, 0) * std::exp(-z * z / 2) * step;
  }
  const Utility utility = MakeExpectedImprovement(incumbent)->Evaluate(mean, deviation);
  EXPECT_NEAR(utility.value, sum / std::sqrt(2 * M_PI), 1e-6);
}

TEST(AcquisitionRule, ExpectedImprovementKeepsItsDigitsInTheTail) {
  const auto rule = MakeExpectedImprovement(0);
  for (double u : {-5.0, -8.0, -15.0, -25.0, -36.0}) {
    SCOPED_TRACE(u);
    const Utility utility = rule->Evaluate(2 * u, 2);
    EXPECT_LT(RelativeError(utility.value, 2 * exp(ExactLogImprovement(u))), 1e-10);
    EXPECT_LT(RelativeError(utility.by_mean, exp(ExactLogImprovement(u)) * ExactSlope(u)), 1e-10);
    EXPECT_LT(RelativeError(utility.by_deviation, exp(LogDensity(u))), 1e-10);
  }
}

TEST(AcquisitionRule, LogExpectedImprovementKeepsItsDigitsInTheTail) {
  const auto rule = MakeLogExpectedImprovement(0);
  for (double u : {-30.0, -1e3, -9.99e5, -1.01e6, -1e9, -1e99, 1e99}) {
    SCOPED_TRACE(u);
    const Utility utility = rule->Evaluate(4 * u, 4);
    EXPECT_LT(RelativeError(utility.value, log(Exact(4)) + ExactLogImprovement(u)), 1e-13);
    EXPECT_LT(RelativeError(utility.by_mean, ExactSlope(u) / 4), 1e-10);
    if (u < 0) {
      EXPECT_LT(RelativeError(utility.by_deviation, ExactDensity(u) / 4), 1e-10);
    }
  }
}

std::vector<std::unique_ptr<AcquisitionRule>> AllRules() {
  std::vector<std::unique_ptr<AcquisitionRule>> rules;
  rules.push_back(MakeUpperConfidenceBound(2));
  rules.push_back(MakeExpectedImprovement(0.5));
  rules.push_back(MakeLogExpectedImprovement(0.5));
  rules.push_back(MakeProbabilityOfImprovement(0.5));
  rules.push_back(MakeProbabilityOfImprovement(0.5, 0.1));
  rules.push_back(MakeWithScaledDeviation(MakeLogExpectedImprovement(0.5), 0.35));
  return rules;
}

TEST(AcquisitionRule, EveryRuleIsFiniteAtExtremePredictions) {
  const std::vector<std::unique_ptr<AcquisitionRule>> rules = AllRules();
  for (size_t i = 0; i < rules.size(); ++i) {
    for (double u : Sweep()) {
      for (double deviation : {1e-6, 1e-3, 1.0, 100.0}) {
        if (std::fabs(u * deviation) > 1e150) continue;
        SCOPED_TRACE(testing::Message() << "rule " << i << " u " << u << " s " << deviation);
        const Utility utility = rules[i]->Evaluate(0.5 + u * deviation, deviation);
        ASSERT_TRUE(std::isfinite(utility.value));
        ASSERT_TRUE(std::isfinite(utility.by_mean));
        ASSERT_TRUE(std::isfinite(utility.by_deviation));
      }
    }
  }
}

TEST(AcquisitionRule, EveryRulePrefersTheHigherMean) {
  for (const auto& rule : AllRules()) {
    for (double deviation : {0.01, 1.0, 10.0}) {
      double last = -std::numeric_limits<double>::infinity();
      for (double mean = -50; mean <= 50; mean += 0.25) {
        const double value = rule->Evaluate(mean, deviation).value;
        EXPECT_GE(value, last);
        last = value;
      }
    }
  }
}

TEST(AcquisitionRule, OnlyTheLogarithmSaysThatItIsOne) {
  EXPECT_FALSE(MakeUpperConfidenceBound(1)->is_logarithmic());
  EXPECT_FALSE(MakeExpectedImprovement(0)->is_logarithmic());
  EXPECT_TRUE(MakeLogExpectedImprovement(0)->is_logarithmic());
  EXPECT_FALSE(MakeProbabilityOfImprovement(0)->is_logarithmic());
  EXPECT_FALSE(MakeWithScaledDeviation(MakeExpectedImprovement(0), 2)->is_logarithmic());
  EXPECT_TRUE(MakeWithScaledDeviation(MakeLogExpectedImprovement(0), 2)->is_logarithmic());
}

TEST(TheoreticalMultiplier, IsTheFormulaOfItsTheorem) {
  for (double points : {2.0, 300.0, 14400.0}) {
    for (int64_t round : {1, 2, 17, 1000}) {
      for (double rho : {0.01, 0.1, 0.5}) {
        const double t = static_cast<double>(round);
        const double beta = 2 * std::log(points * t * t * M_PI * M_PI / (6 * rho));
        EXPECT_NEAR(TheoreticalMultiplier(std::log(points), round, rho), std::sqrt(beta), 1e-12);
      }
    }
  }
}

TEST(TheoreticalMultiplier, DoesNotOverflowForHugeSpacesAndLateRounds) {
  const double multiplier = TheoreticalMultiplier(5000, int64_t{1} << 62, 1e-300);
  const double beta =
      2 * (5000 + 2 * 62 * std::log(2.0) + std::log(M_PI * M_PI / 6) + 300 * std::log(10.0));
  EXPECT_NEAR(multiplier, std::sqrt(beta), 1e-9);
}

}  // namespace
}  // namespace slipstream
