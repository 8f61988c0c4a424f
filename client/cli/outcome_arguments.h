// What became of a trial, as options.
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
  std::vector<std::string> metrics = {};  // "name=number" each.
  std::optional<std::string> failed = {};
  std::optional<std::string> infeasible = {};
  std::optional<std::string> stopped = {};
};

void AddOutcomeOptions(CLI::App* command, OutcomeArguments* arguments);

// Absent if no option was given. `metric` is what --value measures. A usage
// error for options that exclude each other, for a text that is no number and
// for a metric given twice.
absl::StatusOr<std::optional<v1::Outcome>> ReadOutcome(const OutcomeArguments& arguments,
                                                       const std::string& metric);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_OUTCOME_ARGUMENTS_H_
