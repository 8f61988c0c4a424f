// Maximises a function over all configurations of a space with parameters of any
// kind.
//
// First it scores a screen of quasi-random configurations and of ones around the
// incumbents. From its best, which are spread out, gradient ascents follow
// along the numbers, then sweeps, one coordinate after the other, over the values
// of integers, discrete numbers and categories; ascents and sweeps alternate until
// neither helps.
//
// Pure functions, apart from the deadline; thread-safe.
#ifndef SLIPSTREAM_CORE_OPTIM_SPACE_MAXIMIZER_H_
#define SLIPSTREAM_CORE_OPTIM_SPACE_MAXIMIZER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/base/deadline.h"
#include "core/optim/point_function.h"
#include "core/space/configuration.h"
#include "core/space/search_space.h"

namespace slipstream {

struct MaximizerOptions {
  // The points of the screen: all over the space, and around the incumbents.
  size_t quasi_random = 384;
  size_t around_incumbents = 128;
  // Searches share this many screens, so that predictions at their points can be cached; around
  // a shared incumbent they have the same points, too.
  // 0: each seed has a screen of its own.
  uint64_t different_screens = 0;
  size_t ascents = 4;
  int evaluations_per_ascent = 50;
  double value_tolerance = 1e-6;
  size_t sweeps = 3;             // At most, after each ascent.
  size_t values_per_sweep = 32;  // Tried of one parameter that has more.
  // Whether ascents climb the function's quick form around their start, if it has one. The points
  // that they reach are judged by the function itself.
  bool climbs_nearby = false;
  // This many of the screen's best are scored again, each by itself, before ascents start from the
  // best of them: for a function that is more exact at single points.
  size_t scored_again = 0;
};

// Configurations that a search looks at first, encoded.
struct Screen {
  std::vector<Configuration> configurations;
  PointMatrix x;
};

struct ScoredConfiguration {
  Configuration configuration;
  double value = 0;
};

struct MaximizerResult {
  // Distinct configurations, best first: the ends of the ascents, then the rest
  // of the screen.
  std::vector<ScoredConfiguration> best;
  int evaluations = 0;
  bool deadline_passed = false;  // The best may be less than what time allows.
};

// `space` must have no candidates. `incumbents` are the best configurations so
// far, best first; there may be none.
MaximizerResult MaximizeOverSpace(const SearchSpace& space, const PointFunction& function,
                                  absl::Span<const Configuration> incumbents, uint64_t seed,
                                  Deadline deadline,
                                  const MaximizerOptions& options = MaximizerOptions());

// The same from a given screen, which many searches may share: it is not empty. The options' own
// points come on top of it.
MaximizerResult MaximizeFromScreen(const SearchSpace& space, const PointFunction& function,
                                   const Screen& screen, absl::Span<const Configuration> incumbents,
                                   uint64_t seed, Deadline deadline,
                                   const MaximizerOptions& options = MaximizerOptions());

// The screen alone: what MaximizeOverSpace looks at first.
std::vector<Configuration> ScreenOf(const SearchSpace& space,
                                    absl::Span<const Configuration> incumbents, uint64_t seed,
                                    const MaximizerOptions& options = MaximizerOptions());

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_OPTIM_SPACE_MAXIMIZER_H_
