// The two services for a file that may be in use by another process.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status.h"
#include "server/store/sqlite/file_check.h"
#include "server/store/sqlite/raw_file.h"
#include "server/store/sqlite/schema.h"
#include "server/store/sqlite/sqlite_store.h"

namespace slipstream::sqlite {
namespace {

absl::StatusOr<std::unique_ptr<Connection>> OpenStoreForReading(const std::string& path) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool exists, InspectHeader(path, ""));
  if (!exists) return absl::NotFoundError(absl::StrCat("there is no store at ", path));
  SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, OpenForReading(path, ""));
  Query query(*connection, "PRAGMA user_version");
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  const auto newest = static_cast<int64_t>(SchemaSteps().size());
  SLIPSTREAM_RETURN_IF_ERROR(CheckSchemaVersion(query.Integer(0), newest, path));
  return connection;
}

absl::Status AlreadyExists(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat("there is something at ", path, " already"));
}

absl::Status SystemFailure(const std::string& path, int error) {
  const std::string text = absl::StrCat(path, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(text);
    case EEXIST:
      return AlreadyExists(path);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(text);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
      return absl::ResourceExhaustedError(text);
    default:
      return absl::InternalError(text);
  }
}

// A file beside the destination that goes away unless it is published.
class UnfinishedFile {
 public:
  static absl::StatusOr<UnfinishedFile> Create(const std::string& destination) {
    std::string path = absl::StrCat(destination, ".unfinished-XXXXXX");
    const int descriptor = mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) return SystemFailure(destination, errno);
    fchmod(descriptor, 0644);
    close(descriptor);
    return UnfinishedFile(path);
  }
  UnfinishedFile(UnfinishedFile&& other) noexcept { path_.swap(other.path_); }
  ~UnfinishedFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }

  const std::string& path() const { return path_; }

  // Gives the whole file its name at once, unless the name is taken.
  absl::Status Publish(const std::string& destination) {
    if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, destination.c_str(), RENAME_NOREPLACE) != 0) {
      return SystemFailure(destination, errno);
    }
    path_.clear();
    return SyncFolderOf(destination);
  }

 private:
  explicit UnfinishedFile(std::string path) : path_(std::move(path)) {}

  static absl::Status SyncFolderOf(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const int descriptor =
        open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return SystemFailure(path, errno);
    const int error = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    return error == 0 ? absl::OkStatus() : SystemFailure(path, error);
  }

  std::string path_;
};

// In one step, so that one snapshot is copied however much is written
// meanwhile.
absl::Status CopyAllPages(Connection& source, Connection& target) {
  sqlite3_backup* copy = sqlite3_backup_init(target.database(), "main", source.database(), "main");
  if (copy == nullptr) return target.Fail(sqlite3_extended_errcode(target.database()));
  const int step = sqlite3_backup_step(copy, -1);
  const int finish = sqlite3_backup_finish(copy);
  if (step != SQLITE_DONE) return target.Fail(step);
  return finish == SQLITE_OK ? absl::OkStatus() : target.Fail(finish);
}

absl::Status CopyInto(Connection& source, const std::string& path) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> target,
                              Connection::Open(path, SQLITE_OPEN_READWRITE, ""));
  SLIPSTREAM_RETURN_IF_ERROR(target->Execute("PRAGMA synchronous = FULL"));
  return CopyAllPages(source, *target);
}

absl::Status CheckFile(const std::string& path) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                              OpenStoreForReading(path));
  Query query(*connection, "PRAGMA integrity_check(10)");
  std::vector<std::string> complaints;
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool more, query.Next());
    if (!more) break;
    complaints.push_back(query.Bytes(0));
  }
  if (complaints.size() == 1 && complaints[0] == "ok") return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("the store ", path, " is damaged: ", absl::StrJoin(complaints, "; ")));
}

absl::Status BackUpFile(const std::string& path, const std::string& destination) {
  if (FileExists(destination)) return AlreadyExists(destination);
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> source, OpenStoreForReading(path));
  SLIPSTREAM_ASSIGN_OR_RETURN(UnfinishedFile unfinished, UnfinishedFile::Create(destination));
  SLIPSTREAM_RETURN_IF_ERROR(CopyInto(*source, unfinished.path()));
  return unfinished.Publish(destination);
}

}  // namespace
}  // namespace slipstream::sqlite

namespace slipstream {

absl::Status CheckSqliteFile(const std::string& path) { return sqlite::CheckFile(path); }

absl::Status BackUpSqliteFile(const std::string& path, const std::string& destination) {
  return sqlite::BackUpFile(path, destination);
}

}  // namespace slipstream
