// Priors side by side with what the dense computation is to believe, and data
// for them.
#ifndef SLIPSTREAM_TESTS_CORE_GP_GAUSSIAN_FIXTURES_H_
#define SLIPSTREAM_TESTS_CORE_GP_GAUSSIAN_FIXTURES_H_

#include <memory>
#include <string>
#include <vector>

#include "core/gp/gaussian_prior.h"
#include "core/gp/gaussian_process.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/gp/kernel_recipe.h"

namespace slipstream {

struct Believed {
  std::string name;
  CoordinateKinds kinds;
  std::shared_ptr<const GaussianPrior> prior;
  LongBelief belief;  // What is believed of one function, task 0.
};

// A kernel with hyperparameters that depend on the seed around a mean.
Believed BelievedOf(const KernelRecipe& recipe, double mean, uint64_t seed);

// Kernels of numbers, of numbers and words, and composite ones, and a sum of
// two priors.
std::vector<Believed> BelievedOfEachKind();

// Results anywhere in [-2, 2], each with its own noise variance in [0.01, 0.2].
Observations RandomObservations(const CoordinateKinds& kinds, Index count, uint64_t seed);

Observations FirstOf(const Observations& observations, Index count);

// Fails the test where it cannot be fitted.
GaussianProcess Fitted(std::shared_ptr<const GaussianPrior> prior, Observations observations);

// Three tasks, each function the one before plus a change, fitted one after the
// other through PosteriorPrior and SumPrior; and the same, not fitted, for the
// dense computation.
struct Stack {
  CoordinateKinds kinds;
  std::shared_ptr<const GaussianProcess> top;
  LongBelief belief;
  LongData data;

  static constexpr int kTop = 2;  // The task of `top`.
};
Stack FittedStack();

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_GP_GAUSSIAN_FIXTURES_H_
