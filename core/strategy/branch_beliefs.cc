#include "core/strategy/branch_beliefs.h"

#include <cmath>
#include <vector>

#include "core/space/branches.h"

namespace slipstream {
namespace {

// The belief in the logarithm of a branching parameter's lengthscale.
constexpr double kLocation = -0.3;
constexpr double kDeviation = 0.5;

}  // namespace

void BelieveInBranches(const SearchSpace& space, Model& model) {
  const std::vector<size_t> branching = BranchingParameters(space);
  if (branching.empty()) return;
  const size_t dimension = space.dimension();
  const double shift = 0.5 * std::log(MeanActive(space) / static_cast<double>(dimension));
  // The amplitude comes before the lengthscales.
  for (size_t i = 0; i < dimension; ++i) model.beliefs[1 + i].location += shift;
  for (size_t parameter : branching) {
    model.beliefs[1 + parameter].location = kLocation;
    model.beliefs[1 + parameter].deviation = kDeviation;
  }
}

}  // namespace slipstream
