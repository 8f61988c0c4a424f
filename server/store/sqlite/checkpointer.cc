#include "server/store/sqlite/checkpointer.h"

#include <utility>

#include "server/store/sqlite/file_mark.h"
#include "server/store/sqlite/result_code.h"

namespace slipstream::sqlite {
namespace {

constexpr int kMillisecondsForReaders = 200;

// Returns the result code.
int MoveLog(Connection& connection, int mode) {
  return sqlite3_wal_checkpoint_v2(connection.database(), "main", mode, nullptr, nullptr);
}

}  // namespace

Checkpointer::Checkpointer(Connection* writer, std::unique_ptr<Connection> own,
                           CheckpointerOptions options)
    : writer_(*writer), own_(std::move(own)), options_(options) {
  // For a connection that has never read, SQLite moves nothing but reports success.
  (void)own_->Execute("SELECT count(*) FROM sqlite_schema");
  // Replaces SQLite's own hook, which would move the log every 1000 pages.
  sqlite3_wal_hook(writer_.database(), &Checkpointer::NoteCommit, this);
  thread_ = std::thread([this] { RunUntilClosed(); });
}

Checkpointer::~Checkpointer() {
  if (thread_.joinable()) Close(/*sound=*/false);
}

void Checkpointer::Close(bool sound) {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    sound = sound && disk_failure_.ok();
  }
  wake_.notify_one();
  thread_.join();
  own_.reset();
  sqlite3_wal_hook(writer_.database(), nullptr, nullptr);
  // The mark is written after the rest of the log has been moved, so that it is alone in the log if
  // the process ends before the mark is in the file. If another process reads the file, the log
  // stays, or that process moves it; either way it ends with the mark.
  const int moved = sound ? MoveLog(writer_, SQLITE_CHECKPOINT_TRUNCATE) : SQLITE_ERROR;
  const bool can_mark = moved == SQLITE_OK || moved == SQLITE_BUSY;
  const bool marked = can_mark && WriteMark(writer_, FileMark::kClosed).ok();
  // Whoever reads the file has been waited for once.
  const bool closed = marked && moved == SQLITE_OK &&
                      MoveLog(writer_, SQLITE_CHECKPOINT_TRUNCATE) == SQLITE_OK;
  sqlite3_db_config(writer_.database(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, closed ? 0 : 1, nullptr);
}

int Checkpointer::NoteCommit(void* self, sqlite3*, const char*, int pages) {
  static_cast<Checkpointer*>(self)->log_pages_ = pages;
  return SQLITE_OK;
}

int Checkpointer::Move(Connection& connection, int mode) {
  const int code = MoveLog(connection, mode);
  if (options_.after_move) options_.after_move();
  return code;
}

void Checkpointer::RunUntilClosed() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return closing_ || asked_; });
    if (closing_) return;
    lock.unlock();
    const int code = Move(*own_, SQLITE_CHECKPOINT_PASSIVE);
    lock.lock();
    NoteFailure(code);
    moved_most_ = true;
    asked_ = false;
    idle_.notify_one();
  }
}

Checkpointer::Next Checkpointer::LookAtThread() {
  const std::lock_guard lock(mutex_);
  if (!disk_failure_.ok()) return Next::kHalt;
  if (std::exchange(moved_most_, false)) return Next::kFinish;
  if (log_pages_ - asked_at_ >= options_.pages) {
    asked_at_ = log_pages_;
    asked_ = true;
    wake_.notify_one();
  }
  return Next::kNothing;
}

absl::Status Checkpointer::AfterCommit() {
  if (log_pages_ < asked_at_) asked_at_ = waited_at_ = 0;  // The log was restarted.
  switch (LookAtThread()) {
    case Next::kHalt:
      return NoteResult(SQLITE_OK);
    case Next::kFinish:
      return NoteResult(Move(writer_, SQLITE_CHECKPOINT_PASSIVE));
    case Next::kNothing:
      break;
  }
  if (log_pages_ - waited_at_ < options_.most_pages) return absl::OkStatus();
  waited_at_ = log_pages_;
  return StartOver();
}

absl::Status Checkpointer::StartOver() {
  {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return !asked_; });
    moved_most_ = false;
    if (!disk_failure_.ok()) return disk_failure_;
  }
  sqlite3_busy_timeout(writer_.database(), kMillisecondsForReaders);
  const int code = Move(writer_, SQLITE_CHECKPOINT_RESTART);
  sqlite3_busy_timeout(writer_.database(), Connection::kBusyMilliseconds);
  return NoteResult(code);
}

absl::Status Checkpointer::NoteResult(int code) {
  const std::lock_guard lock(mutex_);
  NoteFailure(code);
  return disk_failure_;
}

void Checkpointer::NoteFailure(int code) {
  if (!disk_failure_.ok()) return;
  const absl::Status failure =
      StatusOfResultCode(code, writer_.path(), "its write-ahead log cannot be copied into it");
  if (IsDiskFailure(code) || absl::IsDataLoss(failure)) disk_failure_ = failure;
}

}  // namespace slipstream::sqlite
