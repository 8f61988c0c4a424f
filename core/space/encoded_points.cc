#include "core/space/encoded_points.h"

namespace slipstream {

PointMatrix EncodeAll(const SearchSpace& space, absl::Span<const Configuration> configurations) {
  PointMatrix points(static_cast<Index>(configurations.size()),
                     static_cast<Index>(space.dimension()));
  std::vector<double> row(space.dimension());
  for (Index i = 0; i < points.rows(); ++i) {
    space.EncodeCoordinates(configurations[static_cast<size_t>(i)], absl::MakeSpan(row));
    for (Index j = 0; j < points.cols(); ++j) points(i, j) = row[static_cast<size_t>(j)];
  }
  return points;
}

}  // namespace slipstream
