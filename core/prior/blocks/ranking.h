// How well a source ranks a target's results.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_RANKING_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_RANKING_H_

#include <cstddef>
#include <vector>

#include "core/linalg/types.h"
#include "core/prior/blocks/left_out.h"
#include "core/prior/blocks/source_model.h"

namespace slipstream {

// The number of ordered pairs (j, k) for which exactly one of
// predicted[j] < predicted[k] and y[j] < y[k] holds.
double RankingLoss(const Vector& predicted, const Vector& y);

// Places of the `most` sources whose means have the least ranking loss on the
// target, of equals the first; ascending. All if there are no more.
std::vector<size_t> BestRankers(const SourceModels& sources, const TrainingData& target,
                                size_t most);

// The ranking loss of each draw of a function: draws(s, j) is draw s at point j.
Vector RankingLosses(const Matrix& draws, const Vector& y);

// The ranking loss of each draw of a target's own regression, where point j is
// ranked by f_j, the function given all results but j: the number of ordered pairs
// for which exactly one of f_j(x_j) < f_j(x_k) and y[j] < y[k] holds, each f_j
// drawn at all points. Draw s takes rows s of two matrices of standard normals, one
// number a point: `common` for what the f_j share, `own` for what tells them apart.
Vector LeftOutLosses(const LeftOut& left_out, const Vector& y, const Matrix& common,
                     const Matrix& own);
// The same with y[k] for f_j(x_k), so that only f_j(x_j) is drawn.
Vector LeftOutLossesAgainstResults(const LeftOut& left_out, const Vector& y, const Matrix& own);

// Entry (j, k) is 1 where exactly one of left[j] < right[k] and y[j] < y[k]
// holds, else 0; 0 on the diagonal.
Matrix MisrankedPairs(const Vector& left, const Vector& right, const Vector& y);

// The loss of each bootstrap sample: counts(s, j) is how often sample s holds
// point j. Copies of one point are no pair.
Vector BootstrapLosses(const Matrix& misranked, const Matrix& counts);

// How often each model has the lowest loss: losses(s, i) is that of model i in
// draw s, the target the last. The target wins where it ties with sources, and sources
// that tie without it share. Not negative, of sum 1. A loss of infinity never wins; the
// target's are finite.
Vector RankingWeights(const Matrix& losses);

// The quantile of at least one number in any order, by linear interpolation between
// the two nearest; `part` is in [0, 1].
double QuantileOf(Vector values, double part);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_RANKING_H_
