// Points that fill the unit cube evenly: the Sobol sequence, scrambled.
//
// Sobol's digital (t, s)-sequence in base 2 with Joe and Kuo's direction
// numbers (Boost.Random), Owen-scrambled by the hash of Laine and Karras as
// improved by Burley, "Practical Hash-based Owen Scrambling", JCGT 9(4), 2020.
// Scrambling keeps the sequence's stratification, makes every point uniform on
// [0, 1)^d, and lets each study have a sequence of its own from its seed.
#ifndef SLIPSTREAM_CORE_SPACE_QUASI_RANDOM_H_
#define SLIPSTREAM_CORE_SPACE_QUASI_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slipstream {

// Points first .. first + count - 1, in order, of the sequence of `seed` in
// `dimension` (1 to 1000) dimensions; a pure function. The first one is point 0,
// and all are below point 2^32.
std::vector<std::vector<double>> QuasiRandomPoints(size_t dimension, uint64_t seed, uint64_t first,
                                                   size_t count);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_QUASI_RANDOM_H_
