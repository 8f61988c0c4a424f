// Sizes in SQLite's files, from its documentation of their formats.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_FILE_FORMAT_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_FILE_FORMAT_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace slipstream::sqlite {

// The beginning of a database file.
inline constexpr int kFileHeaderBytes = 100;
// The beginning of a write-ahead log, and of each of its frames, of which each holds a page.
inline constexpr int kLogHeaderBytes = 32;
inline constexpr int kFrameHeaderBytes = 24;

inline uint32_t BigEndian32(absl::string_view bytes, size_t offset) {
  uint32_t value = 0;
  for (size_t i = offset; i < offset + 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_FILE_FORMAT_H_
