// Rows in SQLite: snapshots on reading connections, transactions on the writing
// one.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_TRANSACTION_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_TRANSACTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/store/rows.h"
#include "server/store/sqlite/answers.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/event_log.h"
#include "server/store/sqlite/lease_horizon.h"
#include "server/store/sqlite/project_usages.h"
#include "server/store/sqlite/report_purge.h"
#include "server/store/sqlite/source_purge.h"
#include "server/store/sqlite/study_heads.h"
#include "server/store/sqlite/study_purge.h"

namespace slipstream::sqlite {

// The reads that snapshots and transactions share.
absl::StatusOr<std::optional<StudyRecord>> ReadStudy(Connection& connection, const std::string& id);
absl::StatusOr<std::optional<TrialRecord>> ReadTrial(Connection& connection, int64_t study_key,
                                                     int64_t number);
absl::StatusOr<std::optional<SourceTaskRecord>> ReadSourceTask(Connection& connection,
                                                               const std::string& id);
absl::StatusOr<std::optional<int64_t>> ReadSourceTaskKey(Connection& connection,
                                                         const std::string& id);
absl::StatusOr<std::vector<int64_t>> ReadActiveTrials(Connection& connection, int64_t study_key,
                                                      const std::string& worker);
absl::StatusOr<std::vector<int64_t>> ReadQueuedTrials(Connection& connection, int64_t study_key,
                                                      int limit);
absl::StatusOr<std::optional<LeaseClock>> ReadLeaseClock(Connection& connection);
absl::StatusOr<std::vector<TrialKey>> ReadEndedLeases(Connection& connection, int64_t lease_ms,
                                                      int limit);

// The condition that an id is one of project ?3, in the form of the indexes by project (schema.cc).
#define SLIPSTREAM_IS_OF_PROJECT \
  "substr(id, 1, instr(id, '/')) = iif(?3 = 'default', '', ?3 || '/')"
// Binds the key, the limit and, if there is one, the project of the query of a list.
void BindFilter(const ListFilter& filter, Query& query);

// The rows of a connection that is in a snapshot.
class SqliteSnapshot : public RowSnapshot {
 public:
  // `horizon`, which may be null, is that of the file's leases.
  SqliteSnapshot(Connection* reader, int64_t now_ms, int64_t retention_ms,
                 LeaseHorizon* horizon = nullptr)
      : reader_(*reader), now_ms_(now_ms), retention_ms_(retention_ms), horizon_(horizon) {}

  absl::StatusOr<std::optional<RememberedAnswer>> FindAnswer(
      const std::string& request_id) override {
    return FindAnswerAt(reader_, request_id, now_ms_, retention_ms_);
  }
  absl::StatusOr<std::optional<StudyRecord>> FindStudy(const std::string& id) override {
    return ReadStudy(reader_, id);
  }
  absl::StatusOr<std::optional<TrialRecord>> FindTrial(int64_t study_key, int64_t number) override {
    return ReadTrial(reader_, study_key, number);
  }
  absl::StatusOr<std::optional<SourceTaskRecord>> FindSourceTask(const std::string& id) override {
    return ReadSourceTask(reader_, id);
  }
  absl::StatusOr<std::optional<int64_t>> FindSourceTaskKey(const std::string& id) override {
    return ReadSourceTaskKey(reader_, id);
  }
  absl::StatusOr<std::vector<int64_t>> ListActiveTrials(int64_t study_key,
                                                        const std::string& worker) override {
    return ReadActiveTrials(reader_, study_key, worker);
  }
  absl::StatusOr<std::vector<int64_t>> ListQueuedTrials(int64_t study_key, int limit) override {
    return ReadQueuedTrials(reader_, study_key, limit);
  }
  absl::StatusOr<std::optional<LeaseClock>> FindLeaseClock() override {
    return ReadLeaseClock(reader_);
  }
  absl::StatusOr<std::vector<TrialKey>> ListEndedLeases(int64_t lease_ms, int limit) override;

  absl::StatusOr<StoreCounts> Count() override;
  absl::StatusOr<UsageByProject> ListUsage() override { return ReadUsage(reader_); }
  absl::StatusOr<std::optional<int64_t>> FindStudyKey(const std::string& id) override;
  absl::StatusOr<std::optional<StudyRecord>> FindStudySummary(int64_t key) override;
  absl::StatusOr<std::vector<StudyRecord>> ListStudies(const ListFilter& filter) override;
  absl::StatusOr<std::optional<std::string>> FindCandidates(int64_t study_key) override;
  absl::StatusOr<std::vector<std::string>> ListStudySources(int64_t study_key) override;

  absl::StatusOr<std::vector<TrialRecord>> ListTrials(int64_t study_key,
                                                      const TrialFilter& filter) override;
  absl::StatusOr<std::vector<TrialRecord>> ListBestTrials(int64_t study_key, bool maximize,
                                                          int limit) override;
  absl::StatusOr<std::vector<TrialProvenance>> ListProvenances(int64_t study_key,
                                                               int64_t after_number,
                                                               int64_t last_number) override;
  absl::StatusOr<std::vector<ReportRecord>> ListReports(int64_t study_key, int64_t after_number,
                                                        int64_t last_number, int limit) override;

  absl::StatusOr<EventPage> ListEvents(int64_t after_sequence, int limit) override {
    return sqlite::ReadEvents(reader_, after_sequence, limit);
  }

  absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(const ListFilter& filter) override;
  absl::StatusOr<std::vector<std::string>> ListSourceChunks(int64_t source_key) override;
  absl::StatusOr<std::optional<std::string>> FindSourceChunk(int64_t source_key,
                                                             int64_t position) override;

 private:
  Connection& reader_;
  const int64_t now_ms_;
  const int64_t retention_ms_;
  LeaseHorizon* const horizon_;
};

// The rows of the writing connection, in one transaction after the other, with
// what is cached from one to the next.
class SqliteTransaction : public RowTransaction {
 public:
  // `horizon` is that of the file's leases.
  SqliteTransaction(Connection* writer, int64_t retention_ms, LeaseHorizon* horizon)
      : writer_(*writer),
        horizon_(*horizon),
        usages_(writer),
        heads_(writer, /*capacity=*/1024, &usages_),
        answers_(writer, retention_ms),
        events_(writer),
        report_purge_(writer),
        study_purge_(writer),
        source_purge_(writer) {
    RollBack().IgnoreError();  // While there is memory for its statement.
  }

  // ---- The transaction itself ----

  absl::Status Begin();
  // Directly after Begin. `set_by_ms`: by how much the clock was set since the latest commit.
  absl::Status SetNow(int64_t now_ms, int64_t set_by_ms = 0);
  // Writes what is still cached, directly before Commit.
  absl::Status Flush();
  // OK once the transaction is durable; else, also if anything before it failed or has thrown, call
  // RollBack, which throws nothing.
  absl::Status Commit();
  absl::Status RollBack();

  // Erases a few reports of trials that were given back, or else trials of deleted studies, or else
  // chunks of deleted source tasks; and a few forgotten answers.
  absl::Status Purge();
  // Whether the transaction deletes what takes room.
  bool deletes() const { return deletes_; }
  // Whether it adds what does: studies, trials or source tasks.
  bool adds() const { return adds_; }
  bool only_deletes() const { return deletes_ && !adds_; }
  // Whether there may be any left.
  bool purge_pending() const {
    return report_purge_.pending() || study_purge_.pending() || source_purge_.pending() ||
           answers_.pending();
  }

  // ---- Its rows ----

  int64_t now_ms() const override { return now_ms_; }
  bool failed() const override { return writer_.failure() != SQLITE_OK; }

  absl::StatusOr<std::optional<RememberedAnswer>> FindAnswer(
      const std::string& request_id) override {
    return answers_.Find(request_id);
  }
  absl::Status InsertAnswer(const std::string& request_id, const RememberedAnswer& answer,
                            const std::string& project) override {
    return answers_.Insert(request_id, answer, project);
  }
  absl::StatusOr<int64_t> FindAnswerBytes(const std::string& project) override {
    return answers_.BytesOf(project);
  }

  absl::StatusOr<std::optional<StudyHead>> FindStudyHead(const std::string& id) override {
    return heads_.Find(id);
  }
  absl::StatusOr<std::optional<StudyHead>> FindStudyHead(int64_t study_key) override {
    return heads_.Find(study_key);
  }
  absl::StatusOr<ProjectUsage> FindUsage(absl::string_view project) override;
  absl::StatusOr<std::optional<StudyRecord>> FindStudy(const std::string& id) override;
  absl::StatusOr<int64_t> InsertStudy(const StudyRecord& study, const std::string& candidates,
                                      const std::vector<int64_t>& source_keys) override;
  absl::StatusOr<int64_t> BeginStudy(int64_t trial_count) override;
  absl::Status GiveUpStudy(int64_t study_key) override;
  absl::Status UpdateStudy(const StudyRecord& study) override;
  absl::Status UpdateTime(int64_t study_key, int64_t update_ms) override;
  absl::Status UpdateCounts(const StudyHead& head) override { return heads_.UpdateCounts(head); }
  absl::Status DeleteStudy(int64_t study_key) override;

  absl::StatusOr<std::optional<TrialRecord>> FindTrial(int64_t study_key, int64_t number) override {
    return ReadTrial(writer_, study_key, number);
  }
  absl::Status InsertTrial(int64_t study_key, const TrialRecord& trial,
                           const std::string& provenance) override;
  absl::Status UpdateLease(int64_t study_key, const TrialRecord& trial) override;
  absl::Status UpdateProgress(int64_t study_key, const TrialRecord& trial) override;
  absl::Status UpdateOutcome(int64_t study_key, const TrialRecord& trial) override;
  absl::Status UpdateAnnotations(int64_t study_key, const TrialRecord& trial) override;

  absl::StatusOr<std::optional<double>> FindReport(int64_t study_key, int64_t number,
                                                   int64_t step) override;
  absl::StatusOr<bool> PutReport(int64_t study_key, int64_t number,
                                 const StepReport& report) override;
  absl::Status DeleteReports(int64_t study_key, int64_t number) override;
  absl::StatusOr<std::vector<int64_t>> ListActiveTrials(int64_t study_key,
                                                        const std::string& worker) override {
    return ReadActiveTrials(writer_, study_key, worker);
  }
  absl::StatusOr<std::vector<int64_t>> ListQueuedTrials(int64_t study_key, int limit) override {
    return ReadQueuedTrials(writer_, study_key, limit);
  }
  absl::StatusOr<std::optional<LeaseClock>> FindLeaseClock() override {
    return ReadLeaseClock(writer_);
  }
  absl::StatusOr<std::vector<TrialKey>> ListEndedLeases(int64_t lease_ms, int limit) override;
  absl::Status WriteLeaseClock(const LeaseClock& clock) override;
  absl::StatusOr<int64_t> AppendEvent(const EventRecord& event) override {
    return events_.Append(event);
  }
  absl::Status DeleteEvents(int64_t last_sequence) override {
    return events_.DeleteUpTo(last_sequence);
  }

  absl::StatusOr<std::optional<SourceTaskRecord>> FindSourceTask(const std::string& id) override {
    return ReadSourceTask(writer_, id);
  }
  absl::StatusOr<std::optional<int64_t>> FindSourceTaskKey(const std::string& id) override {
    return ReadSourceTaskKey(writer_, id);
  }
  absl::StatusOr<int64_t> InsertSourceTask(const SourceTaskRecord& task, int64_t bytes) override;
  absl::Status InsertSourceChunks(int64_t source_key, int64_t position,
                                  absl::Span<const std::string> chunks) override;
  absl::StatusOr<int64_t> BeginSourceTask(int64_t chunk_count) override;
  absl::Status GiveUpSourceTask(int64_t source_key) override;
  absl::Status DeleteSourceTask(int64_t source_key) override;
  absl::StatusOr<std::vector<std::string>> FindStudiesUsing(int64_t source_key,
                                                            int limit) override;

 private:
  // After a row with this end of a lease has been written.
  void NoteLeaseEnd(std::optional<int64_t> end);

  Connection& writer_;
  LeaseHorizon& horizon_;
  ProjectUsages usages_;
  StudyHeads heads_;
  Answers answers_;
  EventLog events_;
  ReportPurge report_purge_;
  StudyPurge study_purge_;
  SourcePurge source_purge_;
  int64_t now_ms_ = 0;
  bool deletes_ = false;
  bool adds_ = false;
  std::optional<int64_t> earliest_lease_end_;  // The earliest that this transaction has written.
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_TRANSACTION_H_
