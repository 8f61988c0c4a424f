#include "server/store/sqlite/study_purge.h"

#include <algorithm>

#include "core/base/status.h"
#include "server/store/sqlite/schema.h"

namespace slipstream::sqlite {
namespace {

constexpr int64_t kTrialsAtOnce = 1000;
// Those of the last trial may be more. All that a thousand trials may have take many seconds.
constexpr int64_t kReportsAtOnce = 20'000;

// Deletes trials `first` to `last`.
absl::Status DeleteTrials(Connection& connection, int64_t study_key, int64_t first, int64_t last) {
  Query trials(connection, "DELETE FROM trials WHERE id BETWEEN ? AND ?");
  trials.BindInteger(TrialId(study_key, first)).BindInteger(TrialId(study_key, last));
  SLIPSTREAM_RETURN_IF_ERROR(trials.Run());
  Query provenances(connection, "DELETE FROM provenances WHERE id BETWEEN ? AND ?");
  provenances.BindInteger(TrialId(study_key, first)).BindInteger(TrialId(study_key, last));
  SLIPSTREAM_RETURN_IF_ERROR(provenances.Run());
  Query reports(connection, "DELETE FROM reports WHERE trial_id BETWEEN ? AND ?");
  reports.BindInteger(TrialId(study_key, first)).BindInteger(TrialId(study_key, last));
  return reports.Run();
}

struct Remainder {
  int64_t study_key = 0;
  int64_t next_number = 1;
  int64_t last_number = 0;
};

// The last of trials `first` to `last` up to which there are not many reports, at least `first`.
absl::StatusOr<int64_t> LastWithFewReports(Connection& connection, int64_t study_key, int64_t first,
                                           int64_t last) {
  Query query(connection,
              "SELECT trial_id FROM reports WHERE trial_id BETWEEN ? AND ?"
              " ORDER BY trial_id, step LIMIT 1 OFFSET ?");
  query.BindInteger(TrialId(study_key, first))
      .BindInteger(TrialId(study_key, last))
      .BindInteger(kReportsAtOnce);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool are_more, query.Next());
  return are_more ? TrialNumber(query.Integer(0)) : last;
}

absl::Status Finish(Connection& connection, int64_t study_key) {
  Query query(connection, "DELETE FROM study_purges WHERE study_key = ?");
  return query.BindInteger(study_key).Run();
}

absl::Status Advance(Connection& connection, int64_t study_key, int64_t next_number) {
  Query query(connection, "UPDATE study_purges SET next_number = ? WHERE study_key = ?");
  return query.BindInteger(next_number).BindInteger(study_key).Run();
}

}  // namespace

absl::Status StudyPurge::Add(int64_t study_key, int64_t trial_count) {
  Release(study_key);
  if (trial_count == 0) return absl::OkStatus();
  Query query(connection_,
              "INSERT INTO study_purges(study_key, next_number, last_number) VALUES(?, 1, ?)");
  return query.BindInteger(study_key).BindInteger(trial_count).Run();
}

absl::Status StudyPurge::Hold(int64_t study_key, int64_t trial_count) {
  SLIPSTREAM_RETURN_IF_ERROR(Add(study_key, trial_count));
  held_.insert(study_key);
  return absl::OkStatus();
}

// It goes on to be held: this transaction may be rolled back.
absl::Status StudyPurge::Keep(int64_t study_key) {
  Query query(connection_, "DELETE FROM study_purges WHERE study_key = ?");
  return query.BindInteger(study_key).RunOnOneRow();
}

void StudyPurge::Release(int64_t study_key) {
  held_.erase(study_key);
  pending_ = true;
}

absl::Status StudyPurge::Continue() {
  Remainder remainder;
  {
    Query query(connection_, "SELECT study_key, next_number, last_number FROM study_purges");
    do {
      SLIPSTREAM_ASSIGN_OR_RETURN(pending_, query.Next());
      if (!pending_) return absl::OkStatus();
    } while (held_.contains(query.Integer(0)));
    remainder = {query.Integer(0), query.Integer(1), query.Integer(2)};
  }
  const int64_t first = remainder.next_number;
  const int64_t most = std::min(first + kTrialsAtOnce - 1, remainder.last_number);
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const int64_t last, LastWithFewReports(connection_, remainder.study_key, first, most));
  SLIPSTREAM_RETURN_IF_ERROR(DeleteTrials(connection_, remainder.study_key, first, last));
  if (last >= remainder.last_number) return Finish(connection_, remainder.study_key);
  return Advance(connection_, remainder.study_key, last + 1);
}

}  // namespace slipstream::sqlite
