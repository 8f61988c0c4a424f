// The rule "curve": a training stops when it is improbable that it will beat the best result.
//
// The curves of the study, at most 64 and the latest, those of finished trials first, teach a model
// of learning curves (freeze_thaw.h). It says how probable it is that the running training's value
// at the last step is better than the incumbent, the best result of a finished trial. Below
// `least_probability` the training stops; if it can only equal the incumbent it does, too.
//
// Curves are compared at up to 14 common steps, which are closer together at the beginning, and the
// running one also at its last; between reports a curve's value is that on the line between them.
// The model knows neither heavy tails nor units. Therefore it is given, for a cost c,
//   asinh((c - incumbent) / scale),
// scale being the median of the others' distances from the incumbent at their last reports: near
// the incumbent that is linear, for trainings that went astray logarithmic.
//
// The last step is T (horizon.h). Failed and infeasible trials do not count. Training goes on
// before `grace_steps`, at the last step and beyond, with fewer than `least_curves` finished
// curves, and where the curves do not differ enough to learn from. Takes some milliseconds, however
// many curves there are.
#ifndef SLIPSTREAM_CORE_STOPPING_CURVE_H_
#define SLIPSTREAM_CORE_STOPPING_CURVE_H_

#include "core/stopping/stopping_rule.h"

namespace slipstream {

extern const StoppingRow kCurveRule;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STOPPING_CURVE_H_
