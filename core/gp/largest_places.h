// The places of the largest of many values.
#ifndef SLIPSTREAM_CORE_GP_LARGEST_PLACES_H_
#define SLIPSTREAM_CORE_GP_LARGEST_PLACES_H_

#include <vector>

#include "core/linalg/types.h"

namespace slipstream {

// At most `count` places, ascending; of equal values the first are taken.
std::vector<Index> LargestPlaces(const Vector& values, Index count);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_LARGEST_PLACES_H_
