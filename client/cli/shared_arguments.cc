#include "client/cli/shared_arguments.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/json_text.h"
#include "client/cli/space_grammar.h"
#include "client/cli/status_macros.h"
#include "client/cli/text_file.h"
#include "client/cli/usage_error.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

absl::StatusOr<v1::SearchSpace> ReadSpaceFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path));
  const std::string name = path == "-" ? "standard input" : path;
  v1::SearchSpace space;
  const absl::Status status = ParseJson(text, &space);
  if (status.ok()) return space;
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", std::string(status.message())));
}

v1::Metric MakeMetric(const std::string& name, v1::Metric::Goal goal) {
  v1::Metric metric;
  metric.set_name(name);
  metric.set_goal(goal);
  return metric;
}

// Takes away the leading zeros, with which "010" would be read as octal, and the sign of zero.
// Empty, or what is wrong.
std::string MakeDecimal(std::string& text) {
  const size_t sign = text.find_first_not_of('-') == 1 ? 1 : 0;
  const std::string digits = text.substr(sign);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
    return absl::StrCat("'", text, "' is not a whole number");
  }
  const size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  const std::string number = digits.substr(first);
  text = number == "0" ? number : absl::StrCat(text.substr(0, sign), number);
  return "";
}

// Both take whole numbers in decimal, also those that no type can hold.
bool IsBelow(const std::string& text, int64_t least) {
  int64_t number = 0;
  return absl::SimpleAtoi(text, &number) ? number < least : text.front() == '-';
}

bool IsAbove(const std::string& text, uint64_t most) {
  uint64_t number = 0;
  return text.front() != '-' && (!absl::SimpleAtoi(text, &number) || number > most);
}

}  // namespace

CLI::Option* TakeDecimal(CLI::Option* option) {
  return option->transform(CLI::Validator(MakeDecimal, ""));
}

CLI::Option* TakeWhole(CLI::Option* option, int64_t least, uint64_t most) {
  return TakeDecimal(option)->check([least, most](const std::string& text) -> std::string {
    if (IsBelow(text, least)) return absl::StrCat("'", text, "' must be ", least, " or more");
    if (IsAbove(text, most)) return absl::StrCat("'", text, "' must be ", most, " or less");
    return "";
  });
}

CLI::Option* TakeNumber(CLI::Option* option) {
  return option->transform(CLI::Validator(
      [](const std::string& text) {
        const absl::StatusOr<double> number = ParseNumber(text);
        return number.ok() ? std::string() : std::string(number.status().message());
      },
      ""));
}

CLI::Option* TakeText(CLI::Option* option) {
  return option->check([](const std::string& text) -> std::string {
    return text.empty() ? "must not be empty" : "";
  });
}

void AddStudyName(CLI::App* command, std::string* study) {
  command->add_option("study", *study, "Name of the study")->required()->type_name("STUDY");
}

void AddTrialName(CLI::App* command, std::string* trial) {
  command->add_option("trial", *trial, "Name of the trial, for example digits/3")
      ->required()
      ->type_name("TRIAL");
}

void AddSourceTaskName(CLI::App* command, std::string* source_task) {
  command
      ->add_option("source_task", *source_task,
                   "Hexadecimal name of the source task, or its first 6 or more digits")
      ->required()
      ->type_name("NAME");
}

CLI::Option* AddRepeatable(CLI::App* command, const std::string& name,
                           std::vector<std::string>* values, const std::string& description) {
  return command->add_option(name, *values, description)->allow_extra_args(false);
}

void AddSpaceOptions(CLI::App* command, SpaceArguments* arguments) {
  TakeText(command->add_option("--space", arguments->file,
                               "JSON file with the search space, - for standard input"))
      ->type_name("FILE");
  AddRepeatable(command, "--param", &arguments->parameters,
                "Parameter in short form (see below); repeat for others")
      ->type_name("PARAMETER");
  command->footer(kParameterGrammar);
}

absl::StatusOr<std::optional<v1::SearchSpace>> ReadSpace(const SpaceArguments& arguments) {
  if (!arguments.file.empty() && !arguments.parameters.empty()) {
    return UsageError("--space and --param exclude each other");
  }
  if (!arguments.file.empty()) {
    ASSIGN_OR_RETURN(v1::SearchSpace space, ReadSpaceFile(arguments.file));
    return std::optional<v1::SearchSpace>(std::move(space));
  }
  if (arguments.parameters.empty()) return std::optional<v1::SearchSpace>();
  ASSIGN_OR_RETURN(v1::SearchSpace space, ParseSpace(arguments.parameters));
  return std::optional<v1::SearchSpace>(std::move(space));
}

void AddObjectiveOptions(CLI::App* command, const std::string& option, const std::string& what,
                         ObjectiveArguments* arguments) {
  command->add_option(option, arguments->name, what + ", together with --goal")->type_name("NAME");
  command->add_option("--goal", arguments->goal, "maximize or minimize")
      ->type_name("GOAL")
      ->check(CLI::IsMember({"maximize", "minimize"}));
  command->add_option("--maximize", arguments->maximize, what + ", larger is better")
      ->type_name("NAME");
  command->add_option("--minimize", arguments->minimize, what + ", smaller is better")
      ->type_name("NAME");
}

absl::StatusOr<std::optional<v1::Metric>> ReadObjective(const ObjectiveArguments& arguments,
                                                        const std::string& option) {
  const int given =
      !arguments.name.empty() + !arguments.maximize.empty() + !arguments.minimize.empty();
  if (given > 1) {
    return UsageError(absl::StrCat(option, ", --maximize and --minimize exclude each other"));
  }
  if (arguments.name.empty() != arguments.goal.empty()) {
    return UsageError(absl::StrCat(option, " and --goal go together"));
  }
  if (given == 0) return std::optional<v1::Metric>();
  if (!arguments.maximize.empty()) {
    return std::make_optional(MakeMetric(arguments.maximize, v1::Metric::MAXIMIZE));
  }
  if (!arguments.minimize.empty()) {
    return std::make_optional(MakeMetric(arguments.minimize, v1::Metric::MINIMIZE));
  }
  const bool up = arguments.goal == "maximize";
  return std::make_optional(
      MakeMetric(arguments.name, up ? v1::Metric::MAXIMIZE : v1::Metric::MINIMIZE));
}

absl::Status ReadLabels(const std::vector<std::string>& texts,
                        google::protobuf::Map<std::string, std::string>* labels) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return UsageError(absl::StrCat("--label '", text, "' is not KEY=VALUE"));
    }
    const std::string key = text.substr(0, equals);
    if (labels->contains(key)) {
      return UsageError(absl::StrCat("--label '", key, "' is given twice"));
    }
    (*labels)[key] = text.substr(equals + 1);
  }
  return absl::OkStatus();
}

void AddLabelChange(CLI::App* command, const std::string& resource, LabelChange* change) {
  const std::string description = absl::StrCat(
      "Label to set; repeat for others. All earlier labels of the ", resource, " are removed");
  CLI::Option* const labels =
      AddRepeatable(command, "--label", &change->labels, description)->type_name("KEY=VALUE");
  command->add_flag("--no-labels", change->no_labels, "Removes all labels")->excludes(labels);
}

absl::Status TakeLabels(const LabelChange& change,
                        google::protobuf::Map<std::string, std::string>* labels,
                        google::protobuf::FieldMask* mask) {
  if (change.labels.empty() && !change.no_labels) return absl::OkStatus();
  RETURN_IF_ERROR(ReadLabels(change.labels, labels));
  mask->add_paths("labels");
  return absl::OkStatus();
}

}  // namespace slipstream::cli
