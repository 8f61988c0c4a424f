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

// The start of a study on a problem.
struct Beginning {
  uint64_t seed = 0;
  bool initial_points = true;  // Five points drawn from the seed; otherwise none.
  bool source_tasks = false;
  std::string data_folder;  // Contains the folders data and peers.
};

struct ProblemListing {
  std::string name;
  // "continuous", "svm", "deepar", "mixed" and "high", which have recorded peers, or
  // "development", "mixed_development", "stuck_development", "chance", "chance_development",
  // "high_development", "odd", "odd_development", "peaks", "peaks_development", "transfer",
  // "gathered", "workers", "papers", "misleading", "misleading_development", "mixed_family",
  // "mixed_family_development", "trees", "trees_development", "learners" and
  // "learners_development", which have none.
  std::string group;
  uint64_t source_tasks = 0;  // Number of source tasks that it can begin with.
  std::string summary;
};

// The folder that contains data and peers, which SLIPSTREAM_EVIDENCE_DATA may name. Otherwise it is
// beside the repository, which keeps neither.
std::string DefaultDataFolder();

// All problems, except the recorded tables' if their files are absent.
std::vector<ProblemListing> ListProblems(const std::string& data_folder);

// INVALID_ARGUMENT if there is no such problem. NOT_FOUND if it cannot begin like
// that because recorded files are absent or lack the seed, or because the problem has
// no source tasks.
absl::StatusOr<Problem> MakeProblem(absl::string_view name, const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_PROBLEMS_H_
