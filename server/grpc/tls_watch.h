// Has a server use the files of TLS as they are now, and tells the log when they change, whether
// they fit together, and that the certificate ends soon.
//
//   TlsWatch watch(options.tls, server->tls(), [&] { return server->DisconnectAll(); }, &log);
//   ...
//   watch.Look();                               // About once a second.
//
// While the files do not fit together, new connections get the certificate of before. When a
// certificate disappears from --tls-client-ca, all open connections are closed, as it may have
// verified their callers; callers that a remaining one verifies can reconnect.
#ifndef SLIPSTREAM_SERVER_GRPC_TLS_WATCH_H_
#define SLIPSTREAM_SERVER_GRPC_TLS_WATCH_H_

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/file/watched_file.h"
#include "server/grpc/transport_security.h"
#include "server/telemetry/log.h"

namespace slipstream {

class TlsWatch {
 public:
  // `served` is what was read from `files`; null without TLS, which leaves nothing to do.
  // `disconnect_all` ends the server's connections and returns how many there were. Warns of
  // certificates that are not valid, or end soon. `log` must outlive this.
  TlsWatch(TlsFiles files, std::shared_ptr<ServedTls> served, std::function<int()> disconnect_all,
           Log* log, std::function<absl::Time()> now = absl::Now);

  // Looks at the files, and reads those that have changed once they are as they were at the look
  // before: people write one after the other. A certificate that is not valid now does not replace
  // one that is; one that will be valid is used from then on. So it is with those that sign
  // callers', if none of them is valid. Warns once a day of certificates that are not valid, or end
  // soon. To be called by one thread.
  void Look();
  // The same, but reads changed files without waiting for them to settle: whoever wrote them says
  // that they are complete.
  void LookAtFinishedFiles();

  // When the certificate that is used ends; absent without TLS. Thread-safe.
  std::optional<absl::Time> certificate_end() const;
  // When the first of the certificates ends that sign callers'; absent if callers need none.
  // Thread-safe.
  std::optional<absl::Time> authorities_end() const;
  // Whether the files are used as they are now; absent without TLS. Thread-safe.
  std::optional<bool> is_in_force() const;

 private:
  void Look(bool are_finished);
  // Says so if they do not fit and that is news.
  void ReadAgain(bool is_news);
  // FAILED_PRECONDITION if callers would refuse a server with these, and accept it as it is.
  absl::Status CheckIsNoWorse(const TlsTexts& texts) const;
  // FAILED_PRECONDITION if none of these could verify a caller, and one that is served can.
  absl::Status CheckVerifiesCallers(const TlsTexts& texts) const;
  void WarnOfTimes();
  // Whether there was something to warn of.
  bool WarnOfCertificate(absl::Time now);
  bool WarnOfAuthorities(absl::Time now);
  // Of a key that any user of the machine can read.
  void WarnOfKey();

  const TlsFiles files_;
  const std::shared_ptr<ServedTls> served_;
  const std::function<int()> disconnect_all_;
  Log& log_;
  const std::function<absl::Time()> now_;
  std::deque<WatchedFile> watched_;
  bool unsettled_ = false;          // They have changed, and have not been read since.
  bool is_authority_gone_ = false;  // Its callers may still have connections.
  std::atomic<bool> fit_{true};     // As the log was last told.
  absl::Time next_warning_ = absl::InfinitePast();
  std::string misfit_;  // Why they do not fit, as the log was last told.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_TLS_WATCH_H_
