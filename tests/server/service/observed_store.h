// A store that forwards to another one and calls a function first in every read, and in
// LeasePrepared, so that tests can count calls or change the store between two of them.
#ifndef SLIPSTREAM_TESTS_SERVER_SERVICE_OBSERVED_STORE_H_
#define SLIPSTREAM_TESTS_SERVER_SERVICE_OBSERVED_STORE_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/store/store.h"

namespace slipstream {

// Thread-safe, as far as `before_read` is.
class ObservedStore : public Store {
 public:
  // `store` must outlive this. `before_read` gets the name of the verb.
  ObservedStore(Store* store, std::function<void(const std::string& verb)> before_read)
      : store_(*store), before_read_(std::move(before_read)) {}

  void CreateStudy(NewStudy study, Write<StudyRecord> write) override {
    store_.CreateStudy(std::move(study), std::move(write));
  }
  void UpdateStudy(StudyRef study, StudyChange change, Write<StudyRecord> write) override {
    store_.UpdateStudy(std::move(study), std::move(change), std::move(write));
  }
  void DeleteStudy(StudyRef study, Write<Unit> write) override {
    store_.DeleteStudy(std::move(study), std::move(write));
  }
  void ExpireStudy(StudyRef study, int64_t age_ms, Write<Unit> write) override {
    store_.ExpireStudy(std::move(study), age_ms, std::move(write));
  }
  void ImportStudy(ImportedStudy study, Write<StudyRecord> write) override {
    store_.ImportStudy(std::move(study), std::move(write));
  }
  void ObserveTrial(Observe observe, Write<TrialRecord> write) override {
    store_.ObserveTrial(std::move(observe), std::move(write));
  }
  void AddTrials(Addition addition, Write<std::vector<TrialRecord>> write) override {
    store_.AddTrials(std::move(addition), std::move(write));
  }
  void SetCommitListener(std::function<void()> listener) override {
    store_.SetCommitListener(std::move(listener));
  }
  StoreFigures Figures() override { return store_.Figures(); }
  absl::StatusOr<StoreCounts> Count() override {
    before_read_("Count");
    return store_.Count();
  }
  absl::StatusOr<UsageByProject> ListUsage() override {
    before_read_("ListUsage");
    return store_.ListUsage();
  }
  void Heartbeat(HeldTrials held, Write<Heartbeats> write) override {
    store_.Heartbeat(std::move(held), std::move(write));
  }
  void ReleaseTrials(HeldTrials held, Write<std::vector<TrialRecord>> write) override {
    store_.ReleaseTrials(std::move(held), std::move(write));
  }
  void SweepLeases(Write<LeaseSweep> write) override { store_.SweepLeases(std::move(write)); }
  void Report(TrialReports reports, Write<TrialRecord> write) override {
    store_.Report(std::move(reports), std::move(write));
  }
  void UpdateTrial(Annotation annotation, Write<TrialRecord> write) override {
    store_.UpdateTrial(std::move(annotation), std::move(write));
  }
  void LeaseTrials(LeaseBatch batch) override { store_.LeaseTrials(std::move(batch)); }
  void LeasePrepared(PreparedLease lease, Write<std::vector<TrialRecord>> write) override {
    before_read_("LeasePrepared");
    store_.LeasePrepared(std::move(lease), std::move(write));
  }
  void RegisterSourceTask(NewSourceTask task, Write<RegisteredSourceTask> write) override {
    store_.RegisterSourceTask(std::move(task), std::move(write));
  }
  void DeleteSourceTask(std::string id, Write<Unit> write) override {
    store_.DeleteSourceTask(std::move(id), std::move(write));
  }

  absl::StatusOr<std::optional<std::string>> FindAnswer(const RequestGuard& guard) override {
    before_read_("FindAnswer");
    return store_.FindAnswer(guard);
  }
  absl::StatusOr<StudyRecord> GetStudy(const std::string& id) override {
    before_read_("GetStudy");
    return store_.GetStudy(id);
  }
  absl::StatusOr<std::string> GetCandidates(int64_t study_key) override {
    before_read_("GetCandidates");
    return store_.GetCandidates(study_key);
  }
  absl::StatusOr<std::vector<std::string>> GetStudySources(int64_t study_key) override {
    before_read_("GetStudySources");
    return store_.GetStudySources(study_key);
  }
  absl::StatusOr<StudyRecord> GetStudySummary(const StudyRef& study) override {
    before_read_("GetStudySummary");
    return store_.GetStudySummary(study);
  }
  absl::StatusOr<std::vector<StudyRecord>> ListStudies(const ListFilter& filter) override {
    before_read_("ListStudies");
    return store_.ListStudies(filter);
  }
  absl::StatusOr<TrialRecord> GetTrial(const std::string& study_id, int64_t number) override {
    before_read_("GetTrial");
    return store_.GetTrial(study_id, number);
  }
  absl::StatusOr<ExplainedTrial> GetExplainedTrial(const std::string& study_id,
                                                   int64_t number) override {
    before_read_("GetExplainedTrial");
    return store_.GetExplainedTrial(study_id, number);
  }
  absl::StatusOr<std::vector<TrialProvenance>> ListProvenances(const StudyRef& study,
                                                               int64_t after_number,
                                                               int64_t last_number) override {
    before_read_("ListProvenances");
    return store_.ListProvenances(study, after_number, last_number);
  }
  absl::StatusOr<std::vector<TrialRecord>> GetTrials(const StudyRef& study,
                                                     const std::vector<int64_t>& numbers) override {
    before_read_("GetTrials");
    return store_.GetTrials(study, numbers);
  }
  absl::StatusOr<std::vector<TrialRecord>> ListTrials(const StudyRef& study,
                                                      const TrialFilter& filter) override {
    before_read_("ListTrials");
    return store_.ListTrials(study, filter);
  }
  absl::StatusOr<std::vector<TrialRecord>> BestTrials(const StudyRef& study, bool maximize,
                                                      int limit) override {
    before_read_("BestTrials");
    return store_.BestTrials(study, maximize, limit);
  }
  absl::StatusOr<LeasePlan> PlanLeases(int64_t study_key, const std::string& study_id,
                                       const std::vector<std::string>& workers,
                                       int max_queued) override {
    before_read_("PlanLeases");
    return store_.PlanLeases(study_key, study_id, workers, max_queued);
  }
  absl::StatusOr<EventPage> ListEvents(int64_t after_sequence, int limit) override {
    before_read_("ListEvents");
    return store_.ListEvents(after_sequence, limit);
  }
  absl::StatusOr<std::optional<std::string>> FindStudyId(int64_t study_key) override {
    before_read_("FindStudyId");
    return store_.FindStudyId(study_key);
  }
  absl::StatusOr<bool> LeasesNeedSweep() override {
    before_read_("LeasesNeedSweep");
    return store_.LeasesNeedSweep();
  }
  absl::StatusOr<std::vector<ReportRecord>> ListReports(const StudyRef& study, int64_t after_number,
                                                        int64_t last_number, int limit) override {
    before_read_("ListReports");
    return store_.ListReports(study, after_number, last_number, limit);
  }
  absl::StatusOr<SourceTaskRecord> GetSourceTask(const std::string& id) override {
    before_read_("GetSourceTask");
    return store_.GetSourceTask(id);
  }
  absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(const ListFilter& filter) override {
    before_read_("ListSourceTasks");
    return store_.ListSourceTasks(filter);
  }
  absl::StatusOr<std::vector<std::string>> GetSourceChunks(const std::string& id) override {
    before_read_("GetSourceChunks");
    return store_.GetSourceChunks(id);
  }
  absl::StatusOr<std::optional<std::string>> FindSourceChunk(const std::string& id,
                                                             int64_t position) override {
    before_read_("FindSourceChunk");
    return store_.FindSourceChunk(id, position);
  }

 private:
  Store& store_;
  const std::function<void(const std::string& verb)> before_read_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_SERVICE_OBSERVED_STORE_H_
