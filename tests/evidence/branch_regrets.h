// Looks at one branch of a problem, for tests.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_BRANCH_REGRETS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_BRANCH_REGRETS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/counter_random.h"
#include "tests/evidence/problem.h"

namespace slipstream::evidence {

// The median regret of a problem's random points in the branches for which
// `is_wanted(branch)` is true.
template <typename Predicate>
double MedianRegret(const Problem& problem, const Predicate& is_wanted) {
  std::vector<double> regrets;
  for (uint64_t i = 0; i < 4000; ++i) {
    std::vector<double> uniform;
    for (size_t j = 0; j < problem.space->dimension(); ++j) {
      uniform.push_back(CounterRandomUniform(11, i, j));
    }
    const Point point = {problem.space->Sample(uniform), {}};
    if (!is_wanted(point.configuration.values[*problem.branch])) continue;
    regrets.push_back(problem.RegretOf(problem.value(point)));
  }
  std::nth_element(regrets.begin(), regrets.begin() + regrets.size() / 2, regrets.end());
  return regrets[regrets.size() / 2];
}

inline double MedianRegretInBestBranch(const Problem& problem) {
  return MedianRegret(problem,
                      [&](const Value& branch) { return branch == problem.best_branches[0]; });
}

inline double MedianRegretInOtherBranches(const Problem& problem) {
  return MedianRegret(problem,
                      [&](const Value& branch) { return !(branch == problem.best_branches[0]); });
}

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_BRANCH_REGRETS_H_
