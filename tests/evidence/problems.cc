#include "tests/evidence/problems.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "tests/evidence/continuous_problems.h"
#include "tests/evidence/grid_problems.h"
#include "tests/evidence/learner_problems.h"
#include "tests/evidence/misleading_sources.h"
#include "tests/evidence/mixed_families.h"
#include "tests/evidence/mixed_problems.h"
#include "tests/evidence/odd_problems.h"
#include "tests/evidence/paper_problems.h"
#include "tests/evidence/recorded_tables.h"
#include "tests/evidence/tuning_problems.h"
#include "tests/evidence/word_problems.h"
#include "tests/testing/places.h"

namespace slipstream::evidence {
namespace {

constexpr char kSpoiledBy = '~';

void AddSpoiled(std::vector<ProblemListing>& listings) {
  for (const auto& [problem, group] : SpoiledProblems()) {
    const auto base =
        std::find_if(listings.begin(), listings.end(),
                     [&name = problem](const auto& listing) { return listing.name == name; });
    if (base == listings.end()) continue;  // A recorded table that is absent.
    const uint64_t source_tasks = base->source_tasks;
    for (const Spoiling& spoiling : Spoilings()) {
      listings.push_back({absl::StrCat(problem, std::string(1, kSpoiledBy), spoiling.name),
                          std::string(group), source_tasks, std::string(spoiling.summary)});
    }
  }
}

absl::StatusOr<Problem> MakeSpoiledProblem(absl::string_view name, const std::string& base,
                                           absl::string_view kind, const Beginning& beginning) {
  for (const Spoiling& spoiling : Spoilings()) {
    if (spoiling.name != kind) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(Problem problem, MakeProblem(base, beginning));
    problem.name = std::string(name);
    for (size_t i = 0; i < problem.sources.size(); ++i) {
      problem.sources[i] = Spoiled(spoiling, *problem.sources[i], beginning.seed, i);
    }
    return problem;
  }
  return InvalidField("problem", name, "one that --list-problems names");
}

}  // namespace

std::string DefaultDataFolder() {
  const char* const named = std::getenv("SLIPSTREAM_EVIDENCE_DATA");
  return named != nullptr ? named : RepositoryPath("../shared");
}

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
  for (const MixedFamily& family : MixedFamilies()) {
    listings.push_back({family.name, std::string(family.group), kMixedSources, family.summary});
  }
  for (const OddProblem& problem : OddProblems()) {
    listings.push_back({problem.name, std::string(problem.group), 0, problem.summary});
  }
  for (const WordProblem& problem : WordProblems()) {
    listings.push_back(
        {std::string(problem.name), std::string(problem.group), 0, std::string(problem.summary)});
  }
  for (const GridProblem& problem : GridProblems()) {
    listings.push_back(
        {std::string(problem.name), std::string(problem.group), 0, std::string(problem.summary)});
  }
  for (const TuningProblem& problem : TuningProblems()) {
    listings.push_back({std::string(problem.name), std::string(kPapers),
                        problem.has_source ? 1U : 0U, std::string(problem.summary)});
  }
  for (const LearnerTable& table : LearnerTables()) {
    for (const absl::string_view data_set : table.data_sets) {
      listings.push_back({absl::StrCat(table.name, "/", data_set), std::string(table.group),
                          table.data_sets.size() - 1, std::string(table.summary)});
    }
  }
  for (const RecordedTable& table : RecordedTables()) {
    const absl::StatusOr<std::vector<std::string>> tasks = TasksOf(table, data_folder);
    if (!tasks.ok()) continue;
    for (const std::string& task : *tasks) {
      listings.push_back({absl::StrCat(table.name, "/", task), std::string(table.name),
                          tasks->size() - 1, std::string(table.summary)});
    }
  }
  AddSpoiled(listings);
  return listings;
}

absl::StatusOr<Problem> MakeProblem(absl::string_view name, const Beginning& beginning) {
  const std::pair<std::string, std::string> spoiled =
      absl::StrSplit(name, absl::MaxSplits(kSpoiledBy, 1));
  if (!spoiled.second.empty()) {
    return MakeSpoiledProblem(name, spoiled.first, spoiled.second, beginning);
  }
  for (const ContinuousProblem& problem : ContinuousProblems()) {
    if (problem.name == name) return MakeContinuousProblem(problem, beginning);
  }
  for (const MixedProblem& problem : MixedProblems()) {
    if (problem.name == name) return MakeMixedProblem(problem, beginning);
  }
  for (const MixedFamily& family : MixedFamilies()) {
    if (family.name == name) return MakeMixedFamilyProblem(family, beginning);
  }
  for (const OddProblem& problem : OddProblems()) {
    if (problem.name == name) return MakeOddProblem(problem, beginning);
  }
  for (const WordProblem& problem : WordProblems()) {
    if (problem.name == name) return MakeWordProblem(problem, beginning);
  }
  for (const GridProblem& problem : GridProblems()) {
    if (problem.name == name) return MakeGridProblem(problem, beginning);
  }
  for (const TuningProblem& problem : TuningProblems()) {
    if (problem.name == name) return MakeTuningProblem(problem, beginning);
  }
  const std::pair<std::string, std::string> parts = absl::StrSplit(name, absl::MaxSplits('/', 1));
  for (const LearnerTable& table : LearnerTables()) {
    if (table.name == parts.first) return MakeLearnerProblem(table, parts.second, beginning);
  }
  for (const RecordedTable& table : RecordedTables()) {
    if (table.name == parts.first) return MakeRecordedProblem(table, parts.second, beginning);
  }
  return InvalidField("problem", name, "one that --list-problems names");
}

}  // namespace slipstream::evidence
