#include "server/store/sqlite/sqlite_transaction.h"

#include <algorithm>
#include <limits>

#include "core/base/status.h"

namespace slipstream::sqlite {

absl::Status SqliteTransaction::Begin() { return Query(writer_, "BEGIN IMMEDIATE").Run(); }

absl::Status SqliteTransaction::SetNow(int64_t now_ms) {
  now_ms_ = now_ms;
  return answers_.Begin(now_ms);
}

absl::Status SqliteTransaction::Commit() {
  SLIPSTREAM_RETURN_IF_ERROR(heads_.Flush());
  SLIPSTREAM_RETURN_IF_ERROR(events_.Flush());
  SLIPSTREAM_RETURN_IF_ERROR(Query(writer_, "COMMIT").Run());
  heads_.Committed();
  if (earliest_lease_end_.has_value()) horizon_.Note(*earliest_lease_end_);
  earliest_lease_end_.reset();
  return absl::OkStatus();
}

absl::Status SqliteTransaction::RollBack() {
  heads_.RolledBack();
  answers_.RolledBack();
  events_.RolledBack();
  purge_.RolledBack();
  earliest_lease_end_.reset();
  return writer_.RollBack();
}

void SqliteTransaction::NoteLeaseEnd(std::optional<int64_t> end) {
  if (!end.has_value()) return;
  earliest_lease_end_ = std::min(*end, earliest_lease_end_.value_or(*end));
}

absl::StatusOr<std::vector<TrialKey>> SqliteSnapshot::ListEndedLeases(int64_t lease_ms, int limit) {
  constexpr int64_t kEver = std::numeric_limits<int64_t>::max();
  if (horizon_ == nullptr) return ReadEndedLeases(reader_, lease_ms, limit);
  const int64_t bound = horizon_->bound();
  if (lease_ms < bound || bound == kEver) return std::vector<TrialKey>();
  // Any lease will do then, and the first one is soon found.
  if (lease_ms == kEver) return ReadEndedLeases(reader_, lease_ms, limit);
  horizon_->BeginScan();
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<int64_t> earliest, ReadEarliestLeaseEnd(reader_));
  horizon_->EndScan(earliest);
  if (!earliest.has_value() || lease_ms < *earliest) return std::vector<TrialKey>();
  return ReadEndedLeases(reader_, lease_ms, limit);
}

}  // namespace slipstream::sqlite
