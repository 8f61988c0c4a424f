// Problems that are functions on a box: those on which the recorded peers were
// measured, ones for development, some of which are families with a task for each
// seed, and tasks with sources for the transfer table.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_CONTINUOUS_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_CONTINUOUS_PROBLEMS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/evidence/functions.h"
#include "tests/evidence/minimum.h"
#include "tests/evidence/problem.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {

using Objective = std::function<double(RawPoint)>;

// The same as ProblemListing's.
inline constexpr absl::string_view kGroupWithPeers = "continuous";
inline constexpr absl::string_view kDevelopment = "development";
inline constexpr absl::string_view kTransfer = "transfer";
inline constexpr absl::string_view kGathered = "gathered";

struct ContinuousProblem {
  absl::string_view name;
  absl::string_view summary;
  absl::string_view group;
  Goal goal = Goal::kMinimize;
  std::vector<Bounds> box;
  // Task 0 is optimised, the others are its source tasks.
  Objective (*task)(uint64_t seed, uint64_t task) = nullptr;
  // Absent if it depends on the seed; then it is searched for.
  std::optional<double> best;
  double noise_deviation = 0;
  uint64_t source_tasks = 0;
  size_t source_points = 0;  // Per source task.
  double source_noise_deviation = 0;
  // Whether sources are like histories of an optimiser: after a third at random, each point is
  // beside the best one so far.
  bool sources_gather = false;
  // Equally spaced values of each parameter, on which alone the objective is known; 0: all.
  size_t levels = 0;
};

// All continuous problems, those with peers first.
const std::vector<ContinuousProblem>& ContinuousProblems();

// A space with the parameters x1, x2, ... on the sides of the box, or on so many values of each; a
// configuration's values there.
absl::StatusOr<SearchSpace> SpaceOfBox(const std::vector<Bounds>& box, size_t levels = 0);
std::vector<double> NumbersOf(const Configuration& configuration);

// Returns the same errors as MakeProblem.
absl::StatusOr<Problem> MakeContinuousProblem(const ContinuousProblem& problem,
                                              const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_CONTINUOUS_PROBLEMS_H_
