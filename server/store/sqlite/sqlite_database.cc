#include "server/store/sqlite/sqlite_database.h"

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/figures/histogram.h"
#include "server/store/clock_comparison.h"
#include "server/store/sqlite/checkpointer.h"
#include "server/store/sqlite/checksum_vfs.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/database_lock.h"
#include "server/store/sqlite/file_check.h"
#include "server/store/sqlite/file_lock.h"
#include "server/store/sqlite/file_mark.h"
#include "server/store/sqlite/file_owner.h"
#include "server/store/sqlite/file_watch.h"
#include "server/store/sqlite/free_pages.h"
#include "server/store/sqlite/gathered_log.h"
#include "server/store/sqlite/growth_room.h"
#include "server/store/sqlite/log_check.h"
#include "server/store/sqlite/raw_file.h"
#include "server/store/sqlite/reader_pool.h"
#include "server/store/sqlite/result_code.h"
#include "server/store/sqlite/schema.h"
#include "server/store/sqlite/sqlite_transaction.h"
#include "server/store/sqlite/store_connections.h"
#include "server/store/sqlite/sync_times.h"

namespace slipstream::sqlite {
namespace {

// A file in memory of up to about 250 MB is checked whole in this time.
constexpr absl::Duration kCheckLimit = absl::Milliseconds(150);

// While writes keep coming, one transaction in so many is followed by a purge.
constexpr int kTransactionsPerPurge = 16;
constexpr int kTransactionsAfterFailedPurge = 1024;

// Free pages are looked for after a deletion, and after so many transactions, which may have
// deleted old events.
constexpr int kTransactionsPerLook = 1024;

// A transaction that changes so many rows at most is written to the log at once.
constexpr int64_t kFewRows = 12;

// While the disk is full. Each attempt may wait for readers, who may have prevented the one before.
constexpr std::chrono::milliseconds kBetweenAttempts(1000);

class SqliteDatabase : public Database {
 public:
  // The parts of an open file; in this order, so that the file is closed before
  // its locks are released.
  struct Parts {
    FileLock lock;
    DatabaseLock database_lock;
    std::unique_ptr<SyncTimes> sync_times;
    std::unique_ptr<GatheredLog> gathered_log;
    std::unique_ptr<ChecksumVfs> vfs;
    std::unique_ptr<Connection> writer;
    std::unique_ptr<Connection> checkpoints;
    std::vector<std::unique_ptr<Connection>> readers;
  };

  // `size` is that of the database with what is in its log.
  SqliteDatabase(const SqliteStoreOptions& options, Parts parts, FileWatch files, int64_t size,
                 int64_t page_size)
      : lock_(std::move(parts.lock)),
        database_lock_(std::move(parts.database_lock)),
        sync_times_(std::move(parts.sync_times)),
        gathered_log_(std::move(parts.gathered_log)),
        vfs_(std::move(parts.vfs)),
        files_(std::move(files)),
        on_halt_(options.on_halt),
        now_ms_(options.now_ms),
        steady_now_(options.steady_now),
        retention_ms_(absl::ToInt64Milliseconds(options.retention)),
        writer_(std::move(parts.writer)),
        readers_(std::make_unique<ReaderPool>(std::move(parts.readers))),
        transaction_(writer_.get(), retention_ms_, &horizon_),
        free_pages_(writer_.get()),
        growth_room_(database_lock_.descriptor(), size),
        checkpointer_(std::make_unique<Checkpointer>(writer_.get(), std::move(parts.checkpoints),
                                                     OptionsOfCheckpointer())) {
    // Fails a commit if the disk has no room for the pages that it adds.
    gathered_log_->SetRoom([this, page_size](int64_t pages) {
      return growth_room_.Take(pages * page_size, transaction_.only_deletes());
    });
  }

  ~SqliteDatabase() override {
    readers_.reset();
    checkpointer_->Close(/*sound=*/!halted_);
  }

  TransactionEnd Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) override;
  absl::Status Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) override;
  bool OnIdle() override;
  DatabaseFigures Figures() override;

 private:
  // To move the log into the file gives back the room beyond its end.
  CheckpointerOptions OptionsOfCheckpointer() {
    CheckpointerOptions options;
    options.after_move = [this] { growth_room_.TakeAgain(); };
    return options;
  }
  // Once, or twice if the disk was full and room could be made.
  TransactionEnd TransactInRoom(absl::FunctionRef<absl::Status(RowTransaction&)> body);
  TransactionEnd TransactOnce(absl::FunctionRef<absl::Status(RowTransaction&)> body);
  // Whether it has begun is in `*begun`.
  absl::Status BeginAndCommit(absl::FunctionRef<absl::Status(RowTransaction&)> body, bool* begun);
  // After a transaction for which there was no room: whether it may be worth another attempt.
  bool MakeRoom();
  // Commits, if all files of the store are still in place before and after it.
  absl::Status CommitToWatchedFiles();
  void Purge();
  // Moves the log into the file where it has grown enough.
  void MoveLog();
  // Commits, and takes the time.
  absl::Status Commit();
  // Fails if the disk has no room for a transaction that may be large. This is asked before any of
  // it is in the log: after a power cut, pieces there would look like damage.
  absl::Status CheckRoom();
  absl::Status FullDisk();
  // Whether the latest transaction, or this one, has changed rows.
  bool HasWritten() const;
  // Notes whether changes can be made, by how the latest one ended.
  void NoteEnd(const absl::Status& status, int failure);
  // After a change that succeeded: whether one that adds to the file would be refused.
  bool HasNoRoom();
  // Gives back some of the pages that are free; false if there are not many.
  bool GiveBackPages();
  // Ends all writing until the store is opened again.
  void Halt(const absl::Status& cause);
  absl::Status Halted() const;

  // Destroyed from the last to the first.
  const FileLock lock_;
  const DatabaseLock database_lock_;
  const std::unique_ptr<SyncTimes> sync_times_;
  const std::unique_ptr<GatheredLog> gathered_log_;
  const std::unique_ptr<ChecksumVfs> vfs_;
  FileWatch files_;
  const std::function<void(const absl::Status&)> on_halt_;
  const std::function<int64_t()> now_ms_;
  const std::function<std::chrono::steady_clock::time_point()> steady_now_;
  ClockComparison clocks_;  // At the latest commit.
  const int64_t retention_ms_;
  const std::unique_ptr<Connection> writer_;
  std::unique_ptr<ReaderPool> readers_;
  LeaseHorizon horizon_;
  SqliteTransaction transaction_;
  FreePages free_pages_;
  GrowthRoom growth_room_;
  const std::unique_ptr<Checkpointer> checkpointer_;
  int transactions_until_purge_ = 0;
  int transactions_until_look_ = 0;  // For free pages.
  bool is_to_shorten_ = false;       // Pages have been given back since the latest checkpoint.
  int failure_ = SQLITE_OK;          // The result code with which the latest transaction failed.
  // When a full disk is next worth an attempt; at once after a change was made.
  std::chrono::steady_clock::time_point next_room_{};
  std::atomic<bool> halted_{false};
  mutable std::mutex cause_mutex_;
  absl::Status cause_;  // Why it is halted.

  Histogram commit_seconds_{DurationBounds()};
  std::atomic<int64_t> failed_commits_{0};
  int64_t total_changes_ = 0;  // Rows changed up to the latest transaction's end.
  std::mutex refusal_mutex_;
  absl::Status refusal_;  // Why the disk did not take the latest change; OK if it did.
};

int64_t SizeOf(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  return failed ? 0 : static_cast<int64_t>(size);
}

// What this process may still write to the disk that has the file.
std::optional<int64_t> FreeBytesBeside(const std::string& path) {
  std::error_code failed;
  const std::filesystem::space_info space =
      std::filesystem::space(std::filesystem::absolute(path, failed).parent_path(), failed);
  if (failed) return std::nullopt;
  return static_cast<int64_t>(space.available);
}

// The error of a read for its caller. The disk may be read later, perhaps once the server was
// started elsewhere, and a worker whose call begins with a read must not give up a result.
absl::Status ForReaders(const absl::Status& status, int failure) {
  if (absl::IsDataLoss(status) || !IsDiskFailure(failure)) return status;
  return absl::UnavailableError(
      absl::StrCat(status.message(), "; the disk could not be read: repeat the call later"));
}

// The error of a transaction for those who asked for changes. What a worker has to tell must not be
// lost because a disk failed: it is told again until the server was started again, and then its
// request id tells what became of it.
absl::Status ForCallers(const absl::Status& status, int failure) {
  const bool is_refused = absl::IsPermissionDenied(status) && IsRefusalOfDisk(failure);
  const bool is_unknown = !absl::IsDataLoss(status) && IsDiskFailure(failure);
  if (!is_refused && !is_unknown) return status;
  return OrWithoutText(absl::StatusCode::kUnavailable, [&] {
    constexpr char kUnknown[] =
        "; whether the change was made is known once the server has been started again: "
        "repeat the call then";
    return absl::UnavailableError(absl::StrCat(status.message(), is_unknown ? kUnknown : ""));
  });
}

void SqliteDatabase::Halt(const absl::Status& cause) {
  {
    const std::lock_guard lock(cause_mutex_);
    if (halted_) return;
    cause_ = cause;
    halted_ = true;
  }
  OrOutOfMemory([&] {
    on_halt_(cause);
    return absl::OkStatus();
  }).IgnoreError();
}

absl::Status SqliteDatabase::Halted() const {
  return OrWithoutText(absl::StatusCode::kUnavailable, [this] {
    const std::lock_guard lock(cause_mutex_);
    return absl::UnavailableError(
        absl::StrCat("the store ", writer_->path(),
                     " takes no writes until it is opened again, because ", cause_.message()));
  });
}

TransactionEnd SqliteDatabase::Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) {
  if (halted_) return {Halted()};
  TransactionEnd end = TransactInRoom(body);
  if (transactions_until_purge_ > 0) --transactions_until_purge_;
  if (transactions_until_look_ > 0) --transactions_until_look_;
  if (transaction_.deletes()) transactions_until_look_ = 0;
  if (!halted_ && transaction_.purge_pending() && transactions_until_purge_ == 0) Purge();
  MoveLog();
  return end;
}

void SqliteDatabase::MoveLog() {
  if (halted_) return;
  const absl::Status moved = checkpointer_->AfterCommit();
  if (!moved.ok()) Halt(moved);
}

TransactionEnd SqliteDatabase::TransactInRoom(
    absl::FunctionRef<absl::Status(RowTransaction&)> body) {
  TransactionEnd end = TransactOnce(body);
  if (failure_ == SQLITE_FULL && end.rolled_back && MakeRoom()) end = TransactOnce(body);
  if (IsFailedWrite(failure_)) failed_commits_.fetch_add(1, std::memory_order_relaxed);
  NoteEnd(end.status, failure_);
  return end;
}

// A log whose pages have been moved is overwritten from its beginning.
bool SqliteDatabase::MakeRoom() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_room_) return false;
  next_room_ = now + kBetweenAttempts;
  const absl::Status moved = checkpointer_->StartOver();
  if (!moved.ok()) Halt(moved);
  return moved.ok();
}

TransactionEnd SqliteDatabase::TransactOnce(absl::FunctionRef<absl::Status(RowTransaction&)> body) {
  writer_->TakeFailure();  // A checkpoint may have left one.
  bool begun = false;
  const absl::Status status = OrOutOfMemory([&] { return BeginAndCommit(body, &begun); });
  failure_ = status.ok() ? SQLITE_OK : writer_->TakeFailure();
  if (status.ok()) return {};
  const bool is_lost = IsDiskFailure(failure_) || absl::IsDataLoss(status);
  if (is_lost) Halt(status);
  const absl::Status undone = transaction_.RollBack();
  if (!undone.ok() && !IsOutOfMemory(writer_->TakeFailure())) Halt(undone);
  return {ForCallers(status, failure_), /*rolled_back=*/begun && undone.ok() && !is_lost};
}

absl::Status SqliteDatabase::BeginAndCommit(absl::FunctionRef<absl::Status(RowTransaction&)> body,
                                            bool* begun) {
  // One that was left, as there was no memory to roll it back.
  SLIPSTREAM_RETURN_IF_ERROR(writer_->RollBack());
  SLIPSTREAM_RETURN_IF_ERROR(transaction_.Begin());
  *begun = true;
  const absl::Time now = absl::FromUnixMillis(now_ms_());
  const std::chrono::steady_clock::time_point steady_now = steady_now_();
  const absl::Duration set_by = clocks_.SetSince(now, steady_now);
  SLIPSTREAM_RETURN_IF_ERROR(
      transaction_.SetNow(absl::ToUnixMillis(now), absl::ToInt64Milliseconds(set_by)));
  SLIPSTREAM_RETURN_IF_ERROR(body(transaction_));
  const absl::Status committed = CommitToWatchedFiles();
  if (committed.ok()) clocks_.SetBy(now, steady_now);
  return committed;
}

// From the commit on it throws nothing.
absl::Status SqliteDatabase::CommitToWatchedFiles() {
  SLIPSTREAM_RETURN_IF_ERROR(files_.Check());
  SLIPSTREAM_RETURN_IF_ERROR(Commit());
  return files_.Check();
}

absl::Status SqliteDatabase::Commit() {
  const auto begin = std::chrono::steady_clock::now();
  SLIPSTREAM_RETURN_IF_ERROR(transaction_.Flush());
  SLIPSTREAM_RETURN_IF_ERROR(CheckRoom());
  const absl::Status committed = transaction_.Commit();
  if (writer_->failure() == SQLITE_FULL) return FullDisk();
  SLIPSTREAM_RETURN_IF_ERROR(committed);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  commit_seconds_.Observe(took.count());
  if (HasWritten()) next_room_ = {};
  return absl::OkStatus();
}

// The statement for the size takes longer than many a change: SQLite compiles it anew each time.
absl::Status SqliteDatabase::CheckRoom() {
  const int64_t rows = sqlite3_total_changes64(writer_->database()) - total_changes_;
  if (!transaction_.adds() && rows <= kFewRows && !growth_room_.is_short()) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t size, free_pages_.FileSize());
  return growth_room_.Take(size, transaction_.only_deletes()) ? absl::OkStatus() : FullDisk();
}

absl::Status SqliteDatabase::FullDisk() {
  return writer_->Fail(SQLITE_FULL,
                       "the disk is full; make room on it, or delete studies or source tasks");
}

bool SqliteDatabase::HasWritten() const {
  return sqlite3_total_changes64(writer_->database()) != total_changes_;
}

// A change that a rule refuses, or that is none, tells nothing of the disk.
void SqliteDatabase::NoteEnd(const absl::Status& status, int failure) {
  const bool has_written = HasWritten();
  total_changes_ = sqlite3_total_changes64(writer_->database());
  if (failure == SQLITE_OK && !(status.ok() && has_written)) return;
  const bool is_full = failure == SQLITE_OK && HasNoRoom();
  const std::lock_guard lock(refusal_mutex_);
  if (failure == SQLITE_OK && !refusal_.ok()) {
    // What could not be erased for want of room now may be.
    transactions_until_purge_ = 0;
    if (is_full) return;
  }
  refusal_ = IsRefusalOfDisk(failure) ? status : absl::OkStatus();
}

// A change that needs no more room is taken although the next that does will be refused.
bool SqliteDatabase::HasNoRoom() {
  if (!growth_room_.is_short()) return false;
  const absl::StatusOr<bool> has_free_pages = free_pages_.Some();
  return has_free_pages.ok() && !*has_free_pages;
}

DatabaseFigures SqliteDatabase::Figures() {
  DatabaseFigures figures;
  // Where nobody writes, nothing else would find out.
  if (const absl::Status places = files_.CheckPlaces(); !places.ok()) Halt(places);
  figures.halted = halted_;
  if (figures.halted) {
    figures.refusal = std::string(Halted().message());
  } else {
    const std::lock_guard lock(refusal_mutex_);
    figures.refusal = std::string(refusal_.message());
  }
  figures.commit_seconds = commit_seconds_.Figures();
  figures.sync_seconds = sync_times_->Seconds();
  figures.failed_commits = failed_commits_;
  figures.file_bytes = SizeOf(writer_->path());
  figures.log_bytes = SizeOf(writer_->path() + "-wal");
  figures.free_bytes = FreeBytesBeside(writer_->path());
  return figures;
}

void SqliteDatabase::Purge() {
  const TransactionEnd end =
      TransactInRoom([this](RowTransaction&) { return transaction_.Purge(); });
  transactions_until_purge_ =
      end.status.ok() ? kTransactionsPerPurge : kTransactionsAfterFailedPurge;
  transactions_until_look_ = 0;
}

bool SqliteDatabase::GiveBackPages() {
  if (transactions_until_look_ > 0) return false;
  const absl::StatusOr<bool> too_many = free_pages_.TooMany();
  if (too_many.ok() && *too_many) {
    const TransactionEnd end =
        TransactInRoom([this](RowTransaction&) { return free_pages_.GiveBackSome(); });
    const absl::StatusOr<int64_t> size = free_pages_.FileSize();
    if (size.ok()) files_.NoteShorter(*size);
    if (end.status.ok()) return is_to_shorten_ = true;
  }
  transactions_until_look_ = kTransactionsPerLook;
  return false;
}

absl::Status SqliteDatabase::Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) {
  const absl::Time now = absl::FromUnixMillis(now_ms_());
  // By the clock as it was at the latest commit: whatever has the file's times has them of it.
  const absl::Time unset_now = now - clocks_.SetSince(now, steady_now_());
  absl::Status status = readers_->InSnapshot([&](Connection& reader) {
    reader.TakeFailure();  // An earlier read may have left one.
    SqliteSnapshot rows(&reader, absl::ToUnixMillis(unset_now), retention_ms_, &horizon_);
    const absl::Status end = body(rows);
    return ForReaders(end, reader.TakeFailure());
  });
  // What is written to a damaged file may be lost with it.
  if (absl::IsDataLoss(status)) Halt(status);
  return status;
}

bool SqliteDatabase::OnIdle() {
  if (halted_) return false;
  bool is_more = true;
  if (!transaction_.purge_pending()) {
    is_more = GiveBackPages();
  } else if (transactions_until_purge_ > kTransactionsPerPurge) {
    return false;
  } else {
    Purge();
  }
  // Nobody else may write for long, and the log would grow by all that was deleted.
  MoveLog();
  // Only a checkpoint gives pages back to the file system, and the next may be far.
  if (!is_more && !halted_ && std::exchange(is_to_shorten_, false)) {
    const absl::Status moved = checkpointer_->StartOver();
    if (!moved.ok()) Halt(moved);
  }
  return is_more;
}

// The canonical path, so that every process locks the same file.
std::string ResolvedPath(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : resolved.string();
}

absl::Status CheckFolder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct stat found;
  if (stat(folder.empty() ? "." : folder.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return absl::OkStatus();
    return absl::NotFoundError(
        absl::StrCat(folder, ", to hold the store ", path, ", is not a folder"));
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckReachable(path));
  return absl::NotFoundError(absl::StrCat("the folder of the store ", path, " does not exist"));
}

// SQLite's figures of its memory, which nobody reads, take two locks for each of some twenty
// allocations of a change. There is only a choice before SQLite is first used.
void CountNoMemory() {
  static const int result = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)result;
}

absl::Status NoStore(const std::string& path) {
  return absl::NotFoundError(absl::StrCat("there is no store at ", path));
}

absl::Status CheckOptions(const SqliteStoreOptions& options) {
  if (options.path.empty()) return InvalidField("path", "\"\"", "the path of a file");
  SLIPSTREAM_RETURN_IF_ERROR(CheckStoreOptions(options, kMaxTrialNumber));
  SLIPSTREAM_RETURN_IF_ERROR(CheckOptionRange("readers", options.readers, 1, 1024));
  SLIPSTREAM_RETURN_IF_ERROR(
      CheckOptionRange("writer_cache_kib", options.writer_cache_kib, 64, 64 << 20));
  return CheckOptionRange("reader_cache_kib", options.reader_cache_kib, 64, 64 << 20);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> OpenSqliteDatabase(SqliteStoreOptions options) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckOptions(options));
  CountNoMemory();
  SLIPSTREAM_RETURN_IF_ERROR(CheckFolder(options.path));
  SLIPSTREAM_RETURN_IF_ERROR(CheckReachable(options.path));
  options.path = ResolvedPath(options.path);
  if (!options.create && !FileExists(options.path) && !FileExists(options.path + "-wal")) {
    return NoStore(options.path);
  }
  // First where there is no lock file, so that none appears under the server that had one.
  DatabaseLock database_lock;
  if (!FileExists(options.path + ".lock")) {
    SLIPSTREAM_ASSIGN_OR_RETURN(database_lock, DatabaseLock::Acquire(options.path));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(FileLock lock, FileLock::Acquire(options.path, options.holder));
  if (!database_lock.is_held()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(database_lock, DatabaseLock::Acquire(options.path));
  }
  auto sync_times = std::make_unique<SyncTimes>(options.vfs);
  auto gathered_log = std::make_unique<GatheredLog>(sync_times->vfs());
  auto checksums = std::make_unique<ChecksumVfs>(gathered_log->vfs());
  options.vfs = checksums->name();
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool exists, InspectHeader(options.path, options.vfs));
  if (!exists && !options.create) return NoStore(options.path);
  SLIPSTREAM_RETURN_IF_ERROR(CheckHasOneName(options.path));
  if (exists) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::string pieces, CheckLog(options.path, options.vfs));
    SLIPSTREAM_RETURN_IF_ERROR(CheckLogBelongs(options.path, options.vfs));
    if (!pieces.empty()) options.on_warning(pieces);
    SLIPSTREAM_RETURN_IF_ERROR(InspectContent(
        options.path, options.vfs, static_cast<int64_t>(SchemaSteps().size()), kCheckLimit));
  }
  if (!exists) MakeForOwnerOfFolder(options.path);
  MakePrivateFile(options.path);
  if (!database_lock.is_held()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(database_lock, DatabaseLock::Acquire(options.path));
  }
  SqliteDatabase::Parts parts{std::move(lock),         std::move(database_lock),
                              std::move(sync_times),   std::move(gathered_log),
                              std::move(checksums),    nullptr,
                              nullptr,                 {}};
  SLIPSTREAM_ASSIGN_OR_RETURN(parts.writer, OpenWriter(options));
  SLIPSTREAM_ASSIGN_OR_RETURN(parts.checkpoints, OpenCheckpointConnection(options));
  for (int i = 0; i < options.readers; ++i) {
    SLIPSTREAM_ASSIGN_OR_RETURN(parts.readers.emplace_back(), OpenReader(options));
  }
  TakeRoomForLog(options.path);
  SLIPSTREAM_ASSIGN_OR_RETURN(FileWatch files, FileWatch::Begin(options.path));
  // A process that was killed may have left that to do to its log.
  FreePages pages(parts.writer.get());
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t size, pages.FileSize());
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t page_size, pages.PageSize());
  files.NoteShorter(size);
  return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(
      options, std::move(parts), std::move(files), size, page_size));
}

}  // namespace slipstream::sqlite
