// What a training that was stopped early would have come to.
//
// The server's models take a stopped training's last report as its result. This is what could take
// its place, to be compared with it: the training is carried on as the median of the finished ones
// went on:
//   value = last report + median over finished trainings of (result - value at that step),
// but at best to the best of their results, unless the last report itself is better: no guess
// becomes the incumbent. Finished trainings without reports, or shorter than the stopped one, do
// not count; where none does, the last report stands as it is.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_STOPPING_CARRIED_VALUE_H_
#define SLIPSTREAM_TESTS_EVIDENCE_STOPPING_CARRIED_VALUE_H_

#include "core/stopping/stopping_rule.h"

namespace slipstream::evidence {

// `stopped` has at least one report; `others` are as in StoppingView. The value is finite, in the
// metric's own unit, and the same in whichever order the others come.
double CarriedValue(Goal goal, const LearningCurve& stopped,
                    absl::Span<const LearningCurve> others);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_STOPPING_CARRIED_VALUE_H_
