#include "tests/evidence/queued_points.h"

#include <algorithm>
#include <optional>

#include "core/space/space_mapping.h"

namespace slipstream::evidence {
namespace {

// The source's measured configurations from the best on, as far as they have a place.
std::vector<Configuration> BestFirst(const SourceTaskData& source, const SearchSpace& space) {
  const absl::StatusOr<SpaceMapping> mapping = SpaceMapping::Create(*source.space, space);
  if (!mapping.ok()) return {};
  std::vector<const SourcePoint*> points;
  for (const SourcePoint& point : source.points) {
    if (point.value.has_value()) points.push_back(&point);
  }
  const double sign = source.goal == Goal::kMinimize ? 1 : -1;
  std::stable_sort(points.begin(), points.end(), [sign](const auto* a, const auto* b) {
    return sign * *a->value < sign * *b->value;
  });
  std::vector<Configuration> best;
  for (const SourcePoint* point : points) {
    std::optional<Configuration> mapped = mapping->Map(point->configuration);
    if (!mapped.has_value()) continue;
    if (space.has_candidates() && !space.CandidateIndex(*mapped).has_value()) continue;
    best.push_back(*std::move(mapped));
  }
  return best;
}

}  // namespace

std::vector<Point> QueuedPoints(const Problem& problem, size_t count) {
  const SearchSpace& space = *problem.space;
  std::vector<std::vector<Configuration>> lists;
  size_t longest = 0;
  for (const auto& source : problem.sources) {
    lists.push_back(BestFirst(*source, space));
    longest = std::max(longest, lists.back().size());
  }
  std::vector<Point> queued;
  for (size_t place = 0; place < longest; ++place) {
    for (const std::vector<Configuration>& list : lists) {
      if (queued.size() >= count) return queued;
      if (place >= list.size()) continue;
      const bool is_new = std::none_of(queued.begin(), queued.end(), [&](const Point& other) {
        return other.configuration == list[place];
      });
      if (is_new) queued.push_back({list[place], space.CandidateIndex(list[place])});
    }
  }
  return queued;
}

}  // namespace slipstream::evidence
