#include "client/cli/call_limits.h"

#include <algorithm>
#include <chrono>

namespace slipstream::cli {
namespace {

constexpr RetryOptions kRetry = {.initial_backoff = std::chrono::milliseconds(200),
                                 .max_backoff = std::chrono::seconds(2),
                                 .longest_outage = std::chrono::seconds(12)};

void LimitEach(double seconds, ClientOptions* options) {
  const auto timeout =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  for (Deadlines* const deadlines : {&options->call, &options->suggest, &options->outcome,
                                     &options->registration, &options->backup}) {
    deadlines->overall = timeout;
    deadlines->attempt = std::min(deadlines->attempt, timeout);
  }
  // What is large takes long over a slow line, and a further attempt begins it anew.
  options->registration.attempt = timeout;
  options->retry.longest_outage = timeout;
}

}  // namespace

void LimitCalls(std::optional<double> timeout, ClientOptions* options) {
  options->retry = kRetry;
  if (timeout.has_value()) LimitEach(*timeout, options);
}

void LimitCallsOfOutcome(std::optional<double> timeout, ClientOptions* options) {
  options->call = options->outcome;  // Some come before the outcome.
  LimitCalls(timeout, options);
  if (!timeout.has_value()) options->retry.longest_outage = options->outcome.overall;
}

}  // namespace slipstream::cli
