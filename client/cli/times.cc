#include "client/cli/times.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/time/clock.h"
#include "client/cli/json_text.h"

namespace slipstream::cli {
namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::Timestamp;

absl::Time TimeOf(const Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

bool IsSet(const Timestamp& time) { return time.seconds() != 0 || time.nanos() != 0; }

}  // namespace

Took AgeOf(const v1::Trial& trial) {
  if (!trial.has_create_time()) return std::nullopt;
  return Since(trial.create_time());
}

Took DurationOf(const v1::Trial& trial) {
  if (!trial.has_start_time()) return std::nullopt;
  if (trial.has_end_time()) {
    return std::max(TimeOf(trial.end_time()) - TimeOf(trial.start_time()), absl::ZeroDuration());
  }
  if (trial.state() != v1::Trial::ACTIVE) return std::nullopt;
  return Since(trial.start_time());
}

Took LeaseLeftOf(const v1::Trial& trial) {
  if (!trial.has_lease_end_time()) return std::nullopt;
  return Until(trial.lease_end_time());
}

absl::Duration Since(const Timestamp& time) { return std::max(-Until(time), absl::ZeroDuration()); }

absl::Duration Until(const Timestamp& time) { return TimeOf(time) - absl::Now(); }

double ExactSeconds(absl::Duration duration) {
  return absl::ToDoubleSeconds(absl::Trunc(duration, absl::Milliseconds(1)));
}

Json JsonWithTimes(const v1::Trial& trial) {
  Json json = JsonOf(trial);
  for (const TrialTime& time : kTrialTimes) {
    const Took took = time.of(trial);
    if (took.has_value()) json[time.key] = ExactSeconds(*took);
  }
  return json;
}

Json JsonWithAge(const google::protobuf::Message& message, const Timestamp& created) {
  Json json = JsonOf(message);
  if (IsSet(created)) json[kAgeKey] = ExactSeconds(Since(created));
  return json;
}

Json JsonWithLease(const google::protobuf::Message& message, const Timestamp& lease_end) {
  Json json = JsonOf(message);
  if (IsSet(lease_end)) json[kLeaseLeftKey] = ExactSeconds(Until(lease_end));
  return json;
}

}  // namespace slipstream::cli
