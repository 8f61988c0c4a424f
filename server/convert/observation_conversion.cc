#include "server/convert/observation_conversion.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/convert/content_hash.h"
#include "server/convert/space_conversion.h"
#include "server/convert/text_limits.h"

namespace slipstream {
namespace {

// The number measured for the study's one metric, checked.
absl::StatusOr<double> NumberOf(absl::string_view field, absl::string_view metric,
                                const v1::Measurement& measurement) {
  const std::string path = absl::StrCat(field, ".metrics");
  for (const auto& [name, value] : measurement.metrics()) {
    if (name != metric) {
      return InvalidField(absl::StrCat(path, "[", name, "]"), name,
                          absl::StrCat("the study's metric '", metric, "'"));
    }
    if (!std::isfinite(value)) {
      return InvalidField(absl::StrCat(path, "[", name, "]"), FormatNumber(value),
                          "a finite number; report a configuration without a value as infeasible");
    }
    return value;
  }
  return InvalidField(path, "empty", absl::StrCat("a number for the metric '", metric, "'"));
}

absl::Status TakeMeasurement(absl::string_view field, absl::string_view metric,
                             const v1::Measurement& proto, TrialOutcome* outcome) {
  SLIPSTREAM_ASSIGN_OR_RETURN(outcome->objective, MetricValue(field, metric, proto));
  outcome->measurement = DeterministicBytes(proto);
  return absl::OkStatus();
}

absl::StatusOr<TrialOutcome> WithReason(absl::string_view field, TrialState state,
                                        const std::string& reason) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckText(field, reason, kMaxReasonBytes));
  TrialOutcome outcome;
  outcome.state = state;
  outcome.reason = reason;
  return outcome;
}

absl::StatusOr<TrialOutcome> MeasuredOutcome(absl::string_view metric,
                                             const v1::Measurement& proto) {
  TrialOutcome outcome;
  SLIPSTREAM_RETURN_IF_ERROR(TakeMeasurement("measurement", metric, proto, &outcome));
  return outcome;
}

absl::StatusOr<TrialOutcome> StoppedOutcome(absl::string_view metric, const v1::EarlyStop& proto) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      TrialOutcome outcome, WithReason("early_stop.reason", TrialState::kStopped, proto.reason()));
  if (proto.has_measurement()) {
    SLIPSTREAM_RETURN_IF_ERROR(
        TakeMeasurement("early_stop.measurement", metric, proto.measurement(), &outcome));
  }
  return outcome;
}

}  // namespace

absl::StatusOr<double> MetricValue(absl::string_view field, absl::string_view metric,
                                   const v1::Measurement& measurement) {
  if (measurement.metrics().size() > 1) {
    return InvalidField(absl::StrCat(field, ".metrics"),
                        absl::StrCat(measurement.metrics().size(), " metrics"),
                        absl::StrCat("the study's metric '", metric, "' only"));
  }
  return NumberOf(field, metric, measurement);
}

absl::StatusOr<TrialOutcome> OutcomeFromProto(absl::string_view metric, const v1::Outcome& proto) {
  switch (proto.kind_case()) {
    case v1::Outcome::kMeasurement:
      return MeasuredOutcome(metric, proto.measurement());
    case v1::Outcome::kFailure:
      return WithReason("failure.reason", TrialState::kFailed, proto.failure().reason());
    case v1::Outcome::kInfeasibility:
      return WithReason("infeasibility.reason", TrialState::kInfeasible,
                        proto.infeasibility().reason());
    case v1::Outcome::kEarlyStop:
      return StoppedOutcome(metric, proto.early_stop());
    case v1::Outcome::KIND_NOT_SET:
      break;
  }
  return InvalidField("kind", "empty", "a measurement, failure, infeasibility or early_stop");
}

absl::StatusOr<SourcePoint> SourcePointFromProto(const SearchSpace& space, absl::string_view metric,
                                                 const v1::Observation& proto) {
  SourcePoint point;
  absl::StatusOr<Configuration> configuration =
      ConfigurationFromProto(space, proto.configuration());
  if (!configuration.ok()) return WithFieldPrefix(configuration.status(), "configuration.");
  point.configuration = *std::move(configuration);
  absl::StatusOr<TrialOutcome> outcome = OutcomeFromProto(metric, proto.outcome());
  if (!outcome.ok()) return WithFieldPrefix(outcome.status(), "outcome.");
  point.ending = EndingOf(outcome->state);
  point.value = outcome->objective;
  return point;
}

void SourcePointToProto(const SearchSpace& space, absl::string_view metric,
                        const SourcePoint& point, v1::Observation* proto) {
  ConfigurationToProto(space, point.configuration, proto->mutable_configuration());
  v1::Outcome* outcome = proto->mutable_outcome();
  v1::Measurement* measurement = nullptr;
  switch (point.ending) {
    case Ending::kMeasured:
      measurement = outcome->mutable_measurement();
      break;
    case Ending::kFailed:
      outcome->mutable_failure();
      break;
    case Ending::kInfeasible:
      outcome->mutable_infeasibility();
      break;
    case Ending::kStopped:
      outcome->mutable_early_stop();
      if (point.value) measurement = outcome->mutable_early_stop()->mutable_measurement();
      break;
  }
  if (measurement != nullptr && point.value) {
    (*measurement->mutable_metrics())[std::string(metric)] = *point.value;
  }
}

Ending EndingOf(TrialState state) {
  switch (state) {
    case TrialState::kFailed:
      return Ending::kFailed;
    case TrialState::kInfeasible:
      return Ending::kInfeasible;
    case TrialState::kStopped:
      return Ending::kStopped;
    default:
      return Ending::kMeasured;
  }
}

}  // namespace slipstream
