#include "tests/evidence/stopping/recorded_curves.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "tests/evidence/csv.h"
#include "tests/testing/places.h"

namespace slipstream::evidence {
namespace {

absl::StatusOr<RecordedCurve> ReadCurve(const CsvTable& table, size_t row,
                                        const std::vector<std::string>& parameters, int64_t steps) {
  RecordedCurve curve;
  for (const std::string& parameter : parameters) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const double number, table.Number(row, parameter));
    curve.parameters.push_back(number);
  }
  for (int64_t step = 1; step <= steps; ++step) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const double value, table.Number(row, absl::StrCat(step)));
    curve.values.push_back(value);
  }
  return curve;
}

absl::StatusOr<RecordedTask> ReadTask(const std::string& folder, const CsvTable& tasks,
                                      size_t row) {
  RecordedTask task;
  SLIPSTREAM_ASSIGN_OR_RETURN(task.name, tasks.Text(row, "task"));
  SLIPSTREAM_ASSIGN_OR_RETURN(task.part, tasks.Text(row, "part"));
  SLIPSTREAM_ASSIGN_OR_RETURN(task.metric, tasks.Text(row, "metric"));
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t steps, tasks.Integer(row, "steps"));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string parameters, tasks.Text(row, "parameters"));
  task.parameters = absl::StrSplit(parameters, ' ');
  task.goal = tasks.Matches(row, "goal", "maximize") ? Goal::kMaximize : Goal::kMinimize;
  SLIPSTREAM_ASSIGN_OR_RETURN(const CsvTable table,
                              CsvTable::Read(absl::StrCat(folder, "/", task.name, ".csv")));
  for (size_t i = 0; i < table.rows(); ++i) {
    SLIPSTREAM_ASSIGN_OR_RETURN(RecordedCurve curve, ReadCurve(table, i, task.parameters, steps));
    task.curves.push_back(std::move(curve));
  }
  return task;
}

}  // namespace

std::string CurvesFolder() { return RepositoryPath("tests/evidence/stopping/curves"); }

absl::StatusOr<std::vector<RecordedTask>> ReadRecordedTasks(const std::string& folder) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const CsvTable table,
                              CsvTable::Read(absl::StrCat(folder, "/tasks.csv")));
  std::vector<RecordedTask> tasks;
  for (size_t row = 0; row < table.rows(); ++row) {
    SLIPSTREAM_ASSIGN_OR_RETURN(RecordedTask task, ReadTask(folder, table, row));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace slipstream::evidence
