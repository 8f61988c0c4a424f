// The rows that a store is made of, and what can be done with them inside a
// transaction. A backend implements this and database.h; what the store's verbs
// mean is decided by the rules (*_rules.h), which work on these rows alone.
//
// An absent row is nullopt or an empty list, never an error. The only errors are
// the backend's own, with the codes that store.h lists for all verbs.
//
// Not thread-safe: a snapshot or transaction belongs to one call.
#ifndef SLIPSTREAM_SERVER_STORE_ROWS_H_
#define SLIPSTREAM_SERVER_STORE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/store/records.h"
#include "server/store/store_figures.h"
#include "server/store/usage.h"

namespace slipstream {

// The part of a study that decides about writes to its trials.
struct StudyHead {
  int64_t key = 0;
  StudyState state = StudyState::kActive;
  int64_t trial_count = 0;
  int64_t succeeded_count = 0;
  int64_t suggested_count = 0;
  int64_t late_count = 0;
  LeasePolicy lease = {};
  std::optional<double> best = {};
  int64_t bytes = 0;  // See usage.h.
  std::string id = {};
  int64_t create_ms = 0;
};

// The lease clock as it was last written down (lease_clock.h).
struct LeaseClock {
  int64_t lease_ms = 0;  // What it showed...
  int64_t wall_ms = 0;   // ...at this time.
};

// The row of a request id.
struct RememberedAnswer {
  std::string fingerprint;
  std::string answer;
};

// Reads that snapshots and transactions share.
class Rows {
 public:
  virtual ~Rows() = default;

  // An answer is found for at least the store's retention after its transaction,
  // and no longer found after twice the retention.
  virtual absl::StatusOr<std::optional<RememberedAnswer>> FindAnswer(
      const std::string& request_id) = 0;
  virtual absl::StatusOr<std::optional<StudyRecord>> FindStudy(const std::string& id) = 0;
  virtual absl::StatusOr<std::optional<TrialRecord>> FindTrial(int64_t study_key,
                                                               int64_t number) = 0;
  virtual absl::StatusOr<std::optional<SourceTaskRecord>> FindSourceTask(const std::string& id) = 0;
  virtual absl::StatusOr<std::optional<int64_t>> FindSourceTaskKey(const std::string& id) = 0;
  // Numbers of the kActive trials of `worker`, ascending.
  virtual absl::StatusOr<std::vector<int64_t>> ListActiveTrials(int64_t study_key,
                                                                const std::string& worker) = 0;
  // Numbers of the first `limit` kRequested trials, ascending.
  virtual absl::StatusOr<std::vector<int64_t>> ListQueuedTrials(int64_t study_key, int limit) = 0;
  virtual absl::StatusOr<std::optional<LeaseClock>> FindLeaseClock() = 0;
  // At most `limit` kActive trials, of studies that exist, whose lease_end is at most `lease_ms`.
  virtual absl::StatusOr<std::vector<TrialKey>> ListEndedLeases(int64_t lease_ms, int limit) = 0;
};

// One consistent view of all rows that were committed before it was taken, by this
// process or another server. No `limit` or `after_...` is negative.
class RowSnapshot : public Rows {
 public:
  // How many studies, trials and source tasks there are.
  virtual absl::StatusOr<StoreCounts> Count() = 0;
  // What each project takes, as the studies' and source tasks' rows say.
  virtual absl::StatusOr<UsageByProject> ListUsage() = 0;
  virtual absl::StatusOr<std::optional<int64_t>> FindStudyKey(const std::string& id) = 0;
  // The record without its definition.
  virtual absl::StatusOr<std::optional<StudyRecord>> FindStudySummary(int64_t key) = 0;
  // By key, without their definitions: each may be as large as a message.
  virtual absl::StatusOr<std::vector<StudyRecord>> ListStudies(const ListFilter& filter) = 0;
  virtual absl::StatusOr<std::optional<std::string>> FindCandidates(int64_t study_key) = 0;
  // Ids of the study's source tasks, in the order in which it was given them.
  virtual absl::StatusOr<std::vector<std::string>> ListStudySources(int64_t study_key) = 0;

  // By number.
  virtual absl::StatusOr<std::vector<TrialRecord>> ListTrials(int64_t study_key,
                                                              const TrialFilter& filter) = 0;
  // The kSucceeded trials by objective, the best first, and equals by number.
  virtual absl::StatusOr<std::vector<TrialRecord>> ListBestTrials(int64_t study_key, bool maximize,
                                                                  int limit) = 0;
  // Provenances of the trials in (after_number, last_number] that have one, by number.
  virtual absl::StatusOr<std::vector<TrialProvenance>> ListProvenances(int64_t study_key,
                                                                       int64_t after_number,
                                                                       int64_t last_number) = 0;
  // The first `limit` reports of the trials in (after_number, last_number], by number and step.
  virtual absl::StatusOr<std::vector<ReportRecord>> ListReports(int64_t study_key,
                                                                int64_t after_number,
                                                                int64_t last_number, int limit) = 0;

  // The first `limit` events after `after_sequence`, in order, and which ones are kept.
  virtual absl::StatusOr<EventPage> ListEvents(int64_t after_sequence, int limit) = 0;

  // By key, without their definitions, as studies are listed.
  virtual absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(
      const ListFilter& filter) = 0;
  // The chunks in the order in which they were inserted.
  virtual absl::StatusOr<std::vector<std::string>> ListSourceChunks(int64_t source_key) = 0;
  // The one before which `position` others were inserted, if there is one.
  virtual absl::StatusOr<std::optional<std::string>> FindSourceChunk(int64_t source_key,
                                                                     int64_t position) = 0;
};

// Reads see what the transaction has written, and hold until its commit: no
// other transaction, of this process or of another server, may come between
// (isolation level SERIALIZABLE). To insert a row that exists, or to change or
// delete one that does not, is a failure.
class RowTransaction : public Rows {
 public:
  // When the transaction began, in milliseconds since 1970; the same at each call. By the clock of
  // the store's options; those of several servers may differ a little (lease_clock.h).
  virtual int64_t now_ms() const = 0;
  // Whether an operation has failed, a read among them, so that nothing of the
  // transaction can be committed; also because another server's came between. A
  // rule that merely refuses a write leaves this false.
  virtual bool failed() const = 0;

  // The request id has no answer yet. The answer counts towards those of `project`.
  virtual absl::Status InsertAnswer(const std::string& request_id, const RememberedAnswer& answer,
                                    const std::string& project) = 0;
  // What the answers of the project that can be found take (usage.h).
  virtual absl::StatusOr<int64_t> FindAnswerBytes(const std::string& project) = 0;

  virtual absl::StatusOr<std::optional<StudyHead>> FindStudyHead(const std::string& id) = 0;
  virtual absl::StatusOr<std::optional<StudyHead>> FindStudyHead(int64_t study_key) = 0;
  // What the project takes, as the studies' and source tasks' rows say.
  virtual absl::StatusOr<ProjectUsage> FindUsage(absl::string_view project) = 0;

  // Returns the study's key: study.key if the study was begun under it, else (it is 0 then)
  // one that is above all that studies have ever had, so that no snapshot shows the study
  // later than one with a higher key. The id is free; the sources exist.
  virtual absl::StatusOr<int64_t> InsertStudy(const StudyRecord& study,
                                              const std::string& candidates,
                                              const std::vector<int64_t>& source_keys) = 0;
  // Begins a study that has so many trials, at least one, before it is inserted by a later
  // transaction: returns the key under which they and their reports can be inserted. Nobody finds
  // them until the study is inserted. That is given up when the database is closed.
  virtual absl::StatusOr<int64_t> BeginStudy(int64_t trial_count) = 0;
  // Gives up a study that was begun. Its trials may be erased later.
  virtual absl::Status GiveUpStudy(int64_t study_key) = 0;
  // Writes the state, update time, display name, labels and lease policy of an existing study.
  virtual absl::Status UpdateStudy(const StudyRecord& study) = 0;
  // Writes the update time of an existing study.
  virtual absl::Status UpdateTime(int64_t study_key, int64_t update_ms) = 0;
  // Writes the counts and the bytes of an existing study.
  virtual absl::Status UpdateCounts(const StudyHead& head) = 0;
  // Deletes an existing study with its sources, trials, provenances and reports. These may
  // be erased later, but none is found again: no other study gets the key.
  virtual absl::Status DeleteStudy(int64_t study_key) = 0;

  // The number is the study's next one. An empty provenance is not kept.
  virtual absl::Status InsertTrial(int64_t study_key, const TrialRecord& trial,
                                   const std::string& provenance) = 0;
  // Writes the state, worker, its process, start time, lease end and requeued_as of an existing
  // trial.
  virtual absl::Status UpdateLease(int64_t study_key, const TrialRecord& trial) = 0;
  // Writes the lease end and what is known of the reports of an existing trial.
  virtual absl::Status UpdateProgress(int64_t study_key, const TrialRecord& trial) = 0;
  // Writes the state, end time, objective, measurement and reason of an existing trial, which
  // has no lease any more.
  virtual absl::Status UpdateOutcome(int64_t study_key, const TrialRecord& trial) = 0;
  // Writes the labels and the note of an existing trial.
  virtual absl::Status UpdateAnnotations(int64_t study_key, const TrialRecord& trial) = 0;

  // The value reported for this step of a trial.
  virtual absl::StatusOr<std::optional<double>> FindReport(int64_t study_key, int64_t number,
                                                           int64_t step) = 0;
  // Inserts the report, or replaces the one of this step; whether it was inserted.
  virtual absl::StatusOr<bool> PutReport(int64_t study_key, int64_t number,
                                         const StepReport& report) = 0;
  // Of a trial that has become REQUESTED. If they are many, it may be queued only some time later.
  virtual absl::Status DeleteReports(int64_t study_key, int64_t number) = 0;

  // Appends an event; its sequence number is above all that there have ever been, and is returned.
  // No snapshot shows it later than one with a higher number: a watcher would miss it. So numbers
  // ascend in the order of commits, which those of a database's own sequences need not.
  virtual absl::StatusOr<int64_t> AppendEvent(const EventRecord& event) = 0;
  // Deletes the events up to this one. Those of the latest transaction stay, and others may if
  // their transaction has later ones.
  virtual absl::Status DeleteEvents(int64_t last_sequence) = 0;

  // Writes the one lease clock.
  virtual absl::Status WriteLeaseClock(const LeaseClock& clock) = 0;

  // Returns the key, like InsertStudy. `bytes` are its share of its project's (usage.h).
  virtual absl::StatusOr<int64_t> InsertSourceTask(const SourceTaskRecord& task,
                                                   int64_t bytes) = 0;
  // Inserts further chunks of a source task, which has `position` already.
  virtual absl::Status InsertSourceChunks(int64_t source_key, int64_t position,
                                          absl::Span<const std::string> chunks) = 0;
  // Begins a source task that has so many chunks, at least one, before it is inserted, and gives it
  // up, like BeginStudy and GiveUpStudy.
  virtual absl::StatusOr<int64_t> BeginSourceTask(int64_t chunk_count) = 0;
  virtual absl::Status GiveUpSourceTask(int64_t source_key) = 0;
  // Deletes a source task that no study uses, with its chunks. These may be erased later, but none
  // is found again: no other source task gets the key.
  virtual absl::Status DeleteSourceTask(int64_t source_key) = 0;
  // The ids of studies that use the source task, oldest first, at most `limit` of them.
  virtual absl::StatusOr<std::vector<std::string>> FindStudiesUsing(int64_t source_key,
                                                                    int limit) = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_ROWS_H_
