// Erases the trials of deleted studies, which can no longer be found, in small
// steps, so that the deletion of a large study does not delay other writes. The
// same becomes of the trials of a study that is never inserted after them.
//
// Not thread-safe: used by the writing thread.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_PURGE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_PURGE_H_

#include <cstdint>
#include <set>

#include "absl/status/status.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

class StudyPurge {
 public:
  explicit StudyPurge(Connection* connection) : connection_(*connection) {}

  // Called in the transaction that deletes the study.
  absl::Status Add(int64_t study_key, int64_t trial_count);
  // Called in the transaction that begins a study: its trials are held, and erased if that is not
  // undone in the life of this object.
  absl::Status Hold(int64_t study_key, int64_t trial_count);
  // Called in the transaction that inserts the study, which then keeps its trials.
  absl::Status Keep(int64_t study_key);
  // Has the trials of a study that was begun erased after all.
  void Release(int64_t study_key);
  // Called in any transaction: erases up to about a thousand trials, and fewer if they have many
  // reports.
  absl::Status Continue();
  // Whether there may be trials left to erase, other than those that are held.
  bool pending() const { return pending_; }
  // After a rollback.
  void RolledBack() { pending_ = true; }

 private:
  Connection& connection_;
  bool pending_ = true;  // An earlier process may have left some.
  std::set<int64_t> held_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_PURGE_H_
