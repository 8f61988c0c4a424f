// Enumerates the configurations of a small space.
#ifndef SLIPSTREAM_CORE_OPTIM_ENUMERATION_H_
#define SLIPSTREAM_CORE_OPTIM_ENUMERATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "core/space/configuration.h"
#include "core/space/search_space.h"

namespace slipstream {

// Every legal configuration once; nullopt if there are more than `most`, as with
// any double parameter that has more than one value.
std::optional<std::vector<Configuration>> AllConfigurations(const SearchSpace& space, size_t most);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_OPTIM_ENUMERATION_H_
