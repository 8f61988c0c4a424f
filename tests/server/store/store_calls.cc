#include "tests/server/store/store_calls.h"

#include <future>
#include <utility>

namespace slipstream {
namespace {

// Calls `submit` with a Write and waits until it is done.
template <typename Record, typename Submit>
Written<Record> Await(RequestGuard guard, std::string answer, Submit submit) {
  Written<Record> written;
  std::promise<void> answered;
  Write<Record> write;
  write.guard = std::move(guard);
  write.render = [&written, answer = std::move(answer)](const Record& record) {
    written.record = record;
    return answer;
  };
  write.done = [&](absl::Status status, std::optional<std::string> earlier) {
    written.status = std::move(status);
    written.earlier = std::move(earlier);
    answered.set_value();
  };
  submit(std::move(write));
  answered.get_future().wait();
  if (!written.status.ok() || written.earlier.has_value()) written.record.reset();
  return written;
}

}  // namespace

Written<StudyRecord> CreateStudy(Store& store, NewStudy study, RequestGuard guard,
                                 std::string answer) {
  return Await<StudyRecord>(std::move(guard), std::move(answer), [&](Write<StudyRecord> write) {
    store.CreateStudy(std::move(study), std::move(write));
  });
}

Written<StudyRecord> UpdateStudy(Store& store, StudyRef study, StudyChange change,
                                 RequestGuard guard, std::string answer) {
  return Await<StudyRecord>(std::move(guard), std::move(answer), [&](Write<StudyRecord> write) {
    store.UpdateStudy(std::move(study), std::move(change), std::move(write));
  });
}

Written<Unit> DeleteStudy(Store& store, StudyRef study, RequestGuard guard, std::string answer) {
  return Await<Unit>(std::move(guard), std::move(answer), [&](Write<Unit> write) {
    store.DeleteStudy(std::move(study), std::move(write));
  });
}

Written<Unit> ExpireStudy(Store& store, StudyRef study, absl::Duration age) {
  return Await<Unit>({}, "answer", [&](Write<Unit> write) {
    store.ExpireStudy(std::move(study), absl::ToInt64Milliseconds(age), std::move(write));
  });
}

Written<StudyRecord> ImportStudy(Store& store, ImportedStudy study, RequestGuard guard,
                                 std::string answer) {
  return Await<StudyRecord>(std::move(guard), std::move(answer), [&](Write<StudyRecord> write) {
    store.ImportStudy(std::move(study), std::move(write));
  });
}

Written<TrialRecord> ObserveTrial(Store& store, Observe observe, RequestGuard guard,
                                  std::string answer) {
  return Await<TrialRecord>(std::move(guard), std::move(answer), [&](Write<TrialRecord> write) {
    store.ObserveTrial(std::move(observe), std::move(write));
  });
}

Written<std::vector<TrialRecord>> AddTrials(Store& store, StudyRef study,
                                            std::vector<NewTrial> trials, RequestGuard guard,
                                            std::string answer) {
  return Await<std::vector<TrialRecord>>(
      std::move(guard), std::move(answer), [&](Write<std::vector<TrialRecord>> write) {
        store.AddTrials({std::move(study), std::move(trials)}, std::move(write));
      });
}

Written<std::vector<TrialRecord>> LeasePrepared(Store& store, PreparedLease lease,
                                                RequestGuard guard, std::string answer) {
  return Await<std::vector<TrialRecord>>(std::move(guard), std::move(answer),
                                         [&](Write<std::vector<TrialRecord>> write) {
                                           store.LeasePrepared(std::move(lease), std::move(write));
                                         });
}

Written<Heartbeats> Heartbeat(Store& store, HeldTrials held) {
  return Await<Heartbeats>(
      {}, "", [&](Write<Heartbeats> write) { store.Heartbeat(std::move(held), std::move(write)); });
}

Written<std::vector<TrialRecord>> ReleaseTrials(Store& store, HeldTrials held, RequestGuard guard,
                                                std::string answer) {
  return Await<std::vector<TrialRecord>>(std::move(guard), std::move(answer),
                                         [&](Write<std::vector<TrialRecord>> write) {
                                           store.ReleaseTrials(std::move(held), std::move(write));
                                         });
}

Written<LeaseSweep> SweepLeases(Store& store) {
  return Await<LeaseSweep>({}, "",
                           [&](Write<LeaseSweep> write) { store.SweepLeases(std::move(write)); });
}

Written<TrialRecord> ReportSteps(Store& store, TrialReports reports) {
  return Await<TrialRecord>({}, "", [&](Write<TrialRecord> write) {
    store.Report(std::move(reports), std::move(write));
  });
}

Written<TrialRecord> UpdateTrial(Store& store, StudyRef study, int64_t number, TrialChange change,
                                 RequestGuard guard, std::string answer) {
  return UpdateTrial(store, Annotation{std::move(study), number, std::move(change)},
                     std::move(guard), std::move(answer));
}

Written<TrialRecord> UpdateTrial(Store& store, Annotation annotation, RequestGuard guard,
                                 std::string answer) {
  return Await<TrialRecord>(std::move(guard), std::move(answer), [&](Write<TrialRecord> write) {
    store.UpdateTrial(std::move(annotation), std::move(write));
  });
}

Written<RegisteredSourceTask> RegisterSourceTask(Store& store, NewSourceTask task,
                                                 RequestGuard guard, std::string answer) {
  return Await<RegisteredSourceTask>(std::move(guard), std::move(answer),
                                     [&](Write<RegisteredSourceTask> write) {
                                       store.RegisterSourceTask(std::move(task), std::move(write));
                                     });
}

Written<Unit> DeleteSourceTask(Store& store, std::string id, RequestGuard guard,
                               std::string answer) {
  return Await<Unit>(std::move(guard), std::move(answer), [&](Write<Unit> write) {
    store.DeleteSourceTask(std::move(id), std::move(write));
  });
}

absl::StatusOr<std::vector<std::vector<TrialRecord>>> LeaseTrials(Store& store, LeaseBatch batch) {
  std::vector<std::vector<TrialRecord>> leased(batch.grants.size());
  for (size_t i = 0; i < batch.grants.size(); ++i) {
    auto render = std::move(batch.grants[i].render);
    batch.grants[i].render = [&leased, i, render](const std::vector<TrialRecord>& trials) {
      leased[i] = trials;
      return render ? render(trials) : std::string("answer");
    };
  }
  std::promise<absl::Status> answered;
  batch.done = [&](absl::Status status) { answered.set_value(std::move(status)); };
  store.LeaseTrials(std::move(batch));
  absl::Status status = answered.get_future().get();
  if (!status.ok()) return status;
  return leased;
}

absl::Status LeaseFresh(Store& store, const StudyRecord& study, const std::string& worker,
                        int count) {
  const absl::StatusOr<LeasePlan> plan = store.PlanLeases(study.key, study.id, {}, 0);
  if (!plan.ok()) return plan.status();
  LeaseBatch batch;
  batch.study_key = study.key;
  batch.study_id = study.id;
  batch.expected_trial_count = plan->study.trial_count;
  LeaseGrant grant;
  grant.worker = worker;
  for (int i = 0; i < count; ++i) {
    grant.fresh.push_back(NewSuggestion("x" + std::to_string(plan->study.trial_count + i + 1)));
  }
  batch.grants.push_back(std::move(grant));
  return LeaseTrials(store, std::move(batch)).status();
}

NewStudy StudyNamed(const std::string& id, std::vector<std::string> source_ids) {
  NewStudy study;
  study.id = id;
  study.definition = "definition of " + id;
  study.source_ids = std::move(source_ids);
  return study;
}

NewSourceTask SourceTaskNamed(const std::string& id) {
  NewSourceTask task;
  task.id = id;
  task.definition = "definition of " + id;
  task.chunks = {"chunk 0 of " + id, "chunk 1 of " + id};
  task.observation_count = 7;
  task.measured_count = 5;
  return task;
}

NewTrial NewSuggestion(const std::string& configuration) {
  NewTrial trial;
  trial.configuration = configuration;
  trial.provenance = "why " + configuration;
  return trial;
}

NewTrial FinishedTrial(const std::string& configuration, double objective) {
  NewTrial trial;
  trial.configuration = configuration;
  trial.outcome = Success(objective);
  return trial;
}

TrialOutcome Success(double objective, const std::string& measurement) {
  TrialOutcome outcome;
  outcome.state = TrialState::kSucceeded;
  outcome.objective = objective;
  outcome.measurement = measurement;
  return outcome;
}

TrialOutcome Ending(TrialState state, const std::string& reason) {
  TrialOutcome outcome;
  outcome.state = state;
  outcome.reason = reason;
  return outcome;
}

}  // namespace slipstream
