#include "server/store/sqlite/report_purge.h"

#include <optional>

#include "core/base/status.h"
#include "server/store/sqlite/row_purge.h"

namespace slipstream::sqlite {

absl::Status ReportPurge::EraseSome(int64_t trial_id) {
  if (erased_ >= kPurgedReportsAtOnce) return absl::OkStatus();
  // A range of rows is erased many times as fast as single ones.
  Query query(connection_,
              "DELETE FROM reports WHERE trial_id = ?1 AND step <= coalesce("
              "(SELECT step FROM reports WHERE trial_id = ?1 ORDER BY step LIMIT 1 OFFSET ?2 - 1),"
              " 9223372036854775807)");
  query.BindInteger(trial_id).BindInteger(kPurgedReportsAtOnce - erased_);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  erased_ += connection_.changes();
  return absl::OkStatus();
}

absl::Status ReportPurge::SetWorker(int64_t trial_id, const char* worker) {
  Query query(connection_, "UPDATE trials SET worker = ? WHERE id = ?");
  return query.BindText(worker).BindInteger(trial_id).RunOnOneRow();
}

absl::Status ReportPurge::Delete(int64_t trial_id) {
  SLIPSTREAM_RETURN_IF_ERROR(EraseSome(trial_id));
  if (erased_ < kPurgedReportsAtOnce) return absl::OkStatus();
  pending_ = true;
  return SetWorker(trial_id, kHasReportsLeft);
}

absl::Status ReportPurge::Finish(int64_t trial_id) {
  if (!pending_) return absl::OkStatus();
  Query query(connection_, "DELETE FROM reports WHERE trial_id = ?1 AND ?1 IN"
                           " (" SLIPSTREAM_HAVE_REPORTS_LEFT ")");
  SLIPSTREAM_RETURN_IF_ERROR(query.BindInteger(trial_id).Run());
  Query unmark(connection_, "UPDATE trials SET worker = '' WHERE id = ? AND worker = char(1)");
  return unmark.BindInteger(trial_id).Run();
}

absl::StatusOr<bool> ReportPurge::Continue() {
  bool is_any = false;
  while (pending_ && erased_ < kPurgedReportsAtOnce) {
    std::optional<int64_t> trial_id;
    {
      Query query(connection_, SLIPSTREAM_HAVE_REPORTS_LEFT " LIMIT 1");
      SLIPSTREAM_ASSIGN_OR_RETURN(
          trial_id, query.First([](const Query& row) { return row.Integer(0); }));
    }
    pending_ = trial_id.has_value();
    if (!pending_) break;
    is_any = true;
    SLIPSTREAM_RETURN_IF_ERROR(EraseSome(*trial_id));
    if (erased_ < kPurgedReportsAtOnce) SLIPSTREAM_RETURN_IF_ERROR(SetWorker(*trial_id, ""));
  }
  return is_any;
}

}  // namespace slipstream::sqlite
