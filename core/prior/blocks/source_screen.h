// Which of many sources a model learns from, so that its cost does not grow with their number.
//
// A source counts by the part of pairs that it orders otherwise,
//
//   rate_k = (l_k + c b_k) / (n (n - 1) + c),
//
// where l_k is its ranking loss on the target's n results (ranking.h), and b_k, which stands for c
// pairs, is the part of the pairs of places that its mean orders otherwise than the mean of all
// sources does. So the most typical sources are kept before there are results, and those that
// order the results best once these are more than a few.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_SCREEN_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_SCREEN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/gp/likelihood.h"
#include "core/linalg/types.h"
#include "core/prior/blocks/source_model.h"

namespace slipstream {

struct ScreenLimits {
  Index most_points = 1200;  // The most points of the sources that are kept, ...
  size_t least_sources = 5;  // ... but this many sources are kept in any case.

  friend bool operator==(const ScreenLimits&, const ScreenLimits&) = default;
};

// Whether there are too many sources or points.
bool NeedsScreen(const SourceModels& sources, const ScreenLimits& limits);

// b_k: from 0, as all together, to 1, the opposite. At least two places.
Vector Strangeness(const SourceModels& sources, const PointMatrix& places);

struct SourceScreen {
  std::vector<size_t> kept;  // Places of the sources that are kept, ascending.
  size_t sources = 0;        // The number of all sources.
  Index points = 0;          // The points of the sources that are kept.
  Index all_points = 0;      // The points of all sources.
  Index results = 0;         // The results that the sources were chosen by.

  bool leaves_any_out() const { return kept.size() < sources; }
  // What was left out, and why, in words.
  std::string Text() const;
};

// From the lowest rate on, of equals the first, until the next one's points would be too many.
// `strangeness` has an entry for each source.
SourceScreen ScreenSources(const SourceModels& sources, const TrainingData& target,
                           const Vector& strangeness, const ScreenLimits& limits);

// All of them.
SourceScreen WithoutScreen(const SourceModels& sources);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_SCREEN_H_
