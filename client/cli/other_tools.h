// Tables that tools export: Optuna's trials_dataframe, MLflow's search_runs, Ray Tune's
// get_dataframe, Ax's summarize, and Slipstream's own tables of trials. The columns of parameters
// and of what was measured have names of the tool's own, there is a state, and there are columns
// about the runs themselves.
#ifndef SLIPSTREAM_CLIENT_CLI_OTHER_TOOLS_H_
#define SLIPSTREAM_CLIENT_CLI_OTHER_TOOLS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace slipstream::cli {

// How a tool writes a table. In the names of columns, $0 stands for the metric's name.
struct OtherTool {
  std::vector<std::string> marks;    // Columns that all of its tables have.
  std::string prefix = {};           // What the names of parameters' columns begin with.
  std::vector<std::string> metrics;  // The columns that may have the metric, the likeliest first.
  // The metric's column in tables with one objective, which have no `second_metric`.
  std::string only_metric = {};
  std::string second_metric = {};
  std::string state = {};            // The column of the state; empty if there is none.
  std::string succeeded = {};        // A study learns from runs with this state, ...
  std::string failed = {};           // ... and with this one, if it is not empty.
  std::string infeasible = {};       // ... and with this one, likewise.
  std::vector<std::string> about = {};  // Columns about the run, where there is no prefix.
};

// The tool that wrote a table with these columns; null if it is none of them.
const OtherTool* ToolOf(const std::vector<std::string>& columns);

// The column of the metric in a table of the tool with these columns; the metric's own name if none
// is known to be that.
std::string MetricColumn(const OtherTool& tool, const std::vector<std::string>& columns,
                         const std::string& metric);

// Whether the column is one about runs, if it is neither a parameter's nor the metric's.
bool IsAboutRun(const OtherTool& tool, absl::string_view column);

// Whether a study learns from a run with this state.
bool IsLearntFrom(const OtherTool& tool, absl::string_view state);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_OTHER_TOOLS_H_
