// RM-GP-UCB and RM-GP-TS ("robust meta-Bayesian optimization"): Dai, Chen, Yu,
// Low, Jaillet, "On provably robust meta-Bayesian optimization", 2022.
//
// Round t = 1, 2, ... has the target's posterior mean_{t-1}, sd_{t-1} of the
// results before it. With source i's N_i results y_ij at x_ij:
//
//   beta_t = sqrt(0.2 d log 2t),
//   gap_it = mean_j max(|mean_{t-1}(x_ij) + beta_t sd_{t-1}(x_ij) - y_ij|,
//                       |mean_{t-1}(x_ij) - beta_t sd_{t-1}(x_ij) - y_ij|),
//   om_it proportional to exp(-eta sum_{s<=t} gap_is), of sum 1,
//   nu_t = nu_{t-1} min(r, (sum_i om_it gap_it)^-epsilon), nu_0 = 1;
//
// RM-GP-UCB tries the greatest
//   nu_t sum_i om_it [mean_i + sqrt(tau) sd_i] + (1 - nu_t) [mean_{t-1} + beta_t sd_{t-1}].
// That is the upper confidence bound, with multiplier beta_t, of an ensemble whose
// deviations add up (EnsembleErrors::kAligned) and whose sources' deviations count
// sqrt(tau)/beta_t times. An acquisition with another multiplier b tries the same
// for b in beta_t's place when told here (acquisition_multiplier).
// RM-GP-TS draws, with probability 1 - nu_t, from the target's own posterior, else
// from that of sum_i om_it f_i, the f_i being the sources' functions.
//
// nu_t <= r^t: after ten rounds with r = 0.7 the sources count for less than 3 %,
// whatever they are. That is what makes the method robust; expect no more of it.
//
// Where the paper leaves choices open, and where this differs:
// - Each round's posterior is under the hyperparameters and on the scale of
//   today, not those of its time. So one factorisation holds them all (the rows of
//   L^-1 K(X, x) up to t - 1 give mean and variance by running sums), the whole
//   recursion is a function of the input and the hyperparameters, and it takes
//   O(t^2 + N t) for N source points on top of O(N t^2) for those rows.
// - The rounds begin with the initial results, t = 1 there, as in the published runs,
//   which begin after a design of five: all of it makes one update of the weights. With
//   n results, n_0 of them initial ones, it is round n - n_0 + 1; trials that are
//   pending, and such that failed, make no round. The acquisition has the same t.
//   With fewer than n_0 results, nu = 1 and all sources weigh the same.
// - Sources and target are each on the scale of models (mean 0, variance 1): on
//   raw scales the gaps would compare units.
// - As in the published runs, a gap is the mean over a source's points; the theory
//   takes the largest, and adds a bound of the noise.
// - A gap takes most_points of a source's results at most, evenly spread over
//   their order.
// - Only the most_sources heaviest sources become part of the ensemble, of equals
//   the first, and none of a weight (nu_t om_it, or om_it once the sources are
//   drawn from) below least_weight; the others' weight goes to those that are
//   left, or to the target when none is. nu_t and om_it take all into account.
#ifndef SLIPSTREAM_CORE_PRIOR_RM_GP_H_
#define SLIPSTREAM_CORE_PRIOR_RM_GP_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

enum class RmGpMode { kUpperBound, kThompson };

struct RmGpOptions {
  RmGpMode mode = RmGpMode::kUpperBound;
  double learning_rate = 1;       // eta, not negative.
  double decay_power = 0.7;       // epsilon, not negative.
  double slowest_decay = 0.7;     // r, in (0, 1].
  double source_confidence = 1;   // tau, positive.
  double multiplier_scale = 0.2;  // The 0.2 in beta_t; positive.
  // The multiplier of the upper confidence bound to be maximised, positive;
  // beta_t if absent.
  std::optional<double> acquisition_multiplier = {};
  Index most_points = 200;
  size_t most_sources = 20;  // 0: of all.
  double least_weight = 1e-6;

  friend bool operator==(const RmGpOptions&, const RmGpOptions&) = default;
};

// Remarks: nu, rounds, and, after the first round, of all sources the
// least_gap and, weighted by om, the mean_gap of the last round; kept_sources, how
// many are part of what Fit gives; with kThompson also drawn_from, "target" or
// "sources", which Shares go by.
std::unique_ptr<Prior> MakeRmGp(const RmGpOptions& options);

extern const PriorRow kRmGpPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_RM_GP_H_
