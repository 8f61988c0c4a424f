#include "core/study/spent_configurations.h"

#include <cstdint>

namespace slipstream {
namespace {

// A configuration with which workers failed so often is not suggested again.
constexpr int64_t kMostFailures = 2;

}  // namespace

ConfigurationIndex SpentConfigurations(const StudyView& view) {
  ConfigurationIndex spent;
  ConfigurationIndex failures;
  for (const EndedTrial& trial : view.ended) {
    const bool is_spent =
        trial.ending == Ending::kInfeasible ||
        (view.noiseless && trial.ending == Ending::kMeasured) ||
        (trial.ending == Ending::kFailed && ++failures[&trial.configuration] >= kMostFailures);
    if (is_spent) spent.try_emplace(&trial.configuration, 0);
  }
  return spent;
}

}  // namespace slipstream
