#include "server/grpc/tls_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace slipstream {
namespace {

constexpr absl::Duration kWarnedBefore = absl::Hours(14 * 24);
constexpr absl::Duration kBetweenWarnings = absl::Hours(24);

std::string TextOf(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

bool AreSame(const TlsTexts& one, const TlsTexts& other) {
  return one.certificate == other.certificate && one.key == other.key &&
         one.client_ca == other.client_ca;
}

// Whether one of the certificates that sign callers' is valid.
bool HasValid(const TlsTexts& texts, absl::Time now) {
  return std::any_of(
      texts.authorities.begin(), texts.authorities.end(),
      [now](const auto& authority) { return authority.second.validity.Contains(now); });
}

// What is to be said of a certificate at this time, with its dates; nothing if all is well.
struct TimeWarning {
  const char* what = nullptr;
  LogFields fields;
};
TimeWarning WarningOf(const Validity& validity, absl::Time now) {
  if (validity.end <= now) return {"has expired", {{"end", TextOf(validity.end)}}};
  if (now < validity.begin) return {"is not valid yet", {{"begin", TextOf(validity.begin)}}};
  if (validity.end - now >= kWarnedBefore) return {};
  return {"expires soon",
          {{"end", TextOf(validity.end)},
           {"days_left", absl::ToInt64Hours(validity.end - now) / 24}}};
}

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
  // What has changed since `served` was read does not change any more.
  const absl::StatusOr<TlsTexts> now_there = ReadTlsFiles(files_);
  unsettled_ = !now_there.ok() || !AreSame(*now_there, *served_->texts());
  WarnOfKey();
  WarnOfTimes();
}

void TlsWatch::Look() { Look(/*are_finished=*/false); }

void TlsWatch::LookAtFinishedFiles() { Look(/*are_finished=*/true); }

void TlsWatch::Look(bool are_finished) {
  if (served_ == nullptr) return;
  bool changed = false;
  for (WatchedFile& file : watched_) changed |= file.ReadIfChanged().has_value();
  const bool is_settled = are_finished || !changed;
  unsettled_ |= changed;
  // What does not fit is read at each look: certificates begin, and clocks are corrected.
  if (is_settled && (unsettled_ || !fit_)) {
    ReadAgain(/*is_news=*/unsettled_);
    unsettled_ = false;  // If memory runs out before, they are read at the next look.
  }
  WarnOfTimes();
}

absl::Status TlsWatch::CheckIsNoWorse(const TlsTexts& texts) const {
  const absl::Time now = now_();
  const Validity& validity = texts.validity;
  if (validity.Contains(now) || !served_->texts()->validity.Contains(now)) {
    return CheckVerifiesCallers(texts);
  }
  const std::string file =
      absl::StrCat("the TLS certificate ", files_.certificate, " (--tls-certificate) ");
  return absl::FailedPreconditionError(
      validity.end <= now ? absl::StrCat(file, "has expired at ", TextOf(validity.end))
                          : absl::StrCat(file, "is not valid before ", TextOf(validity.begin),
                                         ", and is used from then on"));
}

absl::Status TlsWatch::CheckVerifiesCallers(const TlsTexts& texts) const {
  const absl::Time now = now_();
  if (!HasValid(*served_->texts(), now) || HasValid(texts, now)) return absl::OkStatus();
  std::vector<std::string> reasons;
  for (const auto& [binary, authority] : texts.authorities) {
    const Validity& validity = authority.validity;
    reasons.push_back(
        absl::StrCat(authority.name,
                     validity.end <= now ? absl::StrCat(" has expired at ", TextOf(validity.end))
                                         : absl::StrCat(" is not valid before ",
                                                        TextOf(validity.begin))));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("no certificate in ", files_.client_ca, " (--tls-client-ca) is valid: ",
                   absl::StrJoin(reasons, "; ")));
}

void TlsWatch::ReadAgain(bool is_news) {
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files_);
  if (texts.ok()) {
    if (const absl::Status worse = CheckIsNoWorse(*texts); !worse.ok()) texts = worse;
  }
  const bool did_fit = fit_.exchange(texts.ok());
  if (!texts.ok()) {
    const std::string before = std::exchange(misfit_, std::string(texts.status().message()));
    if (!is_news && misfit_ == before) return;
    return log_.Write(LogLevel::kError, "the previous TLS files stay in use",
                      {{"message", misfit_}});
  }
  const std::shared_ptr<const TlsTexts> before = served_->texts();
  is_authority_gone_ |= std::any_of(
      before->authorities.begin(), before->authorities.end(),
      [&](const auto& authority) { return texts->authorities.count(authority.first) == 0; });
  served_->Replace(*std::move(texts));
  next_warning_ = absl::InfinitePast();
  log_.Write(LogLevel::kInfo,
             did_fit ? "read the TLS files again" : "the TLS files are valid again");
  if (is_authority_gone_) {
    const int64_t ended = disconnect_all_();
    is_authority_gone_ = false;
    log_.Write(LogLevel::kWarning, "closed all connections",
               {{"connections", ended},
                {"message", "a certificate was removed from --tls-client-ca"}});
  }
  WarnOfKey();
}

void TlsWatch::WarnOfKey() {
  struct stat key = {};
  if (stat(files_.key.c_str(), &key) != 0 || (key.st_mode & (S_IROTH | S_IWOTH)) == 0) return;
  log_.Write(LogLevel::kWarning, "other users can read or write the TLS key",
             {{"file", files_.key},
              {"message", "remove their permissions, for example with chmod o-rwx"}});
}

void TlsWatch::WarnOfTimes() {
  const absl::Time now = now_();
  // Unless the clock has been set back.
  if (now < next_warning_ && next_warning_ - now <= kBetweenWarnings) return;
  const bool has_warned = WarnOfCertificate(now);
  if (WarnOfAuthorities(now) || has_warned) next_warning_ = now + kBetweenWarnings;
}

bool TlsWatch::WarnOfCertificate(absl::Time now) {
  TimeWarning warning = WarningOf(served_->texts()->validity, now);
  if (warning.what == nullptr) return false;
  warning.fields.insert(warning.fields.begin(), {"file", files_.certificate});
  warning.fields.push_back(
      {"message", "callers refuse a certificate that is not valid; write a new one and its key to "
                  "the files of --tls-certificate and --tls-key, which the server reads again "
                  "without a restart"});
  log_.Write(LogLevel::kWarning, absl::StrCat("the TLS certificate ", warning.what),
             warning.fields);
  return true;
}

bool TlsWatch::WarnOfAuthorities(absl::Time now) {
  bool has_warned = false;
  for (const auto& [binary, authority] : served_->texts()->authorities) {
    TimeWarning warning = WarningOf(authority.validity, now);
    if (warning.what == nullptr) continue;
    has_warned = true;
    warning.fields.insert(warning.fields.begin(),
                         {{"file", files_.client_ca}, {"subject", authority.name}});
    warning.fields.push_back(
        {"message", "callers whose certificates it signed are refused while it is not valid; write "
                    "a new one to the file of --tls-client-ca, which the server reads again "
                    "without a restart"});
    log_.Write(LogLevel::kWarning,
               absl::StrCat("a certificate that signs callers' ", warning.what), warning.fields);
  }
  return has_warned;
}

std::optional<absl::Time> TlsWatch::certificate_end() const {
  if (served_ == nullptr) return std::nullopt;
  return served_->texts()->validity.end;
}

std::optional<absl::Time> TlsWatch::authorities_end() const {
  if (files_.client_ca.empty()) return std::nullopt;
  absl::Time end = absl::InfiniteFuture();
  const std::shared_ptr<const TlsTexts> texts = served_->texts();
  for (const auto& [binary, authority] : texts->authorities) {
    end = std::min(end, authority.validity.end);
  }
  return end;
}

std::optional<bool> TlsWatch::is_in_force() const {
  if (served_ == nullptr) return std::nullopt;
  return fit_;
}

}  // namespace slipstream
