// Recorded tuning runs as problems: a task's rows are the candidate list, the
// other tasks of its table are its source tasks.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_RECORDED_TABLES_H_
#define SLIPSTREAM_TESTS_EVIDENCE_RECORDED_TABLES_H_

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
  absl::string_view file;  // In the folder data.
  absl::string_view objective;
  Goal goal = Goal::kMinimize;
  double (*transform)(double) = nullptr;  // Of the objective's column.
  absl::StatusOr<std::vector<Parameter>> (*parameters)(const CsvTable& table) = nullptr;
};

absl::Span<const RecordedTable> RecordedTables();

// In the file's order. NOT_FOUND when the file is absent.
absl::StatusOr<std::vector<std::string>> TasksOf(const RecordedTable& table,
                                                 const std::string& data_folder);

// Regret is normalised, (best - found) / (best - worst). Errors as MakeProblem.
absl::StatusOr<Problem> MakeRecordedProblem(const RecordedTable& table, const std::string& task,
                                            const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_RECORDED_TABLES_H_
