// The records of the store, as plain values. Payloads that the store never looks
// into (spaces, configurations, measurements, labels) are opaque bytes; whatever
// it decides or sorts by has a field of its own. Times are milliseconds since
// 1970-01-01 UTC.
#ifndef SLIPSTREAM_SERVER_STORE_RECORDS_H_
#define SLIPSTREAM_SERVER_STORE_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipstream {

// Stored as numbers: never renumber.
enum class StudyState : int { kActive = 1, kPaused = 2, kCompleted = 3 };
enum class TrialState : int {
  kRequested = 1,
  kActive = 2,
  kSucceeded = 3,
  kFailed = 4,
  kInfeasible = 5,
  kStopped = 6,
  kStale = 7,      // Its lease ran out; a late result is still accepted.
  kWithdrawn = 8,  // Left the queue or its worker, as nobody needs to try it any more.
};

// Queued or out with a worker.
inline bool IsOpen(TrialState state) {
  return state == TrialState::kRequested || state == TrialState::kActive;
}

// Has an outcome, which never changes.
inline bool HasEnded(TrialState state) {
  return state >= TrialState::kSucceeded && state <= TrialState::kStopped;
}

// How long workers hold the trials of a study.
struct LeasePolicy {
  int64_t duration_ms = 0;   // From a lease or its last renewal; 0: leases never end.
  int64_t max_requeues = 0;  // How often a configuration is queued again after a lease ran out.

  friend bool operator==(const LeasePolicy&, const LeasePolicy&) = default;
};

// A study as its creator gives it.
struct NewStudy {
  std::string id;          // Last part of the resource name; unique.
  std::string definition;  // Opaque, immutable.
  std::string candidates;  // Opaque, immutable, perhaps large; read on demand.
  std::string display_name;
  std::string labels;                   // Opaque.
  std::vector<std::string> source_ids;  // Source tasks that must exist.
  LeasePolicy lease = {};
};

struct StudyRecord {
  int64_t key = 0;  // Internal, never given out twice.
  std::string id;
  std::string definition;
  std::string display_name;
  std::string labels;
  StudyState state = StudyState::kActive;
  int64_t create_ms = 0;
  int64_t update_ms = 0;
  int64_t trial_count = 0;  // Also the highest trial number.
  int64_t succeeded_count = 0;
  int64_t suggested_count = 0;  // Trials that came from leases of new suggestions.
  int64_t late_count = 0;       // Results of STALE trials that were accepted.
  std::optional<double> best;   // The best objective so far, as far as it is known.
  std::optional<int64_t> last_trial_ms = {};  // When its newest trial was created.
  LeasePolicy lease = {};
  int64_t bytes = 0;  // Its share of its project's, with its trials (usage.h).
};

// A study by its id; with a key or a time of creation only the study that has it, as another study
// may get the id after a deletion.
struct StudyRef {
  StudyRef() = default;
  StudyRef(const char* study_id) : id(study_id) {}
  StudyRef(std::string study_id, std::optional<int64_t> study_key = std::nullopt)
      : id(std::move(study_id)), key(study_key) {}

  std::string id;
  std::optional<int64_t> key;
  std::optional<int64_t> create_ms;
};

// A change by UpdateStudy; absent fields stay.
struct StudyChange {
  std::optional<std::string> display_name;
  std::optional<std::string> labels;
  std::optional<StudyState> state;
  std::optional<LeasePolicy> lease;  // Holds for leases from now on.
};

// How a trial ended.
struct TrialOutcome {
  TrialState state = TrialState::kSucceeded;  // HasEnded(state) is true.
  std::optional<double> objective;            // Always present when kSucceeded.
  std::string measurement;                    // Opaque; equal results have equal bytes.
  std::string reason;
};

// A trial before it has a number.
struct NewTrial {
  std::string configuration;  // Opaque.
  std::optional<int64_t> candidate;
  std::string provenance;  // Opaque; empty for trials that a person added.
  // For trials added by a person: absent makes them kRequested.
  std::optional<TrialOutcome> outcome;
};

// Where a worker runs, as far as it says so.
struct WorkerProcess {
  std::string host;
  int64_t id = 0;  // 0: unknown.

  friend bool operator==(const WorkerProcess&, const WorkerProcess&) = default;
};

struct TrialRecord {
  int64_t number = 0;  // From 1, in the order of creation.
  TrialState state = TrialState::kActive;
  bool suggested = false;  // Made by Suggest rather than added by a person.
  std::string configuration;
  std::optional<int64_t> candidate;
  std::string worker;
  std::optional<double> objective;
  std::string measurement;
  std::string reason;
  int64_t create_ms = 0;
  std::optional<int64_t> start_ms;
  // When it got its outcome, was withdrawn or became STALE; a later outcome replaces the last.
  std::optional<int64_t> end_ms;
  // When the lease ends, by the lease clock (lease_clock.h): what rows hold.
  std::optional<int64_t> lease_end;
  // The same by the wall clock, filled in by the store's verbs for their callers.
  std::optional<int64_t> lease_end_ms;
  int64_t requeue_of = 0;   // The first trial of this configuration's chain; 0: it is the first.
  int64_t requeued_as = 0;  // The trial that repeats this one; 0: none does.
  int64_t requeues = 0;     // How many trials of the chain came before.
  WorkerProcess process;
  // Intermediate reports: how many steps, the highest, and its value.
  int64_t report_count = 0;
  std::optional<int64_t> last_step;
  std::optional<double> last_value;
  std::string labels;  // Opaque.
  std::string note;
};

// A change by UpdateTrial; absent fields stay.
struct TrialChange {
  std::optional<std::string> labels;
  std::optional<std::string> note;
};

// The objective measured at one step of a trial.
struct StepReport {
  int64_t step = 0;
  double value = 0;
};

struct ReportRecord {
  int64_t number = 0;  // The trial's.
  StepReport report;
};

// What happened to a study or a trial. Stored as numbers: never renumber.
enum class EventKind : int {
  kStudyCreated = 1,
  kStudyChanged = 2,  // Its state, title, labels or lease policy.
  kStudyDeleted = 3,
  kTrialQueued = 4,      // To be handed out by Suggest; again, if it repeats another one.
  kTrialLeased = 5,      // To a worker; `detail` names it.
  kTrialReported = 6,    // Intermediate measurements.
  kTrialEnded = 7,       // Has its outcome.
  kTrialStale = 8,       // Its lease ran out; `detail` names the worker that lost it.
  kTrialReleased = 9,    // Given back, and queued again.
  kTrialWithdrawn = 10,  // Left the queue.
  kIncumbentImproved = 11,
};

struct EventRecord {
  int64_t sequence = 0;  // Ascends from 1 over the events of all studies.
  EventKind kind = EventKind::kStudyCreated;
  int64_t study_key = 0;
  int64_t number = 0;  // The trial's; 0 for the study itself.
  int64_t time_ms = 0;
  // The objective, where the event is about one; for kStudyChanged the state's number.
  std::optional<double> value;
  std::string detail;  // The worker or, for events of studies, the study's id.
};

// Consecutive events.
struct EventPage {
  std::vector<EventRecord> events;
  int64_t first_sequence = 1;  // The oldest kept event's; the next one's if none is kept.
  int64_t last_sequence = 0;
};

// A trial among those of all studies.
struct TrialKey {
  int64_t study_key = 0;
  int64_t number = 0;
};

struct TrialFilter {
  int64_t after_number = 0;
  int limit = 100;
  std::vector<TrialState> states;  // Empty: all.
};

// Studies or source tasks, by key.
struct ListFilter {
  int64_t after_key = 0;
  int limit = 100;
  std::optional<std::string> project = {};  // Absent: all.
};

// A trial as an import stores it.
struct ImportedTrial {
  TrialRecord record;               // lease_end, and what is known of the reports, are left out.
  std::string provenance;           // Empty for trials that a person added.
  std::vector<StepReport> reports;  // By step, each step once.
};

// A study as an import stores it, with its trials.
struct ImportedStudy {
  NewStudy study;
  StudyState state = StudyState::kActive;
  int64_t create_ms = 0;
  int64_t update_ms = 0;
  bool maximize = false;              // The study's goal.
  bool replace_existing = false;      // Deletes a study that has the id.
  std::vector<ImportedTrial> trials;  // With the numbers from 1 on.
};

struct TrialProvenance {
  int64_t number = 0;
  std::string provenance;
};

struct ExplainedTrial {
  TrialRecord trial;
  std::string provenance;  // Empty for trials that a person added.
};

struct NewSourceTask {
  std::string id;                   // Derived from the content: equal ids mean equal content.
  std::string definition;           // Opaque.
  std::vector<std::string> chunks;  // Opaque, the observations in order.
  int64_t observation_count = 0;
  int64_t measured_count = 0;
  bool validate_only = false;  // Only find out what registering it would answer.
};

struct SourceTaskRecord {
  int64_t key = 0;
  std::string id;
  std::string definition;
  int64_t observation_count = 0;
  int64_t measured_count = 0;
  int64_t create_ms = 0;
  int64_t study_count = 0;  // Studies that use it.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_RECORDS_H_
