#include "core/sources/shared_scale.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/status/statusor.h"
#include "core/space/space_mapping.h"

namespace slipstream {
namespace {

// But for rounding.
bool HaveNoSpread(const Vector& values) {
  const double least = values.minCoeff();
  const double most = values.maxCoeff();
  return most - least <= 1e-14 * std::max(std::abs(least), std::abs(most));
}

}  // namespace

std::optional<OutputTransform> SharedScaleOf(
    absl::Span<const std::shared_ptr<const SourceTaskData>> sources, const SearchSpace& space) {
  std::vector<double> values;
  Configuration mapped;
  for (const auto& source : sources) {
    const absl::StatusOr<SpaceMapping> mapping = SpaceMapping::Create(*source->space, space);
    if (!mapping.ok()) continue;
    const double sign = source->goal == Goal::kMinimize ? -1 : 1;
    for (const SourcePoint& point : source->points) {
      const bool is_measured = point.ending == Ending::kMeasured && point.value.has_value() &&
                               std::isfinite(*point.value);
      if (is_measured && mapping->Map(point.configuration, mapped)) {
        values.push_back(sign * *point.value);
      }
    }
  }
  if (values.empty()) return std::nullopt;
  const Vector all = Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  if (HaveNoSpread(all)) return std::nullopt;
  return OutputTransform::Fit(OutputWarp::kStandardize, all, 1);
}

}  // namespace slipstream
