// f = m + w c + sum_j u_j c_j + sum_i v_i g_i + d: a weighted sum (source_sum.h) whose columns are
// not the sources g_i alone.
//
// c is the centre of all sources, c_j those of clusters of them: the mean of their means and the
// mean of their covariances (prototypes.h). Sources that have something in common show it in c,
// which has one weight to learn where they would have many; w is believed to be about 1. The others
// are not negative and exponentially distributed, so that most of them are 0: they correct what c
// lacks.
//
// Centres are of sources that are chosen without the results (source_screen.h), so that they are
// computed once; the g_i are the few sources that rank the results best.
#ifndef SLIPSTREAM_CORE_PRIOR_PROTOTYPE_SUM_H_
#define SLIPSTREAM_CORE_PRIOR_PROTOTYPE_SUM_H_

#include <cstddef>
#include <memory>

#include "core/prior/blocks/source_screen.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

struct PrototypeSumOptions {
  // Sources that have a column of their own; more are screened by how they rank the results. Fewer
  // where their matrices over very many results would take too much memory (MostKnownParts).
  size_t most_sources = 4;
  // Fewer sources have no clusters.
  size_t least_clustered = 4;
  // The number of a centre's sources whose covariances it has.
  size_t most_covariances = 8;
  ScreenLimits screen = {};

  friend bool operator==(const PrototypeSumOptions&, const PrototypeSumOptions&) = default;
};

std::unique_ptr<Prior> MakePrototypeSum(const PrototypeSumOptions& options);

extern const PriorRow kPrototypeSumPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_PROTOTYPE_SUM_H_
