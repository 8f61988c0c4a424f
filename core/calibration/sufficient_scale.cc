#include "core/calibration/sufficient_scale.h"

#include <algorithm>

#include "core/base/status.h"

namespace slipstream {

absl::StatusOr<SufficientScale> SmallestSufficientScale(
    const ScaleGrid& grid, double enough,
    const std::function<absl::StatusOr<double>(double scale)>& value) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const double first, value(grid.least));
  SufficientScale best{grid.least, first};
  double scale = grid.least;
  while (best.value < enough && scale < grid.most) {
    scale = std::min(std::max(scale, grid.same_until) * grid.step, grid.most);
    const absl::StatusOr<double> there = value(scale);
    if (absl::IsDeadlineExceeded(there.status())) return best;
    if (!there.ok()) return there.status();
    const bool is_taken =
        *there > best.value || *there >= enough || grid.insufficient == Insufficient::kLargestScale;
    if (is_taken) best = {scale, *there};
  }
  return best;
}

}  // namespace slipstream
