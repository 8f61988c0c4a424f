// Erases the trials of deleted studies, which can no longer be found, in small
// steps, so that the deletion of a large study does not delay other writes.
//
// Not thread-safe: used by the writing thread.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_PURGE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_PURGE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

class StudyPurge {
 public:
  explicit StudyPurge(Connection* connection) : connection_(*connection) {}

  // Called in the transaction that deletes the study.
  absl::Status Add(int64_t study_key, int64_t trial_count);
  // Called in any transaction: erases up to about a thousand trials, and fewer if they have many
  // reports.
  absl::Status Continue();
  // Whether there may be trials left to erase.
  bool pending() const { return pending_; }
  // After a rollback.
  void RolledBack() { pending_ = true; }

 private:
  Connection& connection_;
  bool pending_ = true;  // An earlier process may have left some.
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_PURGE_H_
