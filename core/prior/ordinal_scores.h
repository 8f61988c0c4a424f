// Scores that order points as their results do, and say no more than that: the
// kernel form of a ranking support vector machine (Joachims, "Optimizing search
// engines using clickthrough data", 2002) with squared slacks. Of points with
// the covariance K, in tasks s of n_s points whose results are compared with
// each other only, the scores f minimise
//
//   1/2 f^T K^-1 f + C sum_s 1/n_s sum_{i, j in s: y_i > y_j} max(0, 1 - (f_i - f_j))^2.
//
// It is convex, and solved for u in f = L u, K = L L^T. The n_s keep C from
// meaning something else for large tasks than for small ones: each point is in
// n_s - 1 pairs.
//
// Thread-safe: a free function without state.
#ifndef SLIPSTREAM_CORE_PRIOR_ORDINAL_SCORES_H_
#define SLIPSTREAM_CORE_PRIOR_ORDINAL_SCORES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/linalg/types.h"

namespace slipstream {

// `counts` are the n_s; points are in the order of their tasks. `penalty` is C.
// FAILED_PRECONDITION when K is indefinite in spite of all jitter.
absl::StatusOr<Vector> OrdinalScores(const Matrix& covariance, const Vector& y,
                                     const std::vector<Index>& counts, double penalty);

// The part of the pairs of different results whose scores are in their order; 1
// where there are none.
double PartInOrder(const Vector& scores, const Vector& y);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_ORDINAL_SCORES_H_
