// The options that report a trial's outcome.
#ifndef SLIPSTREAM_CLIENT_CLI_OUTCOME_ARGUMENTS_H_
#define SLIPSTREAM_CLIENT_CLI_OUTCOME_ARGUMENTS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {

struct OutcomeArguments {
  std::optional<std::string> value = {};
  std::vector<std::string> metrics = {};  // Each is "name=number".
  std::optional<std::string> failed = {};
  std::optional<std::string> infeasible = {};
  std::optional<std::string> stopped = {};
};

void AddOutcomeOptions(CLI::App* command, OutcomeArguments* arguments);

// Absent if no option was given. `metric` is the metric that --value measures. A
// usage error for options that exclude each other, for a text that is not a
// number and for a metric given twice.
absl::StatusOr<std::optional<v1::Outcome>> ReadOutcome(const OutcomeArguments& arguments,
                                                       const std::string& metric);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_OUTCOME_ARGUMENTS_H_
