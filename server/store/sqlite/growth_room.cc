#include "server/store/sqlite/growth_room.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace slipstream::sqlite {
namespace {

constexpr int64_t kBytesOfBlock = 512;  // As stat counts them.

// After the disk had no room for the file to grow, there counts as being room again once the file
// can grow by this much.
constexpr int64_t kBytesToGoOn = 1 << 16;

// 0, or the system's error.
int Allocate(int descriptor, int64_t begin, int64_t end) {
  if (begin >= end) return 0;
  return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, begin, end - begin) == 0 ? 0 : errno;
}

bool IsFull(int error) { return error == ENOSPC || error == EDQUOT; }

}  // namespace

void TakeRoomForLog(const std::string& path) {
  const int descriptor = open(absl::StrCat(path, "-wal").c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  Allocate(descriptor, 0, kLogRoomBytes);
  close(descriptor);
}

bool GrowthRoom::Has(int64_t bytes) {
  struct stat file = {};
  if (!is_possible_ || fstat(descriptor_, &file) != 0) return true;
  if (file.st_blocks * kBytesOfBlock >= bytes) return true;
  int error = Allocate(descriptor_, file.st_size, bytes + kSpareBytes);
  if (IsFull(error)) error = Allocate(descriptor_, file.st_size, bytes);
  // What a signal interrupts, the next commit tries again.
  if (error != 0 && error != EINTR && !IsFull(error)) is_possible_ = false;
  return !IsFull(error);
}

bool GrowthRoom::Take(int64_t size, bool may_use_spare) {
  if (descriptor_ < 0) return true;
  const bool is_taken = Has(size + kSpareBytes) || size <= granted_ || (may_use_spare && Has(size));
  if (is_taken) granted_ = size;
  is_short_ = !is_taken || (is_short_ && !Has(size + kSpareBytes + kBytesToGoOn));
  return is_taken;
}

void GrowthRoom::TakeAgain() {
  struct stat file = {};
  if (descriptor_ < 0 || !is_possible_ || fstat(descriptor_, &file) != 0) return;
  if (file.st_blocks * kBytesOfBlock >= file.st_size + kSpareBytes) return;
  Allocate(descriptor_, file.st_size, file.st_size + kSpareBytes);
}

}  // namespace slipstream::sqlite
