// The store of studies, trials and source tasks, in the domain's own verbs.
//
// Writes are asynchronous: each is one transaction, but for a large import or source task,
// many may share one commit, and `done` is called exactly once, after the commit is durable
// (or nothing of it happened). Reads are synchronous, see whole transactions only, and
// never wait for writes.
//
//   store->ObserveTrial({.study = "s", .number = 3, .outcome = outcome},
//                       {.guard = {request_id, fingerprint},
//                        .render = [&](const TrialRecord& trial) { return Answer(trial); },
//                        .done = [&](absl::Status status, std::optional<std::string> earlier) {
//                        }});
//
// Status codes of all verbs, besides those listed with each: UNAVAILABLE (the
// store is closing, busy or read-only, or its disk could not be read, or its database
// was lost or its disk failed while it wrote, so that nobody knows whether it did, and
// further writes are refused with the same code until it is opened again: retry after
// a pause), RESOURCE_EXHAUSTED (disk full, too little memory, too many writes waiting,
// or a project that would exceed a quota by what it adds; nothing happened), DATA_LOSS
// (the stored data is damaged). Messages name the resource.
//
// Thread-safe. Callbacks run on a thread of the store, one at a time and in
// commit order; they must be quick and must not call blocking verbs of it. A `done` that throws
// std::bad_alloc, before it has answered its caller, is called again with that error.
#ifndef SLIPSTREAM_SERVER_STORE_STORE_H_
#define SLIPSTREAM_SERVER_STORE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/records.h"
#include "server/store/store_figures.h"
#include "server/store/usage.h"

namespace slipstream {

// Makes a write safe to repeat: the first commit under `request_id` keeps
// `fingerprint` and the rendered answer; a later write under the same id gets
// that answer if the fingerprint is the same, and INVALID_ARGUMENT (an
// InvalidField "request_id") if not. Only successful writes are remembered,
// for at least the store's retention.
struct RequestGuard {
  std::string request_id;   // Empty: not guarded.
  std::string fingerprint;  // A hash of the request's content.
  std::string project = {};  // Ids of different projects have nothing to do with each other.
};

// How a write is answered.
template <typename Record>
struct Write {
  RequestGuard guard;
  // Called in the transaction with what was written; returns the answer to
  // remember (ignored when not guarded). May be called again if the
  // transaction has to be repeated. A commit may still fail after it.
  std::function<std::string(const Record&)> render;
  // OK without `earlier`: written now, `render` was called. OK with `earlier`:
  // this is a repeat, nothing was written, and `earlier` is the first answer.
  std::function<void(absl::Status status, std::optional<std::string> earlier)> done;
};

// The record of a write that returns nothing.
struct Unit {};

struct Observe {
  StudyRef study;
  int64_t number = 0;
  TrialOutcome outcome;
  bool maximize = false;  // The study's goal.
  // When the trial was created; another one of the number is not found. Absent: any.
  std::optional<int64_t> create_ms = {};
};

struct Addition {
  StudyRef study;
  std::vector<NewTrial> trials;
  bool maximize = false;  // The study's goal.
};

// Trials that are held by workers.
struct HeldTrials {
  StudyRef study;
  std::string worker;            // Empty: whichever workers hold them.
  std::vector<int64_t> numbers;  // Empty: all that the worker holds.
};

// Trials after a heartbeat.
struct Heartbeats {
  std::vector<TrialRecord> trials;
  int64_t lease_ms = 0;         // How long the renewed leases last; 0: they never end.
  int64_t study_create_ms = 0;  // When the study was created.
};

// What a sweep of leases did.
struct LeaseSweep {
  // How many trials a sweep names; their names are short enough for one field of the log.
  static constexpr size_t kNamedTrials = 3;

  int64_t stale = 0;                // Leases that ran out.
  int64_t queued_again = 0;         // Those whose configurations were queued again.
  std::vector<std::string> trials;  // The names of the first of these trials.
  // Those whose configurations were not queued again only because their studies had as many trials
  // as they may, and the names of the first.
  int64_t dropped = 0;
  std::vector<std::string> dropped_trials;
  bool more = false;  // Further leases have run out.
  // The time since the lease clock was last written down, by the wall clock, if no lease counts it
  // (lease_clock.h); negative if the wall clock was set back. 0 as long as the lease clock runs.
  int64_t uncounted_ms = 0;
};

struct TrialReports {
  StudyRef study;
  int64_t number = 0;
  std::vector<StepReport> reports;
  std::optional<int64_t> create_ms = {};  // As in Observe.
};

// What is written on a trial.
struct Annotation {
  StudyRef study;
  int64_t number = 0;
  TrialChange change;
  std::optional<int64_t> create_ms = {};  // As in Observe.
};

// Trials to lease to one worker within a batch.
struct LeaseGrant {
  std::string worker;
  WorkerProcess process;
  std::vector<int64_t> again;   // ACTIVE trials of this worker, to be handed out again.
  std::vector<int64_t> queued;  // REQUESTED trials to lease now.
  std::vector<NewTrial> fresh;  // New suggestions to number and lease.
  RequestGuard guard;
  // Like Write::render; its trials are again, queued, fresh, in this order.
  std::function<std::string(const std::vector<TrialRecord>&)> render;
  // Called in place of `render` if the call is cancelled, or if the grant has nothing but fresh
  // trials and the study or its project has no room for any after those of the grants before: its
  // worker gets nothing then, and the next grants get its queued and fresh trials. Empty: the batch
  // is refused. Where there is room for some of the fresh trials, the worker gets only these.
  std::function<void(const absl::Status&)> refuse = {};
  // Whether nobody waits for the answer. Called in each attempt of the transaction.
  std::function<bool()> is_cancelled = [] { return false; };
};

// Grants of one study that were planned together; all or none are carried out, but for those that
// are refused one by one.
struct LeaseBatch {
  int64_t study_key = 0;
  std::string study_id;              // For messages.
  int64_t expected_trial_count = 0;  // The plan's study.trial_count.
  // Whether the plan is out of date if the grants skip a queued trial and take a later or a fresh
  // one instead.
  bool passes_over_none = false;
  std::vector<LeaseGrant> grants;
  std::function<void(absl::Status)> done;
};

// The state of a study that leases are planned from.
struct LeasePlan {
  StudyRecord study;  // Without definition.
  // For each requested worker, in the order of the request: the numbers of its
  // ACTIVE trials, ascending.
  std::vector<std::vector<int64_t>> active;
  // Numbers of the oldest REQUESTED trials, ascending, at most as many as asked for.
  std::vector<int64_t> queued;
};

// The counts of a study that tell whether suggestions that were made beforehand still hold.
struct TrialCounts {
  int64_t trials = 0;
  int64_t suggested = 0;
  int64_t late = 0;  // Results that came after their leases had ended.
};

// New suggestions that were made beforehand.
struct PreparedTrials {
  std::vector<NewTrial> trials;
  // The trials that were open then: once one of these no longer is, the suggestions do not hold.
  std::vector<int64_t> open = {};
};

// One worker's leases, without a plan: what it gets is decided in the transaction.
struct PreparedLease {
  int64_t study_key = 0;
  std::string study_id;                         // For messages.
  std::optional<int64_t> study_create_ms = {};  // When the study was created; absent: any.
  std::string worker;
  WorkerProcess process = {};
  int count = 1;
  // Whether nobody waits for the answer. Called first in each attempt of the transaction.
  std::function<bool()> is_cancelled = [] { return false; };
  // The next `count` suggestions for the study as it is, or fewer where more would have to be
  // computed. Called in the transaction, perhaps again, so it must be quick.
  std::function<PreparedTrials(const TrialCounts&, int count)> prepared;
};

struct RegisteredSourceTask {
  SourceTaskRecord record;
  bool already_registered = false;
};

class Store {
 public:
  virtual ~Store() = default;

  // ---- Writes ----

  // ALREADY_EXISTS: the id is taken. NOT_FOUND: a source task does not exist.
  virtual void CreateStudy(NewStudy study, Write<StudyRecord> write) = 0;
  // NOT_FOUND. FAILED_PRECONDITION: the study is COMPLETED and another state is asked for.
  virtual void UpdateStudy(StudyRef study, StudyChange change, Write<StudyRecord> write) = 0;
  // NOT_FOUND. Deletes the trials too; remembered answers stay.
  virtual void DeleteStudy(StudyRef study, Write<Unit> write) = 0;
  // Stores an imported study, whole or not at all; a large one in several transactions, between
  // which other writes come. Trials that are ACTIVE are given back, as by
  // ReleaseTrials. ALREADY_EXISTS: the id is taken, and the study there is not to be
  // replaced. NOT_FOUND: a source task does not exist. RESOURCE_EXHAUSTED: the study
  // has more trials, or one of them more reports, than allowed. INVALID_ARGUMENT: the
  // trials' numbers have gaps, or steps are not in order.
  virtual void ImportStudy(ImportedStudy study, Write<StudyRecord> write) = 0;
  // Deletes a study that has been COMPLETED and unchanged for at least so long.
  // NOT_FOUND. FAILED_PRECONDITION: it is not COMPLETED, or was changed later.
  virtual void ExpireStudy(StudyRef study, int64_t age_ms, Write<Unit> write) = 0;
  // NOT_FOUND: no such study or trial. FAILED_PRECONDITION: the trial is
  // REQUESTED or WITHDRAWN, or it ended with another state, objective or
  // measurement (the reason does not matter). The same outcome again is OK and
  // changes nothing. A STALE trial takes its outcome too; unless that is FAILED,
  // the trial that repeats it is withdrawn if it is still queued.
  virtual void ObserveTrial(Observe observe, Write<TrialRecord> write) = 0;
  // NOT_FOUND. RESOURCE_EXHAUSTED: the study would have more trials than allowed.
  // FAILED_PRECONDITION: the study is COMPLETED, and a trial has no outcome.
  virtual void AddTrials(Addition addition, Write<std::vector<TrialRecord>> write) = 0;
  // ABORTED: the plan is out of date (the study has other trials by now, or is not ACTIVE,
  // in which case trials are only handed out again; a trial to lease has changed, one is
  // passed over, or a grant's request id has been used); plan again.
  // NOT_FOUND: the study is gone.
  // RESOURCE_EXHAUSTED: see AddTrials.
  virtual void LeaseTrials(LeaseBatch batch) = 0;
  // Leases to one caller without a plan: the worker's own trials, then queued ones, then prepared
  // ones; where there is no room for those, its own alone. ABORTED: the study is not ACTIVE, is
  // another one than was meant, or has too few of them; plan the leases then. CANCELLED: nobody
  // waits. NOT_FOUND: the study is gone.
  // RESOURCE_EXHAUSTED: see AddTrials.
  virtual void LeasePrepared(PreparedLease lease, Write<std::vector<TrialRecord>> write) = 0;
  // Renews the leases of the trials that the worker holds; others are returned as
  // they are. NOT_FOUND: no such study or trial.
  virtual void Heartbeat(HeldTrials held, Write<Heartbeats> write) = 0;
  // Queues the trials again, under their numbers and without their reports; those that nobody would
  // try, as their study is COMPLETED or their configuration has its result, are withdrawn instead.
  // NOT_FOUND. FAILED_PRECONDITION: one of them is not held, or by another worker.
  virtual void ReleaseTrials(HeldTrials held, Write<std::vector<TrialRecord>> write) = 0;
  // Makes a bounded number of trials STALE whose leases have run out, and queues
  // their configurations again as their studies' policies say.
  virtual void SweepLeases(Write<LeaseSweep> write) = 0;
  // Records intermediate measurements and renews the trial's lease; a later report of
  // the same step replaces the earlier one. NOT_FOUND. FAILED_PRECONDITION: the
  // trial is neither ACTIVE nor STALE. RESOURCE_EXHAUSTED: too many reports.
  virtual void Report(TrialReports reports, Write<TrialRecord> write) = 0;
  // NOT_FOUND.
  virtual void UpdateTrial(Annotation annotation, Write<TrialRecord> write) = 0;
  // Equal content (same id) is not stored again and changes nothing, nor does a task that is only
  // validated: it is answered without a key and a time of creation. A large task is stored whole or
  // not at all, too, but in several transactions, between which other writes come.
  virtual void RegisterSourceTask(NewSourceTask task, Write<RegisteredSourceTask> write) = 0;
  // NOT_FOUND. FAILED_PRECONDITION: a study uses it; the message names one.
  virtual void DeleteSourceTask(std::string id, Write<Unit> write) = 0;

  // Has `listener` called after commits, until another one is set; empty for none.
  // Other servers' commits are not reported. Returns once the one before is no longer called.
  // Like callbacks, it must be quick.
  virtual void SetCommitListener(std::function<void()> listener) = 0;

  // Counts and states of the store's work. Never waits for reads or writes.
  virtual StoreFigures Figures() = 0;

  // ---- Reads ----

  // How much is stored.
  virtual absl::StatusOr<StoreCounts> Count() = 0;
  // What each project takes. Reads a row of each study and source task.
  virtual absl::StatusOr<UsageByProject> ListUsage() = 0;
  // The answer remembered under the guard's id, absent if there is none.
  // INVALID_ARGUMENT (see RequestGuard) when the fingerprint differs.
  virtual absl::StatusOr<std::optional<std::string>> FindAnswer(const RequestGuard& guard) = 0;
  // NOT_FOUND.
  virtual absl::StatusOr<StudyRecord> GetStudy(const std::string& id) = 0;
  // Empty for a study without a candidate list. NOT_FOUND.
  virtual absl::StatusOr<std::string> GetCandidates(int64_t study_key) = 0;
  // Ids of the source tasks of a study, in the order of creation's list.
  virtual absl::StatusOr<std::vector<std::string>> GetStudySources(int64_t study_key) = 0;
  // Without its definition. NOT_FOUND.
  virtual absl::StatusOr<StudyRecord> GetStudySummary(const StudyRef& study) = 0;
  // Oldest first; without their definitions, each of which may be as large as a message.
  virtual absl::StatusOr<std::vector<StudyRecord>> ListStudies(const ListFilter& filter) = 0;
  // NOT_FOUND: no such study or trial.
  virtual absl::StatusOr<TrialRecord> GetTrial(const std::string& study_id, int64_t number) = 0;
  // The trial and its provenance, of one snapshot. NOT_FOUND: no such study or trial.
  virtual absl::StatusOr<ExplainedTrial> GetExplainedTrial(const std::string& study_id,
                                                           int64_t number) = 0;
  // Provenances of the trials in (after_number, last_number] that have one, by
  // number. NOT_FOUND: no such study.
  virtual absl::StatusOr<std::vector<TrialProvenance>> ListProvenances(const StudyRef& study,
                                                                       int64_t after_number,
                                                                       int64_t last_number) = 0;
  // The trials with these numbers, in their order and of one snapshot. NOT_FOUND:
  // no such study, or one of the trials does not exist.
  virtual absl::StatusOr<std::vector<TrialRecord>> GetTrials(
      const StudyRef& study, const std::vector<int64_t>& numbers) = 0;
  // By number. NOT_FOUND.
  virtual absl::StatusOr<std::vector<TrialRecord>> ListTrials(const StudyRef& study,
                                                              const TrialFilter& filter) = 0;
  // kSucceeded trials by objective, equals by number. NOT_FOUND.
  virtual absl::StatusOr<std::vector<TrialRecord>> BestTrials(const StudyRef& study, bool maximize,
                                                              int limit) = 0;
  // One consistent snapshot. NOT_FOUND.
  virtual absl::StatusOr<LeasePlan> PlanLeases(int64_t study_key, const std::string& study_id,
                                               const std::vector<std::string>& workers,
                                               int max_queued) = 0;
  // Whether SweepLeases has anything to do.
  virtual absl::StatusOr<bool> LeasesNeedSweep() = 0;
  // The first `limit` events after `after_sequence`, and which ones are kept.
  virtual absl::StatusOr<EventPage> ListEvents(int64_t after_sequence, int limit) = 0;
  // The id of the study, absent if it has been deleted.
  virtual absl::StatusOr<std::optional<std::string>> FindStudyId(int64_t study_key) = 0;
  // The first `limit` reports of the trials in (after_number, last_number], by number
  // and step. NOT_FOUND: no such study.
  virtual absl::StatusOr<std::vector<ReportRecord>> ListReports(const StudyRef& study,
                                                                int64_t after_number,
                                                                int64_t last_number, int limit) = 0;
  // NOT_FOUND.
  virtual absl::StatusOr<SourceTaskRecord> GetSourceTask(const std::string& id) = 0;
  // Oldest first; without their definitions, as studies.
  virtual absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(
      const ListFilter& filter) = 0;
  // The observations of a source task, in order. NOT_FOUND.
  virtual absl::StatusOr<std::vector<std::string>> GetSourceChunks(const std::string& id) = 0;
  // One of these chunks, counted from 0; absent if there are not so many. NOT_FOUND: no such task.
  virtual absl::StatusOr<std::optional<std::string>> FindSourceChunk(const std::string& id,
                                                                     int64_t position) = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_STORE_H_
