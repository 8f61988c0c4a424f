// The training set of a study's model: its measured configurations as numbers.
#ifndef SLIPSTREAM_CORE_STUDY_TRAINING_SET_H_
#define SLIPSTREAM_CORE_STUDY_TRAINING_SET_H_

#include <cstddef>
#include <vector>

#include "core/gp/likelihood.h"
#include "core/gp/output_transform.h"
#include "core/study/study_view.h"

namespace slipstream {

struct TrainingSet {
  // Different configurations with a result, in the order of their first trials; one with several
  // has their mean. What counts as a result is what InformsModels says.
  std::vector<Configuration> configurations;
  TrainingData data;  // The results at these, on the model's scale.
  OutputTransform transform;
  // Configurations without a value that the model learns to avoid.
  PointMatrix infeasible;
  // Configurations with which a worker failed, one row for each failure. That may have been chance:
  // see core/gp/feasible_surrogate.h.
  PointMatrix failed;
  size_t measured = 0;   // Trials with a result, of which `data` may be a part.
  size_t used = 0;       // Different configurations in `data`.
  size_t different = 0;  // Different measured configurations.
  size_t limited = 0;    // Those in `data` that TrainingSetOptions::reach made better.
};

struct TrainingSetOptions {
  OutputWarp warp = OutputWarp::kStandardize;
  // The limit of configurations, as fitting takes O(n^3): half of them are the best ones, the
  // rest are spread evenly over the others. The recipe's option exact_results.
  size_t most = 1000;
  // The latest infeasible and failed ones together, at least half of each kind where there are so
  // many.
  size_t most_without_value = 500;
  double reach = 0;  // As in LargestCost.
  // Whether the reach is measured with CrowdingWeights, which is done for up to 1,000
  // configurations.
  bool weighs_crowded = false;
  // The scale of an earlier training set or of other tasks; null: the results' own.
  const OutputTransform* transform = nullptr;
  // Results lie here on their own scale if all are of one configuration.
  double only_result_at = 0;
};

// A view without a measured trial gives no rows; its transform, if none is given, changes nothing
// but the sign.
TrainingSet CollectTrainingSet(const StudyView& view, const TrainingSetOptions& options);

// The reach of results that far off ones must not spoil.
inline constexpr double kUsualReach = 10;

// A weight for each point that makes all within a tenth of the cube's edges of one another count
// together like about one. Otherwise a history that converged would consist of its optimum, and all
// results elsewhere would be far off.
std::vector<double> CrowdingWeights(const PointMatrix& x);

// The cost that counts for all larger ones: it is worse than the median by `reach` times what the
// least cost is better than it. A few costs that are far off then no longer decide the scale on
// which all others are told apart. The median is weighted by `weights`, one for each cost, or by
// none if they are empty. It is infinite, so that nothing is limited, if the reach is not positive,
// if there are fewer than ten costs, or if the median is equal to the least one.
double LargestCost(const std::vector<double>& costs, const std::vector<double>& weights,
                   double reach);

// At most `most` places, ascending: where there are more, half of them have the least costs and
// the rest are spread evenly over the others.
std::vector<size_t> BestAndEvenlySpread(const std::vector<double>& costs, size_t most);

// How many of `size` observations hyperparameters are fitted to: all up to 100,
// then the largest term of 100, 110, 121, ... that is not larger.
Index ScheduledFitSize(Index size);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STUDY_TRAINING_SET_H_
