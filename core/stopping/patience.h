// The rule "patience": a training stops when it no longer makes progress.
//
// A training is the best of all while no other has reported a better value than its own best. At
// each report its last `patience` reports are looked at: its best cost has fallen by d with them.
// It stops
// - if it stalls: d is not greater than `least_improvement`, in the metric's unit, and it is not
//   the best of all or `stop_best` is 1;
// - if it cannot catch up: it is not the best of all, and falling on by `catch_up` d in every so
//   many steps as these reports took, it would at the last step T (horizon.h) still be worse than
//   the best report of the others.
// Learning curves are mostly convex, so that going on as before is more than will happen. The
// second does not count at `catch_up` 0, while T is unknown, and from T on. Where `patience` is not
// given it is a sixth of the reports of a training, whose reports are taken to be as far apart as
// the running one's; while T is unknown nothing then stops. A training with no more than `patience`
// reports goes on. Failed and infeasible trials do not count.
#ifndef SLIPSTREAM_CORE_STOPPING_PATIENCE_H_
#define SLIPSTREAM_CORE_STOPPING_PATIENCE_H_

#include "core/stopping/stopping_rule.h"

namespace slipstream {

extern const StoppingRow kPatienceRule;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STOPPING_PATIENCE_H_
