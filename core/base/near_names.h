// Names for an error about one that is unknown, with those first that may have been meant.
#ifndef SLIPSTREAM_CORE_BASE_NEAR_NAMES_H_
#define SLIPSTREAM_CORE_BASE_NEAR_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace slipstream {

// How many letters have to be added, removed, replaced or swapped with the next to make one of the
// other (the optimal string alignment distance).
size_t LettersBetween(absl::string_view one, absl::string_view other);

// "a, b, c and 7 more": names that are like `given`, the most alike first, then the others in
// their order; at most fifteen of them.
std::string NearNames(absl::string_view given, std::vector<std::string> names);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_NEAR_NAMES_H_
