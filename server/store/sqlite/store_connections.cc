#include "server/store/sqlite/store_connections.h"

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/file_mark.h"
#include "server/store/sqlite/schema.h"

namespace slipstream::sqlite {
namespace {

absl::Status UseWriteAheadLog(Connection& connection) {
  Query query(connection, "PRAGMA journal_mode = WAL");
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  if (query.Bytes(0) == "wal") return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the store ", connection.path(),
      " is on a file system without the shared memory that its write-ahead log needs; move it to "
      "a local disk"));
}

absl::StatusOr<bool> UsesWriteAheadLog(Connection& connection) {
  Query query(connection, "PRAGMA journal_mode");
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  return query.Bytes(0) == "wal";
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> OpenWriter(const SqliteStoreOptions& options) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      std::unique_ptr<Connection> writer,
      Connection::Open(options.path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, options.vfs));
  if (writer->read_only()) {
    return absl::PermissionDeniedError(
        absl::StrCat("the store ", options.path,
                     " cannot be written by this user; change its owner or its mode"));
  }
  SLIPSTREAM_RETURN_IF_ERROR(
      writer->Execute(absl::StrCat("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;"
                                   // Debian's SQLite overwrites deleted rows by default.
                                   "PRAGMA secure_delete = OFF; PRAGMA cache_size = -",
                                   options.writer_cache_kib)));
  // Until the file is marked as closed its log stays, whatever fails meanwhile.
  sqlite3_db_config(writer->database(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  // A migration is written to the log, too, if the file has one already.
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool has_log, UsesWriteAheadLog(*writer));
  // What a kill leaves behind a log's commits can then only be of one transaction (log_check.h).
  if (has_log) SLIPSTREAM_RETURN_IF_ERROR(EmptyLog(*writer));
  SLIPSTREAM_ASSIGN_OR_RETURN(const FileMark mark, MarkOf(*writer));
  if (has_log && mark != FileMark::kNone) SLIPSTREAM_RETURN_IF_ERROR(MarkInUse(*writer));
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t version, SchemaVersionOf(*writer));
  const auto newest = static_cast<int64_t>(SchemaSteps().size());
  if (version > 0 && version < newest) options.on_upgrade(version, newest);
  SLIPSTREAM_RETURN_IF_ERROR(MigrateSchema(*writer, SchemaSteps()));
  SLIPSTREAM_RETURN_IF_ERROR(UseWriteAheadLog(*writer));
  SLIPSTREAM_RETURN_IF_ERROR(MarkInUse(*writer));
  // The mark has changed it.
  SLIPSTREAM_RETURN_IF_ERROR(
      writer->Execute(absl::StrCat("PRAGMA cache_size = -", options.writer_cache_kib)));
  return writer;
}

absl::StatusOr<std::unique_ptr<Connection>> OpenReader(const SqliteStoreOptions& options) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Connection> reader,
                              Connection::Open(options.path, SQLITE_OPEN_READWRITE, options.vfs));
  SLIPSTREAM_RETURN_IF_ERROR(reader->Execute(
      absl::StrCat("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -",
                   options.reader_cache_kib)));
  return reader;
}

absl::StatusOr<std::unique_ptr<Connection>> OpenCheckpointConnection(
    const SqliteStoreOptions& options) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                              Connection::Open(options.path, SQLITE_OPEN_READWRITE, options.vfs));
  // The file's mark is no size for a cache.
  SLIPSTREAM_RETURN_IF_ERROR(
      connection->Execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -2000"));
  return connection;
}

}  // namespace slipstream::sqlite
