// The part of a space that is not just numbers: categories, and parameters with a condition.
#ifndef SLIPSTREAM_CORE_SPACE_BRANCHES_H_
#define SLIPSTREAM_CORE_SPACE_BRANCHES_H_

#include <cstddef>
#include <vector>

#include "core/space/search_space.h"

namespace slipstream {

// Whether there are categories, true and false, or parameters with a condition.
bool IsMixed(const SearchSpace& space);

// The parameters whose values decide which others exist, ascending.
std::vector<size_t> BranchingParameters(const SearchSpace& space);

// The mean number of active parameters, estimated from evenly spread configurations.
double MeanActive(const SearchSpace& space);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_BRANCHES_H_
