// One function out of several: the members of an ensemble, weighted.
//
// With weights w_i, members' means m_i, deviations s_i and covariances c_i, and
// a factor a_i on each member's deviations:
//
// - kIndependent, the sum of independent functions (RGPE):
//     mean = sum_i w_i m_i, cov(x, x') = sum_i w_i^2 a_i^2 c_i(x, x').
// - kAligned, as if all members erred in the same direction, so that deviations
//   add up:
//     mean = sum_i w_i m_i, deviation d = sum_i w_i a_i s_i.
//   Then mean + b d = sum_i w_i (m_i + b a_i s_i): its upper confidence bound is
//   the weighted sum of those of the members, each with a multiplier b a_i of its
//   own, which is what RM-GP-UCB maximises. That leaves open how two points are
//   correlated; with members' correlations, weighted by their
//   parts q_i(x) = w_i a_i s_i(x)/d(x) in the deviation,
//     r(x, x') = sum_i sqrt(q_i(x) q_i(x')) c_i(x, x')/(s_i(x) s_i(x')),
//     cov(x, x') = d(x) r(x, x') d(x').
//   r is a correlation: a sum of positive semidefinite functions, 1 at x = x'.
//   Of a single member, cov is what it was.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_ENSEMBLE_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_ENSEMBLE_H_

#include <memory>
#include <vector>

#include "core/gp/gaussian_process.h"
#include "core/prior/blocks/source_model.h"
#include "core/prior/blocks/transfer_surrogate.h"

namespace slipstream {

enum class EnsembleErrors { kIndependent, kAligned };

struct EnsembleMember {
  std::shared_ptr<const GaussianProcess> process;
  double weight = 1;            // Not negative.
  double deviation_factor = 1;  // Positive.
  // The source that has this process; null: none.
  std::shared_ptr<const SourceModel> source = nullptr;
};

// Members without weight are left out; at least one has some.
std::unique_ptr<TransferSurrogate> MakeEnsemble(std::vector<EnsembleMember> members,
                                                EnsembleErrors errors);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_ENSEMBLE_H_
