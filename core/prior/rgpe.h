// A ranking-weighted ensemble of Gaussian processes (RGPE): Feurer, Letham,
// Bakshy, "Scalable meta-learning for Bayesian optimization using ranking-weighted
// Gaussian process ensembles", 2018 (arXiv 1802.02219, v1), whose third version is
// "Practical transfer learning for Bayesian optimization" (v3).
//
//   f = sum_i w_i f_i over the sources and the target's own regression, all
//   independent: mean = sum_i w_i mean_i, variance = sum_i w_i^2 variance_i.
//
// w_i is how often model i has the lowest ranking loss on the target's n results,
// over draws of all models: the number of ordered pairs (j, k) for which exactly
// one of f(x_j) < f(x_k) and y_j < y_k holds. The target wins where it ties with
// sources, as in v1; in v3 they share. Draws are of the function, without noise.
// The target's own regression would look better on its results than it is, so there
// f(x_j) is that of the regression without result j, hyperparameters as they are. The
// three published ways differ:
//
// - kCorrect: f_j(x_j) < f_j(x_k), with f_j drawn jointly at all points. One draw
//   is a draw of each f_j; they have what is uncertain with all results in common
//   and what result j would have told for themselves (left_out.h). The papers'
//   code uses the same random numbers for all f_j, v1 does not say.
// - kSimplified: f_j(x_j) < y_k, with f_j(x_j) drawn on its own.
// - kBootstrap (v3's default): no draws but means, the target's as in
//   kSimplified; each time n results are taken anew, with replacement. The
//   papers' code counts a result above its own left-out mean as a wrong pair,
//   for the target only; here a result is no pair with itself or its copies.
//
// Weight dilution, of many poor sources that win now and then, is prevented by
// leaving sources out first:
//
// - kPercentile (v1): those whose median loss is above the 95th percentile of the
//   target's. v3's code also drops them when the two are equal, and one public
//   implementation takes the mean for the median; this is what v1 says.
// - kProbabilistic (v3): source i is kept with probability p_i (1 - n/T), p_i the
//   part of draws in which it is better than the target and T the budget. One
//   uniform number for each source and n decides, so suggestions that are made of
//   the same results agree.
//
// With fewer than three results all weights are equal, the target's included.
// Before anything is drawn, more sources than most_sources are screened to those
// whose means have the least ranking loss, of equals the first (BestRankers).
//
// Other differences from the papers: hyperparameters are those of our own
// regressions; the models' standard normal numbers come from one pool, which each
// model uses from another draw on, so that those of one draw are independent;
// variances are sums as above, which is the method but too small where several
// models know the same.
#ifndef SLIPSTREAM_CORE_PRIOR_RGPE_H_
#define SLIPSTREAM_CORE_PRIOR_RGPE_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

enum class RgpeLoss { kCorrect, kSimplified, kBootstrap };

enum class RgpeDilution { kNone, kPercentile, kProbabilistic };

struct RgpeOptions {
  RgpeLoss loss = RgpeLoss::kCorrect;
  // At least one. None: 256 draws, or 1000 bootstrap samples. Take more draws
  // than sources, or some of their numbers are the same. See RgpeDraws.
  std::optional<Index> draws = {};
  RgpeDilution dilution = RgpeDilution::kPercentile;
  // The percentile of the target's losses, for kPercentile; in [0, 1].
  double percentile = 0.95;
  // T, for kProbabilistic: from this many results on no source is kept. Positive.
  Index budget = 100;
  // More are screened to this many; 0: all take part, as in the papers.
  size_t most_sources = 10;

  friend bool operator==(const RgpeOptions&, const RgpeOptions&) = default;
};

// How many draws there are with so many sources. As many as are wanted, but from 1000 on no more
// than give 2^23 losses of all sources together: with more than 83 sources fewer than 100,000.
Index RgpeDraws(const RgpeOptions& options, size_t sources);

// Remarks: target_weight; kept_sources; from three results on target_median_loss
// and best_source_median_loss; screened, in words, where sources were.
std::unique_ptr<Prior> MakeRgpe(const RgpeOptions& options);

extern const PriorRow kRgpePrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_RGPE_H_
