// Configurations that fill a space evenly, also in its categories and branches.
//
// A quasi-random sequence alone can miss some of them for long: of six categories two are not
// there in some first eight points.
#ifndef SLIPSTREAM_CORE_SPACE_EVEN_CONFIGURATIONS_H_
#define SLIPSTREAM_CORE_SPACE_EVEN_CONFIGURATIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/space/configuration.h"
#include "core/space/search_space.h"

namespace slipstream {

// The configuration of the `index`-th point (from 0, below 2^32) of the sequence of `seed`; a pure
// function.
//
// It is SearchSpace::Sample of QuasiRandomPoint but for the choices: categories, switches and
// parameters that decide which others exist. These are spread over each eight points in a row
// (0 to 7, 8 to 15, ...): where m of the eight have such a parameter, and it has k values of equal
// shares, min(m, k) different ones are there. Which ones these are is as random as the sequence,
// and each value has its share in the long run.
Configuration EvenConfiguration(const SearchSpace& space, uint64_t seed, uint64_t index);

// Those of points first .. first + count - 1 of the same sequence, in order.
std::vector<Configuration> EvenConfigurations(const SearchSpace& space, uint64_t seed,
                                              uint64_t first, size_t count);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_EVEN_CONFIGURATIONS_H_
