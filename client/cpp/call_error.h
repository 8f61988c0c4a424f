// Turns the status of a failed call into an error that a person understands.
#ifndef SLIPSTREAM_CLIENT_CPP_CALL_ERROR_H_
#define SLIPSTREAM_CLIENT_CPP_CALL_ERROR_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace slipstream::client_internal {

// What is known of a failed call.
struct FailedCall {
  std::string what;     // What was attempted: "suggest for studies/s".
  std::string address;  // The server's address.
  int attempts = 1;
  absl::Duration elapsed;   // From the first attempt to the end of the last.
  bool connected = false;  // Whether there was a connection at the end of the last attempt.
  // Why there was none, and what to do about it; empty if that is not known.
  std::string mistake = {};
};

// Whether the server marks its refusal as transient, such as an overload.
bool IsOverload(const grpc::Status& status);

// How long the server would refuse the same call, as far as it says; else 0.
absl::Duration RetryDelayOf(const grpc::Status& status);

// Whether an error says that each candidate of a study's list has a trial.
bool IsUsedUp(const absl::Status& status);

// Whether an error says that the trial has another outcome already.
bool IsOtherOutcome(const absl::Status& status);

// An error with the code of `status`, which must not be OK, a message that says
// what failed where, and the violations that the server sent (see ViolationsOf).
absl::Status CallError(const FailedCall& call, const grpc::Status& status);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_CALL_ERROR_H_
