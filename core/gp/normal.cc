#include "core/gp/normal.h"

#include <algorithm>
#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "core/base/counter_random.h"

namespace slipstream {
namespace {

// Otherwise Boost computes with long doubles, which takes ten times as long.
using WithDoubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

}  // namespace

double StandardNormalDensity(double x) { return std::exp(LogStandardNormalDensity(x)); }

double LogStandardNormalDensity(double x) { return -0.5 * x * x - kLogSqrtTwoPi; }

double StandardNormalDistribution(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double StandardNormalQuantile(double probability) {
  constexpr double kBelowOne = 1 - 0x1p-53;
  return -std::numbers::sqrt2 *
         boost::math::erfc_inv(2 * std::min(probability, kBelowOne), WithDoubles());
}

double CounterRandomNormal(uint64_t seed, uint64_t index, uint64_t lane) {
  return StandardNormalQuantile(CounterRandomUniform(seed, index, lane) + 0x1p-54);
}

double ScaledComplementaryError(double x) {
  if (x < 5) return std::exp(x * x) * std::erfc(x);
  double fraction = x;
  for (int k = 20; k >= 1; --k) fraction = x + 0.5 * k / fraction;
  return std::numbers::inv_sqrtpi / fraction;
}

}  // namespace slipstream
