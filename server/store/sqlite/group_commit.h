// The one executor of write transactions: all writes of a batch in one commit.
//
// A write that SQLite cannot carry out spoils the transaction; it is rolled
// back and each write gets a transaction of its own, so that the others do not
// suffer. After a disk failure nobody knows what became of the transaction:
// its writes get INTERNAL, and all that follow are refused.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_GROUP_COMMIT_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_GROUP_COMMIT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "server/store/sqlite/checkpointer.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/write_queue.h"
#include "server/store/sqlite/write_session.h"

namespace slipstream::sqlite {

class GroupCommit : public WriteExecutor {
 public:
  // All must outlive the executor.
  GroupCommit(WriteSession* session, Checkpointer* checkpointer, std::function<int64_t()> now_ms);

  std::vector<absl::Status> Commit(WriteBatch batch) override;
  bool Rest() override;

  // Whether a disk failure has ended all writing.
  bool halted() const { return halted_; }

 private:
  // How a transaction ended. The writes have statuses of their own only when it
  // is kCommitted.
  enum class End { kCommitted, kRolledBack, kNotBegun };

  End Transact(WriteBatch batch, absl::Status* statuses);
  absl::Status Begin();
  absl::Status Apply(WriteBatch batch, absl::Status* statuses);
  absl::Status Finish();
  void RollBack();
  void NoteFailure();
  void CommitOneByOne(WriteBatch batch, absl::Status* statuses);
  // Deletes a few trials of deleted studies.
  void Purge();

  WriteSession& session_;
  Checkpointer& checkpointer_;
  const std::function<int64_t()> now_ms_;
  const std::unique_ptr<PendingWrite> purge_;
  int commits_until_purge_ = 0;
  bool halted_ = false;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_GROUP_COMMIT_H_
