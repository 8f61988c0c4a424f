#include "server/store/sqlite/sqlite_transaction.h"

#include <algorithm>

#include "core/base/status.h"

namespace slipstream::sqlite {

void BindFilter(const ListFilter& filter, Query& query) {
  query.BindInteger(filter.after_key).BindInteger(filter.limit);
  if (filter.project.has_value()) query.BindText(*filter.project);
}

absl::Status SqliteTransaction::Begin() {
  deletes_ = false;
  adds_ = false;
  report_purge_.Begin();
  return Query(writer_, "BEGIN IMMEDIATE").Run();
}

absl::Status SqliteTransaction::SetNow(int64_t now_ms, int64_t set_by_ms) {
  now_ms_ = now_ms;
  return answers_.Begin(now_ms, set_by_ms);
}

absl::Status SqliteTransaction::Flush() {
  SLIPSTREAM_RETURN_IF_ERROR(heads_.Flush());
  SLIPSTREAM_RETURN_IF_ERROR(answers_.Flush());
  return events_.Flush();
}

absl::Status SqliteTransaction::Commit() {
  SLIPSTREAM_RETURN_IF_ERROR(Query(writer_, "COMMIT").Run());
  heads_.Committed();
  usages_.Committed();
  study_purge_.Committed();
  source_purge_.Committed();
  if (earliest_lease_end_.has_value()) horizon_.Note(*earliest_lease_end_);
  earliest_lease_end_.reset();
  return absl::OkStatus();
}

absl::Status SqliteTransaction::RollBack() {
  heads_.RolledBack();
  usages_.RolledBack();
  answers_.RolledBack();
  events_.RolledBack();
  report_purge_.RolledBack();
  study_purge_.RolledBack();
  source_purge_.RolledBack();
  earliest_lease_end_.reset();
  return writer_.RollBack();
}

absl::Status SqliteTransaction::Purge() {
  deletes_ = true;
  SLIPSTREAM_ASSIGN_OR_RETURN(bool is_enough, report_purge_.Continue());
  if (!is_enough) {
    SLIPSTREAM_ASSIGN_OR_RETURN(is_enough, study_purge_.Continue());
  }
  if (!is_enough) SLIPSTREAM_RETURN_IF_ERROR(source_purge_.Continue().status());
  return answers_.EraseSome();
}

absl::StatusOr<ProjectUsage> SqliteTransaction::FindUsage(absl::string_view project) {
  if (!usages_.is_counted()) {
    SLIPSTREAM_RETURN_IF_ERROR(heads_.Flush());
    SLIPSTREAM_RETURN_IF_ERROR(usages_.Count());
  }
  return usages_.Of(project);
}

// Reads no trials where none can have ended, so that others need not wait for a look at all leases.
absl::StatusOr<std::vector<TrialKey>> SqliteTransaction::ListEndedLeases(int64_t lease_ms,
                                                                         int limit) {
  const int64_t bound = horizon_.bound();
  if (lease_ms < std::min(bound, earliest_lease_end_.value_or(bound))) {
    return std::vector<TrialKey>();
  }
  return ReadEndedLeases(writer_, lease_ms, limit);
}

void SqliteTransaction::NoteLeaseEnd(std::optional<int64_t> end) {
  if (!end.has_value()) return;
  earliest_lease_end_ = std::min(*end, earliest_lease_end_.value_or(*end));
}

}  // namespace slipstream::sqlite
