// The table of all problems that studies can be run on.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_PROBLEMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/evidence/problem.h"

namespace slipstream::evidence {

// How a study on a problem begins.
struct Beginning {
  uint64_t seed = 0;
  bool initial_points = true;  // Five points of the seed; otherwise from nothing.
  bool source_tasks = false;
  std::string data_folder;  // Has the folders data and peers.
};

struct ProblemListing {
  std::string name;
  // "continuous", "svm" and "deepar", which have recorded peers, or
  // "development" and "transfer", which have none.
  std::string group;
  uint64_t source_tasks = 0;  // That it can begin with.
  std::string summary;
};

// Without the recorded tables' problems where their files are absent.
std::vector<ProblemListing> ListProblems(const std::string& data_folder);

// INVALID_ARGUMENT when there is no such problem. NOT_FOUND when it cannot
// begin like that: recorded files are absent or have no such seed, or the
// problem has no source tasks.
absl::StatusOr<Problem> MakeProblem(absl::string_view name, const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_PROBLEMS_H_
