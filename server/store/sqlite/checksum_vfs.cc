#include "server/store/sqlite/checksum_vfs.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

namespace slipstream::sqlite {
namespace {

constexpr int kDatabaseHeaderSize = 100;
constexpr size_t kReservedBytesAt = 20;
constexpr int kSmallestPage = 512;

// An operation of this VFS alone; SQLite's own are below 100.
constexpr int kTellDamagedPage = 0x51d1;

static_assert(std::endian::native == std::endian::little, "checksums are of little-endian words");

// Each step is a bijection of the state for a given word and of the word for a given
// state, so a page with one other word always has another checksum. Four lanes keep a
// processor's multipliers busy.
uint64_t ChecksumOf(const char* page, int size, int64_t number) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  const auto step = [](uint64_t state, uint64_t word) {
    return std::rotl((state ^ word) * kFactor, 29);
  };
  uint64_t lanes[4] = {static_cast<uint64_t>(number), 1, 2, 3};
  uint64_t words[4];
  const int end = size - kChecksumBytes;
  int at = 0;
  for (; at + 32 <= end; at += 32) {
    std::memcpy(words, page + at, 32);
    for (int lane = 0; lane < 4; ++lane) lanes[lane] = step(lanes[lane], words[lane]);
  }
  for (; at < end; at += 8) {
    std::memcpy(words, page + at, 8);
    lanes[0] = step(lanes[0], words[0]);
  }
  uint64_t sum = lanes[0];
  for (int lane = 1; lane < 4; ++lane) sum = step(sum, lanes[lane]);
  return sum ^ (sum >> 32);
}

bool IsWholePage(int size, sqlite3_int64 offset) {
  return size >= kSmallestPage && std::has_single_bit(static_cast<unsigned>(size)) &&
         offset % size == 0;
}

uint64_t StoredChecksum(const char* page, int size) {
  uint64_t stored;
  std::memcpy(&stored, page + size - kChecksumBytes, sizeof(stored));
  return stored;
}

// Absent if there is no first page yet.
std::optional<bool> HeaderSays(sqlite3_file* file) {
  char header[kDatabaseHeaderSize];
  const bool is_read = file->pMethods->xRead(file, header, kDatabaseHeaderSize, 0) == SQLITE_OK;
  // A page that was written beyond it has left a hole of zeros.
  if (!is_read || header[0] == '\0') return std::nullopt;
  return HeaderHasChecksums({header, kDatabaseHeaderSize});
}

}  // namespace

bool ChecksumVfs::ChecksumFile::HasChecksums() {
  has_checksums = has_checksums || HeaderSays(below()).value_or(vfs.expects_checksums_);
  return has_checksums;
}

int ChecksumVfs::ChecksumFile::Read(void* bytes, int size, sqlite3_int64 offset) {
  const int code = PassingFile::Read(bytes, size, offset);
  if (code != SQLITE_OK || !IsWholePage(size, offset) || !HasChecksums()) return code;
  const char* page = static_cast<const char*>(bytes);
  if (ChecksumOf(page, size, offset / size) == StoredChecksum(page, size)) return SQLITE_OK;
  damaged_page = offset / size + 1;
  return SQLITE_IOERR_DATA;
}

int ChecksumVfs::ChecksumFile::FileControl(int operation, void* argument) {
  if (operation != kTellDamagedPage) return PassingFile::FileControl(operation, argument);
  *static_cast<int64_t*>(argument) = damaged_page;
  return SQLITE_OK;
}

int ChecksumVfs::ChecksumFile::Write(const void* bytes, int size, sqlite3_int64 offset) {
  if (offset == 0 && size >= kDatabaseHeaderSize) {
    has_checksums = HeaderHasChecksums({static_cast<const char*>(bytes), kDatabaseHeaderSize});
  }
  if (IsWholePage(size, offset) && HasChecksums()) {
    // SQLite leaves the reserved bytes of its own buffer to its VFS.
    char* page = static_cast<char*>(const_cast<void*>(bytes));
    const uint64_t sum = ChecksumOf(page, size, offset / size);
    std::memcpy(page + size - kChecksumBytes, &sum, sizeof(sum));
  }
  return PassingFile::Write(bytes, size, offset);
}

ChecksumVfs::ChecksumVfs(const std::string& base) : layer_("checksums", base, *this) {}

bool HeaderHasChecksums(absl::string_view header) {
  return header[kReservedBytesAt] == kChecksumBytes;
}

absl::StatusOr<bool> FileHasChecksums(Connection& connection) {
  int bytes = -1;  // Asks for the number and changes nothing.
  const int code =
      sqlite3_file_control(connection.database(), "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  if (code != SQLITE_OK) return connection.Fail(code);
  return bytes == kChecksumBytes;
}

int64_t DamagedPage(const Connection& connection) {
  int64_t page = 0;
  // Another VFS does not know the operation and leaves the page as it is.
  (void)sqlite3_file_control(connection.database(), "main", kTellDamagedPage, &page);
  return page;
}

absl::Status RequestChecksums(Connection& connection) {
  int bytes = kChecksumBytes;
  const int code =
      sqlite3_file_control(connection.database(), "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  return code == SQLITE_OK ? absl::OkStatus() : connection.Fail(code);
}

}  // namespace slipstream::sqlite
