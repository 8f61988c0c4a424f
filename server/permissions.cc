#include "server/permissions.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/status.h"
#include "server/access/token_file.h"
#include "server/quota/quota_file.h"

namespace slipstream {
namespace {

constexpr char kTokenFile[] = "tokens";
constexpr char kQuotaFile[] = "quotas";

size_t CountByCertificate(const TokenTable& table) {
  return static_cast<size_t>(std::count_if(table.begin(), table.end(), [](const auto& line) {
    return line.second.hash.empty();
  }));
}

}  // namespace

Permissions::Callers::Callers(const std::string& token_file, TokenVerifierOptions options)
    : verifier(std::move(options)),
      file(token_file, [this](const std::string& path) -> absl::Status {
        SLIPSTREAM_ASSIGN_OR_RETURN(TokenTable table, ReadTokenFile(path));
        tokens = table.size();
        by_certificate = CountByCertificate(table);
        verifier.Replace(std::move(table));
        return absl::OkStatus();
      }) {}

Permissions::Limits::Limits(const std::string& quota_file)
    : quotas(quota_file), file(quota_file, [this](const std::string& path) -> absl::Status {
        SLIPSTREAM_ASSIGN_OR_RETURN(QuotaTable table, ReadQuotaFile(path));
        projects = table.projects.size();
        quotas.Replace(std::move(table));
        return absl::OkStatus();
      }) {}

absl::StatusOr<std::unique_ptr<Permissions>> Permissions::Open(
    Flags* flags, Log* log, std::function<void()> on_verifying_thread) {
  std::unique_ptr<Permissions> result(new Permissions(log));
  if (!flags->token_file.empty()) {
    TokenVerifierOptions options;
    options.on_thread = std::move(on_verifying_thread);
    Callers& callers = result->callers_.emplace(flags->token_file, std::move(options));
    SLIPSTREAM_RETURN_IF_ERROR(callers.file.Read());
    flags->server.gate = &callers.gate;
  }
  if (!flags->quota_file.empty()) {
    Limits& limits = result->limits_.emplace(flags->quota_file);
    SLIPSTREAM_RETURN_IF_ERROR(limits.file.Read());
    flags->server.quotas = flags->service.quotas = flags->store.quotas = &limits.quotas;
  }
  result->knows_certificates_ = !flags->server.tls.client_ca.empty();
  result->WarnOf(*flags);
  result->WarnOfCertificates();
  return result;
}

void Permissions::WarnOf(const Flags& flags) {
  const bool encrypted = flags.server.tls.is_set();
  const bool in_the_open = !encrypted && flags.server.allow_plaintext_beyond_loopback;
  if (!callers_.has_value() && (encrypted || in_the_open)) {
    log_.Write(LogLevel::kWarning,
               knows_certificates_
                   ? "anyone with a certificate that --tls-client-ca verifies may do everything"
                   : "anyone who can reach the server may do everything",
               {{"message", "give --token-file to say who may do what"}});
  }
  if (callers_.has_value() && in_the_open) {
    log_.Write(LogLevel::kWarning, "tokens cross the network unencrypted",
               {{"message", "give --tls-certificate and --tls-key"}});
  }
}

// A line that only a client certificate could meet would refuse its caller for ever.
void Permissions::WarnOfCertificates() {
  if (knows_certificates_ || !callers_.has_value() || callers_->by_certificate == 0) return;
  log_.Write(LogLevel::kWarning, "some callers cannot identify themselves",
             {{"lines", static_cast<int64_t>(callers_->by_certificate)},
              {"message", "the token file lists them by certificate, and the server asks callers "
                          "for certificates only with --tls-client-ca"}});
}

void Permissions::ReadAgain() {
  if (callers_.has_value() && ReadAgain(callers_->file, "the previous tokens stay valid")) {
    log_.Write(LogLevel::kInfo, "read the token file again",
               {{"tokens", static_cast<int64_t>(callers_->tokens)}});
    WarnOfCertificates();
  }
  if (limits_.has_value() && ReadAgain(limits_->file, "the previous quotas stay in force")) {
    log_.Write(LogLevel::kInfo, "read the quota file again",
               {{"projects", static_cast<int64_t>(limits_->projects)}});
  }
}

bool Permissions::ReadAgain(WatchedFile& file, const char* kept) {
  const std::optional<absl::Status> status = file.ReadIfChanged();
  if (!status.has_value()) return false;
  if (!status->ok()) {
    log_.Write(LogLevel::kError, kept, {{"message", std::string(status->message())}});
  }
  return status->ok();
}

void Permissions::AppendFilesInForce(std::vector<FileInForce>* files) const {
  if (callers_.has_value()) files->push_back({kTokenFile, callers_->file.is_in_force()});
  if (limits_.has_value()) files->push_back({kQuotaFile, limits_->file.is_in_force()});
}

}  // namespace slipstream
