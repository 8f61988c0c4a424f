#include "tests/evidence/mixed_problems.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kRangeSalt = 0x72616e6765;
constexpr uint64_t kRangePoints = 4096;

}  // namespace

const std::vector<MixedProblem>& MixedProblems() {
  static const auto& problems = *new std::vector<MixedProblem>([] {
    std::vector<MixedProblem> all = MixedProblemsForDevelopment();
    for (MixedProblem& problem : MixedProblemsForReports()) all.push_back(std::move(problem));
    for (MixedProblem& problem : ChanceProblems()) all.push_back(std::move(problem));
    for (MixedProblem& problem : TreeProblems()) all.push_back(std::move(problem));
    return all;
  }());
  return problems;
}

MixedTask MixedTaskOf(const MixedProblem& problem, const SearchSpace& space, uint64_t seed) {
  Draws draws(seed);
  return problem.task(space, draws);
}

absl::StatusOr<Problem> MakeMixedProblem(const MixedProblem& problem, const Beginning& beginning) {
  if (beginning.source_tasks) {
    return absl::NotFoundError(absl::StrCat(problem.name, " has no source tasks"));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace space, SearchSpace::Create(problem.parameters()));
  Problem made;
  made.name = std::string(problem.name);
  made.space = std::make_shared<const SearchSpace>(std::move(space));
  const MixedTask task = MixedTaskOf(problem, *made.space, beginning.seed);
  made.noiseless = problem.noiseless;
  made.value = [value = task.value, space = made.space](const Point& point) {
    return value(Setting(*space, point.configuration));
  };
  made.best = made.value({task.optimum, {}});
  SetRangeByDraws(kRangeSalt, kRangePoints, made);
  made.branch = made.space->IndexOf(task.branch);
  if (made.branch.has_value()) made.best_branches = {task.optimum.values[*made.branch]};
  if (beginning.initial_points) made.initial = RandomInitialPoints(*made.space, beginning.seed);
  return made;
}

}  // namespace slipstream::evidence
