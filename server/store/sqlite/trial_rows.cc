// The rows of trials and their provenances.
#include <algorithm>
#include <limits>

#include "core/base/status.h"
#include "server/store/sqlite/report_purge.h"
#include "server/store/sqlite/schema.h"
#include "server/store/sqlite/sqlite_transaction.h"

namespace slipstream::sqlite {
namespace {

// Queries are literals, and all of them begin with this.
#define SLIPSTREAM_SELECT_TRIAL                                                            \
  "SELECT trials.id, state, suggested, candidate, create_ms, start_ms, end_ms, objective," \
  " worker, reason, measurement, configuration, lease_end, requeue_of, requeued_as,"       \
  " requeues, host, process, report_count, last_step, last_value, labels, note FROM trials "

constexpr char kTrialByNumber[] = SLIPSTREAM_SELECT_TRIAL "WHERE id = ?";

constexpr char kTrialsInOrder[] =
    SLIPSTREAM_SELECT_TRIAL "WHERE id BETWEEN ?1 AND ?2 AND (?3 >> state) & 1 ORDER BY id LIMIT ?4";

// A study has few open trials and perhaps very many that have ended.
constexpr char kOpenTrialsInOrder[] = SLIPSTREAM_SELECT_TRIAL
    "INDEXED BY open_trials WHERE (state = 1 OR state = 2)"
    " AND id BETWEEN ?1 AND ?2 AND (?3 >> state) & 1 ORDER BY id LIMIT ?4";

// Sorts ids and objectives only, then reads the rows of the best.
#define SLIPSTREAM_SELECT_BEST(direction)                                   \
  SLIPSTREAM_SELECT_TRIAL                                                   \
  "JOIN (SELECT id AS best_id, objective AS best FROM trials"               \
  " WHERE id BETWEEN ?1 AND ?2 AND state = 3 ORDER BY objective " direction \
  ", id LIMIT ?3)"                                                          \
  " ON trials.id = best_id ORDER BY best " direction ", best_id"

constexpr char kLowest[] = SLIPSTREAM_SELECT_BEST("ASC");
constexpr char kHighest[] = SLIPSTREAM_SELECT_BEST("DESC");

#undef SLIPSTREAM_SELECT_BEST
#undef SLIPSTREAM_SELECT_TRIAL

constexpr char kActiveOfWorker[] =
    "SELECT id FROM trials INDEXED BY open_trials WHERE (state = 1 OR state = 2)"
    " AND state = 2 AND worker = ?1 AND id BETWEEN ?2 AND ?3 ORDER BY id";

// Trials of a deleted study may wait to be erased.
constexpr char kEndedLeases[] =
    "SELECT id FROM trials INDEXED BY open_trials WHERE (state = 1 OR state = 2)"
    " AND state = 2 AND lease_end <= ?1"
    " AND EXISTS (SELECT 1 FROM study_heads WHERE study_heads.key = trials.id >> 24) LIMIT ?2";
static_assert(kTrialNumberBits == 24);

constexpr char kEarliestLeaseEnd[] =
    "SELECT min(lease_end) FROM trials INDEXED BY open_trials WHERE (state = 1 OR state = 2)"
    " AND state = 2";

// REQUESTED trials have no worker, unless they have reports left (report_purge.h).
constexpr char kQueued[] =
    "SELECT id FROM trials INDEXED BY open_trials WHERE (state = 1 OR state = 2)"
    " AND state = 1 AND worker = '' AND id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3";

// Padding for a worker's name, its host and process, and two times.
constexpr int64_t kLeasePadding = 56;
// Padding for a time, a number, and a measurement of one metric.
constexpr int64_t kOutcomePadding = 56;

// Bytes of padding in a trial's row, so that its later UPDATEs fit in place.
int64_t PaddingIn(TrialState state) {
  if (HasEnded(state) || state == TrialState::kWithdrawn) return 0;
  return state == TrialState::kRequested ? kLeasePadding + kOutcomePadding : kOutcomePadding;
}

TrialRecord TrialOf(const Query& row) {
  TrialRecord trial;
  trial.number = TrialNumber(row.Integer(0));
  trial.state = static_cast<TrialState>(row.Integer(1));
  trial.suggested = row.Integer(2) != 0;
  trial.candidate = row.OptionalInteger(3);
  trial.create_ms = row.Integer(4);
  trial.start_ms = row.OptionalInteger(5);
  trial.end_ms = row.OptionalInteger(6);
  trial.objective = row.OptionalReal(7);
  trial.worker = row.Bytes(8);
  if (trial.worker == kHasReportsLeft) trial.worker.clear();
  trial.reason = row.Bytes(9);
  trial.measurement = row.Bytes(10);
  trial.configuration = row.Bytes(11);
  trial.lease_end = row.OptionalInteger(12);
  trial.requeue_of = row.Integer(13);
  trial.requeued_as = row.Integer(14);
  trial.requeues = row.Integer(15);
  trial.process = {row.Bytes(16), row.Integer(17)};
  trial.report_count = row.Integer(18);
  trial.last_step = row.OptionalInteger(19);
  trial.last_value = row.OptionalReal(20);
  trial.labels = row.Bytes(21);
  trial.note = row.Bytes(22);
  return trial;
}

int64_t NumberOf(const Query& row) { return TrialNumber(row.Integer(0)); }

// Bit s stands for state s.
int64_t StateBits(const std::vector<TrialState>& states) {
  if (states.empty()) return ~int64_t{0};
  int64_t bits = 0;
  for (const TrialState state : states) bits |= int64_t{1} << static_cast<int>(state);
  return bits;
}

bool OnlyOpen(const std::vector<TrialState>& states) {
  return !states.empty() && std::all_of(states.begin(), states.end(), IsOpen);
}

absl::StatusOr<std::optional<int64_t>> ReadEarliestLeaseEnd(Connection& connection) {
  Query query(connection, kEarliestLeaseEnd);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  return query.OptionalInteger(0);
}

bool InRange(int64_t number) { return number >= 1 && number <= kMaxTrialNumber; }

}  // namespace

absl::StatusOr<std::optional<TrialRecord>> ReadTrial(Connection& connection, int64_t study_key,
                                                     int64_t number) {
  if (!InRange(number)) return std::optional<TrialRecord>();
  Query query(connection, kTrialByNumber);
  query.BindInteger(TrialId(study_key, number));
  return query.First(TrialOf);
}

absl::StatusOr<std::vector<TrialRecord>> SqliteSnapshot::ListTrials(int64_t study_key,
                                                                    const TrialFilter& filter) {
  if (filter.after_number >= kMaxTrialNumber) return std::vector<TrialRecord>();
  Query query(reader_, OnlyOpen(filter.states) ? kOpenTrialsInOrder : kTrialsInOrder);
  query.BindInteger(TrialId(study_key, filter.after_number + 1))
      .BindInteger(TrialId(study_key, kMaxTrialNumber))
      .BindInteger(StateBits(filter.states))
      .BindInteger(filter.limit);
  return query.All(TrialOf);
}

absl::StatusOr<std::vector<TrialRecord>> SqliteSnapshot::ListBestTrials(int64_t study_key,
                                                                        bool maximize, int limit) {
  Query query(reader_, maximize ? kHighest : kLowest);
  query.BindInteger(TrialId(study_key, 1))
      .BindInteger(TrialId(study_key, kMaxTrialNumber))
      .BindInteger(limit);
  return query.All(TrialOf);
}

absl::StatusOr<std::vector<int64_t>> ReadActiveTrials(Connection& connection, int64_t study_key,
                                                      const std::string& worker) {
  Query query(connection, kActiveOfWorker);
  query.BindText(worker)
      .BindInteger(TrialId(study_key, 1))
      .BindInteger(TrialId(study_key, kMaxTrialNumber));
  return query.All(NumberOf);
}

absl::StatusOr<std::vector<int64_t>> ReadQueuedTrials(Connection& connection, int64_t study_key,
                                                      int limit) {
  Query query(connection, kQueued);
  query.BindInteger(TrialId(study_key, 1))
      .BindInteger(TrialId(study_key, kMaxTrialNumber))
      .BindInteger(limit);
  return query.All(NumberOf);
}

absl::StatusOr<std::vector<TrialKey>> ReadEndedLeases(Connection& connection, int64_t lease_ms,
                                                      int limit) {
  Query query(connection, kEndedLeases);
  query.BindInteger(lease_ms).BindInteger(limit);
  return query.All([](const Query& row) {
    return TrialKey{row.Integer(0) >> kTrialNumberBits, TrialNumber(row.Integer(0))};
  });
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

absl::StatusOr<std::optional<LeaseClock>> ReadLeaseClock(Connection& connection) {
  Query query(connection, "SELECT lease_ms, wall_ms FROM lease_clock");
  return query.First([](const Query& row) { return LeaseClock{row.Integer(0), row.Integer(1)}; });
}

absl::StatusOr<std::vector<TrialProvenance>> SqliteSnapshot::ListProvenances(int64_t study_key,
                                                                             int64_t after_number,
                                                                             int64_t last_number) {
  const int64_t last = std::min(last_number, kMaxTrialNumber);
  if (after_number >= last) return std::vector<TrialProvenance>();
  Query query(reader_,
              "SELECT id, provenance FROM provenances WHERE id BETWEEN ? AND ? ORDER BY id");
  query.BindInteger(TrialId(study_key, after_number + 1)).BindInteger(TrialId(study_key, last));
  return query.All([](const Query& row) { return TrialProvenance{NumberOf(row), row.Bytes(1)}; });
}

absl::StatusOr<std::vector<ReportRecord>> SqliteSnapshot::ListReports(int64_t study_key,
                                                                      int64_t after_number,
                                                                      int64_t last_number,
                                                                      int limit) {
  const int64_t last = std::min(last_number, kMaxTrialNumber);
  if (after_number >= last) return std::vector<ReportRecord>();
  Query query(reader_,
              "SELECT trial_id, step, value FROM reports WHERE trial_id BETWEEN ? AND ?"
              " AND trial_id NOT IN (" SLIPSTREAM_HAVE_REPORTS_LEFT ")"
              " ORDER BY trial_id, step LIMIT ?");
  query.BindInteger(TrialId(study_key, after_number + 1))
      .BindInteger(TrialId(study_key, last))
      .BindInteger(limit);
  return query.All([](const Query& row) {
    return ReportRecord{NumberOf(row), {row.Integer(1), row.Real(2)}};
  });
}

absl::Status SqliteTransaction::InsertTrial(int64_t study_key, const TrialRecord& trial,
                                            const std::string& provenance) {
  adds_ = true;
  NoteLeaseEnd(trial.lease_end);
  const int64_t id = TrialId(study_key, trial.number);
  Query query(writer_,
              "INSERT INTO trials(id, state, suggested, candidate, create_ms, start_ms, end_ms,"
              " objective, worker, reason, measurement, configuration, room, lease_end,"
              " requeue_of, requeues, host, process, labels, note)"
              " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, zeroblob(?), ?, ?, ?, ?, ?, ?, ?)");
  query.BindInteger(id)
      .BindInteger(static_cast<int64_t>(trial.state))
      .BindInteger(trial.suggested ? 1 : 0)
      .BindInteger(trial.candidate)
      .BindInteger(trial.create_ms)
      .BindInteger(trial.start_ms)
      .BindInteger(trial.end_ms)
      .BindReal(trial.objective)
      .BindText(trial.worker)
      .BindText(trial.reason)
      .BindBlob(trial.measurement)
      .BindBlob(trial.configuration)
      .BindInteger(PaddingIn(trial.state))
      .BindInteger(trial.lease_end)
      .BindInteger(trial.requeue_of)
      .BindInteger(trial.requeues)
      .BindText(trial.process.host)
      .BindInteger(trial.process.id)
      .BindBlob(trial.labels)
      .BindText(trial.note);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  if (provenance.empty()) return absl::OkStatus();
  Query extra(writer_, "INSERT INTO provenances(id, provenance) VALUES(?, ?)");
  return extra.BindInteger(id).BindBlob(provenance).Run();
}

absl::Status SqliteTransaction::UpdateLease(int64_t study_key, const TrialRecord& trial) {
  SLIPSTREAM_RETURN_IF_ERROR(report_purge_.Finish(TrialId(study_key, trial.number)));
  NoteLeaseEnd(trial.lease_end);
  Query query(writer_,
              "UPDATE trials SET state = ?, worker = ?, start_ms = ?, end_ms = ?, lease_end = ?,"
              " requeued_as = ?, host = ?, process = ?, room = zeroblob(?) WHERE id = ?");
  return query.BindInteger(static_cast<int64_t>(trial.state))
      .BindText(trial.worker)
      .BindInteger(trial.start_ms)
      .BindInteger(trial.end_ms)
      .BindInteger(trial.lease_end)
      .BindInteger(trial.requeued_as)
      .BindText(trial.process.host)
      .BindInteger(trial.process.id)
      .BindInteger(PaddingIn(trial.state))
      .BindInteger(TrialId(study_key, trial.number))
      .RunOnOneRow();
}

absl::Status SqliteTransaction::UpdateProgress(int64_t study_key, const TrialRecord& trial) {
  NoteLeaseEnd(trial.lease_end);
  Query query(writer_,
              "UPDATE trials SET lease_end = ?, report_count = ?, last_step = ?, last_value = ?"
              " WHERE id = ?");
  return query.BindInteger(trial.lease_end)
      .BindInteger(trial.report_count)
      .BindInteger(trial.last_step)
      .BindReal(trial.last_value)
      .BindInteger(TrialId(study_key, trial.number))
      .RunOnOneRow();
}

absl::Status SqliteTransaction::UpdateOutcome(int64_t study_key, const TrialRecord& trial) {
  SLIPSTREAM_RETURN_IF_ERROR(report_purge_.Finish(TrialId(study_key, trial.number)));
  Query query(writer_,
              "UPDATE trials SET state = ?, end_ms = ?, objective = ?, reason = ?,"
              " measurement = ?, lease_end = NULL, room = x'' WHERE id = ?");
  return query.BindInteger(static_cast<int64_t>(trial.state))
      .BindInteger(trial.end_ms)
      .BindReal(trial.objective)
      .BindText(trial.reason)
      .BindBlob(trial.measurement)
      .BindInteger(TrialId(study_key, trial.number))
      .RunOnOneRow();
}

absl::Status SqliteTransaction::UpdateAnnotations(int64_t study_key, const TrialRecord& trial) {
  Query query(writer_, "UPDATE trials SET labels = ?, note = ? WHERE id = ?");
  return query.BindBlob(trial.labels)
      .BindText(trial.note)
      .BindInteger(TrialId(study_key, trial.number))
      .RunOnOneRow();
}

absl::StatusOr<std::optional<double>> SqliteTransaction::FindReport(int64_t study_key,
                                                                    int64_t number, int64_t step) {
  Query query(writer_, "SELECT value FROM reports WHERE trial_id = ? AND step = ?");
  query.BindInteger(TrialId(study_key, number)).BindInteger(step);
  return query.First([](const Query& row) { return row.Real(0); });
}

absl::StatusOr<bool> SqliteTransaction::PutReport(int64_t study_key, int64_t number,
                                                  const StepReport& report) {
  const int64_t id = TrialId(study_key, number);
  Query insert(writer_, "INSERT OR IGNORE INTO reports(trial_id, step, value) VALUES(?, ?, ?)");
  insert.BindInteger(id).BindInteger(report.step).BindReal(report.value);
  SLIPSTREAM_RETURN_IF_ERROR(insert.Run());
  if (writer_.changes() == 1) return true;
  Query replace(writer_, "UPDATE reports SET value = ? WHERE trial_id = ? AND step = ?");
  replace.BindReal(report.value).BindInteger(id).BindInteger(report.step);
  SLIPSTREAM_RETURN_IF_ERROR(replace.RunOnOneRow());
  return false;
}

absl::Status SqliteTransaction::DeleteReports(int64_t study_key, int64_t number) {
  return report_purge_.Delete(TrialId(study_key, number));
}

absl::Status SqliteTransaction::WriteLeaseClock(const LeaseClock& clock) {
  Query query(writer_,
              "INSERT OR REPLACE INTO lease_clock(key, lease_ms, wall_ms) VALUES(0, ?, ?)");
  return query.BindInteger(clock.lease_ms).BindInteger(clock.wall_ms).Run();
}

}  // namespace slipstream::sqlite
