#include "client/cli/lease_arguments.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/cli/duration_text.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"

namespace slipstream::cli {

absl::StatusOr<v1::LeasePolicy> ReadLease(const LeaseArguments& arguments) {
  v1::LeasePolicy policy;
  if (!arguments.duration.empty()) {
    ASSIGN_OR_RETURN(const absl::Duration duration, ReadDuration("--lease", arguments.duration));
    // Up, as 0 is for ever. The server says what is too short.
    absl::Duration rest = absl::Ceil(duration, absl::Nanoseconds(1));
    policy.mutable_duration()->set_seconds(absl::IDivDuration(rest, absl::Seconds(1), &rest));
    policy.mutable_duration()->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  }
  if (arguments.requeues.has_value()) policy.set_max_requeues(*arguments.requeues);
  return policy;
}

void AddLeaseOptions(CLI::App* command, const std::string& default_lease,
                     const std::string& default_requeues, LeaseArguments* arguments) {
  TakeText(command->add_option(
               "--lease", arguments->duration,
               absl::StrCat("How long a worker holds a trial unless it renews its lease, such as "
                            "30m; off or 0: for ever (default: ",
                            default_lease, ")")))
      ->type_name("DURATION");
  TakeWhole<int>(command->add_option(
      "--requeues", arguments->requeues,
      absl::StrCat("How many times a configuration is queued again after its lease runs out "
                   "(default: ",
                   default_requeues, ")")));
}

}  // namespace slipstream::cli
