// What a training that was stopped early would have come to.
//
// A study's model learns from stopped trainings, too: left out, they would be tried again nearby;
// with the last report as it stands, what was stopped early would look worse than it is. The
// training is carried on as the median of the finished ones went on:
//   value = last report + median over finished trainings of (result - value at that step),
// but at best to the best of their results, unless the last report itself is better: no guess
// becomes the incumbent. Finished trainings without reports, or shorter than the stopped one, do
// not count; where none does, the last report stands as it is.
#ifndef SLIPSTREAM_CORE_STOPPING_CARRIED_VALUE_H_
#define SLIPSTREAM_CORE_STOPPING_CARRIED_VALUE_H_

#include "core/stopping/stopping_rule.h"

namespace slipstream {

// `stopped` has at least one report; `others` are as in StoppingView. The value is finite, in the
// metric's own unit, and the same in whichever order the others come.
double CarriedValue(Goal goal, const LearningCurve& stopped,
                    absl::Span<const LearningCurve> others);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STOPPING_CARRIED_VALUE_H_
