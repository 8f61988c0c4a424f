#include "server/store/sqlite/log_check.h"

#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/file_format.h"
#include "server/store/sqlite/raw_file.h"

namespace slipstream::sqlite {
namespace {

// Offsets and sizes come from SQLite's documentation of the log and of its index.
constexpr uint32_t kMagicOfBigEndianSums = 0x377f0683;
constexpr uint32_t kMagicOfLittleEndianSums = 0x377f0682;
constexpr size_t kIndexHeaderBytes = 48;

uint32_t Native32(absl::string_view bytes, size_t offset) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

// The sums that each frame continues from the one before it.
struct LogSums {
  uint32_t first = 0;
  uint32_t second = 0;

  void Add(absl::string_view bytes, bool big_endian) {
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += (big_endian ? BigEndian32(bytes, at) : Native32(bytes, at)) + second;
      second += (big_endian ? BigEndian32(bytes, at + 4) : Native32(bytes, at + 4)) + first;
    }
  }
  friend bool operator==(const LogSums&, const LogSums&) = default;
};

LogSums StoredSums(absl::string_view bytes, size_t offset) {
  return {BigEndian32(bytes, offset), BigEndian32(bytes, offset + 4)};
}

absl::Status LogDamaged(const std::string& path, absl::string_view complaint) {
  return absl::DataLossError(absl::StrCat("the store ", path, " is damaged: ", complaint,
                                          "; acknowledged results are lost unless its -wal file is "
                                          "put back or a backup is restored"));
}

// What the index says of the log.
struct LogIndex {
  std::string salts;
  int64_t frames = 0;  // That have been committed and synced.
  int64_t moved = 0;   // How many of these the database file has too.
};

struct FoundIndex {
  bool exists = false;
  std::optional<LogIndex> index;  // Absent if it says nothing that can be relied on.
};

// Both copies of its header are equal unless the program ended while it wrote them.
FoundIndex ReadIndex(const std::string& path) {
  std::ifstream file(path + "-shm", std::ios::binary);
  if (!file) return {};
  std::string bytes(2 * kIndexHeaderBytes + 4, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.gcount() != static_cast<std::streamsize>(bytes.size()))
    return {.exists = true, .index = std::nullopt};
  const absl::string_view header = absl::string_view(bytes).substr(0, kIndexHeaderBytes);
  LogSums sums;
  sums.Add(header.substr(0, 40), /*big_endian=*/false);
  const bool sound = header == absl::string_view(bytes).substr(kIndexHeaderBytes, header.size()) &&
                     header[12] != 0 && sums == LogSums{Native32(header, 40), Native32(header, 44)};
  if (!sound) return {.exists = true, .index = std::nullopt};
  return {.exists = true,
          .index = LogIndex{std::string(header.substr(32, 8)), Native32(header, 16),
                            Native32(bytes, 2 * kIndexHeaderBytes)}};
}

// What the log itself shows.
struct LogScan {
  std::string salts;      // Empty if its header is damaged.
  int64_t sound = 0;      // Frames before the first one that is not.
  int64_t committed = 0;  // These of them end with a commit.
  bool pieces = false;    // There is something after them that is not of an earlier log.
  // These look at the frames with the same salts from the first one that is not sound on. The first
  // is true if a frame after that one ends a commit and continues the sums of the frame before it,
  // as it does once it was written whole; the second if there are frames after one that ends a
  // commit.
  bool later_commit = false;
  bool several_commits = false;
};

// Whether a frame's salts are of a log that was restarted since: the first one grows by one
// with each restart, and the second one is random.
bool IsOfEarlierLog(absl::string_view frame, absl::string_view salts) {
  constexpr uint32_t kMostRestarts = 1 << 24;
  const uint32_t restarts = BigEndian32(salts, 0) - BigEndian32(frame, 8);
  return restarts >= 1 && restarts <= kMostRestarts &&
         BigEndian32(salts, 4) != BigEndian32(frame, 12);
}

absl::StatusOr<LogScan> ScanLog(const RawFile& log, int64_t size) {
  LogScan scan;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string header, log.Read(0, kLogHeaderBytes));
  const uint32_t magic = BigEndian32(header, 0);
  const bool big_endian = magic == kMagicOfBigEndianSums;
  const int64_t page_size = BigEndian32(header, 8);
  LogSums sums;
  sums.Add(absl::string_view(header).substr(0, 24), big_endian);
  if ((!big_endian && magic != kMagicOfLittleEndianSums) || sums != StoredSums(header, 24) ||
      page_size < 512 || page_size > 65536) {
    return scan;
  }
  scan.salts = header.substr(16, 8);
  bool sound = true;
  bool commit_ended = false;
  const int64_t frame_size = kFrameHeaderBytes + page_size;
  int64_t at = kLogHeaderBytes;
  bool earlier = false;
  for (; at + frame_size <= size; at += frame_size) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        std::string frame,
        log.Read(at, static_cast<int>(sound ? frame_size : kFrameHeaderBytes)));
    const bool same_salts = frame.compare(8, 8, scan.salts) == 0;
    const bool ends_commit = same_salts && BigEndian32(frame, 4) != 0;
    if (!sound && ends_commit) {
      SLIPSTREAM_ASSIGN_OR_RETURN(frame, log.Read(at, static_cast<int>(frame_size)));
    }
    sums.Add(absl::string_view(frame).substr(0, 8), big_endian);
    sums.Add(absl::string_view(frame).substr(kFrameHeaderBytes), big_endian);
    const bool continues = same_salts && sums == StoredSums(frame, 16);
    sums = StoredSums(frame, 16);
    if (sound && continues) {
      ++scan.sound;
      if (ends_commit) scan.committed = scan.sound;
      continue;
    }
    if (!sound && same_salts) {
      scan.later_commit = scan.later_commit || (ends_commit && continues);
      scan.several_commits = scan.several_commits || commit_ended;
    }
    sound = false;
    commit_ended = commit_ended || ends_commit;
    earlier = IsOfEarlierLog(frame, scan.salts);
    scan.pieces = scan.pieces || !earlier;
  }
  scan.pieces = scan.pieces || scan.committed < scan.sound || (at < size && !earlier);
  return scan;
}

absl::Status NoIndex(const std::string& path) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the store ", path, " has a write-ahead log, ", path, "-wal, without its index, ", path,
      "-shm, and may lack acknowledged results: copy all three files together; if the index is "
      "lost, put an empty file in its place to open what is there"));
}

std::string Dropped(const std::string& path, int64_t committed) {
  return absl::StrCat("the write-ahead log of the store ", path, " ends in pieces after ",
                      committed,
                      " intact frames; a server drops these pieces when it opens the store, and if "
                      "a power cut left them, they were never acknowledged");
}

// A log is empty when a server begins, and a commit is counted before the next one begins. So a
// kill leaves pieces without an end behind all that is counted. What failed before, such as for
// want of room, and was overwritten in part by a shorter commit may have an end, but none that was
// written whole. Anything else shows that the index is older than the log. The salts of a new log
// come into its index with its first commit.
bool IsLeftByKill(const LogScan& scan, const LogIndex& index) {
  const bool counts_all = index.salts == scan.salts ? scan.committed == index.frames
                                                    : scan.committed == 0 && index.frames == 0;
  return counts_all && !scan.later_commit;
}

absl::StatusOr<std::string> CompareLogWithIndex(const std::string& path, const LogScan& scan,
                                                const std::optional<LogIndex>& index) {
  if (index.has_value() && index->salts == scan.salts && scan.sound < index->frames) {
    return LogDamaged(path, absl::StrCat("its write-ahead log has ", scan.sound,
                                         " intact frames of ", index->frames));
  }
  if (index.has_value() && IsLeftByKill(scan, *index)) return std::string();
  if (scan.several_commits) {
    return LogDamaged(path, absl::StrCat("its write-ahead log is damaged after ", scan.sound,
                                         " intact frames, and continues after that"));
  }
  if (!scan.pieces) return std::string();
  return Dropped(path, scan.committed);
}

}  // namespace

absl::StatusOr<std::string> CheckLog(const std::string& path, const std::string& vfs) {
  const FoundIndex found = ReadIndex(path);
  const bool needed = found.index.has_value() && found.index->moved < found.index->frames;
  struct stat log_file;
  const int64_t size = stat((path + "-wal").c_str(), &log_file) == 0 ? log_file.st_size : 0;
  if (size == 0) {
    if (!needed) return std::string();
    return LogDamaged(path, absl::StrCat("its write-ahead log, ", path,
                                         "-wal, is missing, which had ", found.index->frames,
                                         " frames (if a backup has been put in its place, remove ",
                                         path, "-shm)"));
  }
  if (!found.exists) return NoIndex(path);
  SLIPSTREAM_ASSIGN_OR_RETURN(const RawFile log, RawFile::OpenLog(path, vfs));
  SLIPSTREAM_ASSIGN_OR_RETURN(const LogScan scan, ScanLog(log, size));
  if (!scan.salts.empty()) return CompareLogWithIndex(path, scan, found.index);
  // The header is synced before the first frame is written.
  if (!needed && size <= kLogHeaderBytes + kFrameHeaderBytes) {
    return found.index.has_value() ? std::string() : Dropped(path, 0);
  }
  return LogDamaged(path, "the beginning of its write-ahead log is damaged");
}

absl::StatusOr<bool> LogHasCommit(const std::string& path, const std::string& vfs) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const RawFile log, RawFile::OpenLog(path, vfs));
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t size, log.Size());
  if (size < kLogHeaderBytes) return false;
  SLIPSTREAM_ASSIGN_OR_RETURN(const LogScan scan, ScanLog(log, size));
  return scan.committed > 0;
}

}  // namespace slipstream::sqlite
