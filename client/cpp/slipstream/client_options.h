// How a Client reaches its server, how long it waits and how it retries.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_OPTIONS_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_OPTIONS_H_

#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace slipstream {

// The clock that retries use. Implementations are thread-safe. Only tests need
// one of their own.
class ClientClock {
 public:
  virtual ~ClientClock() = default;
  // Time since some fixed moment. Never decreases.
  virtual absl::Duration Elapsed() = 0;
  // Returns after `duration`.
  virtual void Sleep(absl::Duration duration) = 0;
};

// How long one call may take.
struct Deadlines {
  // One attempt. The attempt after one that took longer uses a new connection.
  absl::Duration attempt;
  // All attempts together, including the pauses between them.
  absl::Duration overall;
};

// A call is retried after UNAVAILABLE, ABORTED, an attempt's deadline and
// CANCELLED, with which a server that shuts down drops calls. Retries keep the
// request id, so no change is made twice. The pause before attempt n + 1 is drawn
// uniformly from zero to initial_backoff * 2^(n - 1), at most max_backoff.
struct RetryOptions {
  absl::Duration initial_backoff = absl::Milliseconds(100);
  absl::Duration max_backoff = absl::Seconds(5);
  // Maximum number of attempts of one call. 0: as many as the overall deadline
  // allows, so that a trainer outlasts a restart of its server.
  int max_attempts = 0;
};

struct ClientOptions {
  // The server's address, "host:port" or "unix:path".
  std::string address = "127.0.0.1:7411";
  // Deadlines of all calls but those below.
  Deadlines call = {absl::Seconds(10), absl::Seconds(60)};
  // Deadlines of Suggest, which may have to fit a model first.
  Deadlines suggest = {absl::Seconds(60), absl::Minutes(5)};
  // Deadlines of RegisterSourceTask, which sends up to 100,000 observations.
  Deadlines registration = {absl::Minutes(2), absl::Minutes(10)};
  RetryOptions retry = {};
  // Null: plaintext without authentication, only for loopback and trusted
  // networks.
  std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr;
  // Null: the machine's clock.
  std::shared_ptr<ClientClock> clock = nullptr;
};

// INVALID_ARGUMENT, naming the option, its value and its bound, for an empty
// address, a duration that is not positive, an attempt that may take longer than
// the whole call, or a negative number of attempts.
absl::Status CheckOptions(const ClientOptions& options);

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_OPTIONS_H_
