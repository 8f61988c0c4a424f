// How long trainings are: the measure of the options of early stopping rules.
//
// A whole training has T steps: `most_steps`, or where that is not given, the last step of the
// study's longest finished training. Until one has finished T is then unknown, and nothing is
// stopped. Options in steps that are not given are shares of T, so that defaults suit studies that
// count epochs and studies that count examples.
#ifndef SLIPSTREAM_CORE_STOPPING_HORIZON_H_
#define SLIPSTREAM_CORE_STOPPING_HORIZON_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/option_set.h"
#include "core/stopping/cost_curve.h"
#include "core/stopping/stopping_rule.h"

namespace slipstream {

struct Horizon {
  std::optional<int64_t> most_steps;
  std::optional<int64_t> grace_steps;

  // T, at least 1; empty if it is unknown.
  std::optional<int64_t> Steps(const std::vector<CostCurve>& others) const;
  // The first step at which trainings of `steps` steps are stopped: a tenth, if it is not given.
  int64_t FirstStep(int64_t steps) const;

  friend bool operator==(const Horizon&, const Horizon&) = default;
};

inline constexpr OptionInfo kMostSteps = {
    "most_steps",
    "steps",
    1,
    1e9,
    true,
    "The last step of a whole training; if not given, that of the longest finished one"};
inline constexpr OptionInfo kGraceSteps = {
    "grace_steps",
    "steps",
    0,
    1e9,
    true,
    "No training run is stopped before this step; if not given, a tenth of a whole run"};
inline constexpr OptionInfo kLeastCurves = {
    "least_curves", "", 1, 1000, true, "How many others there must be to compare with"};

// That share of `steps`, rounded up, at least 1.
int64_t ShareOf(int64_t steps, double share);

// Advice to go on: T is unknown; the training is at `step`, and none is stopped before `first`;
// only `count` others have reached `step`.
StoppingAdvice UnknownHorizon();
StoppingAdvice BeforeFirstStep(int64_t step, int64_t first);
StoppingAdvice TooFewCurves(size_t count, int64_t step, int64_t least);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STOPPING_HORIZON_H_
