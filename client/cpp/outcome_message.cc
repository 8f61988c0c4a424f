#include "client/cpp/outcome_message.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/overloaded.h"
#include "slipstream/messages/reason_text.h"

namespace slipstream::client_internal {
namespace {

std::optional<double> ValueOf(const client::Outcome& outcome) {
  if (const double* const value = std::get_if<double>(&outcome)) return *value;
  const auto* const stopped = std::get_if<client::Stopped>(&outcome);
  return stopped == nullptr ? std::nullopt : stopped->value;
}

}  // namespace

absl::StatusOr<v1::Outcome> MessageOf(const client::Outcome& outcome, const std::string& metric) {
  const std::optional<double> value = ValueOf(outcome);
  if (!std::isfinite(value.value_or(0))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the value is ", *value, ", and the model takes finite numbers only; if the configuration "
        "is to blame, the outcome is Infeasible, otherwise Failed"));
  }
  v1::Outcome message;
  v1::Measurement* const measurement =
      std::visit(Overloaded{[&message](double) { return message.mutable_measurement(); },
                            [&message](const client::Failed& failed) -> v1::Measurement* {
                              message.mutable_failure()->set_reason(ReasonText(failed.reason));
                              return nullptr;
                            },
                            [&message](const client::Infeasible& infeasible) -> v1::Measurement* {
                              v1::Infeasibility* const told = message.mutable_infeasibility();
                              told->set_reason(ReasonText(infeasible.reason));
                              return nullptr;
                            },
                            [&message, &value](const client::Stopped& stopped) {
                              v1::EarlyStop* const stop = message.mutable_early_stop();
                              stop->set_reason(ReasonText(stopped.reason.value_or("")));
                              return value.has_value() ? stop->mutable_measurement() : nullptr;
                            }},
                 outcome);
  if (measurement != nullptr) (*measurement->mutable_metrics())[metric] = *value;
  return message;
}

}  // namespace slipstream::client_internal
