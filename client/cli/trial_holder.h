// Lets a worker's script speak only of a trial that this worker was given. Names of trials come
// back once a study is deleted and another one has its name.
#ifndef SLIPSTREAM_CLIENT_CLI_TRIAL_HOLDER_H_
#define SLIPSTREAM_CLIENT_CLI_TRIAL_HOLDER_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "client/cli/session.h"
#include "google/protobuf/timestamp.pb.h"

namespace slipstream::cli {

// Adds --worker. Left out, whoever holds the trial is meant.
void AddHolder(CLI::App* command, std::optional<std::string>* worker);

// Reads the trial of that full name, and returns when it was created, for the request that changes
// it. FAILED_PRECONDITION if another worker or nobody has or had the trial, naming who does;
// otherwise the errors of reading it.
absl::StatusOr<google::protobuf::Timestamp> CreateTimeOfHeld(const std::string& trial,
                                                             const std::string& worker,
                                                             Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_TRIAL_HOLDER_H_
