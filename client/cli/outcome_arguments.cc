#include "client/cli/outcome_arguments.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/usage_error.h"
#include "client/cli/value_text.h"
#include "slipstream/messages/reason_text.h"

namespace slipstream::cli {
namespace {

absl::Status AddMetric(const std::string& option, const std::string& name,
                       const std::string& text, v1::Measurement* measurement) {
  const absl::StatusOr<double> value = ParseNumber(text);
  if (double number = 0; !value.ok() && absl::SimpleAtod(text, &number)) {
    return UsageError(absl::StrCat(option, std::string(value.status().message()),
                                   "; --infeasible REASON is for what has no value"));
  }
  RETURN_IF_ERROR(AsUsageError(option, value.status()));
  if (measurement->metrics().contains(name)) {
    return UsageError(absl::StrCat("the metric '", name, "' is given twice"));
  }
  (*measurement->mutable_metrics())[name] = *value;
  return absl::OkStatus();
}

absl::StatusOr<v1::Measurement> ReadMeasurement(const OutcomeArguments& arguments,
                                                const std::string& metric) {
  v1::Measurement measurement;
  if (arguments.value.has_value()) {
    RETURN_IF_ERROR(AddMetric("--value ", metric, *arguments.value, &measurement));
  }
  for (const std::string& text : arguments.metrics) {
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return UsageError(absl::StrCat("--metric '", text, "' is not NAME=NUMBER"));
    }
    RETURN_IF_ERROR(AddMetric(absl::StrCat("--metric '", text, "': "), text.substr(0, equals),
                              text.substr(equals + 1), &measurement));
  }
  return measurement;
}

v1::Outcome MakeOutcome(const OutcomeArguments& arguments, v1::Measurement measurement) {
  v1::Outcome outcome;
  if (arguments.failed.has_value()) {
    outcome.mutable_failure()->set_reason(ReasonText(*arguments.failed));
  } else if (arguments.infeasible.has_value()) {
    outcome.mutable_infeasibility()->set_reason(ReasonText(*arguments.infeasible));
  } else if (arguments.stopped.has_value()) {
    outcome.mutable_early_stop()->set_reason(ReasonText(*arguments.stopped));
    if (!measurement.metrics().empty()) {
      *outcome.mutable_early_stop()->mutable_measurement() = std::move(measurement);
    }
  } else {
    *outcome.mutable_measurement() = std::move(measurement);
  }
  return outcome;
}

}  // namespace

void AddOutcomeOptions(CLI::App* command, OutcomeArguments* arguments) {
  command->add_option("--value", arguments->value, "The measured value")->type_name("NUMBER");
  AddRepeatable(command, "--metric", &arguments->metrics, "The same with the metric's name")
      ->type_name("NAME=NUMBER");
  command->add_option("--failed", arguments->failed, "The worker failed")->type_name("REASON");
  command->add_option("--infeasible", arguments->infeasible, "The configuration has no value")
      ->type_name("REASON");
  command
      ->add_option("--stopped", arguments->stopped,
                   "The trial was stopped early, optionally with a --value")
      ->type_name("REASON");
}

absl::StatusOr<std::optional<v1::Outcome>> ReadOutcome(const OutcomeArguments& arguments,
                                                       const std::string& metric) {
  const int reasons = arguments.failed.has_value() + arguments.infeasible.has_value() +
                      arguments.stopped.has_value();
  if (reasons > 1) return UsageError("--failed, --infeasible and --stopped exclude each other");
  ASSIGN_OR_RETURN(v1::Measurement measurement, ReadMeasurement(arguments, metric));
  const bool measured = !measurement.metrics().empty();
  if (measured && (arguments.failed.has_value() || arguments.infeasible.has_value())) {
    return UsageError("a trial that failed or is infeasible has no --value or --metric");
  }
  if (reasons == 0 && !measured) return std::optional<v1::Outcome>();
  return std::make_optional(MakeOutcome(arguments, std::move(measurement)));
}

}  // namespace slipstream::cli
