#include "server/service/history.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/convert/observation_conversion.h"
#include "server/convert/trial_conversion.h"

namespace slipstream {
namespace {

constexpr int64_t kTrialsPerRead = 1000;
// Open trials that are no farther apart are read together with those between
// them: reading so many rows more costs no more than another snapshot.
constexpr int64_t kMostBetween = 16;

// The notes of the trials in (after_number, last_number], by number; empty for
// strategies that do not read notes.
absl::StatusOr<std::unordered_map<int64_t, Notes>> ReadNotes(Store& store,
                                                              const CatalogStudy& study,
                                                              int64_t after_number,
                                                              int64_t last_number) {
  std::unordered_map<int64_t, Notes> notes;
  if (!study.strategy->ReadsNotes()) return notes;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialProvenance> provenances,
                              store.ListProvenances(study.ref(), after_number, last_number));
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

std::vector<OpenTrial>::iterator PlaceOf(int64_t number, std::vector<OpenTrial>& trials) {
  return std::lower_bound(
      trials.begin(), trials.end(), number,
      [](const OpenTrial& trial, int64_t value) { return trial.number < value; });
}

// Absent if there is no such trial.
std::optional<OpenTrial> TakeOut(int64_t number, std::vector<OpenTrial>& trials) {
  const auto place = PlaceOf(number, trials);
  if (place == trials.end() || place->number != number) return std::nullopt;
  OpenTrial trial = std::move(*place);
  trials.erase(place);
  return trial;
}

}  // namespace

// The trials in (after_number, last_number].
struct StudyHistory::Range {
  int64_t after_number = 0;
  int64_t last_number = 0;
};

absl::Status StudyHistory::Refresh(Store& store, const CatalogStudy& study, int64_t late_count) {
  absl::Status status;
  for (const Range& range : RangesToRead(late_count != late_count_)) {
    status = ReadRange(store, study, range);
    if (!status.ok()) break;
  }
  if (status.ok()) late_count_ = late_count;
  std::sort(ended_.begin(), ended_.end(),
            [](const EndedTrial& a, const EndedTrial& b) { return a.number < b.number; });
  return status;
}

// Ranges that cover the open trials, perhaps the stale ones, and in the last one all
// new trials.
std::vector<StudyHistory::Range> StudyHistory::RangesToRead(bool with_stale) const {
  std::vector<int64_t> numbers;
  for (const OpenTrial& trial : open_) numbers.push_back(trial.number);
  for (const OpenTrial& trial : stale_) {
    if (with_stale) numbers.push_back(trial.number);
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<Range> ranges;
  const auto cover = [&ranges](int64_t first, int64_t last) {
    if (ranges.empty() || first - ranges.back().last_number > kMostBetween + 1) {
      ranges.push_back({first - 1, last});
    } else {
      ranges.back().last_number = last;
    }
  };
  for (const int64_t number : numbers) cover(number, number);
  cover(last_number_ + 1, std::numeric_limits<int64_t>::max());
  return ranges;
}

absl::Status StudyHistory::ReadRange(Store& store, const CatalogStudy& study, Range range) {
  while (range.after_number < range.last_number) {
    TrialFilter filter;
    filter.after_number = range.after_number;
    filter.limit =
        static_cast<int>(std::min(kTrialsPerRead, range.last_number - range.after_number));
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialRecord> page,
                                store.ListTrials(study.ref(), filter));
    SLIPSTREAM_RETURN_IF_ERROR(TakePage(store, study, page));
    if (page.size() < static_cast<size_t>(filter.limit)) return absl::OkStatus();
    range.after_number = page.back().number;
  }
  return absl::OkStatus();
}

absl::Status StudyHistory::TakePage(Store& store, const CatalogStudy& study,
                                    const std::vector<TrialRecord>& page) {
  std::unordered_map<int64_t, Notes> notes;
  if (!page.empty() && page.back().number > last_number_) {
    SLIPSTREAM_ASSIGN_OR_RETURN(notes, ReadNotes(store, study, last_number_, page.back().number));
  }
  for (const TrialRecord& record : page) {
    if (record.number > last_number_) {
      SLIPSTREAM_RETURN_IF_ERROR(
          Add(*study.definition.space, record, std::move(notes[record.number])));
      last_number_ = record.number;
    } else {
      Settle(record);
    }
  }
  return absl::OkStatus();
}

absl::Status StudyHistory::Add(const SearchSpace& space, const TrialRecord& record, Notes notes) {
  SLIPSTREAM_ASSIGN_OR_RETURN(Configuration configuration, StoredConfiguration(space, record));
  OpenTrial trial{record.number, std::move(configuration), record.candidate, std::move(notes),
                  record.suggested};
  if (record.requeue_of > 0) Inherit(record.requeue_of, trial);
  open_.push_back(std::move(trial));
  Settle(record);
  return absl::OkStatus();
}

// What was forecast of its result, and what it was suggested for.
void StudyHistory::Inherit(int64_t first, OpenTrial& trial) const {
  const auto is_in = [first, &trial](const auto& trials) {
    const auto found = std::find_if(trials.rbegin(), trials.rend(),
                                    [first](const auto& other) { return other.number == first; });
    if (found == trials.rend()) return false;
    if (trial.notes.empty()) trial.notes = found->notes;
    trial.suggested = trial.suggested || found->suggested;
    return true;
  };
  // It is stale, unless its result came late.
  if (!is_in(stale_) && !is_in(open_)) is_in(ended_);
}

void StudyHistory::Settle(const TrialRecord& record) {
  if (IsOpen(record.state)) return;
  std::optional<OpenTrial> trial = TakeOut(record.number, open_);
  if (!trial.has_value()) trial = TakeOut(record.number, stale_);
  if (!trial.has_value()) return;
  if (HasEnded(record.state)) {
    ended_.push_back({record.number, std::move(trial->configuration), record.candidate,
                      EndingOf(record.state), record.objective, std::move(trial->notes),
                      trial->suggested});
  } else if (record.state == TrialState::kStale) {
    stale_.insert(PlaceOf(record.number, stale_), *std::move(trial));
  }
}

size_t StudyHistory::MemoryBytes(size_t dimension) const {
  const size_t values = dimension * sizeof(Value);
  size_t notes = 0;
  for (const EndedTrial& trial : ended_) notes += NotesBytes(trial.notes);
  for (const OpenTrial& trial : open_) notes += NotesBytes(trial.notes);
  for (const OpenTrial& trial : stale_) notes += NotesBytes(trial.notes);
  return notes + sizeof(*this) + ended_.capacity() * (sizeof(EndedTrial) + values) +
         (open_.capacity() + stale_.capacity()) * (sizeof(OpenTrial) + values);
}

absl::StatusOr<std::shared_ptr<const StudyHistory>> HistoryCache::Get(const CatalogStudy& study,
                                                                      int64_t late_count) {
  std::shared_ptr<StudyHistory> history = histories_.Find(study.key);
  if (history == nullptr) history = std::make_shared<StudyHistory>();
  const absl::Status status =
      OrOutOfMemory([&] { return history->Refresh(*store_, study, late_count); });
  // It may have a trial twice then.
  if (absl::IsResourceExhausted(status)) histories_.Erase(study.key);
  SLIPSTREAM_RETURN_IF_ERROR(status);
  histories_.Put(study.key, history, history->MemoryBytes(study.definition.space->dimension()));
  return history;
}

}  // namespace slipstream
