#include "core/space/quasi_random.h"

#include <boost/random/sobol.hpp>

#include "core/base/counter_random.h"

namespace slipstream {
namespace {

// Indexes have 32 bits, on which the scrambling works.
using Engine = boost::random::sobol_engine<uint32_t, 32>;

// Separates the scrambles from other uses of a study's seed.
constexpr uint64_t kScrambleStream = 0x536F626F6C;

uint32_t Reversed(uint32_t bits) {
  bits = (bits >> 16) | (bits << 16);
  bits = ((bits & 0x00FF00FF) << 8) | ((bits & 0xFF00FF00) >> 8);
  bits = ((bits & 0x0F0F0F0F) << 4) | ((bits & 0xF0F0F0F0) >> 4);
  bits = ((bits & 0x33333333) << 2) | ((bits & 0xCCCCCCCC) >> 2);
  return ((bits & 0x55555555) << 1) | ((bits & 0xAAAAAAAA) >> 1);
}

// Burley's Owen scramble: a permutation in which a bit depends only on itself
// and the lower ones (even multipliers), applied from the highest bit down.
uint32_t Scrambled(uint32_t bits, uint32_t seed) {
  bits = Reversed(bits) + seed;
  bits ^= bits * 0x6C50B47Cu;
  bits ^= bits * 0xB82F1E52u;
  bits ^= bits * 0xC7AFE638u;
  bits ^= bits * 0x8D22F6E6u;
  return Reversed(bits);
}

std::vector<uint32_t> ScrambleSeeds(size_t dimension, uint64_t seed) {
  std::vector<uint32_t> seeds(dimension);
  for (size_t i = 0; i < dimension; ++i) {
    seeds[i] = static_cast<uint32_t>(CounterRandomBits(seed, kScrambleStream, i) >> 32);
  }
  return seeds;
}

// The middle of the cell of width 2^-32 that the bits name.
double UnitCoordinate(uint32_t bits) { return (static_cast<double>(bits) + 0.5) * 0x1.0p-32; }

}  // namespace

std::vector<std::vector<double>> QuasiRandomPoints(size_t dimension, uint64_t seed, uint64_t first,
                                                   size_t count) {
  const std::vector<uint32_t> seeds = ScrambleSeeds(dimension, seed);
  Engine engine(dimension);
  // The engine omits the origin, point 0, so its count is one behind.
  if (first > 0) engine.seed(static_cast<uint32_t>(first - 1));

  std::vector<std::vector<double>> points(count, std::vector<double>(dimension));
  for (size_t p = 0; p < count; ++p) {
    const bool origin = first + p == 0;
    for (size_t i = 0; i < dimension; ++i) {
      points[p][i] = UnitCoordinate(Scrambled(origin ? 0 : engine(), seeds[i]));
    }
  }
  return points;
}

}  // namespace slipstream
