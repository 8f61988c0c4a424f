#include "client/cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/status_macros.h"

namespace slipstream::cli {
namespace {

// A name beside `path` that no other file has.
std::string NameBeside(const std::string& path) {
  std::random_device random;
  return absl::StrCat(path, ".", absl::Hex(random(), absl::kZeroPad8), ".partial");
}

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // As many as Linux follows.

// The folder of /proc that the path is in, with all links followed; empty if it is elsewhere.
std::string ProcFolderOf(const fs::path& path) {
  std::error_code error;
  const std::string folder = fs::weakly_canonical(fs::absolute(path).parent_path(), error).string();
  return absl::StartsWith(folder, "/proc/") ? folder : std::string();
}

// The descriptor of this process that a path in its folder of /proc stands for; a copy of it goes
// on where the last writer ended. Another file of /proc is opened.
int OpenInProc(const fs::path& path, const std::string& folder) {
  int own = -1;
  const bool is_own = folder == absl::StrCat("/proc/", getpid(), "/fd") &&
                      absl::SimpleAtoi(path.filename().string(), &own);
  return is_own ? fcntl(own, F_DUPFD_CLOEXEC, 0) : open(path.c_str(), O_WRONLY | O_CLOEXEC);
}

// Keeps the name through a loss of power. A folder that may not be read cannot be synced.
bool SyncFolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  const int descriptor =
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES;
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  errno = error;
  return error == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path) {
  auto file = std::unique_ptr<OutputFile>(new OutputFile(path));
  RETURN_IF_ERROR(file->Open());
  return file;
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!partial_.empty()) unlink(partial_.c_str());
}

absl::Status OutputFile::Open() {
  fs::path path = path_;
  std::error_code error;
  for (int links = 0; fs::is_symlink(path, error); ++links) {
    if (const std::string folder = ProcFolderOf(path); !folder.empty()) {
      return OpenStream(OpenInProc(path, folder));
    }
    if (links == kMostLinks) {
      errno = ELOOP;
      return Failure();
    }
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::regular || type == fs::file_type::not_found) return OpenBeside(path);
  return OpenStream(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
}

absl::Status OutputFile::OpenBeside(std::string target) {
  target_ = std::move(target);
  struct stat replaced = {};
  const bool exists = stat(target_.c_str(), &replaced) == 0;
  const mode_t mode = exists ? replaced.st_mode & 0777 : 0666;
  std::string name;
  int descriptor = -1;
  do {
    name = NameBeside(target_);
    descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0) return Failure();
  partial_ = std::move(name);
  RETURN_IF_ERROR(OpenStream(descriptor));
  // The mask of the process may have taken some of the mode away.
  return !exists || fchmod(descriptor, mode) == 0 ? absl::OkStatus() : Failure();
}

absl::Status OutputFile::OpenStream(int descriptor) {
  if (descriptor < 0) return Failure();
  file_ = fdopen(descriptor, "wb");
  if (file_ != nullptr) return absl::OkStatus();
  const absl::Status failure = Failure();
  close(descriptor);
  return failure;
}

absl::Status OutputFile::Failure() const {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path_));
}

absl::Status OutputFile::Write(std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  return is_written ? absl::OkStatus() : Failure();
}

absl::Status OutputFile::Publish() {
  if (std::fflush(file_) != 0) return Failure();
  if (!is_stream() && fsync(fileno(file_)) != 0) return Failure();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) return Failure();
  if (is_stream()) return absl::OkStatus();
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) return Failure();
  partial_.clear();
  return SyncFolderOf(target_) ? absl::OkStatus() : Failure();
}

}  // namespace slipstream::cli
