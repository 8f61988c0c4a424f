#include "server/store/sqlite/file_mark.h"

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/file_format.h"
#include "server/store/sqlite/log_check.h"
#include "server/store/sqlite/raw_file.h"
#include "server/store/sqlite/result_code.h"
#include "server/store/sqlite/schema.h"

namespace slipstream::sqlite {
namespace {

// Offsets in the file's header.
constexpr size_t kPageCountOffset = 28;
constexpr size_t kMarkOffset = 48;
constexpr size_t kVersionOffset = 60;

FileMark MarkIn(const std::string& first_page) {
  return static_cast<FileMark>(BigEndian32(first_page, kMarkOffset));
}

// Whether the log begins where the file ends: with a mark that a server could not move into the
// file any more, or not at once, as another process was reading it.
absl::StatusOr<bool> BeginsWithMark(const RawFile& log, const std::string& first_page) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const std::string bytes, log.Read(0, kLogHeaderBytes + kFrameHeaderBytes + kFileHeaderBytes));
  const uint32_t page = BigEndian32(bytes, kLogHeaderBytes);
  const uint32_t pages_after_commit = BigEndian32(bytes, kLogHeaderBytes + 4);
  const FileMark mark = MarkIn(bytes.substr(kLogHeaderBytes + kFrameHeaderBytes));
  return page == 1 && pages_after_commit == BigEndian32(first_page, kPageCountOffset) &&
         (mark == FileMark::kInUse || mark == MarkIn(first_page));
}

absl::Status LogIsMissing(const std::string& path) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the store ", path, " was in use when it was copied, or its write-ahead log, ", path,
      "-wal, was removed, and may lack acknowledged results: copy ", path, ", ", path, "-wal and ",
      path,
      "-shm together, or use --back-up-to; if the log is lost, or another program such as sqlite3 "
      "has moved it into the file, put an empty file in its place to open what is there"));
}

absl::Status LogBelongsToAnother(const std::string& path, FileMark mark) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the write-ahead log ", path, "-wal does not belong to ", path, ", which is ",
      mark == FileMark::kBackup ? "a backup" : "a store that was closed",
      ", and would make a mixture of two states: to open the file without the log, move ", path,
      "-wal and ", path, "-shm to another folder; to go on from where the log ends, put back the "
      "file that it belongs to"));
}

}  // namespace

absl::StatusOr<FileMark> MarkOf(Connection& connection) {
  Query query(connection, "PRAGMA default_cache_size");
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  // SQLite's own default is negative.
  return query.Integer(0) > 0 ? static_cast<FileMark>(query.Integer(0)) : FileMark::kNone;
}

absl::Status WriteMark(Connection& connection, FileMark mark) {
  return connection.Execute(
      absl::StrCat("PRAGMA default_cache_size = ", static_cast<int64_t>(mark)));
}

absl::Status EmptyLog(Connection& connection) {
  sqlite3_busy_timeout(connection.database(), 0);
  const int code = sqlite3_wal_checkpoint_v2(connection.database(), "main",
                                             SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_busy_timeout(connection.database(), Connection::kBusyMilliseconds);
  const int kind = code & 0xff;
  if (kind == SQLITE_OK || kind == SQLITE_BUSY || kind == SQLITE_FULL) return absl::OkStatus();
  return StatusOfResultCode(code, connection.path(), "its write-ahead log cannot be moved into it");
}

absl::Status MarkInUse(Connection& connection) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const FileMark mark, MarkOf(connection));
  if (mark == FileMark::kInUse) return absl::OkStatus();
  SLIPSTREAM_RETURN_IF_ERROR(WriteMark(connection, FileMark::kInUse));
  // If the log stays, it begins with the mark.
  return EmptyLog(connection);
}

absl::Status CheckLogBelongs(const std::string& path, const std::string& vfs) {
  // A journal is rolled back first, and then there is no log that could be another's.
  if (!FileExists(path) || FileExists(path + "-journal")) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const RawFile file, RawFile::OpenDatabase(path, vfs));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string header, file.Read(0, kFileHeaderBytes));
  const FileMark mark = MarkIn(header);
  if (BigEndian32(header, kVersionOffset) < kFirstVersionWithMarks || mark == FileMark::kNone) {
    return absl::OkStatus();
  }
  const bool has_log = FileExists(path + "-wal");
  if (mark == FileMark::kInUse) return has_log ? absl::OkStatus() : LogIsMissing(path);
  if (!has_log) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool has_commit, LogHasCommit(path, vfs));
  if (!has_commit) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const RawFile log, RawFile::OpenLog(path, vfs));
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool continues, BeginsWithMark(log, header));
  return continues ? absl::OkStatus() : LogBelongsToAnother(path, mark);
}

}  // namespace slipstream::sqlite
