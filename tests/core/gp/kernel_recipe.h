// Kernels side by side with what they should compute, from the definitions in
// Rasmussen and Williams (2006), in long double.
#ifndef SLIPSTREAM_TESTS_CORE_GP_KERNEL_RECIPE_H_
#define SLIPSTREAM_TESTS_CORE_GP_KERNEL_RECIPE_H_

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/gp/kernel.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/long_matrix.h"

namespace slipstream {

// k(a, b) of logarithmic hyperparameters.
using LongKernel = std::function<long double(const LongVector& parameters, const LongVector& a,
                                             const LongVector& b)>;

struct KernelRecipe {
  std::string name;  // Letters and digits only, as gtest wants it.
  CoordinateKinds kinds;
  Index parameter_count = 0;
  std::function<std::unique_ptr<Kernel>()> make;
  LongKernel oracle;
};

inline std::ostream& operator<<(std::ostream& out, const KernelRecipe& recipe) {
  return out << recipe.name;
}

KernelRecipe StationaryRecipe(Smoothness smoothness, const CoordinateKinds& kinds,
                              Lengthscales lengthscales);
KernelRecipe ProductRecipe(std::vector<KernelRecipe> parts);
KernelRecipe WarpedRecipe(const KernelRecipe& inner);

// Every smoothness with shared and own lengthscales, products, also nested ones, with coordinates
// bent or not, over numbers and words.
std::vector<KernelRecipe> AllRecipes();

// c(r) of each smoothness.
long double LongCorrelation(Smoothness smoothness, long double r);

// About one function: the kernel with these hyperparameters around a mean.
LongBelief ToLongBelief(const KernelRecipe& recipe, const LongVector& parameters, long double mean);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_GP_KERNEL_RECIPE_H_
