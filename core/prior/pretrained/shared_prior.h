// The hyperparameters that several tasks share, learnt from all of them.
//
// With m(x) = mean + sum_i slopes_i (x_i - 1/2) and
// K_k = k(X_k, X_k) + noise diag(1 / repeats) + diag(known noise), the mean over
// the tasks of their negative log marginal likelihoods
//
//   L = 1/T sum_k [r_k^T K_k^-1 r_k + log det K_k + n_k log 2 pi] / 2,
//   r_k = y_k - m(X_k).
//
// Tasks with the same points share K, and with the sample mean and the biased
// sample covariance of such tasks, u and S, L is
//
//   [tr(K^-1 S) + (u - m)^T K^-1 (u - m) + log det K + n log 2 pi] / 2:
//
// the empirical divergence of HyperBO is the same function of other data.
#ifndef SLIPSTREAM_CORE_PRIOR_PRETRAINED_SHARED_PRIOR_H_
#define SLIPSTREAM_CORE_PRIOR_PRETRAINED_SHARED_PRIOR_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/gp/model.h"
#include "core/prior/pretrained/task_group.h"

namespace slipstream {

// -L and its gradient, as Hyperparameters::Packed with the slopes for weights
// (of those none, or one for each coordinate). FAILED_PRECONDITION when a
// covariance is indefinite in spite of all jitter or a value is not finite.
absl::StatusOr<LikelihoodValue> MeanLogLikelihood(const Kernel& kernel,
                                                  const std::vector<TaskGroup>& groups,
                                                  const Hyperparameters& hyperparameters);

struct SharedPriorOptions {
  // Adds the beliefs' log density to -L: they weigh as much as one task does.
  bool with_beliefs = true;
  // The first ascents run on this many rows of each task, ...
  Index first_rows = 32;
  int ascents = 2;
  int max_first_evaluations = 50;  // ... each within this many evaluations.
  // The best of them goes on with all rows.
  int max_evaluations = 25;
  double value_tolerance = 1e-4;
};

struct SharedPrior {
  Hyperparameters hyperparameters;
  double loss = 0;  // L.
};

// `groups` have at least one row in all; `starts` are packed, at least one.
// FAILED_PRECONDITION when L can nowhere be computed.
absl::StatusOr<SharedPrior> LearnSharedPrior(const Model& model,
                                             const std::vector<TaskGroup>& groups,
                                             const std::vector<Vector>& starts,
                                             const SharedPriorOptions& options);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_PRETRAINED_SHARED_PRIOR_H_
