#include "core/zero_shot/source_ranking.h"

#include <algorithm>
#include <cmath>

namespace slipstream {

SourceRanking::SourceRanking(const SourceTaskData& source) : goal_(source.goal) {
  for (size_t i = 0; i < source.points.size(); ++i) {
    const SourcePoint& point = source.points[i];
    if (point.ending == Ending::kInfeasible) infeasible_.push_back(i);
    if (point.ending != Ending::kMeasured || !point.value.has_value()) continue;
    if (!std::isfinite(*point.value)) continue;
    measured_.push_back(i);
    costs_.push_back(CostOf(*point.value));
  }
  std::sort(costs_.begin(), costs_.end());
}

std::vector<size_t> SourceRanking::Best(size_t count, const SourceTaskData& source) const {
  std::vector<size_t> best(std::min(count, measured_.size()));
  std::partial_sort_copy(measured_.begin(), measured_.end(), best.begin(), best.end(),
                         [this, &source](size_t a, size_t b) {
                           const double cost_a = CostOf(*source.points[a].value);
                           const double cost_b = CostOf(*source.points[b].value);
                           return cost_a != cost_b ? cost_a < cost_b : a < b;
                         });
  return best;
}

double SourceRanking::LossOf(double value) const {
  if (costs_.size() == 1) return 0;
  const auto equals = std::equal_range(costs_.begin(), costs_.end(), CostOf(value));
  const double better = static_cast<double>(equals.first - costs_.begin());
  const double equal = static_cast<double>(equals.second - equals.first);
  const double worst = static_cast<double>(costs_.size() - 1);
  return std::clamp(better + (equal - 1) / 2, 0.0, worst) / worst;
}

}  // namespace slipstream
