#include "client/cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/status_macros.h"

namespace slipstream::cli {
namespace {

// What nobody else calls a file.
std::string NameBeside(const std::string& path) {
  std::random_device random;
  return absl::StrCat(path, ".", absl::Hex(random(), absl::kZeroPad8), ".partial");
}

// Keeps the name through a loss of power. A folder that may not be read cannot be synced.
bool SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
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
  RETURN_IF_ERROR(file->OpenBeside());
  return file;
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!partial_.empty()) unlink(partial_.c_str());
}

absl::Status OutputFile::OpenBeside() {
  struct stat target = {};
  const bool exists = stat(path_.c_str(), &target) == 0;
  const mode_t mode = exists ? target.st_mode & 0777 : 0666;
  std::string name;
  int descriptor = -1;
  do {
    name = NameBeside(path_);
    descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0) return Failure();
  partial_ = std::move(name);
  RETURN_IF_ERROR(OpenStream(descriptor));
  // The mask of the process may have taken some of the mode away.
  return !exists || fchmod(descriptor, mode) == 0 ? absl::OkStatus() : Failure();
}

absl::Status OutputFile::OpenStream(int descriptor) {
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
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) return Failure();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) return Failure();
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) return Failure();
  partial_.clear();
  return SyncFolderOf(path_) ? absl::OkStatus() : Failure();
}

}  // namespace slipstream::cli
