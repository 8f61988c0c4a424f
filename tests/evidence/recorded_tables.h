// Recorded tuning runs as problems: a task's rows are the candidate list, and the
// other tasks of its table are its source tasks.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_RECORDED_TABLES_H_
#define SLIPSTREAM_TESTS_EVIDENCE_RECORDED_TABLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/space/parameter.h"
#include "tests/evidence/csv.h"
#include "tests/evidence/problem.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {

struct RecordedTable {
  absl::string_view name;
  absl::string_view summary;
  absl::string_view file;  // Its name in the folder data.
  absl::string_view objective;
  Goal goal = Goal::kMinimize;
  double (*transform)(double) = nullptr;  // Applied to the objective's column.
  absl::StatusOr<std::vector<Parameter>> (*parameters)(const CsvTable& table) = nullptr;
};

absl::Span<const RecordedTable> RecordedTables();

// The values in a row's columns that have a parameter's name. An empty field stands for
// a parameter that is inactive in that row. DATA_LOSS if a field is no such value.
absl::StatusOr<std::vector<Assignment>> ReadAssignments(const std::vector<Parameter>& parameters,
                                                        const CsvTable& table, size_t row);

// The table's tasks in the file's order. NOT_FOUND if the file is absent.
absl::StatusOr<std::vector<std::string>> TasksOf(const RecordedTable& table,
                                                 const std::string& data_folder);

// Regret is normalised, (best - found) / (best - worst). Returns the same errors as
// MakeProblem.
absl::StatusOr<Problem> MakeRecordedProblem(const RecordedTable& table, const std::string& task,
                                            const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_RECORDED_TABLES_H_
