// How a Client reaches its server, how long it waits and how it tries again.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_OPTIONS_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_OPTIONS_H_

#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace slipstream {

// Time as the retries of a client see it. Implementations are thread-safe.
// Only tests need one of their own.
class ClientClock {
 public:
  virtual ~ClientClock() = default;
  // Time since some fixed moment. Never goes back.
  virtual absl::Duration Elapsed() = 0;
  // Returns when `duration` has gone by.
  virtual void Sleep(absl::Duration duration) = 0;
};

// How long one call may take.
struct Deadlines {
  // One attempt; the next one goes over a new connection.
  absl::Duration attempt;
  // All attempts together with the pauses between them.
  absl::Duration overall;
};

// Failed attempts are repeated after UNAVAILABLE, ABORTED, the deadline of an
// attempt and CANCELLED, which a server that ends says of what it drops, each
// time with the same request id, so that no change is made twice. The pause
// before attempt n + 1 is drawn evenly from zero to initial_backoff * 2^(n - 1),
// at most max_backoff.
struct RetryOptions {
  absl::Duration initial_backoff = absl::Milliseconds(100);
  absl::Duration max_backoff = absl::Seconds(5);
  // Most attempts of one call. 0: as many as the overall deadline allows,
  // which lets a trainer sit out the restart of its server.
  int max_attempts = 0;
};

struct ClientOptions {
  // "host:port" of the server, or "unix:path".
  std::string address = "127.0.0.1:7411";
  // Calls other than those below.
  Deadlines call = {absl::Seconds(10), absl::Seconds(60)};
  // Suggest, which may have to fit a model first.
  Deadlines suggest = {absl::Seconds(60), absl::Minutes(5)};
  // RegisterSourceTask, which sends up to 100,000 observations.
  Deadlines registration = {absl::Minutes(2), absl::Minutes(10)};
  RetryOptions retry = {};
  // Null: plaintext without authentication, fit for loopback and trusted
  // networks only.
  std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr;
  // Null: the machine's own.
  std::shared_ptr<ClientClock> clock = nullptr;
};

// INVALID_ARGUMENT that names the option, its value and its bound: an empty
// address, a duration that is not positive, an attempt that may take longer
// than the whole call, a negative number of attempts.
absl::Status CheckOptions(const ClientOptions& options);

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_OPTIONS_H_
