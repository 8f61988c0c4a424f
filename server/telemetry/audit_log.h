// Who changed what, and when: a file of JSON lines that is only ever appended to.
//
//   {"time":"2026-05-01T09:30:00.123+02:00","caller":"ann","method":"Observe",
//    "resource":"studies/s/trials/1","request_id":"...","worker":"...","peer":"..."}
//
// A file that was moved away is created again, so that it can be rotated while the server runs.
// Lines reach the system before the change is answered, and the disk when the system writes them.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_TELEMETRY_AUDIT_LOG_H_
#define SLIPSTREAM_SERVER_TELEMETRY_AUDIT_LOG_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/telemetry/log.h"

namespace slipstream {

class AuditLog {
 public:
  // Makes the file, for its owner alone, if there is none. The code says why that fails.
  static absl::StatusOr<std::unique_ptr<AuditLog>> Open(const std::string& path);
  ~AuditLog();

  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // One line. UNAVAILABLE, with the reason, if it could not be written.
  absl::Status Write(const LogFields& fields);

  // Lines that could not be written.
  int64_t failures() const { return failures_; }

 private:
  explicit AuditLog(std::string path) : path_(std::move(path)) {}

  absl::Status WriteLine(const std::string& line);
  // With the lock, or before another thread has the log.
  absl::Status OpenFile();
  bool IsMovedAway() const;
  // Truncates the part of a line that was written, so that the next line begins there; failing
  // that, has the next line begin after it.
  void TakeBack(ssize_t written);

  const std::string path_;
  std::atomic<int64_t> failures_{0};
  std::mutex mutex_;
  int descriptor_ = -1;
  ino_t inode_ = 0;
  bool ends_in_part_ = false;  // The file's last line is a part that could not be truncated.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_AUDIT_LOG_H_
