// The sources' points as results of the target, once what is known of the
// difference between the two has been added: Diff-GP (Shilton, Gupta, Rana,
// Venkatesh, "Regret bounds for transfer learning in Bayesian optimisation",
// 2017, algorithm 2). After each result, again:
//
//   z_i = y_i - mu_s(x_i), mu_s the source's own mean;
//   a process of the z_i, under the target's kernel and noise, gives mu_d, var_d;
//   y_j' = y_j^s + mu_d(x_j^s) with noise sigma_s^2 + var_d(x_j^s);
//   f is the process of all results and corrected points, the same kernel again.
//
// That paper's text was not at hand. The correction of means is confirmed by a
// public implementation of the method; that the noise grows by var_d is what the
// construction asks for, and that implementation leaves it out (`inflate`).
// Choices:
// - sigma_s^2 is the source's own fitted noise variance.
// - The process of differences has mean 0. Before the first result var_d is the
//   kernel's variance: the sources are then barely trusted, as the method has it.
// - The errors of mu_s at the results are not counted, and points of the source
//   that coincide with a result stay.
// - Several sources are corrected each on its own; their corrections share
//   errors, which the method takes for independent.
// - The corrected points depend on the hyperparameters that a calibration is to
//   find. What it is shown is corrected under the source's own kernel and noise,
//   which the method presumes to be the target's.
#ifndef SLIPSTREAM_CORE_PRIOR_CORRECTED_SOURCES_H_
#define SLIPSTREAM_CORE_PRIOR_CORRECTED_SOURCES_H_

#include <memory>

#include "core/linalg/types.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

struct CorrectedOptions {
  // Corrected points have var_d for noise besides their own.
  bool inflate = true;
  // Points and results together that are regressed on, and that a calibration
  // is shown; where results alone are more, they all are, and no points.
  Index most_points = 500;
  Index most_calibrated_points = 120;

  friend bool operator==(const CorrectedOptions&, const CorrectedOptions&) = default;
};

// Fit takes O((n + t)^3) for n points and t results, and gives a
// GaussianProcess. A source's share is its part in the precision (the sum of
// reciprocal noise variances) of all that is regressed on.
std::unique_ptr<Prior> MakeCorrectedSources(const CorrectedOptions& options);

extern const PriorRow kDiffGpPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_CORRECTED_SOURCES_H_
