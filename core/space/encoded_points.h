// Configurations as the rows of a matrix, which is how models take them.
#ifndef SLIPSTREAM_CORE_SPACE_ENCODED_POINTS_H_
#define SLIPSTREAM_CORE_SPACE_ENCODED_POINTS_H_

#include "absl/types/span.h"
#include "core/linalg/types.h"
#include "core/space/search_space.h"

namespace slipstream {

// The configurations' coordinates, one a row.
PointMatrix EncodeAll(const SearchSpace& space, absl::Span<const Configuration> configurations);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_ENCODED_POINTS_H_
