#include "server/service/backup_service.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/status.h"
#include "server/convert/trial_conversion.h"

namespace slipstream {
namespace {

constexpr char kEnding[] = ".db";

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

// A name leads to no other folder, and is no hidden file.
absl::StatusOr<std::string> FileName(const std::string& name, absl::Time now) {
  if (name.empty()) {
    return absl::StrCat("slipstream-",
                        absl::FormatTime("%Y%m%dT%H%M%E3SZ", now, absl::UTCTimeZone()), kEnding);
  }
  const bool is_legal = name.size() <= kMaxBackupNameBytes && name[0] != '.' &&
                        absl::EndsWith(name, kEnding) &&
                        std::all_of(name.begin(), name.end(), IsNameCharacter);
  if (is_legal) return name;
  return InvalidField("name", name,
                      absl::StrCat("at most ", kMaxBackupNameBytes,
                                   " characters of a-z, A-Z, 0-9, '-', "
                                   "'_' and '.', not beginning with '.' and ending with '",
                                   kEnding, "'"));
}

}  // namespace

absl::Status BackupService::BackUp(const std::string& file, v1::BackupStoreResponse* response) {
  const absl::Time create_time = absl::Now();
  const auto begin = std::chrono::steady_clock::now();
  absl::Status status = options_.copy(file, stop_);
  std::error_code failed;
  const std::uintmax_t bytes = status.ok() ? std::filesystem::file_size(file, failed) : 0;
  if (failed) {
    status = absl::InternalError(absl::StrCat(file, ": ", failed.message()));
    // So that whoever tries again under the same name finds it free.
    std::filesystem::remove(file, failed);
  }
  const absl::Duration took = absl::FromChrono(std::chrono::steady_clock::now() - begin);
  // Whoever asked for a name that is taken is told so, and makes a backup under another one.
  if (!status.ok() && !absl::IsAlreadyExists(status)) ++failures_;
  if (options_.on_backup) options_.on_backup(file, status, took);
  SLIPSTREAM_RETURN_IF_ERROR(status);
  response->set_path(file);
  response->set_file_bytes(static_cast<int64_t>(bytes));
  *response->mutable_create_time() = TimestampOf(absl::ToUnixMillis(create_time));
  *response->mutable_duration() = DurationOf(absl::ToInt64Milliseconds(took));
  return absl::OkStatus();
}

void BackupService::BackupStore(const v1::BackupStoreRequest* request,
                                v1::BackupStoreResponse* response, const Done& done) {
  if (options_.folder.empty()) {
    return done(absl::FailedPreconditionError(
        "the server has no folder for backups: start it with --backup-folder"));
  }
  const absl::StatusOr<std::string> name = FileName(request->name(), absl::Now());
  if (!name.ok()) return done(name.status());
  const std::string file = (std::filesystem::path(options_.folder) / *name).string();
  AnswerOn(&executor_, done, [=, this] { return BackUp(file, response); });
}

}  // namespace slipstream
