#include "tests/evidence/problems.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "tests/evidence/continuous_problems.h"
#include "tests/evidence/grid_problems.h"
#include "tests/evidence/mixed_problems.h"
#include "tests/evidence/odd_problems.h"
#include "tests/evidence/recorded_tables.h"

namespace slipstream::evidence {

std::vector<ProblemListing> ListProblems(const std::string& data_folder) {
  std::vector<ProblemListing> listings;
  for (const ContinuousProblem& problem : ContinuousProblems()) {
    listings.push_back({std::string(problem.name), std::string(problem.group), problem.source_tasks,
                        std::string(problem.summary)});
  }
  for (const MixedProblem& problem : MixedProblems()) {
    listings.push_back(
        {std::string(problem.name), std::string(problem.group), 0, std::string(problem.summary)});
  }
  for (const OddProblem& problem : OddProblems()) {
    listings.push_back({problem.name, std::string(problem.group), 0, problem.summary});
  }
  for (const GridProblem& problem : GridProblems()) {
    listings.push_back(
        {std::string(problem.name), std::string(problem.group), 0, std::string(problem.summary)});
  }
  for (const RecordedTable& table : RecordedTables()) {
    const absl::StatusOr<std::vector<std::string>> tasks = TasksOf(table, data_folder);
    if (!tasks.ok()) continue;
    for (const std::string& task : *tasks) {
      listings.push_back({absl::StrCat(table.name, "/", task), std::string(table.name),
                          tasks->size() - 1, std::string(table.summary)});
    }
  }
  return listings;
}

absl::StatusOr<Problem> MakeProblem(absl::string_view name, const Beginning& beginning) {
  for (const ContinuousProblem& problem : ContinuousProblems()) {
    if (problem.name == name) return MakeContinuousProblem(problem, beginning);
  }
  for (const MixedProblem& problem : MixedProblems()) {
    if (problem.name == name) return MakeMixedProblem(problem, beginning);
  }
  for (const OddProblem& problem : OddProblems()) {
    if (problem.name == name) return MakeOddProblem(problem, beginning);
  }
  for (const GridProblem& problem : GridProblems()) {
    if (problem.name == name) return MakeGridProblem(problem, beginning);
  }
  const std::pair<std::string, std::string> parts = absl::StrSplit(name, absl::MaxSplits('/', 1));
  for (const RecordedTable& table : RecordedTables()) {
    if (table.name == parts.first) return MakeRecordedProblem(table, parts.second, beginning);
  }
  return InvalidField("problem", name, "one that --list-problems names");
}

}  // namespace slipstream::evidence
