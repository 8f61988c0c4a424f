#include "server/telemetry/audit_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// Whether the file's last line is incomplete, as after a crash while it was written, or cannot be
// read.
bool EndsInPart(int descriptor, off_t size) {
  char last = '\n';
  return size > 0 && (pread(descriptor, &last, 1, size - 1) != 1 || last != '\n');
}

}  // namespace

absl::StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(const std::string& path) {
  std::unique_ptr<AuditLog> log(new AuditLog(path));
  SLIPSTREAM_RETURN_IF_ERROR(log->OpenFile());
  return log;
}

AuditLog::~AuditLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status AuditLog::OpenFile() {
  int opened = open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  // A file that may only be written is not looked at.
  if (opened < 0) opened = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  struct stat found = {};
  if (opened < 0 || fstat(opened, &found) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot write the audit log ", path_));
  }
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = opened;
  ends_in_part_ = EndsInPart(opened, found.st_size);
  inode_ = found.st_ino;
  return absl::OkStatus();
}

bool AuditLog::IsMovedAway() const {
  struct stat found = {};
  return stat(path_.c_str(), &found) != 0 || found.st_ino != inode_;
}

absl::Status AuditLog::Write(const LogFields& fields) {
  const absl::Status written =
      WriteLine(FormatJsonLine(absl::LocalTimeZone(), absl::Now(), fields) + "\n");
  if (!written.ok()) ++failures_;
  return written;
}

absl::Status AuditLog::WriteLine(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (IsMovedAway()) SLIPSTREAM_RETURN_IF_ERROR(OpenFile());
  const std::string text = ends_in_part_ ? absl::StrCat("\n", line) : line;
  const ssize_t written = write(descriptor_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) {
    ends_in_part_ = false;
    return absl::OkStatus();
  }
  if (written > 0) TakeBack(written);
  return absl::UnavailableError(absl::StrCat("cannot write the audit log ", path_, ": ",
                                             written < 0 ? std::strerror(errno) : "no room"));
}

void AuditLog::TakeBack(ssize_t written) {
  struct stat found = {};
  const bool is_taken_back =
      fstat(descriptor_, &found) == 0 && ftruncate(descriptor_, found.st_size - written) == 0;
  if (!is_taken_back) ends_in_part_ = true;
}

}  // namespace slipstream
