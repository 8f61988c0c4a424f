#include "core/calibration/sufficient_scale.h"

#include <vector>

#include "core/base/status.h"

namespace slipstream {

absl::StatusOr<SufficientScale> SmallestSufficientScale(
    const ScaleGrid& grid, double enough,
    const std::function<absl::StatusOr<double>(double scale)>& value) {
  std::vector<double> scales;
  for (double scale = grid.least; scale < grid.most; scale *= grid.step) scales.push_back(scale);
  scales.push_back(grid.most);
  SLIPSTREAM_ASSIGN_OR_RETURN(const double first, value(scales.front()));
  if (first >= enough || scales.size() == 1) return SufficientScale{scales.front(), first};
  size_t below = 0;
  size_t above = scales.size() - 1;
  SLIPSTREAM_ASSIGN_OR_RETURN(double value_above, value(scales[above]));
  if (value_above < enough) return SufficientScale{scales[above], value_above};
  while (above > below + 1) {
    const size_t middle = (below + above) / 2;
    SLIPSTREAM_ASSIGN_OR_RETURN(const double there, value(scales[middle]));
    if (there >= enough) {
      above = middle;
      value_above = there;
    } else {
      below = middle;
    }
  }
  return SufficientScale{scales[above], value_above};
}

}  // namespace slipstream
