#include "server/store/event_rules.h"

#include <optional>

#include "core/base/status.h"

namespace slipstream::rules {
namespace {

// Old events are deleted this many at once.
constexpr int64_t kDeletedAtOnce = 1024;

absl::Status Append(RowTransaction& rows, EventRecord event) {
  event.time_ms = rows.now_ms();
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t sequence, rows.AppendEvent(event));
  if (sequence % kDeletedAtOnce != 0 || sequence <= kKeptEvents) return absl::OkStatus();
  return rows.DeleteEvents(sequence - kKeptEvents);
}

bool Improves(bool maximize, double value, const std::optional<double>& best) {
  return !best.has_value() || (maximize ? value > *best : value < *best);
}

// The best result before that of `trial`, which `head` does not count yet. The head of a study from
// before schema version 3 has none, so its trials are looked through once.
absl::StatusOr<std::optional<double>> BestBefore(RowTransaction& rows, bool maximize,
                                                 const TrialRecord& trial, const StudyHead& head) {
  std::optional<double> best = head.best;
  if (best.has_value() || head.succeeded_count == 0) return best;
  for (int64_t number = 1; number <= head.trial_count; ++number) {
    if (number == trial.number) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<TrialRecord> other,
                                rows.FindTrial(head.key, number));
    if (!other.has_value() || other->state != TrialState::kSucceeded) continue;
    if (Improves(maximize, *other->objective, best)) best = other->objective;
  }
  return best;
}

}  // namespace

absl::Status EmitStudyEvent(RowTransaction& rows, EventKind kind, int64_t study_key,
                            const std::string& study_id) {
  EventRecord event;
  event.kind = kind;
  event.study_key = study_key;
  event.detail = study_id;
  return Append(rows, event);
}

absl::Status EmitStudyChange(RowTransaction& rows, const StudyRecord& study) {
  EventRecord event;
  event.kind = EventKind::kStudyChanged;
  event.study_key = study.key;
  event.value = static_cast<double>(study.state);
  event.detail = study.id;
  return Append(rows, event);
}

absl::Status EmitTrialEvent(RowTransaction& rows, EventKind kind, int64_t study_key,
                            const TrialRecord& trial) {
  EventRecord event;
  event.kind = kind;
  event.study_key = study_key;
  event.number = trial.number;
  if (kind == EventKind::kTrialLeased || kind == EventKind::kTrialStale) {
    event.detail = trial.worker;
  }
  if (kind == EventKind::kTrialReported) event.value = trial.last_value;
  if (kind == EventKind::kTrialEnded || kind == EventKind::kIncumbentImproved) {
    event.value = trial.objective;
  }
  return Append(rows, event);
}

absl::Status EmitOutcome(RowTransaction& rows, bool maximize, const TrialRecord& trial,
                         StudyHead& head) {
  SLIPSTREAM_RETURN_IF_ERROR(EmitTrialEvent(rows, EventKind::kTrialEnded, head.key, trial));
  if (trial.state != TrialState::kSucceeded) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(head.best, BestBefore(rows, maximize, trial, head));
  if (!Improves(maximize, *trial.objective, head.best)) return absl::OkStatus();
  head.best = trial.objective;
  return EmitTrialEvent(rows, EventKind::kIncumbentImproved, head.key, trial);
}

}  // namespace slipstream::rules
