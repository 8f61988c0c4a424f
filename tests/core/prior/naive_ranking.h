// The ranking machine with squared slacks by active sets: where the pairs with a
// slack are known, the scores solve a linear system.
#ifndef SLIPSTREAM_TESTS_CORE_PRIOR_NAIVE_RANKING_H_
#define SLIPSTREAM_TESTS_CORE_PRIOR_NAIVE_RANKING_H_

#include <vector>

#include "core/linalg/types.h"
#include "tests/core/linalg/dense.h"

namespace slipstream {

// For tasks of these sizes, one after the other.
inline Vector NaiveScores(const Matrix& k, const Vector& y, const std::vector<Index>& counts,
                          double penalty) {
  const Index size = y.size();
  const Matrix inverse = DenseInverse(k);
  Vector scores = Vector::Zero(size);
  for (int round = 0; round < 500; ++round) {
    Matrix system = inverse;
    Vector right = Vector::Zero(size);
    Index first = 0;
    for (Index count : counts) {
      const double weight = 2 * penalty / static_cast<double>(count);
      for (Index i = first; i < first + count; ++i) {
        for (Index j = first; j < first + count; ++j) {
          if (y[i] <= y[j] || scores[i] - scores[j] >= 1) continue;
          Vector between = Vector::Zero(size);
          between[i] = 1;
          between[j] = -1;
          system += weight * between * between.transpose();
          right += weight * between;
        }
      }
      first += count;
    }
    // Half a step, so that no active set comes back for ever.
    const Vector next = 0.5 * scores + 0.5 * DenseSolve(system, right);
    if ((next - scores).cwiseAbs().maxCoeff() < 1e-12) break;
    scores = next;
  }
  return scores;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_PRIOR_NAIVE_RANKING_H_
