// A problem to optimise and what is known about it: an objective on a search space,
// its best value, the points that a study starts from and the source tasks that it may
// use.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_PROBLEM_H_
#define SLIPSTREAM_TESTS_EVIDENCE_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/space/configuration.h"
#include "core/space/search_space.h"
#include "core/study/study_view.h"

namespace slipstream::evidence {

// A configuration, and its place in the candidate list where there is one.
struct Point {
  Configuration configuration;
  std::optional<int64_t> candidate;
};

struct Problem {
  std::string name;
  std::shared_ptr<const SearchSpace> space;
  Goal goal = Goal::kMinimize;
  // Whether a user would declare the objective exact.
  bool noiseless = true;
  // Added to the values that a study sees; regret is computed without it.
  double noise_deviation = 0;
  // Added instead of normal noise, where there is one: a function of the study's seed and the
  // trial's number.
  std::function<double(uint64_t study_seed, uint64_t trial)> disturbance = {};
  // NaN where the objective has none: such trials end as `without_value` says.
  std::function<double(const Point&)> value;
  Ending without_value = Ending::kInfeasible;
  double failure_rate = 0;  // The share of trials that fail wherever they are.
  double best = 0;         // The best that `value` can be.
  double worst = 0;        // The worst, and the mean over the space or the list; where they
  double mean = 0;         // are not known, as far as evenly spread points show.
  double regret_unit = 1;  // What regrets are divided by, where they are normalised.
  // The parameter whose choices are branches of the space, and those with the best
  // value; absent and empty where there are none.
  std::optional<size_t> branch;
  std::vector<Value> best_branches;
  std::vector<Point> initial;
  std::vector<std::shared_ptr<const SourceTaskData>> sources;

  // The distance of a noise-free value from the best. Negative only if `best` is not
  // exact.
  double RegretOf(double noise_free_value) const {
    const double missing =
        goal == Goal::kMinimize ? noise_free_value - best : best - noise_free_value;
    return missing / regret_unit;
  }
};

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_PROBLEM_H_
