// How old things are, how long they took and how long they are still held, by this
// machine's clock. Neither an age nor a duration is negative, even if a clock was set back.
#ifndef SLIPSTREAM_CLIENT_CLI_TIMES_H_
#define SLIPSTREAM_CLIENT_CLI_TIMES_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "absl/time/time.h"
#include "google/protobuf/message.h"
#include "google/protobuf/timestamp.pb.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {

using Took = std::optional<absl::Duration>;

// Since the trial was created.
Took AgeOf(const v1::Trial& trial);
// From the lease to the outcome, or until now while a worker has the trial.
Took DurationOf(const v1::Trial& trial);
// Until the lease ends; negative once it has run out.
Took LeaseLeftOf(const v1::Trial& trial);

// A time of trials, by the head of its column and by its name in JSON.
struct TrialTime {
  const char* head;
  const char* key;
  Took (*of)(const v1::Trial& trial);
};
inline constexpr char kAgeKey[] = "ageSeconds";
inline constexpr char kDurationKey[] = "durationSeconds";
inline constexpr char kLeaseLeftKey[] = "leaseLeftSeconds";
inline constexpr TrialTime kTrialTimes[] = {{"age", kAgeKey, AgeOf},
                                            {"took", kDurationKey, DurationOf},
                                            {"lease", kLeaseLeftKey, LeaseLeftOf}};

// How long ago that was; none if it is still to come by this machine's clock, which may be behind.
absl::Duration Since(const google::protobuf::Timestamp& time);
// How long it is until then.
absl::Duration Until(const google::protobuf::Timestamp& time);

// To the millisecond, as CSV and JSON tell durations.
double ExactSeconds(absl::Duration duration);

// A trial in JSON, with those of its times that it has.
nlohmann::ordered_json JsonWithTimes(const v1::Trial& trial);
// What was created then in JSON, with its age.
nlohmann::ordered_json JsonWithAge(const google::protobuf::Message& message,
                                   const google::protobuf::Timestamp& created);
// What is held until then in JSON, with what is left of that.
nlohmann::ordered_json JsonWithLease(const google::protobuf::Message& message,
                                     const google::protobuf::Timestamp& lease_end);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_TIMES_H_
