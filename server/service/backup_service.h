// The call that copies the whole store while it is in use, free of any transport: requests and
// answers are messages, errors are absl::Status with an InvalidField where a field is wrong.
// proto/slipstream/v1/services.proto says what the call does.
//
// Backups are files in one folder of the server's machine, which the server alone chooses: what is
// in them belongs to all projects and must not be read by any caller. Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_BACKUP_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_BACKUP_SERVICE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/service/answering.h"
#include "server/service/executor.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

// Of a backup's file, with its ending.
inline constexpr size_t kMaxBackupNameBytes = 128;
// Backups that may wait for the one that is made; more get RESOURCE_EXHAUSTED.
inline constexpr size_t kMostWaitingBackups = 1;

struct BackupOptions {
  std::string folder = {};  // Empty: there are no backups by call.
  // Copies one snapshot of the store to a new file and checks the copy. ALREADY_EXISTS if there is
  // such a file, CANCELLED if `stop` is requested; a failure leaves none.
  std::function<absl::Status(const std::string& file, const std::stop_token& stop)> copy = {};
  // Called after each, with how long it took. On any thread.
  std::function<void(const std::string& file, const absl::Status&, absl::Duration)> on_backup = {};
};

class BackupService {
 public:
  // A backup that is under way when `stop` is requested is given up.
  BackupService(BackupOptions options, std::stop_token stop)
      : options_(std::move(options)), stop_(std::move(stop)) {}

  // Answers once the copy is whole and has been checked, also if the caller has gone. `response`
  // must live until then.
  void BackupStore(const v1::BackupStoreRequest* request, v1::BackupStoreResponse* response,
                   const Done& done);

  // Backups that failed so far.
  int64_t failures() const { return failures_; }

 private:
  absl::Status BackUp(const std::string& file, v1::BackupStoreResponse* response);

  const BackupOptions options_;
  const std::stop_token stop_;
  std::atomic<int64_t> failures_{0};
  Executor executor_{"backups", /*threads=*/1, kMostWaitingBackups};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_BACKUP_SERVICE_H_
