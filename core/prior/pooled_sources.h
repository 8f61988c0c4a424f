// The sources' points as results of the target with more noise: one process of
// all of them,
//
//   y_i = f(x_i) + e_i,                  e_i ~ N(0, noise / repeats_i),
//   y_j^s = f(x_j^s) + e_j + u_j^s,      u_j^s ~ N(0, sigma_s^2).
//
// - Envelope-BO (Joy, Rana, Gupta, Venkatesh, "A flexible transfer learning
//   framework for Bayesian optimization with convergence guarantee", 2019). Its
//   belief sigma_s^2 ~ InvGamma(tau_0, v_0) is updated by how far the results
//   are from what the source alone predicts of them, yhat^s (equations 20-24):
//     tau_t = tau_0 + t/2,  v_t = v_0 + sum_i (y_i - yhat_i^s)^2 / 2,
//     sigma_s^2 = v_t / (tau_t + 1), the mode.
//   Its kernel is isotropic, exp(-|x - x'|^2 / (2 theta)) (theta is the square
//   of a lengthscale), and its mean 0 (equations 18 and 19).
//   Its EI counts from the largest posterior mean in the space (equation 11), which
//   the acquisition's option incumbent_everywhere says.
// - Env-GP (Shilton, Gupta, Rana, Venkatesh, "Regret bounds for transfer
//   learning in Bayesian optimisation", 2017): the same with the target's kernel,
//   sigma_s^2 updated as above, or given.
//
// Choices where the papers are silent, and deviations:
// - All results count in t, those of the initial design and repeats of one
//   configuration too: each says as much of the source as any other.
// - tau_0 = 5 and v_0 = 3 presume values of about variance 1. Results and
//   sources are on one scale, on which the sources' have that; of the paper's raw
//   values, of at most 0.16, it would hardly learn anything.
// - Several sources have a sigma_s^2 each.
// - A source's points have sigma_s^2 for noise and nothing else (equation 17),
//   however often each was measured.
// - How theta is found is not told: it is left to the calibration, which is
//   shown the results and as many points as it can do with.
// - Against the claim that it "rolls back" to no transfer, sigma_s^2 stays below
//   the largest mean squared difference, and many points outvote few results.
//   drop_misleading is a remedy, and no part of the paper.
#ifndef SLIPSTREAM_CORE_PRIOR_POOLED_SOURCES_H_
#define SLIPSTREAM_CORE_PRIOR_POOLED_SOURCES_H_

#include <memory>

#include "core/linalg/types.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

enum class PooledNoise { kFixed, kEnvelope };

enum class PooledKernel {
  kIsotropic,  // Envelope-BO's: one lengthscale; amplitude 1 and mean 0, unless these are given.
  kTargets,    // The target's, PriorInput::model.
};

struct PooledOptions {
  PooledNoise noise = PooledNoise::kEnvelope;
  // sigma_s^2 of kFixed; positive. No paper names one: this is a tenth of the variance that results
  // have on the scale of models, and a choice of ours.
  double fixed_variance = 0.1;
  bool updates = false;  // Env-GP with kEnvelope.
  double shape = 5;      // tau_0.
  double scale = 3;      // v_0.
  PooledKernel kernel = PooledKernel::kIsotropic;
  // Leaves out sources that predict the results worse than the results' mean
  // does, sum_i (y_i - yhat_i^s)^2 > sum_i (y_i - ybar)^2, once there are so many
  // results.
  bool drop_misleading = false;
  Index least_results_to_drop = 5;
  // Points and results together that are regressed on, and that a calibration
  // is shown; where results alone are more, they all are, and no points.
  Index most_points = 500;
  Index most_calibrated_points = 120;

  friend bool operator==(const PooledOptions&, const PooledOptions&) = default;
};

// Fit takes O((n + t)^3) for n points and t results, and gives a
// GaussianProcess. A source's share is its part in the precision (the sum of
// reciprocal noise variances) of all that is regressed on.
std::unique_ptr<Prior> MakePooledSources(const PooledOptions& options);

extern const PriorRow kEnvelopePrior;
extern const PriorRow kEnvGpPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_POOLED_SOURCES_H_
