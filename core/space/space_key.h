// A text that is equal for two spaces exactly if their parameters are: names,
// domains, scales, defaults and conditions, in their order. Candidates are
// ignored, since they do not change the meaning of a point.
//
// Pure, hence thread-safe.
#ifndef SLIPSTREAM_CORE_SPACE_SPACE_KEY_H_
#define SLIPSTREAM_CORE_SPACE_SPACE_KEY_H_

#include <string>

#include "core/space/search_space.h"

namespace slipstream {

std::string SpaceKeyOf(const SearchSpace& space);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_SPACE_KEY_H_
