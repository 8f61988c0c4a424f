#include "server/configuration_check.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/data_store.h"
#include "server/grpc/server.h"
#include "server/grpc/tls_watch.h"
#include "server/permissions.h"
#include "server/telemetry/scrape_endpoint.h"

namespace slipstream {
namespace {

namespace fs = std::filesystem;

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// As the user that the process acts for.
absl::Status CheckAccess(absl::string_view what, const fs::path& path, int mode) {
  if (faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(what, " ", path.string(), ": ",
                                                  (mode & W_OK) != 0 ? "cannot be written to: "
                                                                     : "cannot be read: ",
                                                  std::strerror(errno)));
}

// A file that is replaced: the new one is written beside it and renamed.
absl::Status CheckReplaceable(const char* flag, const std::string& file) {
  if (file.empty()) return absl::OkStatus();
  std::error_code error;
  if (fs::is_directory(file, error)) {
    return absl::PermissionDeniedError(absl::StrCat(flag, " ", file, ": it is a folder"));
  }
  return CheckAccess(absl::StrCat(flag, " ", file, ": its folder"),
                     fs::absolute(file, error).parent_path(), W_OK | X_OK);
}

// A file that is written, and made if it is not there.
absl::Status CheckWritable(const char* flag, const std::string& file) {
  std::error_code error;
  const bool is_file = !file.empty() && Exists(file) && !fs::is_directory(file, error);
  return is_file ? CheckAccess(flag, file, W_OK) : CheckReplaceable(flag, file);
}

// As the user that the process acts for.
absl::Status CheckFolder(absl::string_view what, const fs::path& path, int mode) {
  std::error_code error;
  if (Exists(path) && !fs::is_directory(path, error)) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, " ", path.string(), ": it is not a folder"));
  }
  return CheckAccess(what, path, mode);
}

// Unlike a path that cannot be asked about.
bool IsMissing(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::not_found;
}

// The path itself, or the nearest one above that is there.
fs::path NearestThere(fs::path path) {
  while (!Exists(path) && path.has_relative_path()) path = path.parent_path();
  return path;
}

absl::Status CheckPlaceOfStore(const Flags& flags) {
  std::error_code error;
  const fs::path store = fs::absolute(DataStoreName(flags.data), error);
  const fs::path folder = store.parent_path();
  if (flags.create && !Exists(folder)) {
    return CheckFolder(absl::StrCat("the data folder ", folder.string(), " cannot be made:"),
                       NearestThere(folder), W_OK | X_OK);
  }
  if (IsMissing(folder)) {
    return absl::NotFoundError(absl::StrCat("the data folder ", folder.string(),
                                            " does not exist; --create makes it"));
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckFolder("the data folder", folder, R_OK | W_OK | X_OK));
  // Another user may have left these beside the store, for example root after some task.
  for (const char* const suffix : {"-wal", "-shm", ".lock"}) {
    const std::string beside = store.string() + suffix;
    if (Exists(beside)) SLIPSTREAM_RETURN_IF_ERROR(CheckWritable("the store's file", beside));
  }
  if (Exists(store) && !fs::is_regular_file(store, error)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the store ", store.string(), ": it is not a regular file"));
  }
  if (Exists(store)) return CheckAccess("the store", store, R_OK | W_OK);
  if (flags.create) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("there is no store at ", store.string(), "; --create makes a new one"));
}

// The mistakes in the files of permissions, each of which is read by itself.
std::vector<absl::Status> CheckPermissions(const Flags& flags, Log* log) {
  std::vector<absl::Status> found;
  Flags only_tokens = flags;
  only_tokens.quota_file.clear();
  found.push_back(Permissions::Open(&only_tokens, log).status());
  Flags only_quotas = flags;
  only_quotas.token_file.clear();
  Log silent({.sink = [](absl::string_view) {}});
  found.push_back(Permissions::Open(&only_quotas, &silent).status());
  return found;
}

// Warns of certificates that are not valid. That the files fit together has been checked.
void WarnOfTls(const TlsFiles& files, Log* log) {
  if (!files.is_set()) return;
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files);
  if (!texts.ok()) return;
  const TlsWatch watch(files, std::make_shared<ServedTls>(*std::move(texts)), {}, log);
}

}  // namespace

absl::Status CheckMetricsAddress(const Flags& flags) {
  if (flags.metrics_address.empty()) return absl::OkStatus();
  SLIPSTREAM_RETURN_IF_ERROR(ScrapeEndpoint::CheckAddress(flags.metrics_address));
  if (flags.metrics_address != flags.server.listen ||
      absl::EndsWith(flags.metrics_address, ":0")) {
    return absl::OkStatus();
  }
  return InvalidField("--metrics-address", flags.metrics_address,
                      "an address other than that of --listen");
}

absl::Status CheckFilesApart(const Flags& flags) {
  const std::pair<const char*, std::string> written[] = {{"--address-file", flags.address_file},
                                                         {"--audit-log", flags.audit_log}};
  const std::pair<const char*, std::string> read[] = {
      {"--audit-log", flags.audit_log},
      {"--token-file", flags.token_file},
      {"--quota-file", flags.quota_file},
      {"--tls-certificate", flags.server.tls.certificate},
      {"--tls-key", flags.server.tls.key},
      {"--tls-client-ca", flags.server.tls.client_ca}};
  for (const auto& [flag, file] : written) {
    if (file.empty()) continue;
    if (IsFileOfDataStore(flags.data, file)) {
      return InvalidField(flag, file,
                          absl::StrCat("a file other than those of the store, ",
                                       DataStoreName(flags.data)));
    }
    for (const auto& [other_flag, other] : read) {
      if (std::string_view(flag) == other_flag || other.empty()) continue;
      if (!IsSameFile(file, other)) continue;
      return InvalidField(flag, file, absl::StrCat("a file other than that of ", other_flag));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckBackupFolder(const Flags& flags) {
  const std::string& folder = flags.service.backups.folder;
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("--backup-folder ", folder, " is not a folder, or cannot be reached"));
}

absl::Status AsMistake(absl::Status status) {
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
      return absl::InvalidArgumentError(status.message());
    default:
      return status;
  }
}

absl::Status CheckConfiguration(const Flags& flags, Log* log) {
  // In the order in which a server that starts checks them; it ends at the first mistake.
  std::vector<absl::Status> found = {AsMistake(Server::CheckAddress(flags.server)),
                                     CheckMetricsAddress(flags), CheckFilesApart(flags)};
  if (flags.create) found.push_back(CheckPlaceOfStore(flags));
  for (absl::Status& each : CheckPermissions(flags, log)) {
    found.push_back(AsMistake(std::move(each)));
  }
  const absl::Status backups = CheckBackupFolder(flags);
  found.push_back(backups);
  if (backups.ok() && !flags.service.backups.folder.empty()) {
    found.push_back(CheckAccess("--backup-folder", flags.service.backups.folder, W_OK | X_OK));
  }
  found.push_back(AsMistake(CheckWritable("--audit-log", flags.audit_log)));
  if (!flags.create) found.push_back(CheckPlaceOfStore(flags));
  found.push_back(AsMistake(CheckReplaceable("--address-file", flags.address_file)));
  WarnOfTls(flags.server.tls, log);
  found.erase(std::remove_if(found.begin(), found.end(),
                             [](const absl::Status& status) { return status.ok(); }),
              found.end());
  for (const absl::Status& each : found) {
    log->Write(LogLevel::kError, "wrong", {{"message", std::string(each.message())}});
  }
  if (found.empty()) return absl::OkStatus();
  return absl::Status(
      absl::IsInvalidArgument(found.front()) ? absl::StatusCode::kInvalidArgument
                                             : absl::StatusCode::kFailedPrecondition,
      absl::StrCat("the server would not start; mistakes found: ", found.size()));
}

}  // namespace slipstream
