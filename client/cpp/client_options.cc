#include "slipstream/client_options.h"

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

absl::Status CheckPositive(const char* option, absl::Duration value) {
  if (value > absl::ZeroDuration()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(option, " is ", absl::FormatDuration(value), ", must be above 0"));
}

absl::Status CheckDeadlines(const std::string& option, const Deadlines& deadlines) {
  const std::string attempt = absl::StrCat(option, ".attempt");
  if (absl::Status status = CheckPositive(attempt.c_str(), deadlines.attempt); !status.ok()) {
    return status;
  }
  if (deadlines.attempt <= deadlines.overall) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(option, ".overall is ", absl::FormatDuration(deadlines.overall),
                   ", must be at least the attempt's ", absl::FormatDuration(deadlines.attempt)));
}

absl::Status CheckRetry(const RetryOptions& retry) {
  if (absl::Status status = CheckPositive("retry.initial_backoff", retry.initial_backoff);
      !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckPositive("retry.max_backoff", retry.max_backoff); !status.ok()) {
    return status;
  }
  if (retry.max_attempts >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("retry.max_attempts is ", retry.max_attempts, ", must be 0 or more"));
}

}  // namespace

absl::Status CheckOptions(const ClientOptions& options) {
  if (options.address.empty()) {
    return absl::InvalidArgumentError("address is empty, must be host:port or unix:path");
  }
  if (absl::Status status = CheckDeadlines("call", options.call); !status.ok()) return status;
  if (absl::Status status = CheckDeadlines("suggest", options.suggest); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckDeadlines("registration", options.registration); !status.ok()) {
    return status;
  }
  return CheckRetry(options.retry);
}

}  // namespace slipstream
