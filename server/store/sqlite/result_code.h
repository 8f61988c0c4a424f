// Status codes for SQLite's result codes. Branches on codes only; SQLite's texts
// are passed on for people to read.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_RESULT_CODE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_RESULT_CODE_H_

#include <new>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/base/out_of_memory.h"

namespace slipstream::sqlite {

// DATA_LOSS that says what is wrong with the file at `path` and what an operator can do about it.
// The advice is for a server; others give their own with the words of DamageIn.
absl::Status DamageOf(absl::string_view path, absl::string_view what);

// The status that `make` makes or, if there is no memory for its text, another one with this code,
// by which it can be told apart.
template <typename Make>
absl::Status OrWithoutText(absl::StatusCode code, const Make& make) noexcept {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return code == absl::StatusCode::kResourceExhausted ? OutOfMemory() : absl::Status(code, "");
  }
}

// What is wrong with the file, if the status is a DamageOf.
std::optional<std::string> DamageIn(const absl::Status& status);

// The status for `code`, a (perhaps extended) result code that is neither
// SQLITE_OK, SQLITE_ROW nor SQLITE_DONE. `path` is the file, `text` SQLite's
// own explanation. For damage it is a DamageOf. Without memory for its text it has none.
absl::Status StatusOfResultCode(int code, absl::string_view path, absl::string_view text);

bool IsOutOfMemory(int code);

// Whether the disk accepted nothing of a change, and may accept it later: it is full, or read-only.
bool IsRefusalOfDisk(int code);

// Whether the disk did not take what was written; false for what could not be read.
bool IsFailedWrite(int code);

// Whether the disk failed in such a way that its content is unknown.
bool IsDiskFailure(int code);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_RESULT_CODE_H_
