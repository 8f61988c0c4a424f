#include "server/service/learning_curves.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/convert/observation_conversion.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

// The trials that are looked at: the latest ones, and as many as rules have use for.
constexpr int kMostTrials = 1000;
// Trials without curves to read that may lie between others that have one to read: reading so many
// more costs no more than another snapshot.
constexpr size_t kMostSkipped = 16;

absl::Status CheckAsked(const CatalogStudy& study, const TrialRecord& trial) {
  if (trial.state == TrialState::kActive || trial.state == TrialState::kStale) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      NameOfTrial(study.id, trial.number), IsOpen(trial.state)
                                               ? " is REQUESTED: no worker has taken it yet"
                                               : " has ended: there is nothing to stop"));
}

}  // namespace

StoppingView StudyCurves::ViewOf(int64_t number, Goal goal) {
  StoppingView view;
  view.goal = goal;
  view.running.trial = number;
  others_.clear();
  for (const auto& [other, curve] : curves_) {
    const LearningCurve each = {other, curve->ending, curve->reports, curve->final_value};
    if (other == number) {
      view.running = each;
    } else {
      others_.push_back(each);
    }
  }
  view.others = others_;
  return view;
}

size_t StudyCurves::MemoryBytes() const {
  size_t bytes = sizeof(*this);
  for (const auto& [number, curve] : curves_) {
    bytes += sizeof(Curve) + 64 + curve->reports.capacity() * sizeof(StepValue);
  }
  return bytes;
}

absl::StatusOr<std::unique_ptr<StudyCurves>> LearningCurves::Get(const CatalogStudy& study,
                                                                 int64_t number) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialRecord> asked,
                              store_.GetTrials(study.ref(), {number}));
  SLIPSTREAM_RETURN_IF_ERROR(CheckAsked(study, asked.front()));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialRecord> trials,
                              TrialsWithReports(study, asked.front()));
  const std::shared_ptr<const StudyCurves> known = ended_.Find(study.key);
  auto curves = std::make_unique<StudyCurves>();
  std::vector<TrialRecord> to_read;
  for (const TrialRecord& trial : trials) {
    const auto found = known != nullptr ? known->curves_.find(trial.number) : Place();
    if (known != nullptr && found != known->curves_.end()) {
      curves->curves_.insert(*found);
    } else {
      to_read.push_back(trial);
    }
  }
  SLIPSTREAM_RETURN_IF_ERROR(ReadCurves(study, to_read, curves.get()));
  KeepEnded(study, *curves);
  return curves;
}

// The asked trial, and others from the latest on until they have max_points_ reports together; by
// number.
absl::StatusOr<std::vector<TrialRecord>> LearningCurves::TrialsWithReports(
    const CatalogStudy& study, const TrialRecord& asked) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const StudyRecord record, store_.GetStudySummary(study.ref()));
  TrialFilter filter;
  filter.after_number = std::max<int64_t>(record.trial_count - kMostTrials, 0);
  filter.limit = kMostTrials;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialRecord> latest,
                              store_.ListTrials(study.ref(), filter));
  std::vector<TrialRecord> taken = {asked};
  int64_t points = asked.report_count;
  for (auto trial = latest.rbegin(); trial != latest.rend(); ++trial) {
    if (trial->report_count == 0 || trial->number == asked.number) continue;
    points += trial->report_count;
    if (points > max_points_) break;
    taken.push_back(*trial);
  }
  std::sort(taken.begin(), taken.end(),
            [](const TrialRecord& a, const TrialRecord& b) { return a.number < b.number; });
  return taken;
}

absl::Status LearningCurves::ReadCurves(const CatalogStudy& study,
                                        const std::vector<TrialRecord>& trials,
                                        StudyCurves* curves) {
  size_t next = 0;
  while (next < trials.size()) {
    size_t end = next + 1;
    while (end < trials.size() &&
           trials[end].number - trials[end - 1].number <= static_cast<int64_t>(kMostSkipped)) {
      ++end;
    }
    SLIPSTREAM_RETURN_IF_ERROR(
        ReadRange(study, absl::MakeConstSpan(trials).subspan(next, end - next), curves));
    next = end;
  }
  return absl::OkStatus();
}

absl::Status LearningCurves::ReadRange(const CatalogStudy& study,
                                       absl::Span<const TrialRecord> trials, StudyCurves* curves) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const std::vector<ReportRecord> reports,
      store_.ListReports(study.ref(), trials.front().number - 1, trials.back().number,
                         static_cast<int>(2 * max_points_)));
  auto report = reports.begin();
  for (const TrialRecord& trial : trials) {
    auto curve = std::make_shared<StudyCurves::Curve>();
    if (HasEnded(trial.state)) {
      curve->ending = EndingOf(trial.state);
      curve->final_value = trial.objective;
    }
    while (report != reports.end() && report->number < trial.number) ++report;
    for (; report != reports.end() && report->number == trial.number; ++report) {
      curve->reports.push_back({report->report.step, report->report.value});
    }
    curves->curves_.emplace(trial.number, std::move(curve));
  }
  return absl::OkStatus();
}

void LearningCurves::KeepEnded(const CatalogStudy& study, const StudyCurves& curves) {
  auto kept = std::make_shared<StudyCurves>();
  for (const auto& [number, curve] : curves.curves_) {
    if (curve->ending.has_value()) kept->curves_.emplace(number, curve);
  }
  const size_t bytes = kept->MemoryBytes();
  ended_.Put(study.key, std::move(kept), bytes);
}

}  // namespace slipstream
