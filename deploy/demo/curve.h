// What several tuning runs have in common: the mean of their lowest errors, and the spread.
#ifndef SLIPSTREAM_DEPLOY_DEMO_CURVE_H_
#define SLIPSTREAM_DEPLOY_DEMO_CURVE_H_

#include <optional>
#include <string>
#include <vector>

#include "deploy/demo/trainer.h"

namespace slipstream {

// The lowest error after each evaluation, over all runs.
struct Curve {
  std::string title;
  std::vector<double> mean;
  std::vector<double> lower;  // The quartiles.
  std::vector<double> upper;
};

// Two ways to tune the same tasks.
struct Comparison {
  std::string title;
  Curve without;
  Curve with;
};

// Needs at least one run, and as many evaluations in each.
Curve CurveOf(const std::string& title, const std::vector<Progress>& runs);

// The first evaluation after which the mean is at most `goal`.
std::optional<int> EvaluationsTo(double goal, const Curve& curve);

// Sentences that say after how many evaluations each of the two reaches `goal`, and how the two
// stand in the end.
std::string Verdict(const Comparison& comparison, double goal);

// All numbers: comparison,curve,evaluation,mean,lower_quartile,upper_quartile.
std::string CsvOf(const std::vector<Comparison>& comparisons);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_CURVE_H_
