#include "core/study/spent_configurations.h"

#include <cstddef>
#include <cstdint>

namespace slipstream {
namespace {

// A configuration with which workers failed so often is not suggested again.
constexpr int64_t kMostFailures = 2;

// So many repeats that all gave what was measured before make results count as exact.
constexpr int kEnoughRepeats = 2;

bool RepeatsAgree(const StudyView& view) {
  ConfigurationIndex first;  // The place of the first trial of each.
  int repeats = 0;
  for (size_t i = 0; i < view.ended.size(); ++i) {
    const EndedTrial& trial = view.ended[i];
    if (trial.ending != Ending::kMeasured) continue;
    const auto [known, is_new] =
        first.try_emplace(&trial.configuration, static_cast<int64_t>(i));
    if (is_new) continue;
    if (view.ended[static_cast<size_t>(known->second)].value != trial.value) return false;
    ++repeats;
  }
  return repeats >= kEnoughRepeats;
}

}  // namespace

ConfigurationIndex SpentConfigurations(const StudyView& view) {
  const bool are_exact = view.noiseless || RepeatsAgree(view);
  ConfigurationIndex spent;
  ConfigurationIndex failures;
  for (const EndedTrial& trial : view.ended) {
    const bool is_spent =
        trial.ending == Ending::kInfeasible ||
        (are_exact && trial.ending == Ending::kMeasured) ||
        (trial.ending == Ending::kFailed && ++failures[&trial.configuration] >= kMostFailures);
    if (is_spent) spent.try_emplace(&trial.configuration, 0);
  }
  return spent;
}

}  // namespace slipstream
