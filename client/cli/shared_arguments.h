// Options that several commands share (a space, an objective, labels), and the way in which a
// command is chosen.
#ifndef SLIPSTREAM_CLIENT_CLI_SHARED_ARGUMENTS_H_
#define SLIPSTREAM_CLIENT_CLI_SHARED_ARGUMENTS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/session.h"
#include "google/protobuf/field_mask.pb.h"
#include "google/protobuf/map.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {

// An option that may be repeated, with one value each time.
CLI::Option* AddRepeatable(CLI::App* command, const std::string& name,
                           std::vector<std::string>* values, const std::string& description);

// The same option, which takes numbers in decimal only, also with leading zeros, and no empty text:
// a whole one, a whole one within bounds, or any. The first is for options that check a range of
// their own, as CLI11 would take a number that its type cannot hold as the largest that it can.
CLI::Option* TakeDecimal(CLI::Option* option);
CLI::Option* TakeWhole(CLI::Option* option, int64_t least, uint64_t most);
CLI::Option* TakeNumber(CLI::Option* option);
// Returns `option`, which takes no empty text, as of a script's variable that is not set.
CLI::Option* TakeText(CLI::Option* option);

// Takes every whole number that the type can hold.
template <typename Number>
CLI::Option* TakeWhole(CLI::Option* option) {
  using Limits = std::numeric_limits<Number>;
  return TakeWhole(option, static_cast<int64_t>(Limits::min()),
                   static_cast<uint64_t>(Limits::max()));
}

// Add the argument that names a study or a trial.
void AddStudyName(CLI::App* command, std::string* study);
void AddTrialName(CLI::App* command, std::string* trial);
void AddSourceTaskName(CLI::App* command, std::string* source_task);

// Makes the parsing of `command` choose `run` with `arguments`.
template <typename Arguments>
void ChooseAction(CLI::App* command, const std::shared_ptr<Arguments>& arguments,
                  absl::Status (*run)(const Arguments&, Session&), Action* chosen) {
  command->callback([arguments, run, chosen] {
    *chosen = [arguments, run](Session& session) { return run(*arguments, session); };
  });
}

struct SpaceArguments {
  std::string file = {};                     // JSON, "-" for standard input; empty for none.
  std::vector<std::string> parameters = {};  // Parameters in the short form.
};
// Adds --space and --param, and the grammar below the command's help.
void AddSpaceOptions(CLI::App* command, SpaceArguments* arguments);
// Absent if neither was given. A usage error for both or for a bad short form;
// otherwise the errors of reading the file, with its name.
absl::StatusOr<std::optional<v1::SearchSpace>> ReadSpace(const SpaceArguments& arguments);

struct ObjectiveArguments {
  std::string name = {};
  std::string goal = {};
  std::string maximize = {};
  std::string minimize = {};
};
// Adds `option` (such as "--metric") with --goal, and the shorthands --maximize
// and --minimize.
void AddObjectiveOptions(CLI::App* command, const std::string& option, const std::string& what,
                         ObjectiveArguments* arguments);
// Absent if no option was given. A usage error for half an objective or two.
absl::StatusOr<std::optional<v1::Metric>> ReadObjective(const ObjectiveArguments& arguments,
                                                        const std::string& option);

// Reads labels, each "key=value". A usage error for other texts and for a key
// given twice.
absl::Status ReadLabels(const std::vector<std::string>& texts,
                        google::protobuf::Map<std::string, std::string>* labels);

// Labels in place of all that a study or a trial has.
struct LabelChange {
  std::vector<std::string> labels = {};
  bool no_labels = false;
};
// Adds --label and --no-labels. `resource` is "study" or "trial".
void AddLabelChange(CLI::App* command, const std::string& resource, LabelChange* change);
// Reads the labels and adds them to the fields that are to be changed, unless neither option was
// given. The errors of ReadLabels.
absl::Status TakeLabels(const LabelChange& change,
                        google::protobuf::Map<std::string, std::string>* labels,
                        google::protobuf::FieldMask* mask);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SHARED_ARGUMENTS_H_
