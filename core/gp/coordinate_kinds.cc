#include "core/gp/coordinate_kinds.h"

namespace slipstream {

CoordinateKinds KindsOf(const SearchSpace& space) {
  CoordinateKinds kinds;
  for (size_t i = 0; i < space.dimension(); ++i) {
    kinds.push_back(space.IsUnordered(i) ? CoordinateKind::kWord : CoordinateKind::kNumber);
  }
  return kinds;
}

CoordinateKinds Numbers(Index dimension) {
  return CoordinateKinds(static_cast<size_t>(dimension), CoordinateKind::kNumber);
}

}  // namespace slipstream
