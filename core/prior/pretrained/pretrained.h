// A prior learnt beforehand: one mean function, one kernel and one noise
// variance for all tasks, learnt from the sources and then fixed.
//
// HyperBO (Wang, Dahl, Swersky, Lee, Nado, Gilmer, Snoek and Ghahramani,
// "Pre-trained Gaussian processes for Bayesian optimization", 2024). The
// target's process has the hyperparameters that make the sources' results most
// likely, and learns none of its own. Two objectives:
//
// - kNegativeLogLikelihood: the mean over the tasks of
//     [(y - m)^T K^-1 (y - m) + log det K + n log 2 pi] / 2;
// - kEmpiricalDivergence: of values of all tasks at the same points, with sample
//   mean u and biased sample covariance S over the tasks,
//     tr(K^-1 S) + (u - m)^T K^-1 (u - m) + log det K,
//   up to constants the Kullback-Leibler divergence of N(u, S) from N(m, K). It
//   takes one factorisation for all tasks.
//
// K = k(X, X) + s^2 I; k is the model's kernel (Matern 5/2), m is constant or
// linear in the numbers among the coordinates. Less than published: there the
// mean and the kernel's inputs go through a small network, which hundreds of
// tasks can teach. What was decided besides:
//
// - The divergence needs values at the same points. Where all sources have the
//   same points, in whatever order, these are their results; otherwise the
//   sources' posterior means at the input's places. Means are without noise, and
//   s^2 then only blurs them, without a belief: the noise handed on is the
//   geometric mean of what the sources were fitted with. Where a source knows
//   little, its mean is flat, and the amplitude comes out small: the likelihood
//   does not have that fault.
// - Of each task, or of the places, at most `most_points` are used, evenly
//   thinned (published: 100, new ones at each step).
// - With beliefs, DefaultModel's log density is added once to the mean over the
//   tasks, as published: it weighs as much as one task, and keeps a prior from
//   few or small tasks reasonable. It is added to the divergence too, which is
//   then halved, to be on the likelihood's scale. Slopes ~ Normal(0, 3^2).
// - Sources and target are standardised, each by its own results. So amplitude,
//   mean and noise are believed to be the same relative to the deviation of what
//   was seen; a target whose first results say little about its deviation is on
//   the wrong scale until more are in.
// - Where the target's results are exact, its noise is the model's exact one,
//   whatever the sources' noise.
//
// The result of learning depends only on the sources and the places where these
// are used. It takes about 8 ms for each source of 100 points or more, the
// divergence a tenth of that; the latest few are kept.
#ifndef SLIPSTREAM_CORE_PRIOR_PRETRAINED_PRETRAINED_H_
#define SLIPSTREAM_CORE_PRIOR_PRETRAINED_PRETRAINED_H_

#include <memory>

#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

enum class PretrainingObjective { kNegativeLogLikelihood, kEmpiricalDivergence };

enum class MeanFunction { kConstant, kLinear };

struct PretrainedOptions {
  PretrainingObjective objective = PretrainingObjective::kNegativeLogLikelihood;
  MeanFunction mean = MeanFunction::kConstant;
  bool with_beliefs = true;
  // The most points of each task, or the most places.
  Index most_points = 100;

  friend bool operator==(const PretrainedOptions&, const PretrainedOptions&) = default;
};

// All sources have the same share. Slopes are the hyperparameters' weights.
// Combine fails where the objective can nowhere be computed.
std::unique_ptr<Prior> MakePretrained(const PretrainedOptions& options);

extern const PriorRow kPretrainedPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_PRETRAINED_PRETRAINED_H_
