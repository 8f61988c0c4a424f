#include "core/exploration/in_vain.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace slipstream {
namespace {

constexpr double kBestQuarter = 0.25;  // Of costs.
// The results that a study's level is told by, and parts of this level and of all results.
constexpr size_t kFirst = 8;
constexpr double kHardlyBetter = 0.02;
constexpr double kMuchWorse = 0.2;
constexpr double kSome = 0.05;
// A part of how far the best result is ahead of this level.
constexpr double kHardly = 1e-4;
// A part of the distance between this level and what is much worse.
constexpr double kNotFar = 0.01;

double CostOf(const EndedTrial& trial, Goal goal) {
  return goal == Goal::kMinimize ? *trial.value : -*trial.value;
}

double QuantileOf(std::vector<double> values, double quantile) {
  const auto place = std::lround(quantile * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<size_t>(place)];
}

}  // namespace

Index ResultsInVain(const Vector& results, double least_better) {
  if (results.size() == 0) return 0;
  Index last = 0;
  double best = results[0];
  for (Index i = 1; i < results.size(); ++i) {
    if (results[i] <= best + least_better) continue;
    best = results[i];
    last = i;
  }
  return results.size() - 1 - last;
}

Index ResultsHardlyBetter(absl::Span<const EndedTrial> ended, Goal goal) {
  std::vector<double> first;
  double level = 0;
  double least = std::numeric_limits<double>::infinity();
  Index in_vain = 0;
  for (const EndedTrial& trial : ended) {
    if (!InformsModels(trial)) continue;
    const double cost = CostOf(trial, goal);
    if (first.size() < kFirst) {
      first.push_back(cost);
      level = QuantileOf(first, 0.5);
    }
    ++in_vain;
    if (cost >= least) continue;
    if (least - cost > kHardly * (level - least)) in_vain = 0;
    least = cost;
  }
  return in_vain;
}

Index RandomLookingInVain(absl::Span<const EndedTrial> ended, Goal goal) {
  std::vector<double> first;
  std::vector<double> in_vain;
  double least = std::numeric_limits<double>::infinity();
  for (const EndedTrial& trial : ended) {
    if (!InformsModels(trial)) continue;
    const double cost = CostOf(trial, goal);
    if (first.size() < kFirst) first.push_back(cost);
    if (cost < least) {
      least = cost;
      in_vain.clear();
    } else if (trial.suggested) {
      in_vain.push_back(cost);
    }
  }
  const auto count = static_cast<Index>(in_vain.size());
  if (count == 0) return 0;
  const bool looks_random =
      QuantileOf(std::move(in_vain), 0.5) > QuantileOf(std::move(first), kBestQuarter);
  return looks_random ? count : 0;
}

bool AreGuesses(absl::Span<const EndedTrial> ended, Goal goal) {
  std::vector<double> costs;
  for (const EndedTrial& trial : ended) {
    if (trial.ending != Ending::kMeasured) continue;
    costs.push_back(CostOf(trial, goal));
  }
  if (costs.size() < kFirst) return false;
  const double level = QuantileOf({costs.begin(), costs.begin() + kFirst}, 0.5);
  const double limit = level + kMuchWorse * std::abs(level);
  std::vector<double> worse;
  std::copy_if(costs.begin(), costs.end(), std::back_inserter(worse),
               [limit](double cost) { return cost > limit; });
  if (worse.empty()) return false;
  if (static_cast<double>(worse.size()) < kSome * static_cast<double>(costs.size())) return false;
  const double away = QuantileOf(std::move(worse), 0.5) - level;
  const double gain = level - *std::min_element(costs.begin(), costs.end());
  return gain <= std::min(kHardlyBetter * std::abs(level), kNotFar * away);
}

}  // namespace slipstream
