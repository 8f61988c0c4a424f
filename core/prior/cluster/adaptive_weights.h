// The prototypes' weights for a target, updated by each of its results:
// lines 13 to 21 of algorithm 1 of cm-BO (prototypes.h).
//
//   w^(0) = 1/C,
//   f | results 1..t ~ the posterior under the prior
//     N( sum_i w_i mu_i, sum_i w_i^2 k_i ), w = w^(t-1),
//
// (or sum_i w_i k_i: CovarianceWeights)
//
//   d_i = dist(prototype i, that posterior) at the places,
//   w_i^(t) = exp(1 - d_i / max d) / s, s such that they sum up to 1.
//
// In the paper, line 19 measures distances to the posterior of line 16, from
// which the next point was chosen, and not to one with that point's result. So
// a target of n results, n_0 of them initial ones, has weights that n_0, ..., n - 1
// of them made, one step each. Where all distances are 0, all
// weigh the same. No weight is more than e times another's: a prototype that
// does not fit is never quite ignored.
//
// The posterior is taken as it was at the time: with the weights and the scale of results of
// then. Its noise variance and its constant mean are fixed, for steps must not
// change when hyperparameters are calibrated anew: they are those that are given,
// with which the next point is chosen too, or where they are learnt, what is
// believed of them.
//
// A step at t takes O(t^3 + t^2 V + t V^2) and C distances of V places.
#ifndef SLIPSTREAM_CORE_PRIOR_CLUSTER_ADAPTIVE_WEIGHTS_H_
#define SLIPSTREAM_CORE_PRIOR_CLUSTER_ADAPTIVE_WEIGHTS_H_

#include <cstddef>
#include <optional>

#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/base/fingerprint.h"
#include "core/base/memo.h"
#include "core/prior/blocks/added_process.h"
#include "core/prior/cluster/gaussian_distance.h"
#include "core/prior/cluster/prototypes.h"
#include "core/prior/prior.h"

namespace slipstream {

// The covariance of a prototype of weight w counts w^2 times if prototypes are independent
// functions that are added up (line 15). It counts w times if the target is one of them, each with
// its weight as probability: that is their weighted centre.
enum class CovarianceWeights { kSquared, kAsMeans };

// The factor of a prototype's covariance in the sum.
double CovarianceWeight(CovarianceWeights weights, double weight);

struct AdaptiveWeights {
  Vector weights;    // One for each prototype, of sum 1.
  Vector distances;  // The distances that made them; empty where none did.
};

// The input of a step besides weights and results.
struct AdaptionModel {
  NormalDistance distance = NormalDistance::kWasserstein;
  double log_noise_variance = -4;
  double mean = 0;
  CovarianceWeights covariance = CovarianceWeights::kSquared;
  // A process that is added to the prototypes', of mean 0.
  std::optional<OwnPart> residual;
};

// 1/C each.
AdaptiveWeights EqualWeights(size_t count);

// Lines 20 and 21. FAILED_PRECONDITION when a distance is not finite.
absl::StatusOr<AdaptiveWeights> WeightsOf(Vector distances);

// The latest weights of some histories, by a fingerprint of all that they depend on besides the
// prototypes.
using AdaptionCache = Memo<Fingerprint, const AdaptiveWeights>;
inline constexpr size_t kMostAdaptions = 256;

// All steps of lines 15, 16 and 19 to 21, from `first` to `count`, each with the results that were
// there then. They go on from the latest one that the cache knows, so that one is taken for each
// new result; without it all are. What comes out is the same, bit for bit. FAILED_PRECONDITION when
// a covariance cannot be factorised; DEADLINE_EXCEEDED or CANCELLED when the deadline passed: then
// the cache gets the latest step that was taken.
absl::StatusOr<AdaptiveWeights> WeightsAfter(const SourcePrototypes& prototypes,
                                             const SourceModels& sources,
                                             const AdaptionModel& model, Index first, Index count,
                                             const EarlierResults& earlier, AdaptionCache& cache,
                                             const Deadline& deadline = Deadline::Infinite());

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_CLUSTER_ADAPTIVE_WEIGHTS_H_
