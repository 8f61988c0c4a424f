// Random numbers and random functions for problems, all determined by a seed.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_RANDOM_DRAWS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_RANDOM_DRAWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/space/configuration.h"
#include "core/space/search_space.h"
#include "tests/evidence/functions.h"
#include "tests/evidence/problem.h"

namespace slipstream::evidence {

// A standard normal number. As with CounterRandomUniform, numbers for different
// arguments are unrelated.
double StandardNormal(uint64_t seed, uint64_t index, uint64_t lane = 0);

// A Gaussian process of mean 0 and isotropic kernel.
struct ProcessShape {
  enum class Kernel { kMatern52, kSquaredExponential };
  Kernel kernel = Kernel::kMatern52;
  double lengthscale = 1;
  double variance = 1;
};

// One draw of the process: a sum of 256 waves with frequencies from the kernel's
// spectral density (Rahimi and Recht 2007) and normal amplitudes. Given the
// frequencies it is exactly Gaussian; its covariance is the kernel's up to the
// randomness of the frequencies.
std::function<double(RawPoint)> DrawProcess(const ProcessShape& shape, size_t dimension,
                                            uint64_t seed);

// A number in [0, 1) for each parameter.
std::vector<double> RandomPlace(const SearchSpace& space, uint64_t seed, uint64_t index);

// The configuration there: all choices are equally likely.
Configuration RandomConfiguration(const SearchSpace& space, uint64_t seed, uint64_t index);

// `count` different numbers below `rows`, or all where these are fewer, in random order.
std::vector<size_t> RandomRows(size_t rows, size_t count, uint64_t seed, uint64_t lane = 0);

// The five points that a study of this seed starts from.
std::vector<Point> RandomInitialPoints(const SearchSpace& space, uint64_t seed);

// Sets the worst value and the mean of a problem whose best one is known, as far as so many random
// points show them.
void SetRangeByDraws(uint64_t seed, uint64_t points, Problem& problem);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_RANDOM_DRAWS_H_
