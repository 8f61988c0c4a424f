// Learning curves of real trainings, as tests/evidence/stopping/record wrote them.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_STOPPING_RECORDED_CURVES_H_
#define SLIPSTREAM_TESTS_EVIDENCE_STOPPING_RECORDED_CURVES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/study/study_view.h"

namespace slipstream::evidence {

// One training: its hyperparameters, in [0, 1], and its value after each step from 1 on.
struct RecordedCurve {
  std::vector<double> parameters;
  std::vector<double> values;
};

// Trainings of one kind of model on one data set with different hyperparameters; all have the same
// number of steps.
struct RecordedTask {
  std::string name;
  std::string part;  // "choosing" or "reported".
  Goal goal = Goal::kMinimize;
  std::string metric;
  std::vector<std::string> parameters;
  std::vector<RecordedCurve> curves;

  absl::string_view goal_name() const { return goal == Goal::kMinimize ? "minimize" : "maximize"; }
  // Whether `value` is better than `other`.
  bool IsBetter(double value, double other) const {
    return goal == Goal::kMinimize ? value < other : value > other;
  }
};

// Where the repository keeps the recorded tasks.
std::string CurvesFolder();

// All tasks of the folder's tasks.csv. Errors as CsvTable's.
absl::StatusOr<std::vector<RecordedTask>> ReadRecordedTasks(const std::string& folder);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_STOPPING_RECORDED_CURVES_H_
