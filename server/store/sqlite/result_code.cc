#include "server/store/sqlite/result_code.h"

#include <sqlite3.h>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

constexpr char kDamageUrl[] = "slipstream/damage";

int PrimaryCode(int code) { return code & 0xff; }

absl::StatusCode StatusCodeOf(int code) {
  if (IsOutOfMemory(code)) return absl::StatusCode::kResourceExhausted;
  // A page whose checksum is wrong gives SQLITE_IOERR_DATA.
  if (code == SQLITE_IOERR_CORRUPTFS || code == SQLITE_IOERR_DATA)
    return absl::StatusCode::kDataLoss;
  if (code == SQLITE_READONLY_DBMOVED) return absl::StatusCode::kFailedPrecondition;
  switch (PrimaryCode(code)) {
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return absl::StatusCode::kUnavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return absl::StatusCode::kPermissionDenied;
    default:
      return absl::StatusCode::kInternal;
  }
}

absl::Status WithText(int code, absl::string_view path, absl::string_view text) {
  const std::string with_code = absl::StrCat(text, " (SQLite ", code, ")");
  const absl::StatusCode status = StatusCodeOf(code);
  if (status == absl::StatusCode::kDataLoss) return DamageOf(path, with_code);
  const std::string message = absl::StrCat("the store ", path, ": ", with_code);
  // Until there is room or memory again, for which those who have results to report had better
  // wait.
  const bool may_pass = PrimaryCode(code) == SQLITE_FULL || IsOutOfMemory(code);
  if (may_pass) return OverloadError(message);
  if (code == SQLITE_BUSY) {
    return absl::Status(status, absl::StrCat(message, "; another program has locked the file, "
                                                      "which only Slipstream may write to"));
  }
  return absl::Status(status, message);
}

}  // namespace

absl::Status DamageOf(absl::string_view path, absl::string_view what) {
  absl::Status status = absl::DataLossError(
      absl::StrCat("the store ", path, " is damaged: ", what,
                   "; stop the server, run slipstream_server --check to see what else is damaged, "
                   "move the store's files away and restore a backup with --restore-from"));
  status.SetPayload(kDamageUrl, absl::Cord(what));
  return status;
}

std::optional<std::string> DamageIn(const absl::Status& status) {
  const absl::optional<absl::Cord> what = status.GetPayload(kDamageUrl);
  if (!what.has_value()) return std::nullopt;
  return std::string(*what);
}

absl::Status StatusOfResultCode(int code, absl::string_view path, absl::string_view text) {
  return OrWithoutText(StatusCodeOf(code), [&] { return WithText(code, path, text); });
}

bool IsRefusalOfDisk(int code) {
  return PrimaryCode(code) == SQLITE_FULL || PrimaryCode(code) == SQLITE_READONLY;
}

bool IsFailedWrite(int code) {
  switch (code) {
    case SQLITE_IOERR_READ:
    case SQLITE_IOERR_SHORT_READ:
    case SQLITE_IOERR_DATA:
    case SQLITE_IOERR_CORRUPTFS:
      return false;
    default:
      return IsRefusalOfDisk(code) || IsDiskFailure(code);
  }
}

bool IsDiskFailure(int code) { return PrimaryCode(code) == SQLITE_IOERR && !IsOutOfMemory(code); }

bool IsOutOfMemory(int code) {
  return PrimaryCode(code) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM;
}

}  // namespace slipstream::sqlite
