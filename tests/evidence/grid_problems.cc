#include "tests/evidence/grid_problems.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/space/candidate_list.h"
#include "tests/evidence/csv.h"
#include "tests/evidence/mixed_parameters.h"
#include "tests/evidence/random_draws.h"
#include "tests/evidence/recorded_tables.h"

namespace slipstream::evidence {
namespace {

std::vector<Parameter> SvmGrid(std::vector<double> components) {
  return {
      Levels("components", std::move(components), Scale::kLog),
      Levels("cost", {1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000, 10000}, Scale::kLog),
      Words("kernel", {"linear", "rbf", "sigmoid", "poly"}),
      When(Levels("gamma", {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10}, Scale::kLog), "kernel",
           {"rbf", "sigmoid", "poly"}),
      When(Whole("degree", 2, 6), "kernel", {"poly"}),
  };
}

std::vector<Parameter> SvmCancerGrid() { return SvmGrid({1, 2, 4, 8, 16, 30}); }
std::vector<Parameter> SvmDigitsGrid() { return SvmGrid({2, 3, 5, 8, 13, 21, 34, 55}); }

std::vector<Parameter> PipelineGrid() {
  const std::vector<double> counts = {1, 2, 4, 8, 16, 28};
  return {
      Words("scaler", {"none", "standard", "range", "quantile"}),
      When(Levels("quantiles", {5, 20, 100}, Scale::kLog), "scaler", {"quantile"}),
      Words("selection", {"none", "components", "best"}),
      When(Levels("components", counts, Scale::kLog), "selection", {"components"}),
      When(Levels("features", counts, Scale::kLog), "selection", {"best"}),
      Words("model", {"linear", "neighbours", "tree", "bayes"}),
      When(Levels("strength", {1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000}, Scale::kLog), "model",
           {"linear"}),
      When(Words("penalty", {"l1", "l2"}), "model", {"linear"}),
      When(Levels("nearest", {1, 2, 3, 5, 8, 13, 21, 34, 55, 89}, Scale::kLog), "model",
           {"neighbours"}),
      When(Words("weights", {"even", "near"}), "model", {"neighbours"}),
      When(Whole("power", 1, 2), "model", {"neighbours"}),
      When(Levels("depth", {1, 2, 3, 4, 6, 8}), "model", {"tree"}),
      When(Levels("leaf", {1, 2, 5, 10, 20, 40}, Scale::kLog), "model", {"tree"}),
      When(Words("criterion", {"gini", "entropy"}), "model", {"tree"}),
      When(Levels("smoothing", {1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 1, 10}, Scale::kLog), "model",
           {"bayes"}),
  };
}

std::vector<Parameter> BoostingGrid() {
  return {
      Words("loss", {"squared", "absolute", "huber"}),
      When(Levels("tail", {0.5, 0.7, 0.9}), "loss", {"huber"}),
      Words("grower", {"depth", "leaves"}),
      When(Levels("depth", {1, 2, 3, 4, 6}), "grower", {"depth"}),
      When(Levels("leaves", {2, 4, 8, 16, 32}, Scale::kLog), "grower", {"leaves"}),
      Levels("rate", {0.01, 0.03, 0.1, 0.3, 1}, Scale::kLog),
      Levels("sample", {0.3, 0.6, 1}),
      Levels("features", {0.2, 0.5, 1}),
      Levels("trees", {10, 20, 40, 80, 160}, Scale::kLog),
  };
}

constexpr GridProblem kGrids[] = {
    {"svm_cancer", "A support vector machine's kernel and numbers, and the data's dimensions",
     "mixed_development", "kernel", SvmCancerGrid},
    {"svm_digits", "The same on other data", "mixed", "kernel", SvmDigitsGrid},
    {"pipeline_cancer", "Scaling, selection and one of four models, each with its own numbers",
     "mixed", "model", PipelineGrid},
    {"boosting_diabetes", "Boosted trees, with a choice of loss and of how trees grow", "mixed",
     "loss", BoostingGrid},
};

constexpr absl::string_view kValue = "value";

using Losses = std::unordered_map<Configuration, double, absl::Hash<Configuration>>;

// Keeps the branches in the order of the parameter's choices.
void AddBranch(const Value& branch, Problem& problem) {
  const auto is_later = [&](const Value& other) { return other.level() >= branch.level(); };
  std::vector<Value>& branches = problem.best_branches;
  const auto place = std::find_if(branches.begin(), branches.end(), is_later);
  if (place == branches.end() || !(*place == branch)) branches.insert(place, branch);
}

// Sets the best loss and its branches, the worst loss and the mean over the space, where
// all choices of a parameter are equally likely.
void SetRange(const Losses& losses, Problem& problem) {
  problem.best = std::numeric_limits<double>::infinity();
  problem.worst = -problem.best;
  for (const auto& [configuration, loss] : losses) {
    problem.best = std::min(problem.best, loss);
    problem.worst = std::max(problem.worst, loss);
  }
  for (const auto& [configuration, loss] : losses) {
    if (loss == problem.best) AddBranch(configuration.values[*problem.branch], problem);
  }
  constexpr uint64_t kSeed = 1;
  constexpr uint64_t kPoints = 4096;
  for (uint64_t i = 0; i < kPoints; ++i) {
    problem.mean += losses.at(RandomConfiguration(*problem.space, kSeed, i)) / kPoints;
  }
  problem.regret_unit = problem.mean - problem.best;
}

absl::StatusOr<Losses> ReadLosses(const GridProblem& problem, const SearchSpace& space) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const CsvTable table, CsvTable::Read(TablePath(problem.name)));
  Losses losses;
  for (size_t row = 0; row < table.rows(); ++row) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<Assignment> assignments,
                                ReadAssignments(space.parameters(), table, row));
    SLIPSTREAM_ASSIGN_OR_RETURN(Configuration configuration, space.Resolve(assignments));
    SLIPSTREAM_ASSIGN_OR_RETURN(losses[std::move(configuration)], table.Number(row, kValue));
  }
  return losses;
}

}  // namespace

absl::Span<const GridProblem> GridProblems() { return kGrids; }

absl::StatusOr<Problem> MakeGridProblem(const GridProblem& problem, const Beginning& beginning) {
  if (beginning.source_tasks) {
    return absl::NotFoundError(absl::StrCat(problem.name, " has no source tasks"));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace space, SearchSpace::Create(problem.parameters()));
  SLIPSTREAM_ASSIGN_OR_RETURN(Losses losses, ReadLosses(problem, space));
  Problem made;
  made.name = std::string(problem.name);
  made.space = std::make_shared<const SearchSpace>(std::move(space));
  made.noiseless = false;  // The losses are of real trainings.
  made.branch = made.space->IndexOf(problem.branch);
  SetRange(losses, made);
  made.value = [losses = std::move(losses)](const Point& point) {
    return losses.at(point.configuration);
  };
  if (beginning.initial_points) made.initial = RandomInitialPoints(*made.space, beginning.seed);
  return made;
}

}  // namespace slipstream::evidence
