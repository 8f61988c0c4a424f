// The standard normal distribution, accurate far into its tails.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_GP_NORMAL_H_
#define SLIPSTREAM_CORE_GP_NORMAL_H_

#include <cstdint>

namespace slipstream {

// Density, its logarithm and distribution function; of any number.
double StandardNormalDensity(double x);
double LogStandardNormalDensity(double x);
double StandardNormalDistribution(double x);
// The inverse of the distribution function; `probability` in (0, 1]. One counts
// as the number below it: a draw from (0, 1) may have been rounded up.
double StandardNormalQuantile(double probability);

// A standard normal number, finite, a pure function of its arguments: the
// quantile of CounterRandomUniform, moved off 0 by half its step.
double CounterRandomNormal(uint64_t seed, uint64_t index, uint64_t lane);

// exp(x^2) erfc(x) for x >= 0: W. J. Cody's identity below 5, beyond it the
// continued fraction 1/sqrt(pi) / (x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))).
double ScaledComplementaryError(double x);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_NORMAL_H_
