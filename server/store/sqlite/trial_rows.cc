// The rows of trials and their provenances.
#include <algorithm>
#include <utility>

#include "core/base/status.h"
#include "server/store/sqlite/schema.h"
#include "server/store/sqlite/sqlite_transaction.h"

namespace slipstream::sqlite {
namespace {

// Queries are literals, and all of them begin with this.
#define SLIPSTREAM_SELECT_TRIAL                                                            \
  "SELECT trials.id, state, suggested, candidate, create_ms, start_ms, end_ms, objective," \
  " worker, reason, measurement, configuration FROM trials "

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

// REQUESTED trials have no worker.
constexpr char kQueued[] =
    "SELECT id FROM trials INDEXED BY open_trials WHERE (state = 1 OR state = 2)"
    " AND state = 1 AND worker = '' AND id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3";

// Padding for a worker's name and a time.
constexpr int64_t kLeasePadding = 24;
// Padding for a time, a number, and a measurement of one metric.
constexpr int64_t kOutcomePadding = 56;

// Bytes of padding in a trial's row, so that its later UPDATEs fit in place.
int64_t PaddingIn(TrialState state) {
  if (HasEnded(state)) return 0;
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
  trial.reason = row.Bytes(9);
  trial.measurement = row.Bytes(10);
  trial.configuration = row.Bytes(11);
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
  return !states.empty() && std::none_of(states.begin(), states.end(), HasEnded);
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

absl::StatusOr<std::vector<int64_t>> SqliteSnapshot::ListActiveTrials(int64_t study_key,
                                                                      const std::string& worker) {
  Query query(reader_, kActiveOfWorker);
  query.BindText(worker)
      .BindInteger(TrialId(study_key, 1))
      .BindInteger(TrialId(study_key, kMaxTrialNumber));
  return query.All(NumberOf);
}

absl::StatusOr<std::vector<int64_t>> SqliteSnapshot::ListQueuedTrials(int64_t study_key,
                                                                      int limit) {
  Query query(reader_, kQueued);
  query.BindInteger(TrialId(study_key, 1))
      .BindInteger(TrialId(study_key, kMaxTrialNumber))
      .BindInteger(limit);
  return query.All(NumberOf);
}

absl::StatusOr<std::vector<TrialProvenance>> SqliteSnapshot::ListProvenances(
    int64_t study_key, int64_t after_number, int64_t last_number) {
  const int64_t last = std::min(last_number, kMaxTrialNumber);
  if (after_number >= last) return std::vector<TrialProvenance>();
  Query query(reader_,
              "SELECT id, provenance FROM provenances WHERE id BETWEEN ? AND ? ORDER BY id");
  query.BindInteger(TrialId(study_key, after_number + 1)).BindInteger(TrialId(study_key, last));
  return query.All(
      [](const Query& row) { return TrialProvenance{NumberOf(row), row.Bytes(1)}; });
}

absl::Status SqliteTransaction::InsertTrial(int64_t study_key, const TrialRecord& trial,
                                            const std::string& provenance) {
  const int64_t id = TrialId(study_key, trial.number);
  Query query(writer_,
              "INSERT INTO trials(id, state, suggested, candidate, create_ms, start_ms, end_ms,"
              " objective, worker, reason, measurement, configuration, room)"
              " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, zeroblob(?))");
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
      .BindInteger(PaddingIn(trial.state));
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  if (provenance.empty()) return absl::OkStatus();
  Query extra(writer_, "INSERT INTO provenances(id, provenance) VALUES(?, ?)");
  return extra.BindInteger(id).BindBlob(provenance).Run();
}

absl::Status SqliteTransaction::UpdateLease(int64_t study_key, const TrialRecord& trial) {
  Query query(writer_,
              "UPDATE trials SET state = ?, worker = ?, start_ms = ?, room = zeroblob(?)"
              " WHERE id = ?");
  return query.BindInteger(static_cast<int64_t>(trial.state))
      .BindText(trial.worker)
      .BindInteger(trial.start_ms)
      .BindInteger(PaddingIn(trial.state))
      .BindInteger(TrialId(study_key, trial.number))
      .RunOnOneRow();
}

absl::Status SqliteTransaction::UpdateOutcome(int64_t study_key, const TrialRecord& trial) {
  Query query(writer_,
              "UPDATE trials SET state = ?, end_ms = ?, objective = ?, reason = ?,"
              " measurement = ?, room = x'' WHERE id = ?");
  return query.BindInteger(static_cast<int64_t>(trial.state))
      .BindInteger(trial.end_ms)
      .BindReal(trial.objective)
      .BindText(trial.reason)
      .BindBlob(trial.measurement)
      .BindInteger(TrialId(study_key, trial.number))
      .RunOnOneRow();
}

}  // namespace slipstream::sqlite
