// GP-Hedge: several acquisitions nominate a point each, and Hedge chooses among
// them by what the model has come to think of their earlier nominees.
//
// Hoffman, Brochu and de Freitas, "Portfolio allocation for Bayesian
// optimization", UAI 2011. The arms are the recipe's acquisition, then those of
// ucb, ei and pi that it is not. An arm's gain is the sum of the posterior means
// at what it nominated, which needs no evaluation.
//
// The paper adds to each gain the mean as it was right after the evaluation.
// Here all nominees are judged by the model as it is now: it knows them better,
// and the gains are then the same whatever the order in which results came.
// A nominee that probably has no value counts as the worst result: there the mean only
// continues what is around. Nominees are noted on the trial. Only the latest 1,000
// nominees of finished trials count. Arms that the deadline leaves no time for nominate nothing.
#ifndef SLIPSTREAM_CORE_EXPLORATION_HEDGE_H_
#define SLIPSTREAM_CORE_EXPLORATION_HEDGE_H_

#include "core/exploration/exploration.h"

namespace slipstream {

struct HedgeOptions {
  double rate = 1;  // eta, on outputs of variance 1.

  friend bool operator==(const HedgeOptions&, const HedgeOptions&) = default;
};

extern const ExplorationRow kHedge;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_EXPLORATION_HEDGE_H_
