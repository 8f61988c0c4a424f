#include "server/permissions.h"

#include <utility>

#include "core/base/status.h"
#include "server/access/token_file.h"
#include "server/quota/quota_file.h"

namespace slipstream {
namespace {

// Makes `target` receive what `read`, ReadTokenFile or ReadQuotaFile, reads from a file.
template <typename Read, typename Target>
std::function<absl::Status(const std::string&)> Into(Read read, Target* target) {
  return [read, target](const std::string& path) -> absl::Status {
    auto table = read(path);
    if (!table.ok()) return table.status();
    target->Replace(*std::move(table));
    return absl::OkStatus();
  };
}

}  // namespace

Permissions::Callers::Callers(const std::string& token_file)
    : file(token_file, Into(ReadTokenFile, &verifier)) {}

Permissions::Limits::Limits(const std::string& quota_file)
    : quotas(quota_file), file(quota_file, Into(ReadQuotaFile, &quotas)) {}

absl::StatusOr<std::unique_ptr<Permissions>> Permissions::Open(Flags* flags, Log* log) {
  std::unique_ptr<Permissions> result(new Permissions(log));
  if (!flags->token_file.empty()) {
    Callers& callers = result->callers_.emplace(flags->token_file);
    SLIPSTREAM_RETURN_IF_ERROR(callers.file.Read());
    flags->server.gate = &callers.gate;
  }
  if (!flags->quota_file.empty()) {
    Limits& limits = result->limits_.emplace(flags->quota_file);
    SLIPSTREAM_RETURN_IF_ERROR(limits.file.Read());
    flags->server.quotas = flags->service.quotas = flags->store.quotas = &limits.quotas;
  }
  result->WarnOf(*flags);
  return result;
}

void Permissions::WarnOf(const Flags& flags) {
  const bool encrypted = flags.server.tls.is_set();
  const bool in_the_open = !encrypted && flags.server.allow_plaintext_beyond_loopback;
  if (!callers_.has_value() && (encrypted || in_the_open)) {
    log_.Write(LogLevel::kWarning, "anyone who can reach the server may do everything",
               {{"message", "give --token-file to say who may do what"}});
  }
  if (callers_.has_value() && in_the_open) {
    log_.Write(LogLevel::kWarning, "tokens cross the network unencrypted",
               {{"message", "give --tls-certificate and --tls-key"}});
  }
}

void Permissions::ReadAgain() {
  if (callers_.has_value()) {
    ReadAgain(callers_->file, "read the token file again", "the previous tokens stay valid");
  }
  if (limits_.has_value()) {
    ReadAgain(limits_->file, "read the quota file again", "the previous quotas stay in force");
  }
}

void Permissions::ReadAgain(WatchedFile& file, const char* read, const char* kept) {
  const std::optional<absl::Status> status = file.ReadIfChanged();
  if (!status.has_value()) return;
  if (status->ok()) return log_.Write(LogLevel::kInfo, read);
  log_.Write(LogLevel::kError, kept, {{"message", std::string(status->message())}});
}

}  // namespace slipstream
