// The next point under a recipe's rule for lengthscales, on top of what the
// calibration found (core/calibration/lengthscale_rule.h).
//
// The expansion only grows. It is noted on each trial that it contributed to, so
// it continues from the largest in the study's history, also after a restart; so
// do the terms of the one-step estimate's sum. A suggestion made without transfer
// leaves no note, as it was another model's.
#ifndef SLIPSTREAM_CORE_STRATEGY_LENGTHSCALE_RULE_H_
#define SLIPSTREAM_CORE_STRATEGY_LENGTHSCALE_RULE_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/acquisition/next_point.h"
#include "core/calibration/lengthscale_rule.h"
#include "core/strategy/objective_model.h"
#include "core/strategy/strategy.h"

namespace slipstream {

// An objective model under the rule.
struct RuledModel {
  std::optional<ObjectiveModel> model;   // None: it stays as it is.
  std::optional<double> ucb_multiplier;  // As NextPointRequest's.
  std::optional<NextPoint> next;         // If it is known already.
  std::optional<double> expansion;       // h, ...
  double amplitude = 1;                  // ... and a.
  std::vector<Fact> facts;
};

// `past` is of the study's trials and of what was suggested in this call.
// Errors as ChooseNextPoint.
absl::StatusOr<RuledModel> ApplyLengthscaleRule(const LengthscaleRule& rule,
                                                const NextPointRequest& request,
                                                const ObjectiveModel& base,
                                                const LengthscalePast& past);

// The note that an expansion leaves on a trial, and the past read from such notes.
// `deviation` is in units of the amplitude.
Notes ExpansionNotes(double h, double multiplier, double deviation);
LengthscalePast ExpansionPast(const StudyView& view, absl::Span<const Suggestion> made);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_LENGTHSCALE_RULE_H_
