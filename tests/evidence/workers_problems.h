// Functions on which studies with many workers are compared: standard ones, turned and
// shifted by the seed, so that every seed is a function of its own.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_WORKERS_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_WORKERS_PROBLEMS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "tests/evidence/continuous_problems.h"

namespace slipstream::evidence {

// The same as ProblemListing's.
inline constexpr absl::string_view kWorkers = "workers";

std::vector<ContinuousProblem> WorkersProblems();

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_WORKERS_PROBLEMS_H_
