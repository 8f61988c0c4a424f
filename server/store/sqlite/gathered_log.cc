#include "server/store/sqlite/gathered_log.h"

#include <cstring>
#include <new>
#include <utility>

#include "server/store/sqlite/file_format.h"

namespace slipstream::sqlite {
namespace {

// More than most commits have; a larger one is written in several calls. SQLite's own VFS takes
// less than 128 KiB at once.
constexpr int kGatheredBytes = 120 << 10;

// Pages of the database after a commit whose last frame begins with what is written; 0 if this is
// not the head of such a frame.
int64_t PagesAfterCommit(const void* bytes, int size) {
  if (size != kFrameHeaderBytes) return 0;
  return BigEndian32({static_cast<const char*>(bytes), kFrameHeaderBytes}, 4);
}

}  // namespace

int GatheredLog::LogFile::Close() {
  const int flushed = Flush();
  delete[] std::exchange(gathered, nullptr);
  const int code = PassingFile::Close();
  return flushed == SQLITE_OK ? code : flushed;
}

int GatheredLog::LogFile::Read(void* bytes, int read_size, sqlite3_int64 read_offset) {
  const int code = Flush();
  return code == SQLITE_OK ? PassingFile::Read(bytes, read_size, read_offset) : code;
}

int GatheredLog::LogFile::Write(const void* bytes, int added, sqlite3_int64 at) {
  const int64_t pages = PagesAfterCommit(bytes, added);
  if (pages > 0 && !log.takes_room_(pages)) {
    size = 0;
    return SQLITE_FULL;
  }
  if (size > 0 && (at != offset + size || added > kGatheredBytes - size)) {
    const int code = Flush();
    if (code != SQLITE_OK) return code;
  }
  if (gathered == nullptr && SyncsLast()) gathered = new (std::nothrow) char[kGatheredBytes];
  if (gathered == nullptr || added > kGatheredBytes) return PassingFile::Write(bytes, added, at);
  if (size == 0) offset = at;
  std::memcpy(gathered + size, bytes, static_cast<size_t>(added));
  size += added;
  return SQLITE_OK;
}

int GatheredLog::LogFile::Truncate(sqlite3_int64 new_size) {
  const int code = Flush();
  return code == SQLITE_OK ? PassingFile::Truncate(new_size) : code;
}

int GatheredLog::LogFile::Sync(int flags) {
  const int code = Flush();
  return code == SQLITE_OK ? PassingFile::Sync(flags) : code;
}

int GatheredLog::LogFile::FileSize(sqlite3_int64* file_size) {
  const int code = Flush();
  return code == SQLITE_OK ? PassingFile::FileSize(file_size) : code;
}

bool GatheredLog::LogFile::SyncsLast() {
  return (below()->pMethods->xDeviceCharacteristics(below()) & SQLITE_IOCAP_POWERSAFE_OVERWRITE) !=
         0;
}

int GatheredLog::LogFile::Flush() {
  const int flushed = std::exchange(size, 0);
  return flushed == 0 ? SQLITE_OK : PassingFile::Write(gathered, flushed, offset);
}

}  // namespace slipstream::sqlite
