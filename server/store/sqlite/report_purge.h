// Erases the reports of trials that were given back: at once while a transaction has erased few,
// and else in small steps, so that other writes need not wait. Until its reports are erased, such a
// trial is not in the queue, and nobody is shown them.
//
// Not thread-safe: used by the writing thread.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_REPORT_PURGE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_REPORT_PURGE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// The worker in the row of a REQUESTED trial that has reports left; no worker has this name.
inline constexpr char kHasReportsLeft[] = "\x01";

// A subquery: the ids of these trials.
#define SLIPSTREAM_HAVE_REPORTS_LEFT                                                         \
  "SELECT id FROM trials INDEXED BY open_trials WHERE (state = 1 OR state = 2) AND state = 1" \
  " AND worker = char(1)"

class ReportPurge {
 public:
  explicit ReportPurge(Connection* connection) : connection_(*connection) {}

  // At the start of each transaction.
  void Begin() { erased_ = 0; }
  // Erases the reports of a trial that is REQUESTED, or leaves them for later.
  absl::Status Delete(int64_t trial_id);
  // Erases what is left of a trial that may be REQUESTED, before it is so no more.
  absl::Status Finish(int64_t trial_id);
  // Called in any transaction: erases some, and returns whether there was anything to erase.
  absl::StatusOr<bool> Continue();
  // Whether there may be anything left to erase.
  bool pending() const { return pending_; }
  void RolledBack() { pending_ = true; }

 private:
  // Erases as many of the trial's as may be left to erase in this transaction.
  absl::Status EraseSome(int64_t trial_id);
  absl::Status SetWorker(int64_t trial_id, const char* worker);

  Connection& connection_;
  bool pending_ = true;  // An earlier process may have left some.
  int64_t erased_ = 0;   // By this transaction.
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_REPORT_PURGE_H_
