#include "tests/evidence/stopping/carried_value.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/stopping/cost_curve.h"
#include "core/stopping/percentile.h"

namespace slipstream::evidence {

double CarriedValue(Goal goal, const LearningCurve& stopped,
                    absl::Span<const LearningCurve> others) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const CostCurve curve(goal, stopped);
  const int64_t step = curve.last_step();
  const double last = curve.At(step);
  std::vector<double> changes;  // Halves, as the difference of two huge costs might overflow.
  double best = kMost;
  for (const CostCurve& other : ComparedCurves({goal, {}, others})) {
    if (!other.is_measured() || !other.HasReached(step)) continue;
    changes.push_back(other.FinalCost() / 2 - other.At(step) / 2);
    best = std::min(best, other.FinalCost());
  }
  if (changes.empty()) return CostOf(goal, last);
  const double carried = last / 2 + PercentileOf(std::move(changes), 50);
  // What is better than any result by itself stays; only the guess is bounded.
  const double least = std::min(best, last);
  return CostOf(goal, std::max(std::clamp(carried, -kMost / 2, kMost / 2) * 2, least));
}

}  // namespace slipstream::evidence
