// How a Client reaches its server, how long it waits and how it retries.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_OPTIONS_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_OPTIONS_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace slipstream {

// The clock that retries use. Implementations are thread-safe. Most programs need
// none of their own.
class ClientClock {
 public:
  virtual ~ClientClock() = default;
  // Time since some fixed moment. Never decreases.
  virtual std::chrono::nanoseconds Elapsed() = 0;
  // Returns after `duration`.
  virtual void Sleep(std::chrono::nanoseconds duration) = 0;
};

// How long one call may take.
struct Deadlines {
  // One attempt. The attempt after one that took longer uses a new connection.
  std::chrono::nanoseconds attempt;
  // All attempts together, including the pauses between them.
  std::chrono::nanoseconds overall;
};

// A call is retried after UNAVAILABLE, ABORTED, a refusal that passes, an attempt's deadline and
// CANCELLED, with which a server that shuts down drops calls. Retries keep the request id, so no
// change is made twice. The pause before attempt n + 1 is as long as the server asks for, if it
// does, and a time drawn uniformly from zero to initial_backoff * 2^(n - 1), at most max_backoff.
struct RetryOptions {
  std::chrono::nanoseconds initial_backoff = std::chrono::milliseconds(100);
  std::chrono::nanoseconds max_backoff = std::chrono::seconds(5);
  // Maximum number of attempts of one call. 0: as many as the overall deadline
  // allows, so that a trainer outlasts a restart of its server.
  int max_attempts = 0;
  // For how long a call is repeated while its attempts fail at once, rather than at their own
  // deadlines. 0: for as long as the overall deadline allows.
  std::chrono::nanoseconds longest_outage = std::chrono::nanoseconds::zero();
};

// An attempt of a call that is repeated.
struct FailedAttempt {
  absl::Status status;
  bool answered = false;  // By the server, whose message the status has.
  std::chrono::nanoseconds pause{0};  // Until the next attempt.
  std::chrono::nanoseconds took{0};   // The attempt itself.
};

// How asynchronous calls are made.
struct BackgroundOptions {
  // How many calls are made at a time, each on a thread of its own, 1 to 1,000.
  int threads = 4;
  // How many calls may wait for a thread, at least 1; further ones are refused.
  int waiting = 1000;
};

inline constexpr char kDefaultAddress[] = "127.0.0.1:7411";

struct ClientOptions {
  // The server's address, "host", "host:port" or "unix:path"; the port is that of kDefaultAddress
  // unless it gives one. Empty: SLIPSTREAM_ADDRESS of the environment, or kDefaultAddress.
  std::string address = {};
  // A stable id of this trainer: if it is restarted under the same id, it gets its unfinished
  // trials back, also those that its other threads had. Empty: SLIPSTREAM_WORKER, or an id that no
  // other process and no other study has. Used where a call names no worker.
  std::string worker = {};
  // The project of studies for which none is named, "vision" or "projects/vision". Empty:
  // SLIPSTREAM_PROJECT of the environment, or "default". For client::Study; requests of messages
  // name theirs.
  std::string project = {};
  // Deadlines of all calls but those below.
  Deadlines call = {std::chrono::seconds(10), std::chrono::seconds(60)};
  // Deadlines of Suggest, which may have to fit a model first.
  Deadlines suggest = {std::chrono::seconds(60), std::chrono::minutes(5)};
  // Deadlines of Observe: an outcome may be all that is left of a long training.
  Deadlines outcome = {std::chrono::seconds(10), std::chrono::minutes(5)};
  // Deadlines of RegisterSourceTask, which sends up to 100,000 observations, and of ExportStudy and
  // ImportStudy.
  Deadlines registration = {std::chrono::minutes(2), std::chrono::minutes(10)};
  // Deadlines of BackupStore, which copies and checks all that is stored.
  Deadlines backup = {std::chrono::hours(1), std::chrono::hours(2)};
  RetryOptions retry = {};
  // The asynchronous calls of each study that is opened.
  BackgroundOptions background = {};
  // The caller's token, for servers that require one. Empty: SLIPSTREAM_TOKEN of the environment,
  // or none.
  std::string token = {};
  // Encrypts connections: the file with the certificates, in PEM form, that sign the server's, or
  // "system" for those that the system trusts. Empty: SLIPSTREAM_CA, or plaintext, which suits
  // loopback and trusted networks alone.
  std::string ca = {};
  // The files of the client's own certificate and its key, in PEM form, for servers that require
  // one. Empty: SLIPSTREAM_CERTIFICATE and SLIPSTREAM_KEY, or none.
  std::string certificate = {};
  std::string key = {};
  // Null: the machine's clock.
  std::shared_ptr<ClientClock> clock = nullptr;
  // Called before each pause between attempts, if it is not null. On any thread, and must be quick.
  std::function<void(const FailedAttempt&)> on_retry = nullptr;
};

// INVALID_ARGUMENT, naming the option, its value and its bound, for a duration that
// is not positive, an attempt that may take longer than the whole call, a number of
// attempts, threads or waiting calls out of its bounds, a malformed token or address, or an address
// of IPv6 that may or may not have a port.
absl::Status CheckOptions(const ClientOptions& options);

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_OPTIONS_H_
