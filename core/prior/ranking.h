// How well a source ranks a target's results.
#ifndef SLIPSTREAM_CORE_PRIOR_RANKING_H_
#define SLIPSTREAM_CORE_PRIOR_RANKING_H_

#include <cstddef>
#include <vector>

#include "core/linalg/types.h"
#include "core/prior/source_model.h"

namespace slipstream {

// The number of ordered pairs (j, k) for which exactly one of
// predicted[j] < predicted[k] and y[j] < y[k] holds.
double RankingLoss(const Vector& predicted, const Vector& y);

// Places of the `most` sources whose means have the least ranking loss on the
// target, of equals the first; ascending. All if there are no more.
std::vector<size_t> BestRankers(const SourceModels& sources, const TrainingData& target,
                                size_t most);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_RANKING_H_
