// The next point to try: where an acquisition is largest over the space, or over what is left of
// its candidates.
#ifndef SLIPSTREAM_CORE_ACQUISITION_NEXT_POINT_H_
#define SLIPSTREAM_CORE_ACQUISITION_NEXT_POINT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "core/acquisition/acquisitions.h"
#include "core/acquisition/searched_model.h"
#include "core/base/deadline.h"
#include "core/base/ingredient.h"
#include "core/space/candidate_list.h"
#include "core/study/candidate_pool.h"

namespace slipstream {

struct Screen;

// The number of best configurations around which the search is denser.
inline constexpr size_t kSearchIncumbents = 4;

struct NextPoint {
  Configuration configuration;
  std::optional<int64_t> candidate;  // Index, on a space with candidates.
  double value = 0;                  // The acquisition's, on the model's scale.
  double mean = 0;                   // Predicted, on the objective's own scale, ...
  double deviation = 0;              // ... by OutputTransform::InvertDeviation.
  double model_deviation = 0;        // On the model's scale.
  std::optional<double> chance = {};  // That a trial has a value; none where all had one.
  bool is_repeat = false;            // All points that were considered had been tried already.
  bool searched_whole = false;       // Every possible configuration is considered, given time.
  bool is_cut_short = false;         // The search ended before it was finished.
};

// All of it must outlive the call that it is passed to.
struct NextPointRequest {
  const SearchSpace& space;
  const Choice<AcquisitionRow>& acquisition;
  const SearchedModel& model;
  // Configurations that are not to be suggested, as far as there are others.
  const ConfigurationIndex& taken;
  // The candidates that are left; null on a space without candidates.
  const CandidatePool* pool = nullptr;
  int64_t round = 1;  // One more than the suggestions so far, for rules that grow.
  uint64_t seed = 0;
  Deadline deadline = Deadline::Infinite();
  // Instead of the acquisition's own.
  std::optional<double> ucb_multiplier = {};
  // The model's deviations count as this many times as large.
  double deviation_factor = 1;
  // Configurations that have noisy results; null: none. Where the acquisition discounts repeats,
  // the improvement expected there counts in the part that another result can show, which is
  //   1 - sigma / sqrt(s^2 + sigma^2)
  // with the noise's deviation sigma and the function's s, which counts deviation_factor times, of
  // all members together (Huang, Allen, Notz and Zeng 2006, for all points). Without this the
  // incumbent, which cannot improve on itself, is measured again and again on a space of few
  // configurations.
  const ConfigurationIndex* measured = nullptr;
  // The screen of a quicker search, where many points are chosen one after the other; null: each
  // search has its own.
  const Screen* screen = nullptr;

  // The same request of another acquisition and another model; neither is copied.
  NextPointRequest With(const Choice<AcquisitionRow>& other_acquisition,
                        const SearchedModel& other_model) const {
    return {space,    other_acquisition, other_model,      taken,    pool,  round, seed,
            deadline, ucb_multiplier,    deviation_factor, measured, screen};
  }
};

// A screen for many searches of one model, with fewer points if it `is_small`. Empty where searches
// have none: on candidates, and where the space is so small that it is searched whole.
Screen SharedScreen(const SearchSpace& space, const SearchedModel& model, uint64_t seed,
                    bool is_small);

// The largest posterior mean of a member over the whole space, as far as a search finds it; at
// least the member's incumbent. Errors as ChooseNextPoint.
absl::StatusOr<double> LargestMean(const NextPointRequest& request, size_t member);

// DEADLINE_EXCEEDED when there was no time; FAILED_PRECONDITION when a
// factorisation failed.
absl::StatusOr<NextPoint> ChooseNextPoint(const NextPointRequest& request);

// A configuration that was chosen in another way, with the acquisition's and the model's values.
// Errors as ChooseNextPoint.
absl::StatusOr<NextPoint> PointAt(const NextPointRequest& request, Configuration configuration);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ACQUISITION_NEXT_POINT_H_
