#include "client/cli/other_tools.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/substitute.h"

namespace slipstream::cli {
namespace {

bool Contains(const std::vector<std::string>& names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

OtherTool OwnTable(const std::vector<std::string>& marks, std::vector<std::string> about) {
  about.insert(about.end(), marks.begin(), marks.end());
  return {.marks = marks,
          .metrics = {"$0"},
          .state = "state",
          .succeeded = "succeeded",
          .failed = "failed",
          .infeasible = "infeasible",
          .about = std::move(about)};
}

const std::vector<OtherTool>& Tools() {
  static const auto& tools = *new std::vector<OtherTool>{
      // Slipstream's own: `slipstream trials --format csv`, and study.trials.to_frame() of Python.
      OwnTable({"trial", "state", "worker", "reason"},
               {"age", "took", "lease", "labels", "note", "requeued_as", "requeue_of"}),
      // The latter has numbers only as the index of the frame, which may be left out.
      OwnTable({"state", "worker", "reason"}, {"number", "started", "ended", "note"}),
      // Optuna.
      {.marks = {"number", "state"},
       .prefix = "params_",
       .metrics = {"$0", "values_$0", "value_$0", "value"},
       .only_metric = "values_0",
       .second_metric = "values_1",
       .state = "state",
       .succeeded = "COMPLETE",
       .failed = "FAIL"},
      // MLflow.
      {.marks = {"run_id", "status"},
       .prefix = "params.",
       .metrics = {"$0", "metrics.$0"},
       .state = "status",
       .succeeded = "FINISHED",
       .failed = "FAILED"},
      // Ray Tune, which tells neither what was stopped early nor what failed after a result: "done"
      // is False where a function has returned, and True where Tune has stopped it.
      {.marks = {"trial_id", "done"}, .prefix = "config/", .metrics = {"$0"}},
      // Ax.
      {.marks = {"trial_index", "trial_status"},
       .metrics = {"$0"},
       .state = "trial_status",
       .succeeded = "COMPLETED",
       .failed = "FAILED",
       .about = {"trial_index", "trial_status", "arm_name", "generation_method", "generation_node",
                 "fail_reason", "status_reason"}}};
  return tools;
}

}  // namespace

const OtherTool* ToolOf(const std::vector<std::string>& columns) {
  for (const OtherTool& tool : Tools()) {
    const bool has_marks =
        std::all_of(tool.marks.begin(), tool.marks.end(),
                    [&](const std::string& mark) { return Contains(columns, mark); });
    const bool has_parameters =
        std::any_of(columns.begin(), columns.end(), [&](const std::string& column) {
          return absl::StartsWith(column, tool.prefix);
        });
    if (has_marks && has_parameters) return &tool;
  }
  return nullptr;
}

std::string MetricColumn(const OtherTool& tool, const std::vector<std::string>& columns,
                         const std::string& metric) {
  for (const std::string& pattern : tool.metrics) {
    std::string column = absl::Substitute(pattern, metric);
    if (column != tool.state && Contains(columns, column)) return column;
  }
  const bool is_only =
      Contains(columns, tool.only_metric) && !Contains(columns, tool.second_metric);
  return is_only ? tool.only_metric : metric;
}

bool IsAboutRun(const OtherTool& tool, absl::string_view column) {
  return tool.prefix.empty() ? Contains(tool.about, column)
                             : !absl::StartsWith(column, tool.prefix);
}

bool IsLearntFrom(const OtherTool& tool, absl::string_view state) {
  return state == tool.succeeded || (!tool.failed.empty() && state == tool.failed) ||
         (!tool.infeasible.empty() && state == tool.infeasible);
}

}  // namespace slipstream::cli
