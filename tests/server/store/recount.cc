#include "tests/server/store/recount.h"

#include <string>
#include <vector>

namespace slipstream {
namespace {

constexpr int kAll = 10000;

std::string ProjectIn(const std::string& id) {
  const size_t slash = id.find('/');
  return slash == std::string::npos ? "default" : id.substr(0, slash);
}

size_t BytesOfTrials(Store& store, const StudyRef& study) {
  size_t bytes = 0;
  TrialFilter all;
  all.limit = kAll;
  const std::vector<TrialRecord> trials = store.ListTrials(study, all).value();
  for (const TrialRecord& trial : trials) {
    bytes += 200 + trial.configuration.size() + trial.measurement.size() + trial.reason.size() +
             trial.labels.size() + trial.note.size();
  }
  const std::vector<TrialProvenance> provenances = store.ListProvenances(study, 0, kAll).value();
  for (const TrialProvenance& trial : provenances) bytes += trial.provenance.size();
  return bytes + 24 * store.ListReports(study, 0, kAll, 100 * kAll)->size();
}

}  // namespace

UsageByProject Recount(Store& store) {
  UsageByProject usages;
  const std::vector<StudyRecord> studies = store.ListStudies({0, kAll}).value();
  for (const StudyRecord& study : studies) {
    ProjectUsage& usage = usages[ProjectIn(study.id)];
    ++usage.studies;
    usage.trials += study.trial_count;
    usage.bytes +=
        static_cast<int64_t>(store.GetStudy(study.id)->definition.size() +
                             store.GetCandidates(study.key)->size() +
                             BytesOfTrials(store, {study.id, study.key}));
  }
  const std::vector<SourceTaskRecord> tasks = store.ListSourceTasks({0, kAll}).value();
  for (const SourceTaskRecord& task : tasks) {
    ProjectUsage& usage = usages[ProjectIn(task.id)];
    ++usage.source_tasks;
    usage.bytes += static_cast<int64_t>(store.GetSourceTask(task.id)->definition.size());
    const std::vector<std::string> chunks = store.GetSourceChunks(task.id).value();
    for (const std::string& chunk : chunks) usage.bytes += static_cast<int64_t>(chunk.size());
  }
  return usages;
}

}  // namespace slipstream
