#include "server/store/sqlite/study_purge.h"

#include <algorithm>
#include <optional>

#include "core/base/status.h"
#include "server/store/sqlite/schema.h"

namespace slipstream::sqlite {
namespace {

// The last trial may have more reports. All that a thousand trials may have take many seconds.
constexpr int64_t kTrialsAtOnce = 1000;

// The last trial before which the others in the range have few bytes.
constexpr char kLastWithFewBytes[] =
    "SELECT max(id) FROM (SELECT id, sum(bytes) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED"
    " PRECEDING AND 1 PRECEDING) AS before FROM (SELECT id, length(configuration)"
    " + length(measurement) + length(reason) + length(labels) + length(note)"
    " + coalesce((SELECT length(provenance) FROM provenances WHERE provenances.id = trials.id), 0)"
    " AS bytes FROM trials WHERE id BETWEEN ? AND ?)) WHERE before IS NULL OR before < ?";

absl::Status DeleteTrials(Connection& connection, int64_t study_key, int64_t first, int64_t last) {
  for (const char* sql : {"DELETE FROM trials WHERE id BETWEEN ? AND ?",
                          "DELETE FROM provenances WHERE id BETWEEN ? AND ?",
                          "DELETE FROM reports WHERE trial_id BETWEEN ? AND ?"}) {
    Query query(connection, sql);
    query.BindInteger(TrialId(study_key, first)).BindInteger(TrialId(study_key, last));
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  }
  return absl::OkStatus();
}

// The last of trials `first` to `last` up to which there are not many bytes, at least `first`.
absl::StatusOr<int64_t> LastWithFewBytes(Connection& connection, int64_t study_key, int64_t first,
                                         int64_t last) {
  Query query(connection, kLastWithFewBytes);
  query.BindInteger(TrialId(study_key, first))
      .BindInteger(TrialId(study_key, last))
      .BindInteger(kPurgedBytesAtOnce);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  const std::optional<int64_t> id = query.OptionalInteger(0);
  return id.has_value() ? TrialNumber(*id) : last;
}

// The same for reports.
absl::StatusOr<int64_t> LastWithFewReports(Connection& connection, int64_t study_key, int64_t first,
                                           int64_t last) {
  Query query(connection,
              "SELECT trial_id FROM reports WHERE trial_id BETWEEN ? AND ?"
              " ORDER BY trial_id, step LIMIT 1 OFFSET ?");
  query.BindInteger(TrialId(study_key, first))
      .BindInteger(TrialId(study_key, last))
      .BindInteger(kPurgedReportsAtOnce);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool are_more, query.Next());
  return are_more ? TrialNumber(query.Integer(0)) : last;
}

absl::StatusOr<int64_t> EraseTrials(Connection& connection, int64_t study_key, int64_t first,
                                    int64_t last) {
  last = std::min(first + kTrialsAtOnce - 1, last);
  SLIPSTREAM_ASSIGN_OR_RETURN(last, LastWithFewBytes(connection, study_key, first, last));
  SLIPSTREAM_ASSIGN_OR_RETURN(last, LastWithFewReports(connection, study_key, first, last));
  SLIPSTREAM_RETURN_IF_ERROR(DeleteTrials(connection, study_key, first, last));
  return last;
}

}  // namespace

const PurgeKind kTrialsOfStudies = {
    "INSERT INTO study_purges(study_key, next_number, last_number) VALUES(?, 1, ?)",
    "SELECT study_key, next_number, last_number FROM study_purges",
    "DELETE FROM study_purges WHERE study_key = ?",
    "UPDATE study_purges SET next_number = ? WHERE study_key = ?",
    EraseTrials,
};

}  // namespace slipstream::sqlite
