#include "server/grpc/tls_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace slipstream {
namespace {

constexpr absl::Duration kWarnedBefore = absl::Hours(14 * 24);
constexpr absl::Duration kBetweenWarnings = absl::Hours(24);

// The watch only asks whether a file has changed.
absl::Status ReadNothing(const std::string&) { return absl::OkStatus(); }

}  // namespace

TlsWatch::TlsWatch(TlsFiles files, std::shared_ptr<ServedTls> served,
                   std::function<int()> disconnect_all, Log* log, std::function<absl::Time()> now)
    : files_(std::move(files)),
      served_(std::move(served)),
      disconnect_all_(std::move(disconnect_all)),
      log_(*log),
      now_(std::move(now)) {
  if (served_ == nullptr) return;
  for (const std::string* file : {&files_.certificate, &files_.key, &files_.client_ca}) {
    if (!file->empty()) watched_.emplace_back(*file, &ReadNothing);
  }
  for (WatchedFile& file : watched_) (void)file.Read();
  WarnOfKey();
  WarnOfEnd();
}

void TlsWatch::Look() { Look(/*are_finished=*/false); }

void TlsWatch::LookAtFinishedFiles() { Look(/*are_finished=*/true); }

void TlsWatch::Look(bool are_finished) {
  if (served_ == nullptr) return;
  bool changed = false;
  for (WatchedFile& file : watched_) changed |= file.ReadIfChanged().has_value();
  const bool is_settled = are_finished || !changed;
  const bool was_unsettled = std::exchange(unsettled_, !is_settled);
  const bool has_begun = now_() >= next_reading_;
  if (is_settled && (changed || was_unsettled || has_begun)) ReadAgain();
  WarnOfEnd();
}

absl::Status TlsWatch::CheckIsNoWorse(const TlsTexts& texts) const {
  const absl::Time now = now_();
  const std::shared_ptr<const TlsTexts> served = served_->texts();
  const auto is_valid = [now](const TlsTexts& each) { return each.begin <= now && now < each.end; };
  if (is_valid(texts) || !is_valid(*served)) return absl::OkStatus();
  const auto refuse = [this](absl::string_view when, absl::Time time, absl::string_view advice) {
    return absl::FailedPreconditionError(
        absl::StrCat("the TLS certificate ", files_.certificate, " (--tls-certificate) ", when,
                     absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone()), advice));
  };
  if (texts.end <= now) return refuse("has expired at ", texts.end, "");
  return refuse("is not valid before ", texts.begin, ", and is used from then on");
}

void TlsWatch::ReadAgain() {
  next_reading_ = absl::InfiniteFuture();
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files_);
  if (texts.ok()) {
    if (const absl::Status worse = CheckIsNoWorse(*texts); !worse.ok()) {
      if (texts->end > now_()) next_reading_ = texts->begin;
      texts = worse;
    }
  }
  const bool did_fit = fit_.exchange(texts.ok());
  if (!texts.ok()) {
    return log_.Write(LogLevel::kError, "the previous TLS files stay in use",
                      {{"message", std::string(texts.status().message())}});
  }
  const std::shared_ptr<const TlsTexts> before = served_->texts();
  const bool is_gone =
      !std::includes(texts->authorities.begin(), texts->authorities.end(),
                     before->authorities.begin(), before->authorities.end());
  served_->Replace(*std::move(texts));
  next_warning_ = absl::InfinitePast();
  log_.Write(LogLevel::kInfo,
             did_fit ? "read the TLS files again" : "the TLS files are valid again");
  if (is_gone) {
    const int64_t ended = disconnect_all_();
    log_.Write(LogLevel::kWarning, "closed all connections",
               {{"connections", ended},
                {"message", "a certificate was removed from --tls-client-ca"}});
  }
  WarnOfKey();
}

void TlsWatch::WarnOfKey() {
  struct stat key = {};
  if (stat(files_.key.c_str(), &key) != 0 || (key.st_mode & (S_IROTH | S_IWOTH)) == 0) return;
  log_.Write(LogLevel::kWarning, "others can read or write the TLS key",
             {{"file", files_.key},
              {"message", "take the rights of others away, as by chmod o-rwx"}});
}

void TlsWatch::WarnOfEnd() {
  const absl::Time now = now_();
  const absl::Time end = served_->texts()->end;
  if (end - now >= kWarnedBefore || now < next_warning_) return;
  next_warning_ = now + kBetweenWarnings;
  log_.Write(LogLevel::kWarning,
             end <= now ? "the TLS certificate has expired" : "the TLS certificate expires soon",
             {{"file", files_.certificate},
              {"end", absl::FormatTime(absl::RFC3339_sec, end, absl::UTCTimeZone())},
              {"days_left", std::max<int64_t>(absl::ToInt64Hours(end - now) / 24, 0)},
              {"message", "write a new certificate and its key to the files of --tls-certificate "
                          "and --tls-key, which the server reads again without a restart"}});
}

std::optional<absl::Time> TlsWatch::certificate_end() const {
  if (served_ == nullptr) return std::nullopt;
  return served_->texts()->end;
}

std::optional<bool> TlsWatch::is_in_force() const {
  if (served_ == nullptr) return std::nullopt;
  return fit_;
}

}  // namespace slipstream
