#include "server/quota/quotas.h"

#include "absl/strings/str_cat.h"
#include "core/base/refusals.h"
#include "core/base/status.h"

namespace slipstream {

absl::string_view NameOf(QuotaKind kind) {
  switch (kind) {
    case QuotaKind::kStudies:
      return "studies";
    case QuotaKind::kTrials:
      return "trials";
    case QuotaKind::kSourceTasks:
      return "sources";
    case QuotaKind::kBytes:
      return "mib";
    case QuotaKind::kCalls:
      return "calls_per_second";
  }
  return "unknown";
}

const Quota& QuotaTable::Of(absl::string_view project) const {
  const auto found = projects.find(project);
  return found == projects.end() ? others : found->second;
}

void Quotas::Replace(QuotaTable table) {
  auto replacement = std::make_shared<const QuotaTable>(std::move(table));
  const std::lock_guard lock(mutex_);
  table_.swap(replacement);
}

std::shared_ptr<const QuotaTable> Quotas::table() const {
  const std::lock_guard lock(mutex_);
  return table_;
}

absl::Status Quotas::Refusal(QuotaKind kind, absl::string_view project,
                             absl::string_view text) const {
  const std::string message =
      absl::StrCat("project ", project, " ", text, " (", NameOf(kind), " in ", file_, ")");
  // The quota of calls refuses for a moment, any other quota until something is deleted
  // or has expired.
  return WithQuota(kind == QuotaKind::kCalls ? OverloadError(message)
                                             : absl::ResourceExhaustedError(message),
                   NameOf(kind));
}

void Quotas::Count(const absl::Status& status) {
  const std::optional<std::string> name = QuotaOf(status);
  if (!name.has_value()) return;
  for (size_t kind = 0; kind < kQuotaKinds; ++kind) {
    if (*name == NameOf(static_cast<QuotaKind>(kind))) ++refusals_[kind];
  }
}

absl::Status Quotas::Refuse(QuotaKind kind, absl::string_view project, absl::string_view text) {
  absl::Status status = Refusal(kind, project, text);
  Count(status);
  return status;
}

std::array<int64_t, kQuotaKinds> Quotas::Refusals() const {
  std::array<int64_t, kQuotaKinds> counts = {};
  for (size_t i = 0; i < kQuotaKinds; ++i) counts[i] = refusals_[i];
  return counts;
}

}  // namespace slipstream
