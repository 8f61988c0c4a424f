// What is believed of a model's lengthscales in a space with categories or conditions.
#ifndef SLIPSTREAM_CORE_STRATEGY_BRANCH_BELIEFS_H_
#define SLIPSTREAM_CORE_STRATEGY_BRANCH_BELIEFS_H_

#include "core/gp/model.h"
#include "core/space/search_space.h"

namespace slipstream {

// Changes the beliefs of `model`, which is a DefaultModel of the space with a lengthscale for each
// coordinate:
//   Lengthscales grow with the root of how many coordinates two configurations differ in, which is
//     how many parameters they have on average, not how many the space has.
//   The lengthscale of a parameter that others depend on is LogNormal(-0.3, 0.5), whatever the
//     dimension: branches have something in common, but a few results in one say little of another.
// Without conditions nothing changes.
void BelieveInBranches(const SearchSpace& space, Model& model);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_BRANCH_BELIEFS_H_
