// Tables that other tools export: Optuna's trials_dataframe, MLflow's search_runs, Ray Tune's
// get_dataframe and Ax's summarize. They have names of their own for the columns of parameters and
// of what was measured, a state, and columns about the runs themselves.
#ifndef SLIPSTREAM_CLIENT_CLI_OTHER_TOOLS_H_
#define SLIPSTREAM_CLIENT_CLI_OTHER_TOOLS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace slipstream::cli {

struct OtherTool {
  std::vector<std::string> marks;    // Columns by which its tables are recognised.
  std::string prefix;                // Of the columns of parameters.
  std::vector<std::string> metrics;  // Columns of the metric $0; the first that is there.
  std::string state;                 // The column of the state; empty without one.
  std::string succeeded;             // Its words for a run with a result, and for one that failed.
  std::string failed;                // A study learns nothing from runs with any other.
  std::vector<std::string> about;    // Columns about the run, where parameters have no prefix.
};

// The tool that wrote a table with these columns; null if it is none of them.
const OtherTool* ToolOf(const std::vector<std::string>& columns);

// The column of the metric in a table of the tool with these columns; the metric's own name if
// there is none.
std::string MetricColumn(const OtherTool& tool, const std::vector<std::string>& columns,
                         const std::string& metric);

// Whether the column is neither of a parameter nor of a metric or state that the caller knows of.
bool IsAboutRun(const OtherTool& tool, absl::string_view column);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_OTHER_TOOLS_H_
