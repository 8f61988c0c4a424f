// The store's writes as calls that wait for their answer, and simple records.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_STORE_CALLS_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_STORE_CALLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/store/store.h"

namespace slipstream {

// The result of a write: the record if it was written now, else the earlier answer.
template <typename Record>
struct Written {
  absl::Status status;
  std::optional<Record> record;
  std::optional<std::string> earlier;

  bool ok() const { return status.ok(); }
  // The record of a write that was carried out now.
  const Record& operator*() const { return record.value(); }
  const Record* operator->() const { return &record.value(); }
};

// Answers are remembered as `answer`.
Written<StudyRecord> CreateStudy(Store& store, NewStudy study, RequestGuard guard = {},
                                 std::string answer = "answer");
Written<StudyRecord> UpdateStudy(Store& store, StudyRef study, StudyChange change,
                                 RequestGuard guard = {}, std::string answer = "answer");
Written<Unit> DeleteStudy(Store& store, StudyRef study, RequestGuard guard = {},
                          std::string answer = "answer");
Written<Unit> ExpireStudy(Store& store, StudyRef study, absl::Duration age);
Written<StudyRecord> ImportStudy(Store& store, ImportedStudy study, RequestGuard guard = {},
                                 std::string answer = "answer");
Written<TrialRecord> ObserveTrial(Store& store, Observe observe, RequestGuard guard = {},
                                  std::string answer = "answer");
Written<std::vector<TrialRecord>> AddTrials(Store& store, StudyRef study,
                                            std::vector<NewTrial> trials, RequestGuard guard = {},
                                            std::string answer = "answer");
Written<Heartbeats> Heartbeat(Store& store, HeldTrials held);
Written<std::vector<TrialRecord>> ReleaseTrials(Store& store, HeldTrials held,
                                                RequestGuard guard = {},
                                                std::string answer = "answer");
Written<LeaseSweep> SweepLeases(Store& store);
Written<TrialRecord> ReportSteps(Store& store, TrialReports reports);
Written<TrialRecord> UpdateTrial(Store& store, StudyRef study, int64_t number, TrialChange change,
                                 RequestGuard guard = {}, std::string answer = "answer");
Written<TrialRecord> UpdateTrial(Store& store, Annotation annotation, RequestGuard guard = {},
                                 std::string answer = "answer");
Written<RegisteredSourceTask> RegisterSourceTask(Store& store, NewSourceTask task,
                                                 RequestGuard guard = {},
                                                 std::string answer = "answer");
Written<Unit> DeleteSourceTask(Store& store, std::string id, RequestGuard guard = {},
                               std::string answer = "answer");

// The trials of each grant, in the order of the grants.
absl::StatusOr<std::vector<std::vector<TrialRecord>>> LeaseTrials(Store& store, LeaseBatch batch);
Written<std::vector<TrialRecord>> LeasePrepared(Store& store, PreparedLease lease,
                                                RequestGuard guard = {},
                                                std::string answer = "answer");
// Leases `count` new suggestions to `worker`; they get the highest numbers.
absl::Status LeaseFresh(Store& store, const StudyRecord& study, const std::string& worker,
                        int count);

// Each with a definition and otherwise as simple as possible.
NewStudy StudyNamed(const std::string& id, std::vector<std::string> source_ids = {});
NewSourceTask SourceTaskNamed(const std::string& id);
NewTrial NewSuggestion(const std::string& configuration);
NewTrial FinishedTrial(const std::string& configuration, double objective);
TrialOutcome Success(double objective, const std::string& measurement = "measured");
TrialOutcome Ending(TrialState state, const std::string& reason = "");

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_STORE_CALLS_H_
