#include "core/stopping/cost_curve.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace slipstream {

double CostOf(Goal goal, double value) { return goal == Goal::kMinimize ? value : -value; }

std::string CostText(Goal goal, double cost) {
  const double value = CostOf(goal, cost);
  return absl::StrCat(value == 0 ? 0.0 : value);  // Never "-0".
}

CostCurve::CostCurve(Goal goal, const LearningCurve& curve) : goal_(goal), curve_(curve) {}

double CostCurve::FinalCost() const {
  return CostOf(goal_, curve_.final_value.value_or(curve_.reports.back().value));
}

double CostCurve::At(int64_t step) const {
  const auto before = [](const StepValue& report, int64_t at) { return report.step < at; };
  const absl::Span<const StepValue> reports = curve_.reports;
  const auto next = std::lower_bound(reports.begin(), reports.end(), step, before);
  if (next == reports.begin() || next->step == step) return CostOf(goal_, next->value);
  const auto last = next - 1;
  const double share =
      static_cast<double>(step - last->step) / static_cast<double>(next->step - last->step);
  // The difference of two huge values might overflow.
  return CostOf(goal_, last->value * (1 - share) + next->value * share);
}

double CostCurve::BestUpTo(int64_t step) const {
  double best = Cost(0);
  for (size_t i = 1; i < curve_.reports.size() && curve_.reports[i].step <= step; ++i) {
    best = std::min(best, Cost(i));
  }
  return best;
}

std::vector<CostCurve> ComparedCurves(const StoppingView& view) {
  std::vector<CostCurve> curves;
  for (const LearningCurve& other : view.others) {
    if (other.reports.empty()) continue;
    if (other.ending == Ending::kFailed || other.ending == Ending::kInfeasible) continue;
    curves.emplace_back(view.goal, other);
  }
  std::sort(curves.begin(), curves.end(),
            [](const CostCurve& a, const CostCurve& b) { return a.trial() < b.trial(); });
  return curves;
}

}  // namespace slipstream
