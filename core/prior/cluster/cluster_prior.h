// f = m + sum_i w_i p_i: the target is a mixture of prototypes of groups of
// sources, with weights that follow its results. cm-BO: Nguyen, Huynh, Tran,
// Pham, Huynh, Nguyen, "Clustering-based meta Bayesian optimization with
// theoretical guarantee".
//
//   mean sum_i w_i mu^Ci, covariance sum_i w_i^2 k^Ci  (algorithm 1, line 15)
//
// Groups and prototypes: prototypes.h. Weights: adaptive_weights.h. With the
// paper's names for its variants:
//   WssClus_WssCMP       as the options are
//   JefClus_JefCMP       prototypes.clustering.distance and weights kJeffreys
//   JefClus_WssCMP, WssClus_JefCMP   one of the two
//   WssClus_WssCMP_Bary  prototypes.kind = kWassersteinBarycenter
//   GlobalCen            prototypes.grouping = kTogether: a single prototype
//                        weighs 1, whatever the results are
//   IndiWeight-Jef       prototypes.grouping = kIndividual, weights kJeffreys and
//                        covariance kAsMeans
//
// The paper says of IndiWeight only that it "aggregates the geometric center with
// weighted meta-task posteriors". That may be line 15 with each source its own
// prototype, whose squared weights make the covariance of K sources K times less than
// any one's, or the geometric centre of all sources with weights in the place of 1/K,
// which with equal weights is GlobalCen. The words speak for the latter, and so does
// what comes of the former: 50 sources leave a fiftieth of the variance to learn with.
//
// The target has no process of its own, as in the paper. So where the sources
// are sure of themselves it is, too; equal weights make the variance C times
// less; and results can teach it no more than the sources leave open. That is
// what `residual_amplitude` is for. (The paper also speaks of a Matern 3/2
// "for adaptive prior construction", which its algorithm has no place for; the
// residual takes that smoothness.) Then its lengthscales, the noise and the mean
// are calibrated, else the latter two, unless they are given, as the paper's are: its
// mean is 0. A noise that is learnt takes for noise what the prototypes cannot be; a
// constant that is learnt, with a belief of deviation 0.5, allows for results near the
// sources' optimum, which have mean 0 themselves once they are standardised.
//
// Cost. What depends on the sources alone is computed at the first call and kept
// for the last few sets of sources: O(n^2 V) a source and O(V^3) a pair of them,
// with as much again for k-means; 0.15 s for 10 sources, 2 s for 100 (0.2 s and
// more with barycenters). Then each result takes a step of the weights, some
// milliseconds. The last steps of many histories are kept; of one that is not
// known, after a restart for instance, all steps are taken again: 0.1 s for 50
// results, two prototypes and 10 sources. Nothing that is kept changes what
// comes out, and no lock is held while computing.
#ifndef SLIPSTREAM_CORE_PRIOR_CLUSTER_CLUSTER_PRIOR_H_
#define SLIPSTREAM_CORE_PRIOR_CLUSTER_CLUSTER_PRIOR_H_

#include <memory>
#include <optional>

#include "core/gp/kernel.h"
#include "core/prior/cluster/adaptive_weights.h"
#include "core/prior/cluster/gaussian_distance.h"
#include "core/prior/cluster/prototypes.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

struct ClusterOptions {
  PrototypeOptions prototypes = {};
  CovarianceWeights covariance = CovarianceWeights::kSquared;
  // The distance between prototypes and the target.
  NormalDistance weights = NormalDistance::kWasserstein;
  // Weights follow this many of the first results and stay as they are then: all
  // steps at once are O(n^4), and by then the results dominate.
  Index most_steps = 256;
  // The deviation of the target's own process; absent if it has none.
  std::optional<double> residual_amplitude = {};
  Smoothness residual_smoothness = Smoothness::kMatern32;
  // The deviation of the belief in the mean, which is around 0.
  double mean_deviation = 0.5;

  friend bool operator==(const ClusterOptions&, const ClusterOptions&) = default;
};

std::unique_ptr<Prior> MakeClusterPrior(const ClusterOptions& options);

extern const PriorRow kClusterPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_CLUSTER_CLUSTER_PRIOR_H_
