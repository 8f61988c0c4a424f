#include "tests/evidence/learner_problems.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/space/candidate_list.h"
#include "tests/evidence/csv.h"
#include "tests/evidence/mixed_parameters.h"
#include "tests/evidence/random_draws.h"
#include "tests/evidence/recorded_tables.h"

namespace slipstream::evidence {
namespace {

constexpr size_t kLearnerInitialRows = 5;
constexpr size_t kLearnerSourceRows = 40;
constexpr uint64_t kLearnerInitialLane = 0x1ea24e4;
constexpr uint64_t kLearnerSourceLane = 0x1ea24e40000;

constexpr absl::string_view kClassifications[] = {
    "iris",      "wine",      "cancer",             "digits",    "digits_small", "digit8",
    "digit_odd", "make_easy", "make_noise_columns", "make_flip", "moons",        "quantiles"};
constexpr absl::string_view kRegressions[] = {
    "diabetes", "diabetes_small", "friedman1", "friedman1_noisy", "friedman2",
    "friedman3", "linear",        "linear_wide", "sparse",        "swiss"};

Parameter YesOrNo(std::string name) { return Words(std::move(name), {"no", "yes"}); }

std::vector<Parameter> Neighbours() {
  return {Whole("neighbours", 1, 40, Scale::kLog),
          Words("weights", {"uniform", "distance"}),
          Words("metric", {"minkowski", "cosine", "chebyshev"}),
          When(Real("p", 1, 5), "metric", {"minkowski"}),
          Words("scale", {"none", "standard", "minmax"}),
          YesOrNo("pca"),
          When(Real("kept", 0.1, 1), "pca", {"yes"})};
}

std::vector<Parameter> GradientDescent() {
  return {Words("surrogate", {"hinge", "log_loss", "modified_huber"}),
          Words("penalty", {"l1", "l2", "elasticnet"}),
          When(Real("l1_ratio", 0.02, 0.98), "penalty", {"elasticnet"}),
          Real("alpha", 1e-6, 1, Scale::kLog),
          Words("schedule", {"optimal", "constant", "invscaling"}),
          When(Real("eta0", 1e-4, 10, Scale::kLog), "schedule", {"constant", "invscaling"}),
          When(Real("power_t", 0.1, 0.9), "schedule", {"invscaling"}),
          YesOrNo("average"),
          Whole("epochs", 2, 40, Scale::kLog)};
}

std::vector<Parameter> KernelRidge() {
  return {Words("kernel", {"rbf", "laplacian", "polynomial", "linear", "sigmoid"}),
          Real("alpha", 1e-4, 100, Scale::kLog),
          When(Real("gamma", 1e-4, 3, Scale::kLog), "kernel",
               {"rbf", "laplacian", "polynomial", "sigmoid"}),
          When(Whole("degree", 2, 4), "kernel", {"polynomial"}),
          When(Real("coef0", 0, 2), "kernel", {"polynomial", "sigmoid"}),
          YesOrNo("quantiles")};
}

std::vector<Parameter> Trees() {
  return {Words("kind", {"extra", "random"}),
          Words("criterion", {"gini", "entropy"}),
          Real("max_features", 0.05, 1),
          Whole("min_samples_leaf", 1, 30, Scale::kLog),
          Whole("max_depth", 1, 14),
          YesOrNo("bootstrap"),
          When(Real("max_samples", 0.1, 1), "bootstrap", {"yes"})};
}

std::vector<Parameter> Boosting() {
  return {Real("learning_rate", 0.01, 1, Scale::kLog), Whole("iterations", 4, 48, Scale::kLog),
          Whole("leaves", 3, 32, Scale::kLog),         Whole("min_samples_leaf", 2, 50),
          Real("l2", 1e-4, 100, Scale::kLog),          Real("features", 0.1, 1)};
}

constexpr absl::string_view kForDevelopment = "learners_development";
constexpr absl::string_view kForReport = "learners";

constexpr LearnerTable kLearners[] = {
    {"learner_neighbours", kForDevelopment, "k-nearest neighbours, error", kClassifications,
     Neighbours},
    {"learner_descent", kForDevelopment, "A linear model by gradient descent, error",
     kClassifications, GradientDescent},
    {"learner_ridge", kForDevelopment, "Kernel ridge regression, squared error", kRegressions,
     KernelRidge},
    {"learner_trees", kForReport, "Forests of randomised trees, log loss", kClassifications, Trees},
    {"learner_boosting", kForReport, "Gradient boosting, squared error", kRegressions, Boosting},
};

using Rows = std::vector<std::vector<Assignment>>;

absl::StatusOr<std::shared_ptr<const SourceTaskData>> LearnerSource(
    const LearnerTable& table, const CsvTable& file, const Rows& rows, size_t place, uint64_t seed,
    const std::shared_ptr<const SearchSpace>& space) {
  const absl::string_view data_set = table.data_sets[place];
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<double> losses, file.Numbers(data_set));
  auto source = std::make_shared<SourceTaskData>();
  source->name = absl::StrCat("sourceTasks/", table.name, "-", data_set);
  source->goal = Goal::kMinimize;
  source->space = space;
  for (const size_t row :
       RandomRows(rows.size(), kLearnerSourceRows, seed, kLearnerSourceLane + place)) {
    SLIPSTREAM_ASSIGN_OR_RETURN(Configuration configuration, space->Resolve(rows[row]));
    source->points.push_back({std::move(configuration), Ending::kMeasured, losses[row]});
  }
  return source;
}

void SetLosses(std::vector<double> losses, Problem& problem) {
  std::vector<double> sorted = losses;
  std::sort(sorted.begin(), sorted.end());
  problem.best = sorted.front();
  problem.worst = sorted.back();
  problem.mean =
      std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  problem.regret_unit = sorted[sorted.size() / 2] - sorted.front();
  problem.value = [losses = std::move(losses)](const Point& point) {
    return losses[static_cast<size_t>(point.candidate.value())];
  };
}

}  // namespace

absl::Span<const LearnerTable> LearnerTables() { return kLearners; }

absl::StatusOr<Problem> MakeLearnerProblem(const LearnerTable& table, absl::string_view data_set,
                                           const Beginning& beginning) {
  const auto target = std::find(table.data_sets.begin(), table.data_sets.end(), data_set);
  if (target == table.data_sets.end()) {
    return InvalidField("data set", data_set, absl::StrCat("one of ", table.name));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const CsvTable file, CsvTable::Read(TablePath(table.name)));
  const std::vector<Parameter> parameters = table.parameters();
  Rows rows;
  for (size_t row = 0; row < file.rows(); ++row) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<Assignment> named,
                                ReadAssignments(parameters, file, row));
    rows.push_back(std::move(named));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<double> losses, file.Numbers(data_set));
  SLIPSTREAM_ASSIGN_OR_RETURN(
      SearchSpace listed, SearchSpace::Create(parameters, SearchSpace::CandidateTable{rows}));
  Problem problem;
  problem.name = absl::StrCat(table.name, "/", data_set);
  problem.space = std::make_shared<const SearchSpace>(std::move(listed));
  problem.noiseless = false;  // The losses are of real trainings.
  SetLosses(std::move(losses), problem);
  if (beginning.initial_points) {
    for (const size_t row :
         RandomRows(rows.size(), kLearnerInitialRows, beginning.seed, kLearnerInitialLane)) {
      problem.initial.push_back({problem.space->candidates()[row], static_cast<int64_t>(row)});
    }
  }
  if (!beginning.source_tasks) return problem;
  SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace bare, SearchSpace::Create(parameters));
  const auto space = std::make_shared<const SearchSpace>(std::move(bare));
  for (size_t place = 0; place < table.data_sets.size(); ++place) {
    if (table.data_sets[place] == data_set) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(
        std::shared_ptr<const SourceTaskData> source,
        LearnerSource(table, file, rows, place, beginning.seed, space));
    problem.sources.push_back(std::move(source));
  }
  return problem;
}

}  // namespace slipstream::evidence
