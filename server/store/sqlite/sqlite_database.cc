#include "server/store/sqlite/sqlite_database.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/checkpointer.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/file_check.h"
#include "server/store/sqlite/file_lock.h"
#include "server/store/sqlite/reader_pool.h"
#include "server/store/sqlite/result_code.h"
#include "server/store/sqlite/schema.h"
#include "server/store/sqlite/sqlite_transaction.h"
#include "server/store/sqlite/store_connections.h"

namespace slipstream::sqlite {
namespace {

// A file in memory of up to about 250 MB is checked whole in this time.
constexpr absl::Duration kCheckLimit = absl::Milliseconds(150);

// While writes keep coming, one transaction in so many is followed by a purge.
constexpr int kTransactionsPerPurge = 16;
constexpr int kTransactionsAfterFailedPurge = 1024;

class SqliteDatabase : public Database {
 public:
  // The parts of an open file; in this order, so that the file is closed before
  // its lock is released.
  struct Parts {
    FileLock lock;
    std::unique_ptr<Connection> writer;
    std::unique_ptr<Connection> checkpoints;
    std::vector<std::unique_ptr<Connection>> readers;
  };

  SqliteDatabase(const SqliteStoreOptions& options, Parts parts)
      : lock_(std::move(parts.lock)),
        now_ms_(options.now_ms),
        retention_ms_(absl::ToInt64Milliseconds(options.retention)),
        writer_(std::move(parts.writer)),
        readers_(std::make_unique<ReaderPool>(std::move(parts.readers))),
        transaction_(writer_.get(), retention_ms_, &horizon_),
        checkpointer_(std::make_unique<Checkpointer>(writer_.get(), std::move(parts.checkpoints),
                                                     CheckpointerOptions{})) {}

  ~SqliteDatabase() override {
    readers_.reset();
    checkpointer_->Close(/*sound=*/!halted_);
  }

  TransactionEnd Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) override;
  absl::Status Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) override;
  bool OnIdle() override;

 private:
  TransactionEnd TransactOnce(absl::FunctionRef<absl::Status(RowTransaction&)> body);
  void Purge();

  // Destroyed from the last to the first.
  const FileLock lock_;
  const std::function<int64_t()> now_ms_;
  const int64_t retention_ms_;
  const std::unique_ptr<Connection> writer_;
  std::unique_ptr<ReaderPool> readers_;
  LeaseHorizon horizon_;
  SqliteTransaction transaction_;
  const std::unique_ptr<Checkpointer> checkpointer_;
  int transactions_until_purge_ = 0;
  bool halted_ = false;  // A disk failure has ended all writing.
};

TransactionEnd SqliteDatabase::Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) {
  if (halted_) {
    return {absl::UnavailableError(
        absl::StrCat("the store ", writer_->path(),
                     " takes no writes after a disk failure until it is opened again"))};
  }
  TransactionEnd end = TransactOnce(body);
  if (transactions_until_purge_ > 0) --transactions_until_purge_;
  if (!halted_ && transaction_.purge_pending() && transactions_until_purge_ == 0) Purge();
  if (!halted_) halted_ = !checkpointer_->AfterCommit();
  return end;
}

TransactionEnd SqliteDatabase::TransactOnce(absl::FunctionRef<absl::Status(RowTransaction&)> body) {
  writer_->TakeFailure();  // A checkpoint may have left one.
  absl::Status status = transaction_.Begin();
  const bool begun = status.ok();
  if (status.ok()) status = transaction_.SetNow(now_ms_());
  if (status.ok()) status = body(transaction_);
  if (status.ok()) status = transaction_.Commit();
  if (status.ok()) return {};
  if (IsDiskFailure(writer_->TakeFailure())) halted_ = true;
  if (!transaction_.RollBack().ok()) halted_ = true;
  return {std::move(status), /*rolled_back=*/begun && !halted_};
}

void SqliteDatabase::Purge() {
  const TransactionEnd end = TransactOnce([this](RowTransaction&) { return transaction_.Purge(); });
  transactions_until_purge_ =
      end.status.ok() ? kTransactionsPerPurge : kTransactionsAfterFailedPurge;
}

absl::Status SqliteDatabase::Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) {
  return readers_->InSnapshot([&](Connection& reader) {
    SqliteSnapshot rows(&reader, now_ms_(), retention_ms_, &horizon_);
    return body(rows);
  });
}

bool SqliteDatabase::OnIdle() {
  if (halted_ || !transaction_.purge_pending()) return false;
  if (transactions_until_purge_ > kTransactionsPerPurge) return false;
  Purge();
  return true;
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
        absl::StrCat(folder, ", to hold the store ", path, ", is no folder"));
  }
  if (errno == EACCES) {
    return absl::PermissionDeniedError(absl::StrCat("the store ", path, " cannot be reached"));
  }
  return absl::NotFoundError(absl::StrCat("the folder of the store ", path, " does not exist"));
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
  SLIPSTREAM_RETURN_IF_ERROR(CheckFolder(options.path));
  options.path = ResolvedPath(options.path);
  SLIPSTREAM_ASSIGN_OR_RETURN(FileLock lock, FileLock::Acquire(options.path, options.holder));
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool exists, InspectHeader(options.path, options.vfs));
  if (exists) {
    SLIPSTREAM_RETURN_IF_ERROR(InspectContent(
        options.path, options.vfs, static_cast<int64_t>(SchemaSteps().size()), kCheckLimit));
  }
  SqliteDatabase::Parts parts{std::move(lock), nullptr, nullptr, {}};
  SLIPSTREAM_ASSIGN_OR_RETURN(parts.writer, OpenWriter(options));
  SLIPSTREAM_ASSIGN_OR_RETURN(parts.checkpoints, OpenCheckpointConnection(options));
  for (int i = 0; i < options.readers; ++i) {
    SLIPSTREAM_ASSIGN_OR_RETURN(parts.readers.emplace_back(), OpenReader(options));
  }
  return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(options, std::move(parts)));
}

}  // namespace slipstream::sqlite
