// Learning curves as rules of early stopping read them: as costs, where less is better.
//
// Costs are the values of a study that minimises and the negated values of one that maximises, so
// that rules know no goal. A curve has reached every step up to that of its last report.
#ifndef SLIPSTREAM_CORE_STOPPING_COST_CURVE_H_
#define SLIPSTREAM_CORE_STOPPING_COST_CURVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/stopping/stopping_rule.h"

namespace slipstream {

// The cost of a value, and the value of a cost.
double CostOf(Goal goal, double value);

// The value of a cost, for people.
std::string CostText(Goal goal, double cost);

// One training with at least one report; `reports` of the curve must outlive it.
class CostCurve {
 public:
  CostCurve(Goal goal, const LearningCurve& curve);

  int64_t trial() const { return curve_.trial; }
  bool is_measured() const { return curve_.ending == Ending::kMeasured; }
  absl::Span<const StepValue> reports() const { return curve_.reports; }
  int64_t first_step() const { return curve_.reports.front().step; }
  int64_t last_step() const { return curve_.reports.back().step; }
  bool HasReached(int64_t step) const { return last_step() >= step; }
  // Whether it has reached the step, and reported at it or before.
  bool HasValueBy(int64_t step) const { return first_step() <= step && HasReached(step); }
  double Cost(size_t report) const { return CostOf(goal_, curve_.reports[report].value); }
  // The result's cost if there is one, else that of the last report.
  double FinalCost() const;

  // At a step that the curve has reached: on the line between the reports before and after it.
  // Before the first report it is the first one's.
  double At(int64_t step) const;
  // The least cost up to that step, which may be one that the curve has not reached. Before the
  // first report it is the first one's.
  double BestUpTo(int64_t step) const;

 private:
  Goal goal_;
  LearningCurve curve_;
};

// The others that rules compare with, by ascending numbers of their trials: those with a report,
// unless they failed or are infeasible.
std::vector<CostCurve> ComparedCurves(const StoppingView& view);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STOPPING_COST_CURVE_H_
