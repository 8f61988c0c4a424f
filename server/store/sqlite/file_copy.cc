// The services for files of stores that are not opened to be served.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status.h"
#include "server/store/sqlite/checksum_vfs.h"
#include "server/store/sqlite/file_check.h"
#include "server/store/sqlite/file_lock.h"
#include "server/store/sqlite/file_mark.h"
#include "server/store/sqlite/file_owner.h"
#include "server/store/sqlite/log_check.h"
#include "server/store/sqlite/raw_file.h"
#include "server/store/sqlite/result_code.h"
#include "server/store/sqlite/schema.h"
#include "server/store/sqlite/sqlite_store.h"
#include "server/store/sqlite/sqlite_transaction.h"
#include "server/store/sqlite/unfinished_file.h"

namespace slipstream::sqlite {
namespace {

// A store that is read, perhaps while a process writes to it.
struct StoreForReading {
  std::unique_ptr<ChecksumVfs> vfs;
  std::unique_ptr<Connection> connection;
};

// A reader does not report pieces at the log's end.
absl::Status CheckLogIsWhole(const std::string& path, const std::string& vfs) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string pieces, CheckLog(path, vfs));
  if (!pieces.empty()) return absl::DataLossError(pieces);
  return CheckLogBelongs(path, vfs);
}

absl::StatusOr<StoreForReading> OpenStoreForReading(const std::string& path) {
  StoreForReading store{std::make_unique<ChecksumVfs>(""), nullptr};
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool exists, InspectHeader(path, store.vfs->name()));
  if (!exists) return absl::NotFoundError(absl::StrCat("there is no store at ", path));
  // The process that has it open has checked its log.
  if (!IsLocked(path)) {
    const absl::Status whole = CheckLogIsWhole(path, store.vfs->name());
    if (!whole.ok() && !IsLocked(path)) return whole;
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(store.connection, OpenForReading(path, store.vfs->name()));
  Query query(*store.connection, "PRAGMA user_version");
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  const auto newest = static_cast<int64_t>(SchemaSteps().size());
  SLIPSTREAM_RETURN_IF_ERROR(CheckSchemaVersion(query.Integer(0), newest, path));
  return store;
}

absl::Status SyncFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return FileFailure(path, errno);
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return error == 0 ? absl::OkStatus() : FileFailure(path, error);
}

// The copy has the mark of the store, which may be in use.
absl::Status MarkAsBackup(const std::string& path, const std::string& vfs) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> copy,
                              Connection::Open(path, SQLITE_OPEN_READWRITE, vfs));
  return WriteMark(*copy, FileMark::kBackup);
}

// One snapshot is copied however much is written meanwhile. What has been deleted is not
// copied.
absl::Status CopyInto(const StoreForReading& store, const std::string& path,
                      const std::stop_token& stop) {
  constexpr int kInstructionsBetweenLooks = 1000;
  Connection& source = *store.connection;
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool has_checksums, FileHasChecksums(source));
  store.vfs->ExpectChecksums(has_checksums);
  SLIPSTREAM_RETURN_IF_ERROR(source.Execute("PRAGMA query_only = OFF"));
  const auto is_to_stop = [](void* token) {
    return static_cast<std::stop_token*>(token)->stop_requested() ? 1 : 0;
  };
  std::stop_token looked_at = stop;
  sqlite3_progress_handler(source.database(), kInstructionsBetweenLooks, is_to_stop, &looked_at);
  const absl::Status copied = Query(source, "VACUUM INTO ?").BindText(path).Run();
  sqlite3_progress_handler(source.database(), 0, nullptr, nullptr);
  if (stop.stop_requested()) return absl::CancelledError("the server is shutting down");
  SLIPSTREAM_RETURN_IF_ERROR(copied);
  SLIPSTREAM_RETURN_IF_ERROR(MarkAsBackup(path, store.vfs->name()));
  return SyncFile(path);
}

absl::Status CheckSourceTasks(Connection& connection, const SourceTaskCheck& check) {
  constexpr int kAtOnce = 100;
  Snapshot snapshot(connection);
  SLIPSTREAM_RETURN_IF_ERROR(snapshot.Begin());
  SqliteSnapshot rows(&connection, /*now_ms=*/0, /*retention_ms=*/1);
  std::vector<SourceTaskRecord> tasks;
  int64_t after_key = 0;
  do {
    SLIPSTREAM_ASSIGN_OR_RETURN(tasks, rows.ListSourceTasks({after_key, kAtOnce}));
    for (const SourceTaskRecord& listed : tasks) {
      SLIPSTREAM_ASSIGN_OR_RETURN(const auto task, rows.FindSourceTask(listed.id));
      SLIPSTREAM_ASSIGN_OR_RETURN(const auto chunks, rows.ListSourceChunks(listed.key));
      SLIPSTREAM_RETURN_IF_ERROR(check(task.value_or(listed), chunks));
      after_key = listed.key;
    }
  } while (!tasks.empty());
  return absl::OkStatus();
}

// What SQLite finds wrong; nothing if all is sound. DATA_LOSS if it gives up at a damaged page.
absl::StatusOr<std::vector<std::string>> Complaints(Connection& connection) {
  Query query(connection, "PRAGMA integrity_check(10)");
  std::vector<std::string> complaints;
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool more, query.Next());
    if (!more) break;
    complaints.push_back(query.Bytes(0));
  }
  if (complaints.size() == 1 && complaints[0] == "ok") complaints.clear();
  return complaints;
}

// The tables of which a page has another checksum than it was written with, each with the first
// such page that a look at the table, and at its indexes, meets.
absl::StatusOr<std::vector<std::string>> DamagedTables(Connection& connection) {
  Query names(connection, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<std::string> tables,
                              names.All([](const Query& row) { return row.Bytes(0); }));
  std::vector<std::string> damaged;
  for (const std::string& table : tables) {
    const absl::Status status =
        connection.Execute(absl::StrCat("PRAGMA integrity_check('", table, "')"));
    if (status.ok()) continue;
    if (!absl::IsDataLoss(status)) return status;
    damaged.push_back(absl::StrCat("page ", DamagedPage(connection), " of the table ", table,
                                   " does not match its checksum"));
  }
  return damaged;
}

absl::Status FindDamage(const std::string& path, const SourceTaskCheck& check_source) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const StoreForReading store, OpenStoreForReading(path));
  absl::StatusOr<std::vector<std::string>> found = Complaints(*store.connection);
  if (absl::IsDataLoss(found.status())) {
    absl::StatusOr<std::vector<std::string>> tables = DamagedTables(*store.connection);
    if (!tables.ok() || tables->empty()) return found.status();
    found = std::move(tables);
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<std::string> complaints, std::move(found));
  if (complaints.empty()) {
    return check_source ? CheckSourceTasks(*store.connection, check_source) : absl::OkStatus();
  }
  return DamageOf(path, absl::StrJoin(complaints, "; "));
}

// A server that has the file open goes on reading what is sound, and may not start again.
absl::Status CheckFile(const std::string& path, const SourceTaskCheck& check_source) {
  const absl::Status status = FindDamage(path, check_source);
  const std::optional<std::string> damage = DamageIn(status);
  if (!damage.has_value()) return status;
  return absl::DataLossError(absl::StrCat(
      "the store ", path, " is damaged: ", *damage,
      "; if a server still has it open, first save the studies that can be read, with slipstream "
      "study export; then stop the server, move ",
      path, " and all files whose names begin with that to another folder, restore the newest "
      "sound backup with --restore-from, and import what was saved"));
}

// SQLite's error names the store, which has room.
absl::Status FailedCopy(const absl::Status& status, const std::string& path,
                        const std::string& destination) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::ResourceExhaustedError(
      absl::StrCat("no room for ", destination, ", a copy of ", path, ": ", status.message()));
}

absl::Status BackUpFile(const std::string& path, const std::string& destination,
                        const std::stop_token& stop) {
  if (FileExists(destination)) return FileFailure(destination, EEXIST);
  SLIPSTREAM_ASSIGN_OR_RETURN(const StoreForReading source, OpenStoreForReading(path));
  RemoveAbandonedFiles(destination);
  SLIPSTREAM_ASSIGN_OR_RETURN(UnfinishedFile unfinished, UnfinishedFile::Create(destination));
  const absl::Status copied = CopyInto(source, unfinished.path(), stop);
  if (!copied.ok()) return FailedCopy(copied, path, destination);
  SLIPSTREAM_RETURN_IF_ERROR(FindDamage(unfinished.path(), {}));
  return unfinished.Publish(destination);
}

// Reads all of a backup that turned out to be damaged, to tell where.
absl::Status UnusableBackup(const std::string& backup, const absl::Status& status) {
  if (absl::IsNotFound(status)) {
    return absl::NotFoundError(absl::StrCat("there is no backup at ", backup));
  }
  std::optional<std::string> damage = DamageIn(FindDamage(backup, {}));
  if (!damage.has_value()) damage = DamageIn(status);
  if (damage.has_value()) {
    return absl::DataLossError(absl::StrCat(
        "the backup ", backup, " is damaged: ", *damage,
        "; restore another backup, which slipstream_server --check --data BACKUP.db can check"));
  }
  return absl::Status(status.code(),
                      absl::StrCat("not a backup to restore: ", status.message()));
}

// A log of an earlier store would be taken for one of the backup.
absl::Status RestoreFile(const std::string& backup, const std::string& path) {
  // A mistake in the backup's name leaves no trace.
  const absl::Status usable = OpenStoreForReading(backup).status();
  if (!usable.ok()) return UnusableBackup(backup, usable);
  SLIPSTREAM_ASSIGN_OR_RETURN(const FileLock lock, FileLock::Acquire(path, "a restore"));
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    if (FileExists(path + suffix)) {
      return absl::AlreadyExistsError(
          absl::StrCat(path, suffix,
                       " of an earlier store exists; move all files of that store to another "
                       "folder, from which they can be put back, then restore again"));
    }
  }
  const absl::Status copied = BackUpFile(backup, path, /*stop=*/{});
  if (absl::IsDataLoss(copied)) return UnusableBackup(backup, copied);
  SLIPSTREAM_RETURN_IF_ERROR(copied);
  GiveToOwnerOfFolder(path);
  return absl::OkStatus();
}

}  // namespace
}  // namespace slipstream::sqlite

namespace slipstream {

absl::Status CheckSqliteFile(const std::string& path, const SourceTaskCheck& check_source) {
  return sqlite::CheckFile(path, check_source);
}

absl::Status BackUpSqliteFile(const std::string& path, const std::string& destination,
                              const std::stop_token& stop) {
  return sqlite::BackUpFile(path, destination, stop);
}

absl::Status RestoreSqliteFile(const std::string& backup, const std::string& path) {
  return sqlite::RestoreFile(backup, path);
}

}  // namespace slipstream
