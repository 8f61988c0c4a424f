#include "core/base/counter_random.h"

namespace slipstream {
namespace {

// The step of a Weyl sequence: 2^64 divided by the golden ratio, made odd.
constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;

// The output function of SplitMix64 (Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", OOPSLA 2014), with the multipliers of
// Stafford's variant 13; a bijection.
uint64_t Mixed(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
  return bits ^ (bits >> 31);
}

}  // namespace

uint64_t CounterRandomBits(uint64_t seed, uint64_t index, uint64_t lane) {
  uint64_t bits = Mixed(seed + kGolden);
  bits = Mixed((bits ^ index) + kGolden);
  return Mixed((bits ^ lane) + kGolden);
}

double CounterRandomUniform(uint64_t seed, uint64_t index, uint64_t lane) {
  return static_cast<double>(CounterRandomBits(seed, index, lane) >> 11) * 0x1.0p-53;
}

}  // namespace slipstream
