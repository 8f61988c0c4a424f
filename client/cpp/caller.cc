#include "client/cpp/caller.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/call_error.h"

namespace slipstream::client_internal {
namespace {

class MachineClock final : public ClientClock {
 public:
  std::chrono::nanoseconds Elapsed() override {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
  void Sleep(std::chrono::nanoseconds duration) override { std::this_thread::sleep_for(duration); }
};

// Attempts in a row that failed at once rather than at their own deadline.
class Outage {
 public:
  explicit Outage(const RetryOptions& retry)
      : longest_(retry.longest_outage > std::chrono::nanoseconds::zero()
                     ? absl::FromChrono(retry.longest_outage)
                     : absl::InfiniteDuration()) {}

  // Takes note of an attempt that failed at `now`.
  void Add(const grpc::Status& status, absl::Duration now) {
    const bool at_once = status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED;
    began_ = at_once ? std::min(began_, now) : absl::InfiniteDuration();
  }

  bool IsTooLongAt(absl::Duration time) const { return time - began_ >= longest_; }

 private:
  const absl::Duration longest_;
  absl::Duration began_ = absl::InfiniteDuration();
};

absl::Duration DrawPause(const RetryOptions& retry, int attempts) {
  thread_local absl::BitGen random;
  return absl::FromChrono(LongestPause(retry, attempts)) * absl::Uniform(random, 0.0, 1.0);
}

// Whether a retry of the call may succeed. Decided by the code, and for RESOURCE_EXHAUSTED by
// whether the details have an Overload, as messages are for people.
bool IsWorthRepeating(const grpc::Status& status) {
  const grpc::StatusCode code = status.error_code();
  if (code == grpc::StatusCode::RESOURCE_EXHAUSTED) return IsOverload(status);
  // This client only cancels calls that it gives up, so CANCELLED comes from a
  // server that is shutting down.
  return code == grpc::StatusCode::UNAVAILABLE || code == grpc::StatusCode::ABORTED ||
         code == grpc::StatusCode::DEADLINE_EXCEEDED || code == grpc::StatusCode::CANCELLED;
}

}  // namespace

std::chrono::nanoseconds LongestPause(const RetryOptions& retry, int attempts) {
  const double growth = std::ldexp(1.0, std::clamp(attempts - 1, 0, 60));
  return absl::ToChronoNanoseconds(std::min(absl::FromChrono(retry.initial_backoff) * growth,
                                            absl::FromChrono(retry.max_backoff)));
}

Caller::Caller(const ClientOptions& options, MakeCredentials make_credentials, Diagnosis diagnosis)
    : address_(options.address),
      authorization_(options.token.empty() ? "" : "Bearer " + options.token),
      retry_(options.retry),
      clock_(options.clock ? options.clock : std::make_shared<MachineClock>()),
      on_retry_(options.on_retry),
      diagnosis_(std::move(diagnosis)),
      connection_(options.address, std::move(make_credentials)) {}

absl::Status Caller::Call(const std::string& what, const Deadlines& deadlines,
                          const Attempt& attempt, const std::function<bool()>& is_wanted) {
  if (!IsOfThisProcess()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot ", what, ": this process was forked from the one that has connected to ", address_,
        ", whose connections it cannot use; fork before the client is made, or make calls in that "
        "process only"));
  }
  const absl::Duration longest_attempt = absl::FromChrono(deadlines.attempt);
  const absl::Duration longest_call = absl::FromChrono(deadlines.overall);
  const absl::Duration start = absl::FromChrono(clock_->Elapsed());
  Outage outage(retry_);
  Result last_informative;  // The latest one that says more than that time was up.
  for (int attempts = 1;; ++attempts) {
    const absl::Duration before = absl::FromChrono(clock_->Elapsed()) - start;
    const absl::Duration left = longest_call - before;
    const Result result = TryOnce(attempt, std::min(longest_attempt, left));
    if (result.status.ok()) return absl::OkStatus();
    const bool cut_short = left < longest_attempt && !last_informative.status.ok() &&
                           result.status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
    if (!cut_short) last_informative = result;
    const absl::Duration elapsed = absl::FromChrono(clock_->Elapsed()) - start;
    const absl::Duration pause = RetryDelayOf(result.status) + DrawPause(retry_, attempts);
    outage.Add(result.status, elapsed);
    const bool is_last = !IsWorthRepeating(result.status) || attempts == retry_.max_attempts ||
                         elapsed + pause >= longest_call || outage.IsTooLongAt(elapsed + pause);
    std::string mistake;
    if (is_last || (attempts == 1 && !was_connected_)) {
      mistake = Diagnose(last_informative, longest_call - elapsed);
    }
    if (is_last || !mistake.empty()) {
      return CallError({what, address_, attempts, elapsed, last_informative.connected, mistake},
                       last_informative.status);
    }
    TellOfRetry(result, elapsed - before, pause);
    if (Pause(absl::ToChronoNanoseconds(pause), is_wanted)) continue;
    return absl::CancelledError(absl::StrCat("cannot ", what, ": nobody waits for it any more"));
  }
}

bool Caller::Pause(std::chrono::nanoseconds duration,
                   const std::function<bool()>& is_wanted) const {
  constexpr std::chrono::nanoseconds kBetweenLooks = std::chrono::milliseconds(200);
  if (is_wanted == nullptr) {
    clock_->Sleep(duration);
    return true;
  }
  for (; duration > duration.zero() && is_wanted(); duration -= kBetweenLooks) {
    clock_->Sleep(std::min(duration, kBetweenLooks));
  }
  return is_wanted();
}

void Caller::TellOfRetry(const Result& result, absl::Duration took, absl::Duration pause) const {
  if (on_retry_ == nullptr) return;
  const grpc::StatusCode code = result.status.error_code();
  const bool answered = code == grpc::StatusCode::RESOURCE_EXHAUSTED ||
                        code == grpc::StatusCode::ABORTED ||
                        (code == grpc::StatusCode::UNAVAILABLE && result.connected);
  on_retry_({absl::Status(static_cast<absl::StatusCode>(code), result.status.error_message()),
             answered, absl::ToChronoNanoseconds(pause), absl::ToChronoNanoseconds(took)});
}

std::string Caller::Diagnose(const Result& result, absl::Duration left) const {
  constexpr absl::Duration kLongest = absl::Seconds(2);
  const bool is_about_the_connection =
      result.status.error_code() == grpc::StatusCode::UNAVAILABLE && !result.connected;
  if (!is_about_the_connection) return {};
  const std::string message = result.status.error_message();
  // A name that gRPC could not look up would only be looked up for as long again.
  if (absl::StrContains(message, "DNS resolution failed")) return {};
  std::string mistake;
  if (diagnosis_ != nullptr) {
    mistake = diagnosis_(
        absl::ToChronoNanoseconds(std::clamp(left, absl::ZeroDuration(), kLongest)));
  }
  // So gRPC says where the first bytes that it reads are not its protocol's.
  const bool is_other = absl::StrContains(message, "Failed parsing HTTP/2") ||
                        absl::StrContains(message, "http1.x server");
  if (!mistake.empty() || !is_other) return mistake;
  return "what listens there does not speak gRPC, so it is another service: is the port right?";
}

Caller::Result Caller::TryOnce(const Attempt& attempt, absl::Duration duration) {
  // A longer one, added to the time, might be more than a clock holds.
  constexpr absl::Duration kLongest = absl::Hours(24 * 365);
  const std::shared_ptr<const Link> link = connection_.Current();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       absl::ToChronoMicroseconds(std::min(duration, kLongest)));
  if (!authorization_.empty()) context.AddMetadata("authorization", authorization_);
  Result result;
  result.status = attempt(*link->stub, &context);
  result.connected = link->IsConnected();
  if (result.connected) was_connected_ = true;
  const grpc::StatusCode code = result.status.error_code();
  if (code == grpc::StatusCode::DEADLINE_EXCEEDED ||
      (code == grpc::StatusCode::UNAVAILABLE && !result.connected)) {
    connection_.Replace(*link);
  }
  return result;
}

}  // namespace slipstream::client_internal
