// What changes of a study when its trials do, kept in memory by the writing
// thread: many writes to one study cost one look-up and one UPDATE per commit.
//
// Not thread-safe. Nobody but the owner may write study_heads or delete studies.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_HEADS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_HEADS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/records.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

struct StudyHead {
  int64_t key = 0;
  std::string id;
  StudyState state = StudyState::kActive;
  int64_t trial_count = 0;
  int64_t succeeded_count = 0;
  int64_t suggested_count = 0;
  bool changed = false;  // Set by StudyHeads::Change only.
};

class StudyHeads {
 public:
  // Keeps at most about `capacity` heads from one transaction to the next.
  StudyHeads(Connection* connection, size_t capacity)
      : connection_(*connection), capacity_(capacity) {}

  // Pointers hold until the transaction ends or the study is forgotten.
  // NOT_FOUND.
  absl::StatusOr<const StudyHead*> Find(const std::string& id);
  // `id` is for the message only.
  absl::StatusOr<const StudyHead*> FindByKey(int64_t key, const std::string& id);

  // The same head, to be changed: it will be written before the commit.
  StudyHead& Change(const StudyHead& head);

  // Of a study that is deleted in this transaction.
  void Forget(int64_t key);

  // Writes what has changed, before the commit.
  absl::Status Flush();
  // After the commit.
  void Committed();
  // After a rollback.
  void RolledBack();

 private:
  const StudyHead* Load(const Query& row);

  Connection& connection_;
  const size_t capacity_;
  std::unordered_map<int64_t, StudyHead> heads_;
  std::unordered_map<std::string, int64_t> keys_;
  std::vector<int64_t> changed_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_HEADS_H_
