#include "tests/evidence/recorded_tables.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

// The recorded protocol has source rows for the seeds below this, so many of each source.
constexpr uint64_t kRecordedSeeds = 5;
constexpr size_t kSourceRows = 50;
constexpr uint64_t kSourceLane = 0x50c50000;

double AsItIs(double value) { return value; }
double Logarithm(double value) { return std::log(value); }

absl::StatusOr<std::vector<Parameter>> SvmParameters(const CsvTable&) {
  const auto only_for = [](const char* kernel) { return Condition{"kernel", {kernel}}; };
  return std::vector<Parameter>{
      {"kernel", CategoricalDomain{{"rbf", "poly", "linear"}}, {}, {}},
      {"C", DoubleDomain{0.03125, 64, Scale::kLog}, {}, {}},
      {"gamma", DoubleDomain{1e-4, 1e3, Scale::kLog}, {}, only_for("rbf")},
      {"degree", IntegerDomain{2, 10, Scale::kLinear}, {}, only_for("poly")},
  };
}

// Columns whose names say so are already logarithms. Ranges are those of the table.
absl::StatusOr<std::vector<Parameter>> DeepArParameters(const CsvTable& table) {
  std::vector<Parameter> parameters;
  for (const char* column :
       {"hp_num_layers", "hp_num_cells", "hp_dropout_rate_log", "hp_learning_rate_log",
        "hp_num_batches_per_epoch_log", "hp_context_length_ratio_log"}) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const double first, table.Number(0, column));
    DoubleDomain domain = {first, first, Scale::kLinear};
    for (size_t row = 0; row < table.rows(); ++row) {
      SLIPSTREAM_ASSIGN_OR_RETURN(const double number, table.Number(row, column));
      domain.min = std::min(domain.min, number);
      domain.max = std::max(domain.max, number);
    }
    parameters.push_back({column, domain, {}, {}});
  }
  return parameters;
}

constexpr RecordedTable kTables[] = {
    {"svm", "288 configurations of a support vector machine on one of 50 data sets", "svm_grid.csv",
     "accuracy", Goal::kMaximize, AsItIs, SvmParameters},
    {"deepar", "Random configurations of DeepAR on one of 11 data sets, log CRPS", "deepar.csv",
     "metric_CRPS", Goal::kMinimize, Logarithm, DeepArParameters},
};

// The recorded rows of one task.
struct Recording {
  std::vector<std::vector<Assignment>> rows;
  std::vector<double> values;
};

absl::StatusOr<NamedValue> ReadValue(const Parameter& parameter, const CsvTable& table,
                                     size_t row) {
  if (std::holds_alternative<CategoricalDomain>(parameter.domain)) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::string word, table.Text(row, parameter.name));
    return NamedValue(std::move(word));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const double number, table.Number(row, parameter.name));
  return NamedValue(number);
}

absl::StatusOr<Recording> ReadRecording(const RecordedTable& table, const CsvTable& file,
                                        const std::vector<Parameter>& parameters,
                                        const std::string& task) {
  Recording recording;
  for (size_t row = 0; row < file.rows(); ++row) {
    if (!file.Matches(row, "task", task)) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<Assignment> assignments,
                                ReadAssignments(parameters, file, row));
    SLIPSTREAM_ASSIGN_OR_RETURN(const double value, file.Number(row, table.objective));
    recording.rows.push_back(std::move(assignments));
    recording.values.push_back(table.transform(value));
  }
  if (!recording.rows.empty()) return recording;
  return InvalidField("task", task, absl::StrCat("one of ", table.file));
}

// The rows that a file in the folder peers lists for a task and a seed.
absl::StatusOr<std::vector<size_t>> NamedRows(const CsvTable& file, absl::string_view table,
                                              absl::string_view task_column,
                                              const std::string& task, uint64_t seed,
                                              size_t rows_of_task) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < file.rows(); ++i) {
    if (!file.Matches(i, task_column, task) || !file.Matches(i, "table", table)) continue;
    if (!file.Matches(i, "seed", absl::StrCat(seed))) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t row, file.Integer(i, "row"));
    if (row < 0 || static_cast<size_t>(row) >= rows_of_task) {
      return absl::DataLossError(absl::StrCat(task, " has no row ", row));
    }
    rows.push_back(static_cast<size_t>(row));
  }
  if (!rows.empty()) return rows;
  return absl::NotFoundError(absl::StrCat("no rows were recorded for ", table, " and seed ", seed));
}

absl::StatusOr<std::vector<Point>> InitialPoints(const RecordedTable& table,
                                                 const std::string& task, const SearchSpace& space,
                                                 const Beginning& beginning) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const CsvTable file,
      CsvTable::Read(absl::StrCat(beginning.data_folder, "/peers/tables_initial.csv")));
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const std::vector<size_t> rows,
      NamedRows(file, table.name, "task", task, beginning.seed, space.candidates().size()));
  std::vector<Point> points;
  for (const size_t row : rows) {
    points.push_back({space.candidates()[row], static_cast<int64_t>(row)});
  }
  return points;
}

absl::StatusOr<std::shared_ptr<const SourceTaskData>> SourceTask(
    const RecordedTable& table, const std::string& task, const Recording& recording,
    const std::vector<size_t>& rows, std::shared_ptr<const SearchSpace> space) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = absl::StrCat("sourceTasks/", table.name, "-", task);
  source->goal = table.goal;
  for (const size_t row : rows) {
    SLIPSTREAM_ASSIGN_OR_RETURN(Configuration configuration, space->Resolve(recording.rows[row]));
    source->points.push_back({std::move(configuration), Ending::kMeasured, recording.values[row]});
  }
  source->space = std::move(space);
  return source;
}

// Those of the recorded protocol for the task at `place`, or for seeds that it lacks rows drawn as
// it does.
absl::StatusOr<std::vector<size_t>> SourceRows(const CsvTable& named, const RecordedTable& table,
                                               const std::string& task, size_t place, uint64_t seed,
                                               const Recording& recording) {
  if (seed < kRecordedSeeds) {
    return NamedRows(named, table.name, "source_task", task, seed, recording.rows.size());
  }
  return RandomRows(recording.rows.size(), kSourceRows, seed, kSourceLane + place);
}

absl::StatusOr<std::vector<std::shared_ptr<const SourceTaskData>>> SourceTasks(
    const RecordedTable& table, const CsvTable& file, const std::vector<Parameter>& parameters,
    const std::string& target, const Beginning& beginning) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const CsvTable named,
      CsvTable::Read(absl::StrCat(beginning.data_folder, "/peers/tables_source_rows.csv")));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<std::string> tasks,
                              TasksOf(table, beginning.data_folder));
  SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace space, SearchSpace::Create(parameters));
  const auto shared = std::make_shared<const SearchSpace>(std::move(space));
  std::vector<std::shared_ptr<const SourceTaskData>> sources;
  for (size_t place = 0; place < tasks.size(); ++place) {
    const std::string& task = tasks[place];
    if (task == target) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(const Recording recording,
                                ReadRecording(table, file, parameters, task));
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<size_t> rows,
                                SourceRows(named, table, task, place, beginning.seed, recording));
    SLIPSTREAM_ASSIGN_OR_RETURN(std::shared_ptr<const SourceTaskData> source,
                                SourceTask(table, task, recording, rows, shared));
    sources.push_back(std::move(source));
  }
  return sources;
}

absl::StatusOr<CsvTable> ReadTable(const RecordedTable& table, const std::string& data_folder) {
  return CsvTable::Read(absl::StrCat(data_folder, "/data/", table.file));
}

Problem ProblemOf(const RecordedTable& table, const std::string& task, SearchSpace space,
                  std::vector<double> values) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  Problem problem;
  problem.name = absl::StrCat(table.name, "/", task);
  problem.space = std::make_shared<const SearchSpace>(std::move(space));
  problem.goal = table.goal;
  problem.noiseless = false;  // The values are of real training runs.
  problem.best = table.goal == Goal::kMinimize ? *lowest : *highest;
  problem.worst = table.goal == Goal::kMinimize ? *highest : *lowest;
  problem.mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  problem.regret_unit = *highest - *lowest;
  problem.value = [values = std::move(values)](const Point& point) {
    return values[static_cast<size_t>(point.candidate.value())];
  };
  return problem;
}

}  // namespace

absl::Span<const RecordedTable> RecordedTables() { return kTables; }

absl::StatusOr<std::vector<Assignment>> ReadAssignments(const std::vector<Parameter>& parameters,
                                                        const CsvTable& table, size_t row) {
  std::vector<Assignment> assignments;
  for (const Parameter& parameter : parameters) {
    if (table.Matches(row, parameter.name, "")) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(NamedValue value, ReadValue(parameter, table, row));
    assignments.push_back({parameter.name, std::move(value)});
  }
  return assignments;
}

absl::StatusOr<std::vector<std::string>> TasksOf(const RecordedTable& table,
                                                 const std::string& data_folder) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const CsvTable file, ReadTable(table, data_folder));
  std::vector<std::string> tasks;
  for (size_t row = 0; row < file.rows(); ++row) {
    if (!tasks.empty() && file.Matches(row, "task", tasks.back())) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(std::string task, file.Text(row, "task"));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

absl::StatusOr<Problem> MakeRecordedProblem(const RecordedTable& table, const std::string& task,
                                            const Beginning& beginning) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const CsvTable file, ReadTable(table, beginning.data_folder));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<Parameter> parameters, table.parameters(file));
  SLIPSTREAM_ASSIGN_OR_RETURN(Recording recording, ReadRecording(table, file, parameters, task));
  SLIPSTREAM_ASSIGN_OR_RETURN(
      SearchSpace space,
      SearchSpace::Create(parameters, SearchSpace::CandidateTable{std::move(recording.rows)}));
  Problem problem = ProblemOf(table, task, std::move(space), std::move(recording.values));
  if (beginning.initial_points) {
    SLIPSTREAM_ASSIGN_OR_RETURN(problem.initial,
                                InitialPoints(table, task, *problem.space, beginning));
  }
  if (beginning.source_tasks) {
    SLIPSTREAM_ASSIGN_OR_RETURN(problem.sources,
                                SourceTasks(table, file, parameters, task, beginning));
  }
  return problem;
}

}  // namespace slipstream::evidence
