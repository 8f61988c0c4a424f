// Stateless random numbers: each is a function of a seed, an index and a lane,
// so they can be drawn in any order, singly or in bulk, and are the same on every
// machine.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_BASE_COUNTER_RANDOM_H_
#define SLIPSTREAM_CORE_BASE_COUNTER_RANDOM_H_

#include <cstdint>

namespace slipstream {

// 64 evenly distributed bits. Inputs that differ in a single bit give
// unrelated results. Not for secrets.
uint64_t CounterRandomBits(uint64_t seed, uint64_t index, uint64_t lane);

// A multiple of 2^-53 in [0, 1), uniform.
double CounterRandomUniform(uint64_t seed, uint64_t index, uint64_t lane);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_COUNTER_RANDOM_H_
