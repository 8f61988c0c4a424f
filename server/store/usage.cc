#include "server/store/usage.h"

#include "absl/strings/string_view.h"

namespace slipstream {
namespace {

// The step of the schema that counts what was stored before it has these two numbers, too.
constexpr int64_t kBytesOfTrialRow = 200;
constexpr int64_t kBytesOfReport = 24;

constexpr int64_t kBytesOfAnswerRow = 200;

template <typename... Texts>
int64_t LengthOf(const Texts&... texts) {
  return static_cast<int64_t>((absl::string_view(texts).size() + ... + 0));
}

}  // namespace

ProjectUsage& ProjectUsage::operator+=(const ProjectUsage& other) {
  studies += other.studies;
  trials += other.trials;
  source_tasks += other.source_tasks;
  bytes += other.bytes;
  return *this;
}

ProjectUsage& ProjectUsage::operator-=(const ProjectUsage& other) {
  return *this += {-other.studies, -other.trials, -other.source_tasks, -other.bytes};
}

int64_t StoredBytesOf(const NewStudy& study) {
  return LengthOf(study.definition, study.candidates);
}

int64_t StoredBytesOf(const NewTrial& trial) {
  const int64_t begun = kBytesOfTrialRow + LengthOf(trial.configuration, trial.provenance);
  if (!trial.outcome.has_value()) return begun;
  return begun + LengthOf(trial.outcome->measurement, trial.outcome->reason);
}

int64_t StoredBytesOf(const ImportedTrial& trial) {
  return StoredBytesOf(trial.record) + LengthOf(trial.provenance) +
         kBytesOfReport * static_cast<int64_t>(trial.reports.size());
}

int64_t StoredBytesOf(const NewSourceTask& task) {
  int64_t bytes = LengthOf(task.definition);
  for (const std::string& chunk : task.chunks) bytes += LengthOf(chunk);
  return bytes;
}

int64_t StoredBytesOfAnswer(const std::string& answer) {
  return kBytesOfAnswerRow + LengthOf(answer);
}

int64_t StoredBytesOf(const TrialRecord& trial) {
  return kBytesOfTrialRow + kBytesOfReport * trial.report_count +
         LengthOf(trial.configuration, trial.measurement, trial.reason, trial.labels, trial.note);
}

}  // namespace slipstream
