#include "server/store/sqlite/file_check.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "server/store/sqlite/checksum_vfs.h"
#include "server/store/sqlite/file_format.h"
#include "server/store/sqlite/file_lock.h"
#include "server/store/sqlite/raw_file.h"
#include "server/store/sqlite/read_deadline.h"
#include "server/store/sqlite/result_code.h"
#include "server/store/sqlite/schema.h"

namespace slipstream::sqlite {
namespace {

constexpr char kMagic[] = "SQLite format 3";  // Including the zero at its end.

// The size of a file beside the database, 0 if it does not exist.
int64_t SizeOfFile(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 ? static_cast<int64_t>(found.st_size) : 0;
}

std::string LogPath(const std::string& path) { return path + "-wal"; }

struct FileShape {
  int64_t page_size = 0;
  int64_t pages_in_header = 0;  // 0: the header does not say.
  int64_t whole_pages = 0;      // Whole pages in the file.
};

absl::StatusOr<FileShape> ShapeOf(const std::string& path, const std::string& header,
                                  int64_t file_size) {
  const uint32_t stored = BigEndian32(header, 16) >> 16;
  FileShape shape;
  shape.page_size = stored == 1 ? 65536 : stored;
  if (shape.page_size < 512 || !std::has_single_bit(static_cast<uint64_t>(shape.page_size))) {
    return DamageOf(path, absl::StrCat("its header gives a page size of ", shape.page_size));
  }
  // The count is valid if the change counter is the one that it was written with.
  if (BigEndian32(header, 24) == BigEndian32(header, 92)) {
    shape.pages_in_header = BigEndian32(header, 28);
  }
  shape.whole_pages = file_size / shape.page_size;
  return shape;
}

// The pages after the end of the file that the write-ahead log has.
absl::StatusOr<std::set<int64_t>> PagesInLog(const std::string& path, const std::string& vfs,
                                             const FileShape& shape) {
  std::set<int64_t> pages;
  SLIPSTREAM_ASSIGN_OR_RETURN(const RawFile log, RawFile::OpenLog(path, vfs));
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t size, log.Size());
  if (size < kLogHeaderBytes) return pages;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string log_header, log.Read(0, kLogHeaderBytes));
  const int64_t frame_size = kFrameHeaderBytes + shape.page_size;
  for (int64_t at = kLogHeaderBytes; at + frame_size <= size; at += frame_size) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::string frame, log.Read(at, kFrameHeaderBytes));
    // Frames with other salts are left from before the log was last restarted.
    if (frame.compare(8, 8, log_header, 16, 8) != 0) break;
    const int64_t page = BigEndian32(frame, 0);
    if (page > shape.whole_pages) pages.insert(page);
  }
  return pages;
}

// An interrupted checkpoint may leave a file that is shorter than its header
// says; then the log still has the rest.
absl::Status CheckLength(const std::string& path, const std::string& vfs, const FileShape& shape) {
  if (shape.pages_in_header <= shape.whole_pages) return absl::OkStatus();
  std::set<int64_t> in_log;
  if (SizeOfFile(LogPath(path)) > 0) {
    SLIPSTREAM_ASSIGN_OR_RETURN(in_log, PagesInLog(path, vfs, shape));
  }
  for (int64_t page = shape.whole_pages + 1; page <= shape.pages_in_header; ++page) {
    if (in_log.count(page) == 0) {
      return DamageOf(path, absl::StrCat("it is truncated after page ", shape.whole_pages, " of ",
                                        shape.pages_in_header));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> InspectEmpty(const std::string& path) {
  if (SizeOfFile(LogPath(path)) == 0) return false;
  return DamageOf(path, "it is empty, but its write-ahead log is not");
}

// Whether there is a rollback journal: the program ended while it created the
// first tables, and the file may hold anything until SQLite has rolled it back.
bool HasJournal(const std::string& path) { return SizeOfFile(path + "-journal") > 0; }

absl::Status CheckHeader(const std::string& path, const std::string& header, int64_t file_size) {
  if (std::memcmp(header.data(), kMagic, sizeof(kMagic)) != 0) {
    return DamageOf(path, "it does not begin as a SQLite file does");
  }
  if (file_size < kFileHeaderBytes) return DamageOf(path, "it is truncated within its header");
  const uint32_t application_id = BigEndian32(header, 68);
  if (application_id != kStoreApplicationId) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is a database of another program (application id ", application_id,
                     "), not a store"));
  }
  const uint32_t version = BigEndian32(header, 60);
  if (version >= kFirstVersionInForm && !HeaderHasChecksums(header)) {
    return DamageOf(path, "its header does not declare the checksums of its pages");
  }
  return absl::OkStatus();
}

absl::Status CheckRegular(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path, " is not a regular file"));
}

// What SQLite found, without the headings that it puts above: "*** in database main ***".
std::string PlainFinding(absl::string_view found) {
  std::vector<absl::string_view> lines;
  for (const absl::string_view line : absl::StrSplit(found, '\n', absl::SkipWhitespace())) {
    if (!absl::StartsWith(line, "***")) lines.push_back(line);
  }
  return absl::StrJoin(lines, "; ");
}

// A complaint after the deadline may be caused by the deadline alone.
absl::Status QuickCheck(Connection& connection, const std::string& path, absl::Duration limit) {
  const ReadDeadline deadline(&connection, limit);
  Query query(connection, "PRAGMA quick_check(1)");
  const absl::Status status = query.Run();
  if (deadline.exceeded()) return absl::OkStatus();
  SLIPSTREAM_RETURN_IF_ERROR(status);
  return query.Bytes(0) == "ok" ? absl::OkStatus() : DamageOf(path, PlainFinding(query.Bytes(0)));
}

// Escapes the three characters that have a special meaning in a URI.
std::string EscapedForUri(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      absl::StrAppend(&escaped, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// A file that nobody writes to, and that has no log.
absl::StatusOr<std::unique_ptr<Connection>> OpenImmutable(const std::string& path,
                                                          const std::string& vfs) {
  return Connection::Open(absl::StrCat("file:", EscapedForUri(path), "?immutable=1"),
                          SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs);
}

bool IsOnReadOnlyDisk(const std::string& path) {
  struct statvfs disk;
  return statvfs(path.c_str(), &disk) == 0 && (disk.f_flag & ST_RDONLY) != 0;
}

// SQLite reads a log there only if its shared memory has been left beside it.
absl::StatusOr<std::unique_ptr<Connection>> OpenOnReadOnlyDisk(const std::string& path,
                                                               const std::string& vfs,
                                                               bool has_log) {
  if (!has_log) return OpenImmutable(path, vfs);
  if (FileExists(path + "-shm")) return Connection::Open(path, SQLITE_OPEN_READONLY, vfs);
  return absl::PermissionDeniedError(
      absl::StrCat("the store ", path,
                   " is on a read-only disk and has a write-ahead log, but not its index; copy ",
                   path, ", ", path, "-wal and ", path, "-shm together to another folder first"));
}

// Without a log and without other users of the file, SQLite need not even create
// its shared-memory file.
absl::StatusOr<std::unique_ptr<Connection>> OpenForInspection(const std::string& path,
                                                              const std::string& vfs) {
  if (SizeOfFile(LogPath(path)) > 0 || HasJournal(path)) return OpenForReading(path, vfs);
  return OpenImmutable(path, vfs);
}

}  // namespace

absl::Status CheckReachable(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) == 0 || errno != EACCES) return absl::OkStatus();
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return absl::PermissionDeniedError(
      absl::StrCat("the store ", path, " cannot be reached, as this user may not enter ", folder,
                   " or a folder above it"));
}

absl::StatusOr<bool> InspectHeader(const std::string& path, const std::string& vfs) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckReachable(path));
  SLIPSTREAM_RETURN_IF_ERROR(CheckRegular(path));
  if (!FileExists(path)) return InspectEmpty(path);
  SLIPSTREAM_ASSIGN_OR_RETURN(const RawFile file, RawFile::OpenDatabase(path, vfs));
  // The header is read first: if the file is in use, it only grows after that.
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string header, file.Read(0, kFileHeaderBytes));
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t size, file.Size());
  if (size == 0) return InspectEmpty(path);
  SLIPSTREAM_RETURN_IF_ERROR(CheckHeader(path, header, size));
  SLIPSTREAM_ASSIGN_OR_RETURN(const FileShape shape, ShapeOf(path, header, size));
  if (!HasJournal(path)) SLIPSTREAM_RETURN_IF_ERROR(CheckLength(path, vfs, shape));
  return true;
}

absl::Status CheckHasOneName(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0 || found.st_nlink <= 1) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the store ", path, " has ", found.st_nlink,
                   " names (hard links), and servers on two of them would lose changes; remove the "
                   "others, which find -samefile lists, or serve a copy"));
}

absl::Status InspectContent(const std::string& path, const std::string& vfs, int64_t newest_version,
                            absl::Duration time_limit) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                              OpenForInspection(path, vfs));
  int64_t version = 0;
  {
    Query query(*connection, "PRAGMA user_version");
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
    version = query.Integer(0);
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckSchemaVersion(version, newest_version, path));
  return QuickCheck(*connection, path, time_limit);
}

absl::StatusOr<std::unique_ptr<Connection>> OpenForReading(const std::string& path,
                                                           const std::string& vfs) {
  const bool has_log = SizeOfFile(LogPath(path)) > 0;
  if (IsOnReadOnlyDisk(path)) return OpenOnReadOnlyDisk(path, vfs, has_log);
  // What a server or its kill has left there, not what reading makes.
  const bool is_theirs = FileExists(LogPath(path)) || IsLocked(path);
  // Reading a log needs shared memory beside the file, hence READWRITE.
  SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                              Connection::Open(path, SQLITE_OPEN_READWRITE, vfs));
  // The file's mark is no size for a cache.
  SLIPSTREAM_RETURN_IF_ERROR(
      connection->Execute("PRAGMA query_only = ON; PRAGMA cache_size = -2000"));
  if (is_theirs) {
    // Otherwise the last connection to close the file would move the log and delete it.
    sqlite3_db_config(connection->database(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
  return connection;
}

}  // namespace slipstream::sqlite
