// GP-Hedge: several acquisitions nominate a point each, and Hedge chooses among
// them by what the model has come to think of their earlier nominees.
//
// Hoffman, Brochu and de Freitas, "Portfolio allocation for Bayesian
// optimization", UAI 2011. Arms: the recipe's acquisition, then those of ucb, ei
// and pi that it is not. An arm's gain is the sum of the posterior means at what
// it nominated, which needs no evaluation.
//
// The paper adds to each gain the mean as it was right after the evaluation.
// Here all nominees are judged by the model as it is now: it knows them better,
// and the gains are then the same whatever the order in which results came.
// Nominees are noted on the trial; those of trials that are still open have no
// part yet, nor have any but the latest 1,000.
#ifndef SLIPSTREAM_CORE_STRATEGY_HEDGE_H_
#define SLIPSTREAM_CORE_STRATEGY_HEDGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/strategy/next_point.h"
#include "core/strategy/strategy.h"

namespace slipstream {

struct HedgeChoice {
  NextPoint next;
  Notes notes;
  std::vector<Fact> facts;
};

// Errors as ChooseNextPoint. `ended` are the study's.
absl::StatusOr<HedgeChoice> ChooseByHedge(const NextPointRequest& request,
                                          absl::Span<const EndedTrial> ended);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_HEDGE_H_
