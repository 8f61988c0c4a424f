// The sources one on top of the other and the target on top of them all, each
// the one below and a difference of its own (level_stack.h): SHGP of Tighineanu
// et al., "Transfer learning with Gaussian processes for Bayesian optimization",
// 2022, for any number of sources, in the order in which they are given. With
// one source it is the stacked model of source_sum.h.
//
// Hyperparameters are fitted level after level, as there: the lowest level has
// the first source's own; a difference between two sources has the kernel, the
// lengthscales and the noise of the source above, and an amplitude, as part of
// that source's, which is the most probable one given the levels below,
//   log p(y_l | levels below, a) + log LogNormal(a; -1, 1.5);
// the target's difference is left to the calibration. The paper takes the most
// likely values of all hyperparameters of a level; with as few points as levels
// may have, that follows their noise. So does the belief in the amplitude.
//
// The stack of the sources alone is cached for the last few sets of sources.
#ifndef SLIPSTREAM_CORE_PRIOR_SOURCE_STACK_H_
#define SLIPSTREAM_CORE_PRIOR_SOURCE_STACK_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "core/linalg/types.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

struct SourceStackOptions {
  // The target's difference's amplitude: fixed, or log-normal around e^-1.
  std::optional<double> amplitude = {};
  Smoothness difference = Smoothness::kMatern52;
  // More sources are screened to this many by how well they rank the results.
  size_t most_sources = 8;
  // The most points of all levels together, and of one level where its amplitude is fitted.
  Index most_points = 500;
  Index most_fitted_points = 100;

  friend bool operator==(const SourceStackOptions&, const SourceStackOptions&) = default;
};

// A stack takes O(n^3) once for n points, Fit O(n^2 t + t^3) for t results and a
// prediction O(n^2). A source's share is its level's part in the variance that
// the stack has before its data.
std::unique_ptr<Prior> MakeSourceStack(const SourceStackOptions& options);

extern const PriorRow kStackedPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_SOURCE_STACK_H_
