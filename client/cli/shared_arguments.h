// Options that several commands have: a space, an objective, labels.
#ifndef SLIPSTREAM_CLIENT_CLI_SHARED_ARGUMENTS_H_
#define SLIPSTREAM_CLIENT_CLI_SHARED_ARGUMENTS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/map.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {

// An option that may be given again and again, one value each time.
CLI::Option* AddRepeatable(CLI::App* command, const std::string& name,
                           std::vector<std::string>* values, const std::string& description);

struct SpaceArguments {
  std::string file;                     // JSON, "-" for standard input; empty for none.
  std::vector<std::string> parameters;  // In the short form.
};
// --space and --param, and the grammar below the command's help.
void AddSpaceOptions(CLI::App* command, SpaceArguments* arguments);
// Absent if neither was given. A usage error for both or a bad short form; else
// the errors of reading a file, with its name.
absl::StatusOr<std::optional<v1::SearchSpace>> ReadSpace(const SpaceArguments& arguments);

struct ObjectiveArguments {
  std::string name;
  std::string goal;
  std::string maximize;
  std::string minimize;
};
// `option` ("--metric") with --goal, or in one --maximize or --minimize.
void AddObjectiveOptions(CLI::App* command, const std::string& option, const std::string& what,
                         ObjectiveArguments* arguments);
// Absent if nothing was given. A usage error for half an objective or two.
absl::StatusOr<std::optional<v1::Metric>> ReadObjective(const ObjectiveArguments& arguments,
                                                        const std::string& option);

// "key=value" each. A usage error for other texts and a key given twice.
absl::Status ReadLabels(const std::vector<std::string>& texts,
                        google::protobuf::Map<std::string, std::string>* labels);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SHARED_ARGUMENTS_H_
