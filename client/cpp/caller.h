// Makes calls with deadlines and retries.
#ifndef SLIPSTREAM_CLIENT_CPP_CALLER_H_
#define SLIPSTREAM_CLIENT_CPP_CALLER_H_

#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cpp/connection.h"
#include "client/cpp/home_process.h"
#include "slipstream/client_options.h"

namespace slipstream::client_internal {

// The longest pause after `attempts` failed attempts, that is, before the next.
std::chrono::nanoseconds LongestPause(const RetryOptions& retry, int attempts);

// Why no connection comes about, where the caller can do something about it: see FindTlsMistake.
// Takes about as long as it is given. Empty: it is not known.
using Diagnosis = std::function<std::string(std::chrono::nanoseconds patience)>;

// Thread-safe.
class Caller {
 public:
  using Stub = v1::OptimizationService::Stub;
  using Attempt = std::function<grpc::Status(Stub& stub, grpc::ClientContext* context)>;
  template <typename Request, typename Response>
  using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);

  // `options` must have passed CheckOptions. Without a `diagnosis` nothing is found out.
  Caller(const ClientOptions& options, MakeCredentials make_credentials,
         Diagnosis diagnosis = nullptr);

  // False in a process that was forked from that which made it. There it can neither make calls nor
  // be destroyed.
  bool IsOfThisProcess() const { return home_.IsThisOne(); }

  // Makes attempts until one succeeds, one fails with a code that is not worth
  // repeating, or time is up. Returns the last attempt's status, turned into an
  // error by CallError; if only the overall deadline ended the last attempt, the
  // status of the attempt before it says more and is returned instead. `what`
  // completes "cannot ...". Every attempt must send the same content.
  // FAILED_PRECONDITION in a process that was forked.
  // CANCELLED if `is_wanted`, unless null, is false during a pause between attempts.
  // A mistake of TLS, or that another service listens, ends the call after its first
  // attempt, unless there was a connection before: a server's certificate may be being
  // replaced.
  absl::Status Call(const std::string& what, const Deadlines& deadlines, const Attempt& attempt,
                    const std::function<bool()>& is_wanted = nullptr);

  template <typename Request, typename Response>
  absl::StatusOr<Response> Unary(const std::string& what, const Deadlines& deadlines,
                                 Method<Request, Response> method, const Request& request,
                                 const std::function<bool()>& is_wanted = nullptr) {
    Response response;
    const auto attempt = [&](Stub& stub, grpc::ClientContext* context) {
      response.Clear();
      return (stub.*method)(context, request, &response);
    };
    const absl::Status status = Call(what, deadlines, attempt, is_wanted);
    if (!status.ok()) return status;
    return response;
  }

 private:
  struct Result {
    grpc::Status status;
    bool connected = false;  // Whether there was a connection afterwards.
  };

  // What is wrong if there is no connection after this result, and `left` of the call's time.
  std::string Diagnose(const Result& result, absl::Duration left) const;
  void TellOfRetry(const Result& result, absl::Duration took, absl::Duration pause) const;
  // Sleeps, unless `is_wanted` is false before the end. Returns whether to go on.
  bool Pause(std::chrono::nanoseconds duration, const std::function<bool()>& is_wanted) const;
  // One attempt that may take `duration`.
  Result TryOnce(const Attempt& attempt, absl::Duration duration);

  const HomeProcess home_;
  const std::string address_;
  const std::string authorization_;  // Empty without a token.
  const RetryOptions retry_;
  const std::shared_ptr<ClientClock> clock_;
  const std::function<void(const FailedAttempt&)> on_retry_;  // May be null.
  const Diagnosis diagnosis_;                                 // May be null.
  Connection connection_;
  std::atomic<bool> was_connected_{false};  // At some time.
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_CALLER_H_
