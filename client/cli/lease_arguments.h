// The options that say how long a study's leases are.
#ifndef SLIPSTREAM_CLIENT_CLI_LEASE_ARGUMENTS_H_
#define SLIPSTREAM_CLIENT_CLI_LEASE_ARGUMENTS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {

struct LeaseArguments {
  std::string duration = {};
  std::optional<int> requeues = {};
};

// Adds --lease and --requeues. `default_lease` and `default_requeues` say what applies if the
// option is left out.
void AddLeaseOptions(CLI::App* command, const std::string& default_lease,
                     const std::string& default_requeues, LeaseArguments* arguments);

// Empty where nothing was given. A usage error for what is no duration.
absl::StatusOr<v1::LeasePolicy> ReadLease(const LeaseArguments& arguments);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_LEASE_ARGUMENTS_H_
