#include "server/store/sqlite/group_commit.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/result_code.h"

namespace slipstream::sqlite {
namespace {

// While writes keep coming, purging takes one commit in so many.
constexpr int kCommitsPerPurge = 16;
constexpr int kCommitsAfterFailedPurge = 1024;

class PurgeWrite : public PendingWrite {
 public:
  absl::Status Apply(WriteSession& session) override { return session.purge.Continue(); }
  void Answer(absl::Status) override {}
};

absl::Status Halted(const std::string& path) {
  return absl::UnavailableError(
      absl::StrCat("the store ", path,
                   " takes no writes after a disk failure until it is opened again"));
}

}  // namespace

GroupCommit::GroupCommit(WriteSession* session, Checkpointer* checkpointer,
                         std::function<int64_t()> now_ms)
    : session_(*session), checkpointer_(*checkpointer), now_ms_(std::move(now_ms)),
      purge_(std::make_unique<PurgeWrite>()) {}

std::vector<absl::Status> GroupCommit::Commit(WriteBatch batch) {
  std::vector<absl::Status> statuses(batch.size());
  if (halted_) {
    std::fill(statuses.begin(), statuses.end(), Halted(session_.connection.path()));
    return statuses;
  }
  const End end = Transact(batch, statuses.data());
  if (end == End::kRolledBack && !halted_ && batch.size() > 1) {
    CommitOneByOne(batch, statuses.data());
  }
  if (commits_until_purge_ > 0) --commits_until_purge_;
  if (!halted_ && session_.purge.pending() && commits_until_purge_ == 0) Purge();
  if (!halted_) halted_ = !checkpointer_.AfterCommit();
  return statuses;
}

void GroupCommit::Purge() {
  absl::Status status;
  const bool purged = Transact(WriteBatch(&purge_, 1), &status) == End::kCommitted;
  commits_until_purge_ = purged ? kCommitsPerPurge : kCommitsAfterFailedPurge;
}

void GroupCommit::CommitOneByOne(WriteBatch batch, absl::Status* statuses) {
  for (size_t i = 0; i < batch.size(); ++i) {
    if (halted_) {
      statuses[i] = Halted(session_.connection.path());
    } else {
      Transact(batch.subspan(i, 1), &statuses[i]);
    }
  }
}

GroupCommit::End GroupCommit::Transact(WriteBatch batch, absl::Status* statuses) {
  session_.connection.TakeFailure();  // Of a checkpoint, perhaps.
  absl::Status status = Begin();
  End end = status.ok() ? End::kRolledBack : End::kNotBegun;
  if (status.ok()) status = Apply(batch, statuses);
  if (status.ok()) status = Finish();
  if (status.ok()) return End::kCommitted;
  RollBack();
  std::fill(statuses, statuses + batch.size(), status);
  return end;
}

absl::Status GroupCommit::Begin() {
  absl::Status status = Query(session_.connection, "BEGIN IMMEDIATE").Run();
  if (!status.ok()) NoteFailure();
  return status;
}

// OK also when writes are refused; not OK when the transaction is spoilt.
absl::Status GroupCommit::Apply(WriteBatch batch, absl::Status* statuses) {
  session_.now_ms = now_ms_();
  absl::Status status = session_.answers.Begin(session_.now_ms);
  for (size_t i = 0; i < batch.size() && status.ok(); ++i) {
    statuses[i] = batch[i]->Apply(session_);
    if (session_.connection.failure() != SQLITE_OK) status = statuses[i];
  }
  if (!status.ok()) NoteFailure();
  return status;
}

absl::Status GroupCommit::Finish() {
  absl::Status status = session_.heads.Flush();
  if (status.ok()) status = Query(session_.connection, "COMMIT").Run();
  if (status.ok()) {
    session_.heads.Committed();
  } else {
    NoteFailure();
  }
  return status;
}

void GroupCommit::NoteFailure() {
  if (IsDiskFailure(session_.connection.TakeFailure())) halted_ = true;
}

void GroupCommit::RollBack() {
  if (!session_.connection.RollBack().ok()) halted_ = true;
  session_.heads.RolledBack();
  session_.answers.RolledBack();
  session_.purge.RolledBack();
}

bool GroupCommit::Rest() {
  if (halted_) return false;
  if (session_.purge.pending() && commits_until_purge_ <= kCommitsPerPurge) {
    Purge();
    return true;
  }
  return false;
}

}  // namespace slipstream::sqlite
