#include "deploy/demo/curve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace slipstream {
namespace {

// The lowest error of each run after each evaluation, evaluation by evaluation.
std::vector<std::vector<double>> LowestByEvaluation(const std::vector<Progress>& runs) {
  std::vector<std::vector<double>> lowest(runs.front().size());
  for (const Progress& run : runs) {
    double low = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < run.size(); ++i) lowest[i].push_back(low = std::min(low, run[i]));
  }
  return lowest;
}

// Interpolates linearly between the sorted values, as most statistical programs do.
double Quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

std::string Reached(double goal, const Curve& curve) {
  const std::optional<int> evaluations = EvaluationsTo(goal, curve);
  if (!evaluations) return absl::StrCat("not within ", curve.mean.size());
  return absl::StrCat("after ", *evaluations, *evaluations == 1 ? " evaluation" : " evaluations");
}

std::string ValueAtEnd(const Curve& curve) {
  return absl::StrFormat("%.2f %% (quartiles %.2f and %.2f)", curve.mean.back(), curve.lower.back(),
                         curve.upper.back());
}

}  // namespace

Curve CurveOf(const std::string& title, const std::vector<Progress>& runs) {
  Curve curve;
  curve.title = title;
  for (std::vector<double>& errors : LowestByEvaluation(runs)) {
    std::sort(errors.begin(), errors.end());
    const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
    curve.mean.push_back(sum / static_cast<double>(errors.size()));
    curve.lower.push_back(Quantile(errors, 0.25));
    curve.upper.push_back(Quantile(errors, 0.75));
  }
  return curve;
}

std::optional<int> EvaluationsTo(double goal, const Curve& curve) {
  const auto reached = std::find_if(curve.mean.begin(), curve.mean.end(),
                                    [goal](double mean) { return mean <= goal; });
  if (reached == curve.mean.end()) return std::nullopt;
  return static_cast<int>(reached - curve.mean.begin()) + 1;
}

std::string Verdict(const Comparison& comparison, double goal) {
  return absl::StrFormat(
      "A mean error of %.0f %%: %s without source tasks, %s with them.\n"
      "After %d: %s without, %s with.\n",
      goal, Reached(goal, comparison.without), Reached(goal, comparison.with),
      comparison.without.mean.size(), ValueAtEnd(comparison.without), ValueAtEnd(comparison.with));
}

std::string CsvOf(const std::vector<Comparison>& comparisons) {
  std::string csv = "comparison,curve,evaluation,mean,lower_quartile,upper_quartile\n";
  for (const Comparison& comparison : comparisons) {
    for (const Curve* curve : {&comparison.without, &comparison.with}) {
      for (size_t i = 0; i < curve->mean.size(); ++i) {
        absl::StrAppendFormat(&csv, "\"%s\",\"%s\",%d,%.17g,%.17g,%.17g\n", comparison.title,
                              curve->title, i + 1, curve->mean[i], curve->lower[i],
                              curve->upper[i]);
      }
    }
  }
  return csv;
}

}  // namespace slipstream
