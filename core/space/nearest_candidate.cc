#include "core/space/nearest_candidate.h"

#include <limits>

namespace slipstream {

size_t NearestCandidate::PlaceAmong(absl::Span<const int64_t> among,
                                    const Configuration& configuration) {
  const size_t dimension = space_->dimension();
  const size_t count = space_->candidates().size();
  if (coordinates_.empty()) {
    coordinates_.resize(count * dimension);
    for (size_t i = 0; i < count; ++i) {
      space_->EncodeCoordinates(space_->candidates()[i],
                                absl::MakeSpan(&coordinates_[i * dimension], dimension));
    }
  }
  std::vector<double> wanted(dimension);
  space_->EncodeCoordinates(configuration, absl::MakeSpan(wanted));
  size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t place = 0; place < among.size(); ++place) {
    const double* const row = &coordinates_[static_cast<size_t>(among[place]) * dimension];
    const double distance = metric_.SquaredDistance(row, wanted.data());
    if (distance >= least) continue;
    least = distance;
    nearest = place;
  }
  return nearest;
}

}  // namespace slipstream
