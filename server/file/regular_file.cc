#include "server/file/regular_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slipstream {
namespace {

// Closes what was opened, unless that failed.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

absl::Status LatestFailure() {
  const int error = errno;
  return absl::Status(absl::ErrnoToStatusCode(error), std::strerror(error));
}

}  // namespace

absl::StatusOr<RegularFile> ReadRegularFile(const std::string& path) {
  const Descriptor in(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat found = {};
  if (in.get() < 0 || fstat(in.get(), &found) != 0) return LatestFailure();
  if (!S_ISREG(found.st_mode)) {
    return absl::FailedPreconditionError("it is a folder, a pipe or a device");
  }
  RegularFile file = {{}, found.st_mode};
  char part[4096];
  ssize_t size = 0;
  while ((size = read(in.get(), part, sizeof(part))) > 0) {
    file.text.append(part, static_cast<size_t>(size));
  }
  if (size < 0) return LatestFailure();
  return file;
}

}  // namespace slipstream
