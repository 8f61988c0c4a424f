#include "slipstream/client_options.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/cpp/server_address.h"

namespace slipstream {
namespace {

constexpr int kMostThreads = 1000;

std::string TextOf(std::chrono::nanoseconds duration) {
  return absl::FormatDuration(absl::FromChrono(duration));
}

absl::Status CheckPositive(const char* option, std::chrono::nanoseconds value) {
  if (value > std::chrono::nanoseconds::zero()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(option, " is ", TextOf(value), ", must be above 0"));
}

absl::Status CheckDeadlines(const std::string& option, const Deadlines& deadlines) {
  const std::string attempt = absl::StrCat(option, ".attempt");
  if (absl::Status status = CheckPositive(attempt.c_str(), deadlines.attempt); !status.ok()) {
    return status;
  }
  if (deadlines.attempt <= deadlines.overall) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(option, ".overall is ", TextOf(deadlines.overall),
                                                 ", must be at least the attempt's ",
                                                 TextOf(deadlines.attempt)));
}

absl::Status CheckRetry(const RetryOptions& retry) {
  if (absl::Status status = CheckPositive("retry.initial_backoff", retry.initial_backoff);
      !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckPositive("retry.max_backoff", retry.max_backoff); !status.ok()) {
    return status;
  }
  if (retry.max_attempts < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("retry.max_attempts is ", retry.max_attempts, ", must be 0 or more"));
  }
  if (retry.longest_outage >= std::chrono::nanoseconds::zero()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "retry.longest_outage is ", TextOf(retry.longest_outage), ", must be 0 or more"));
}

absl::Status CheckBackground(const BackgroundOptions& background) {
  if (background.threads < 1 || background.threads > kMostThreads) {
    return absl::InvalidArgumentError(absl::StrCat("background.threads is ", background.threads,
                                                   ", must be from 1 to ", kMostThreads));
  }
  if (background.waiting >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("background.waiting is ", background.waiting, ", must be 1 or more"));
}

// A line end that came along from a file would end the call in an obscure way.
absl::Status CheckToken(const std::string& token) {
  for (const char c : token) {
    if (c > ' ' && c < 0x7f) continue;
    return absl::InvalidArgumentError(
        "token has a space, a line end or another character that tokens cannot have");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckOptions(const ClientOptions& options) {
  if (absl::Status status = client_internal::CheckAddress(options.address); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckDeadlines("call", options.call); !status.ok()) return status;
  if (absl::Status status = CheckDeadlines("suggest", options.suggest); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckDeadlines("outcome", options.outcome); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckDeadlines("registration", options.registration); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckBackground(options.background); !status.ok()) return status;
  if (absl::Status status = CheckDeadlines("backup", options.backup); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckToken(options.token); !status.ok()) return status;
  return CheckRetry(options.retry);
}

}  // namespace slipstream
