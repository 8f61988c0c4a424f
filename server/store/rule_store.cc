#include "server/store/rule_store.h"

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "server/store/answer_rules.h"
#include "server/store/gradual_write.h"
#include "server/store/guarded_write.h"
#include "server/store/holding_rules.h"
#include "server/store/import_rules.h"
#include "server/store/lease_clock.h"
#include "server/store/lease_rules.h"
#include "server/store/report_rules.h"
#include "server/store/source_task_rules.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"
#include "server/store/write_queue.h"

namespace slipstream {
namespace {

// Each grant has a guard of its own, so the batch as a whole has none.
class LeaseWrite : public PendingWrite {
 public:
  LeaseWrite(LeaseBatch batch, const StoreOptions& options)
      : batch_(std::move(batch)),
        max_trials_(options.max_trials_per_study),
        quotas_(options.quotas) {
    for (LeaseGrant& grant : batch_.grants) {
      if (grant.refuse) grant.refuse = Noting(std::move(grant.refuse));
    }
  }

  absl::Status Apply(RowTransaction& rows) override {
    refusals_.clear();
    return rules::LeaseTrials(rows, batch_, max_trials_, quotas_);
  }
  void Answer(absl::Status status) override {
    if (quotas_ != nullptr) CountRefusals(status);
    if (batch_.done) batch_.done(std::move(status));
  }

 private:
  using Refuse = std::function<void(const absl::Status&)>;

  Refuse Noting(Refuse refuse) {
    return [this, refuse = std::move(refuse)](const absl::Status& status) {
      refusals_.push_back(status);
      refuse(status);
    };
  }
  // Grants are only refused if the batch is carried out.
  void CountRefusals(const absl::Status& status) {
    quotas_->Count(status);
    if (!status.ok()) return;
    for (const absl::Status& refusal : refusals_) quotas_->Count(refusal);
  }

  LeaseBatch batch_;
  const int64_t max_trials_;
  Quotas* const quotas_;
  std::vector<absl::Status> refusals_;  // Of single grants, by the latest attempt.
};

// An import, and the registration of a source task, as gradual_write.h makes them.
struct GradualImport {
  using Record = StudyRecord;
  using Part = rules::ImportPart;

  bool HasMore(const Part& part) const { return rules::HasMore(import, part); }
  bool HasBegun(const Part& part) const { return part.study_key > 0; }
  absl::StatusOr<Part> Begin(RowTransaction& rows) const {
    return rules::BeginImport(rows, import, quotas);
  }
  absl::StatusOr<Part> Continue(RowTransaction& rows, const Part& part) const {
    return rules::ContinueImport(rows, import, part);
  }
  absl::StatusOr<Record> Finish(RowTransaction& rows, const Part& part) const {
    return rules::FinishImport(rows, import, part, quotas);
  }
  static absl::Status GiveUp(RowTransaction& rows, const Part& part) {
    return rows.GiveUpStudy(part.study_key);
  }

  rules::CheckedImport import;
  Quotas* quotas;
};

struct GradualRegistration {
  using Record = RegisteredSourceTask;
  using Part = rules::SourceTaskPart;

  bool HasMore(const Part& part) const { return rules::HasMore(task, part); }
  bool HasBegun(const Part& part) const { return part.source_key > 0; }
  absl::StatusOr<Part> Begin(RowTransaction& rows) const {
    return rules::BeginSourceTask(rows, task, quotas);
  }
  absl::StatusOr<Part> Continue(RowTransaction& rows, const Part& part) const {
    return rules::ContinueSourceTask(rows, task, part);
  }
  absl::StatusOr<Record> Finish(RowTransaction& rows, const Part& part) const {
    return rules::RegisterSourceTask(rows, task, quotas, part);
  }
  static absl::Status GiveUp(RowTransaction& rows, const Part& part) {
    return rows.GiveUpSourceTask(part.source_key);
  }

  NewSourceTask task;
  Quotas* quotas;
};

class RuleStore : public Store {
 public:
  RuleStore(std::unique_ptr<Database> database, const StoreOptions& options)
      : options_(options),
        database_(std::move(database)),
        writes_(database_.get(), {.max_waiting = options.max_waiting_writes,
                                  .max_per_commit = options.max_writes_per_commit}) {
    // The first write: no lease runs out for the time since the last server ended.
    Submit(Write<Unit>(), [](RowTransaction& rows) -> absl::StatusOr<Unit> {
      SLIPSTREAM_RETURN_IF_ERROR(rules::RestartLeaseClock(rows));
      return Unit{};
    });
  }

  void CreateStudy(NewStudy study, Write<StudyRecord> write) override {
    SubmitInQuota(std::move(write),
                  [study = std::move(study), quotas = options_.quotas](RowTransaction& rows) {
                    return rules::CreateStudy(rows, study, quotas);
                  });
  }
  void UpdateStudy(StudyRef study, StudyChange change, Write<StudyRecord> write) override {
    SubmitInQuota(std::move(write),
                  [study = std::move(study), change = std::move(change)](RowTransaction& rows) {
                    return rules::UpdateStudy(rows, study, change);
                  });
  }
  void DeleteStudy(StudyRef study, Write<Unit> write) override {
    Submit(std::move(write), [study = std::move(study)](RowTransaction& rows) {
      return rules::DeleteStudy(rows, study);
    });
  }
  void ExpireStudy(StudyRef study, int64_t age_ms, Write<Unit> write) override {
    Submit(std::move(write), [study = std::move(study), age_ms](RowTransaction& rows) {
      return rules::ExpireStudy(rows, study, age_ms);
    });
  }
  void ImportStudy(ImportedStudy study, Write<StudyRecord> write) override {
    const rules::ImportLimits limits{options_.max_trials_per_study, options_.max_reports_per_trial};
    GradualImport import = {{std::move(study), limits, options_.now_ms()}, options_.quotas};
    GradualWrite<GradualImport>::Start(&writes_, std::move(import),
                                       CountingRefusals(std::move(write)));
  }
  void ObserveTrial(Observe observe, Write<TrialRecord> write) override {
    Submit(std::move(write), [observe = std::move(observe)](RowTransaction& rows) {
      return rules::ObserveTrial(rows, observe);
    });
  }
  void AddTrials(Addition addition, Write<std::vector<TrialRecord>> write) override {
    SubmitInQuota(std::move(write),
                  [addition = std::move(addition), max_trials = options_.max_trials_per_study,
                   quotas = options_.quotas](RowTransaction& rows) {
                    return rules::AddTrials(rows, addition, max_trials, quotas);
                  });
  }
  void SetCommitListener(std::function<void()> listener) override {
    writes_.SetListener(std::move(listener));
  }
  void LeaseTrials(LeaseBatch batch) override {
    writes_.Submit(std::make_unique<LeaseWrite>(std::move(batch), options_));
  }
  void LeasePrepared(PreparedLease lease, Write<std::vector<TrialRecord>> write) override {
    SubmitInQuota(std::move(write),
                  [lease = std::move(lease), max_trials = options_.max_trials_per_study,
                   quotas = options_.quotas](RowTransaction& rows) {
                    return rules::LeasePrepared(rows, lease, max_trials, quotas);
                  });
  }
  void Heartbeat(HeldTrials held, Write<Heartbeats> write) override {
    Submit(std::move(write),
           [held = std::move(held)](RowTransaction& rows) { return rules::Heartbeat(rows, held); });
  }
  void ReleaseTrials(HeldTrials held, Write<std::vector<TrialRecord>> write) override {
    SubmitInQuota(std::move(write), [held = std::move(held)](RowTransaction& rows) {
      return rules::ReleaseTrials(rows, held);
    });
  }
  void SweepLeases(Write<LeaseSweep> write) override {
    Submit(std::move(write),
           [most = options_.max_leases_per_sweep, max_trials = options_.max_trials_per_study](
               RowTransaction& rows) { return rules::SweepLeases(rows, most, max_trials); });
  }
  void Report(TrialReports reports, Write<TrialRecord> write) override {
    Submit(std::move(write),
           [reports = std::move(reports), most = options_.max_reports_per_trial](
               RowTransaction& rows) { return rules::Report(rows, reports, most); });
  }
  void UpdateTrial(Annotation annotation, Write<TrialRecord> write) override {
    SubmitInQuota(std::move(write), [annotation = std::move(annotation)](RowTransaction& rows) {
      return rules::UpdateTrial(rows, annotation);
    });
  }
  void RegisterSourceTask(NewSourceTask task, Write<RegisteredSourceTask> write) override {
    GradualRegistration registration = {std::move(task), options_.quotas};
    GradualWrite<GradualRegistration>::Start(&writes_, std::move(registration),
                                             CountingRefusals(std::move(write)));
  }
  void DeleteSourceTask(std::string id, Write<Unit> write) override {
    Submit(std::move(write), [id = std::move(id)](RowTransaction& rows) {
      return rules::DeleteSourceTask(rows, id);
    });
  }

  StoreFigures Figures() override {
    StoreFigures figures;
    figures.database = database_->Figures();
    figures.writes_per_commit = writes_.WritesPerCommit();
    figures.waiting_writes = writes_.unanswered();
    figures.most_waiting_writes = static_cast<int64_t>(options_.max_waiting_writes);
    figures.most_trials_per_study = options_.max_trials_per_study;
    return figures;
  }
  absl::StatusOr<StoreCounts> Count() override {
    return Read([&](RowSnapshot& rows) { return rows.Count(); });
  }
  absl::StatusOr<UsageByProject> ListUsage() override {
    return Read([&](RowSnapshot& rows) { return rows.ListUsage(); });
  }
  absl::StatusOr<std::optional<std::string>> FindAnswer(const RequestGuard& guard) override {
    return Read([&](RowSnapshot& rows) { return rules::FindAnswer(rows, guard); });
  }
  absl::StatusOr<StudyRecord> GetStudy(const std::string& id) override {
    return Read([&](RowSnapshot& rows) { return rules::GetStudy(rows, id); });
  }
  absl::StatusOr<std::string> GetCandidates(int64_t study_key) override {
    return Read([&](RowSnapshot& rows) { return rules::GetCandidates(rows, study_key); });
  }
  absl::StatusOr<std::vector<std::string>> GetStudySources(int64_t study_key) override {
    return Read([&](RowSnapshot& rows) { return rows.ListStudySources(study_key); });
  }
  absl::StatusOr<StudyRecord> GetStudySummary(const StudyRef& study) override {
    return Read([&](RowSnapshot& rows) { return rules::GetStudySummary(rows, study); });
  }
  absl::StatusOr<std::vector<StudyRecord>> ListStudies(const ListFilter& filter) override {
    return Read([&](RowSnapshot& rows) { return rules::ListStudies(rows, filter); });
  }
  absl::StatusOr<TrialRecord> GetTrial(const std::string& study_id, int64_t number) override {
    return Read([&](RowSnapshot& rows) { return rules::GetTrial(rows, study_id, number); });
  }
  absl::StatusOr<ExplainedTrial> GetExplainedTrial(const std::string& study_id,
                                                   int64_t number) override {
    return Read(
        [&](RowSnapshot& rows) { return rules::GetExplainedTrial(rows, study_id, number); });
  }
  absl::StatusOr<std::vector<TrialProvenance>> ListProvenances(const StudyRef& study,
                                                               int64_t after_number,
                                                               int64_t last_number) override {
    return Read([&](RowSnapshot& rows) {
      return rules::ListProvenances(rows, study, after_number, last_number);
    });
  }
  absl::StatusOr<std::vector<TrialRecord>> GetTrials(const StudyRef& study,
                                                     const std::vector<int64_t>& numbers) override {
    return Read([&](RowSnapshot& rows) { return rules::GetTrials(rows, study, numbers); });
  }
  absl::StatusOr<std::vector<TrialRecord>> ListTrials(const StudyRef& study,
                                                      const TrialFilter& filter) override {
    return Read([&](RowSnapshot& rows) { return rules::ListTrials(rows, study, filter); });
  }
  absl::StatusOr<std::vector<TrialRecord>> BestTrials(const StudyRef& study, bool maximize,
                                                      int limit) override {
    return Read([&](RowSnapshot& rows) { return rules::BestTrials(rows, study, maximize, limit); });
  }
  absl::StatusOr<LeasePlan> PlanLeases(int64_t study_key, const std::string& study_id,
                                       const std::vector<std::string>& workers,
                                       int max_queued) override {
    return Read([&](RowSnapshot& rows) {
      return rules::PlanLeases(rows, study_key, study_id, workers, max_queued);
    });
  }
  absl::StatusOr<bool> LeasesNeedSweep() override {
    return Read([&](RowSnapshot& rows) { return rules::LeasesNeedSweep(rows, options_.now_ms()); });
  }
  absl::StatusOr<EventPage> ListEvents(int64_t after_sequence, int limit) override {
    return Read([&](RowSnapshot& rows) { return rows.ListEvents(after_sequence, limit); });
  }
  absl::StatusOr<std::optional<std::string>> FindStudyId(int64_t study_key) override {
    return Read([&](RowSnapshot& rows) -> absl::StatusOr<std::optional<std::string>> {
      SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyRecord> study,
                                  rows.FindStudySummary(study_key));
      if (!study.has_value()) return std::optional<std::string>();
      return std::optional<std::string>(study->id);
    });
  }
  absl::StatusOr<std::vector<ReportRecord>> ListReports(const StudyRef& study, int64_t after_number,
                                                        int64_t last_number, int limit) override {
    return Read([&](RowSnapshot& rows) {
      return rules::ListReports(rows, study, after_number, last_number, limit);
    });
  }
  absl::StatusOr<SourceTaskRecord> GetSourceTask(const std::string& id) override {
    return Read([&](RowSnapshot& rows) { return rules::GetSourceTask(rows, id); });
  }
  absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(const ListFilter& filter) override {
    return Read([&](RowSnapshot& rows) { return rules::ListSourceTasks(rows, filter); });
  }
  absl::StatusOr<std::vector<std::string>> GetSourceChunks(const std::string& id) override {
    return Read([&](RowSnapshot& rows) { return rules::GetSourceChunks(rows, id); });
  }
  absl::StatusOr<std::optional<std::string>> FindSourceChunk(const std::string& id,
                                                             int64_t position) override {
    return Read([&](RowSnapshot& rows) { return rules::FindSourceChunk(rows, id, position); });
  }

 private:
  // Has a refusal for a quota counted with the answer: until then the transaction may be run again.
  template <typename Record>
  Write<Record> CountingRefusals(Write<Record> write) const {
    if (options_.quotas == nullptr) return write;
    write.done = [quotas = options_.quotas, done = std::move(write.done)](
                     absl::Status status, std::optional<std::string> earlier) {
      quotas->Count(status);
      if (done) done(std::move(status), std::move(earlier));
    };
    return write;
  }

  // A write that quotas may refuse, if only for the answer that it has remembered.
  template <typename Record, typename Deed>
  void SubmitInQuota(Write<Record> write, Deed deed) {
    writes_.Submit(MakeGuardedWrite<Record>(
        std::move(deed), CountingRefusals(std::move(write)), options_.quotas));
  }

  template <typename Record, typename Deed>
  void Submit(Write<Record> write, Deed deed) {
    writes_.Submit(MakeGuardedWrite<Record>(std::move(deed), std::move(write)));
  }

  // Runs `read`, a function of (RowSnapshot&) that returns a StatusOr, on a
  // snapshot and returns its result.
  template <typename Body>
  auto Read(Body read) -> std::invoke_result_t<Body, RowSnapshot&> {
    std::invoke_result_t<Body, RowSnapshot&> result;
    absl::Status status = database_->Read([&](RowSnapshot& rows) {
      result = read(rows);
      return result.status();
    });
    if (!status.ok()) return status;
    return result;
  }

  // Destroyed from the last to the first: the queue first answers what waits.
  const StoreOptions options_;
  const std::unique_ptr<Database> database_;
  WriteQueue writes_;
};

}  // namespace

std::unique_ptr<Store> MakeStore(std::unique_ptr<Database> database, const StoreOptions& options) {
  return std::make_unique<RuleStore>(std::move(database), options);
}

}  // namespace slipstream
