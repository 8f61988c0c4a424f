#include "tests/evidence/tuning_problems.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/space/candidate_list.h"
#include "tests/evidence/csv.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kInitialRowsSalt = 0x74756e65;
constexpr uint64_t kSourceRowsSalt = 0x736f75726365726f;
constexpr size_t kTuningInitialRows = 5;
constexpr size_t kTuningSourceRows = 90;

constexpr TuningProblem kTunings[] = {
    {"tuning_boosting11", "Gradient boosting with 11 hyperparameters", true},
    {"tuning_mlp8", "A multi-layer perceptron with 8 hyperparameters", true},
    {"tuning_svm2", "A support vector machine; its source has 30% of the data", true},
    {"tuning_elastic2", "A logistic regression with two penalties; the source has 30%", true},
    {"tuning_mlp6", "A multi-layer perceptron with 6 hyperparameters; the source has 30%", true},
    {"tuning_logistic2", "A logistic regression by gradient descent"},
    {"tuning_logistic4", "The same with batches and dropout"},
    {"tuning_boosting4", "Gradient boosting with 4 hyperparameters"},
    {"tuning_forest4", "A random forest with 4 hyperparameters"},
};

// The columns that begin so.
size_t ColumnsOf(const CsvTable& table, absl::string_view start, size_t first) {
  size_t count = 0;
  while (table.HasColumn(absl::StrCat(start, first + count))) ++count;
  return count;
}

absl::StatusOr<SearchSpace> SpaceOf(const CsvTable& table, bool with_candidates) {
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < ColumnsOf(table, "x", 1); ++i) {
    parameters.push_back({absl::StrCat("x", i + 1), DoubleDomain{0, 1, Scale::kLinear}, {}, {}});
  }
  if (!with_candidates) return SearchSpace::Create(std::move(parameters));
  SearchSpace::CandidateTable candidates;
  for (size_t row = 0; row < table.rows(); ++row) {
    std::vector<Assignment>& named = candidates.rows.emplace_back();
    for (const Parameter& parameter : parameters) {
      SLIPSTREAM_ASSIGN_OR_RETURN(const double number, table.Number(row, parameter.name));
      named.push_back({parameter.name, number});
    }
  }
  return SearchSpace::Create(std::move(parameters), std::move(candidates));
}

absl::StatusOr<std::shared_ptr<const SourceTaskData>> TuningSourceOf(const CsvTable& table,
                                                                     const TuningProblem& problem,
                                                                     size_t split, uint64_t seed) {
  SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace space, SpaceOf(table, false));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<double> values,
                              table.Numbers(absl::StrCat("source", split)));
  auto source = std::make_shared<SourceTaskData>();
  source->name = absl::StrCat("sourceTasks/", problem.name);
  source->goal = Goal::kMaximize;
  for (const size_t row :
       RandomRows(table.rows(), kTuningSourceRows, seed ^ kSourceRowsSalt)) {
    std::vector<Assignment> named;
    for (const Parameter& parameter : space.parameters()) {
      SLIPSTREAM_ASSIGN_OR_RETURN(const double number, table.Number(row, parameter.name));
      named.push_back({parameter.name, number});
    }
    SLIPSTREAM_ASSIGN_OR_RETURN(Configuration configuration, space.Resolve(named));
    source->points.push_back({std::move(configuration), Ending::kMeasured, values[row]});
  }
  source->space = std::make_shared<const SearchSpace>(std::move(space));
  return source;
}

}  // namespace

absl::Span<const TuningProblem> TuningProblems() { return kTunings; }

absl::StatusOr<Problem> MakeTuningProblem(const TuningProblem& problem,
                                          const Beginning& beginning) {
  if (beginning.source_tasks && !problem.has_source) {
    return absl::NotFoundError(absl::StrCat(problem.name, " has no source tasks"));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const CsvTable table, CsvTable::Read(TablePath(problem.name)));
  const size_t split = beginning.seed % ColumnsOf(table, "target", 0);
  SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<double> values,
                              table.Numbers(absl::StrCat("target", split)));
  SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace space, SpaceOf(table, true));
  Problem made;
  made.name = std::string(problem.name);
  made.space = std::make_shared<const SearchSpace>(std::move(space));
  made.goal = Goal::kMaximize;
  made.noiseless = false;  // The values are of real trainings.
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  made.best = *highest;
  made.worst = *lowest;
  made.mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  if (beginning.initial_points) {
    for (const size_t row :
         RandomRows(values.size(), kTuningInitialRows, beginning.seed ^ kInitialRowsSalt)) {
      made.initial.push_back({made.space->candidates()[row], static_cast<int64_t>(row)});
    }
  }
  if (beginning.source_tasks) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::shared_ptr<const SourceTaskData> source,
                                TuningSourceOf(table, problem, split, beginning.seed));
    made.sources.push_back(std::move(source));
  }
  made.value = [values = std::move(values)](const Point& point) {
    return values[static_cast<size_t>(point.candidate.value())];
  };
  return made;
}

}  // namespace slipstream::evidence
