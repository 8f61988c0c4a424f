#include "server/service/history.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/base/status.h"
#include "server/convert/observation_conversion.h"
#include "server/convert/trial_conversion.h"

namespace slipstream {
namespace {

constexpr int kTrialsPerRead = 1000;

// Of trials in (after_number, last_number], by number; only where somebody reads them.
absl::StatusOr<absl::flat_hash_map<int64_t, Notes>> ReadNotes(Store& store,
                                                              const CatalogStudy& study,
                                                              int64_t after_number,
                                                              int64_t last_number) {
  absl::flat_hash_map<int64_t, Notes> notes;
  if (!study.strategy->ReadsNotes()) return notes;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialProvenance> provenances,
                              store.ListProvenances(study.id, after_number, last_number));
  for (const TrialProvenance& each : provenances) {
    SLIPSTREAM_ASSIGN_OR_RETURN(notes[each.number], StoredNotes(each.number, each.provenance));
  }
  return notes;
}

size_t NotesBytes(const Notes& notes) {
  size_t bytes = 0;
  for (const Note& note : notes) {
    bytes += sizeof(note) + note.name.size() + note.values.size() * sizeof(double);
  }
  return bytes;
}

}  // namespace

absl::Status StudyHistory::Refresh(Store& store, const CatalogStudy& study) {
  SLIPSTREAM_RETURN_IF_ERROR(RefreshOpen(store, study));
  SLIPSTREAM_RETURN_IF_ERROR(ReadNew(store, study));
  std::sort(ended_.begin(), ended_.end(),
            [](const EndedTrial& a, const EndedTrial& b) { return a.number < b.number; });
  return absl::OkStatus();
}

absl::Status StudyHistory::RefreshOpen(Store& store, const CatalogStudy& study) {
  std::vector<OpenTrial> before;
  before.swap(open_);
  for (size_t i = 0; i < before.size(); ++i) {
    absl::StatusOr<TrialRecord> record = store.GetTrial(study.id, before[i].number);
    absl::Status status = record.ok() ? Take(*study.definition.space, *record, before[i].notes)
                                      : std::move(record).status();
    if (status.ok()) continue;
    open_.insert(open_.end(), before.begin() + static_cast<std::ptrdiff_t>(i), before.end());
    return status;
  }
  return absl::OkStatus();
}

absl::Status StudyHistory::ReadNew(Store& store, const CatalogStudy& study) {
  while (true) {
    TrialFilter filter;
    filter.after_number = last_number_;
    filter.limit = kTrialsPerRead;
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialRecord> page,
                                store.ListTrials(study.id, filter));
    if (page.empty()) return absl::OkStatus();
    SLIPSTREAM_ASSIGN_OR_RETURN(auto notes,
                                ReadNotes(store, study, last_number_, page.back().number));
    for (const TrialRecord& record : page) {
      SLIPSTREAM_RETURN_IF_ERROR(
          Take(*study.definition.space, record, std::move(notes[record.number])));
      last_number_ = record.number;
    }
    if (page.size() < static_cast<size_t>(kTrialsPerRead)) return absl::OkStatus();
  }
}

absl::Status StudyHistory::Take(const SearchSpace& space, const TrialRecord& record, Notes notes) {
  SLIPSTREAM_ASSIGN_OR_RETURN(Configuration configuration, StoredConfiguration(space, record));
  if (HasEnded(record.state)) {
    ended_.push_back({record.number, std::move(configuration), record.candidate,
                      EndingOf(record.state), record.objective, std::move(notes)});
  } else {
    open_.push_back({record.number, std::move(configuration), record.candidate, std::move(notes)});
  }
  return absl::OkStatus();
}

size_t StudyHistory::MemoryBytes(size_t dimension) const {
  const size_t values = dimension * sizeof(Value);
  size_t notes = 0;
  for (const EndedTrial& trial : ended_) notes += NotesBytes(trial.notes);
  for (const OpenTrial& trial : open_) notes += NotesBytes(trial.notes);
  return notes + sizeof(*this) + ended_.capacity() * (sizeof(EndedTrial) + values) +
         open_.capacity() * (sizeof(OpenTrial) + values);
}

absl::StatusOr<std::shared_ptr<const StudyHistory>> HistoryCache::Get(const CatalogStudy& study) {
  std::shared_ptr<StudyHistory> history = histories_.Find(study.key);
  if (history == nullptr) history = std::make_shared<StudyHistory>();
  SLIPSTREAM_RETURN_IF_ERROR(history->Refresh(*store_, study));
  histories_.Put(study.key, history, history->MemoryBytes(study.definition.space->dimension()));
  return history;
}

}  // namespace slipstream
