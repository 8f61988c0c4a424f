// Points of many sources taken together, for priors that regress on them and
// on the target's results at once.
//
// An exact regression takes O(n^3), so of more points than a method can do with
// some are left out: evenly over the sources, and within a source evenly over
// its results in the order of their values, so that what is left is distributed
// as all are.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_POINTS_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_POINTS_H_

#include <limits>
#include <string>
#include <vector>

#include "core/base/option_set.h"
#include "core/gp/likelihood.h"
#include "core/linalg/types.h"
#include "core/prior/blocks/source_model.h"

namespace slipstream {

// At most `most` rows of `y`, ascending: all, or evenly spread ones in the order
// of their values, the best and (from two on) the worst among them.
std::vector<Index> SpreadRows(const Vector& y, Index most);

// The option of priors that regress on sources' points and results together.
inline constexpr OptionInfo kPooledPointsOption = {
    "pooled_points",
    "points",
    10,
    2000,
    true,
    "Points and results together that envelope, env_gp, diff_gp and deviation regress on"};

// Some points of each source.
struct SourcePoints {
  // Source after source, in their order; no terms. `known_noise` has an entry
  // for each row.
  TrainingData data;
  std::vector<Index> counts;  // Points by source, perhaps 0.
  Index all = 0;              // The number of points that the sources have.

  Index size() const { return data.y.size(); }
};

// At most `most` points, and `most_each` of one source: small sources keep all
// of theirs, the others have as many as each other, give or take one.
SourcePoints CollectPoints(const SourceModels& sources, Index most,
                           Index most_each = std::numeric_limits<Index>::max());

// Each source's mean at the points, one source a column.
Matrix MeansOf(const SourceModels& sources, const PointMatrix& x);

// The results, then the points, as one set of data.
TrainingData Joined(const TrainingData& results, const SourcePoints& points);

// The part of each source's points in the whole where results and points count
// by these weights, which have the order of Joined. Not negative, of sum 1 or
// less; all 0 where the weights are.
Vector PartsOf(const SourcePoints& points, const Vector& weights);

// "500 of 2000", for remarks about points left out.
std::string CountOf(const SourcePoints& points);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_POINTS_H_
