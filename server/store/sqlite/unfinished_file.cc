#include "server/store/sqlite/unfinished_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

constexpr char kMark[] = ".unfinished-";
constexpr char kLettersAfterMark[] = "XXXXXX";
constexpr char kLockSuffix[] = ".lock";
// What SQLite makes beside a file that it writes, and the lock, which goes last.
constexpr const char* kSuffixes[] = {"", "-journal", "-wal", "-shm", kLockSuffix};

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

absl::Status SyncFolderOf(const std::string& path) {
  const int descriptor = open(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return FileFailure(path, errno);
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return error == 0 ? absl::OkStatus() : FileFailure(path, error);
}

// The unfinished file to which a file of this name belongs; empty if it belongs to none.
std::string UnfinishedNameIn(const std::string& name) {
  const size_t mark = name.rfind(kMark);
  if (mark == std::string::npos) return {};
  const size_t begin = mark + std::strlen(kMark);
  const size_t end = begin + std::strlen(kLettersAfterMark);
  if (name.size() < end) return {};
  const std::string letters = name.substr(begin, end - begin);
  const bool is_ours = std::all_of(letters.begin(), letters.end(), absl::ascii_isalnum) &&
                       std::find(std::begin(kSuffixes), std::end(kSuffixes), name.substr(end)) !=
                           std::end(kSuffixes);
  return is_ours ? name.substr(0, end) : std::string();
}

std::set<std::string> UnfinishedFilesIn(const std::string& folder) {
  std::set<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = UnfinishedNameIn(entry->path().filename().string());
    if (!name.empty()) found.insert((entry->path().parent_path() / name).string());
  }
  return found;
}

void RemoveAll(const std::string& path) {
  for (const char* suffix : kSuffixes) unlink(absl::StrCat(path, suffix).c_str());
}

// The name of a lock file that nobody had before, without its suffix.
absl::StatusOr<std::string> NewName(const std::string& destination) {
  std::string lock = absl::StrCat(destination, kMark, kLettersAfterMark, kLockSuffix);
  const int suffix_size = static_cast<int>(std::strlen(kLockSuffix));
  const int descriptor = mkostemps(lock.data(), suffix_size, O_CLOEXEC);
  if (descriptor < 0) return FileFailure(destination, errno);
  close(descriptor);
  return lock.substr(0, lock.size() - std::strlen(kLockSuffix));
}

}  // namespace

absl::Status FileFailure(const std::string& path, int error) {
  const std::string text = absl::StrCat(path, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(text);
    case EEXIST:
      return absl::AlreadyExistsError(absl::StrCat(path, " exists already"));
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

absl::StatusOr<UnfinishedFile> UnfinishedFile::Create(const std::string& destination) {
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::string path, NewName(destination));
    absl::StatusOr<FileLock> lock = FileLock::Acquire(path, "a copy");
    // Another process may have taken the new lock file for an abandoned one.
    if (absl::IsFailedPrecondition(lock.status())) continue;
    if (!lock.ok()) {
      RemoveAll(path);
      return lock.status();
    }
    if (!lock->HasItsName(path)) continue;
    UnfinishedFile file(path, *std::move(lock));
    const int descriptor = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (descriptor < 0) return FileFailure(destination, errno);
    close(descriptor);
    return file;
  }
}

UnfinishedFile::UnfinishedFile(std::string path, FileLock lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

UnfinishedFile::~UnfinishedFile() {
  if (!path_.empty()) RemoveAll(path_);
}

absl::Status UnfinishedFile::Publish(const std::string& destination) {
  if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, destination.c_str(), RENAME_NOREPLACE) != 0) {
    return FileFailure(destination, errno);
  }
  RemoveAll(std::exchange(path_, {}));
  return SyncFolderOf(destination);
}

void RemoveAbandonedFiles(const std::string& destination) {
  for (const std::string& path : UnfinishedFilesIn(FolderOf(destination))) {
    const absl::StatusOr<FileLock> lock = FileLock::Acquire(path, "the removal of a copy");
    if (lock.ok() && lock->HasItsName(path)) RemoveAll(path);
  }
}

}  // namespace slipstream::sqlite
