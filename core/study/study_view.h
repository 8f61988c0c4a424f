// What a strategy may know: a study's history and its source tasks, as plain
// values in the core's own types.
#ifndef SLIPSTREAM_CORE_STUDY_STUDY_VIEW_H_
#define SLIPSTREAM_CORE_STUDY_STUDY_VIEW_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/space/configuration.h"
#include "core/space/search_space.h"

namespace slipstream {

enum class Goal { kMaximize, kMinimize };

// How the trial of a configuration ended.
enum class Ending {
  kMeasured,    // Has a value.
  kFailed,      // The worker failed, perhaps by chance; has no value.
  kInfeasible,  // Has no value.
  kStopped,     // Ended early; the value, if any, is not final.
};

// Numbers that a strategy wrote on a trial when it suggested it, to read them at
// later suggestions: between calls it keeps nothing else that matters.
struct Note {
  std::string name;  // snake_case.
  std::vector<double> values;

  friend bool operator==(const Note&, const Note&) = default;
};
using Notes = std::vector<Note>;

// Null if there is none of that name.
const std::vector<double>* FindNote(const Notes& notes, absl::string_view name);

// A trial that has ended.
struct EndedTrial {
  int64_t number = 0;
  Configuration configuration;
  std::optional<int64_t> candidate;
  Ending ending = Ending::kMeasured;
  std::optional<double> value;  // Always there and finite when measured.
  Notes notes = {};             // Empty unless the strategy reads them.
  bool suggested = false;       // By Suggest, or queued again after that; else added by people.
};

// Whether the trial's value is one of those that models learn from: it was measured, or it was
// stopped and there is a value that stands for its result.
bool InformsModels(const EndedTrial& trial);

// A trial that is queued or held by a worker.
struct OpenTrial {
  int64_t number = 0;
  Configuration configuration;
  std::optional<int64_t> candidate;
  Notes notes = {};
  bool suggested = false;  // As above.
};

// One observation of a source task.
struct SourcePoint {
  Configuration configuration;
  Ending ending = Ending::kMeasured;
  std::optional<double> value;  // Always there and finite when measured.
};

// A source task, shared by all studies that use it; immutable.
struct SourceTaskData {
  std::string name;  // "sourceTasks/..."
  std::shared_ptr<const SearchSpace> space;
  Goal goal = Goal::kMaximize;
  std::vector<SourcePoint> points;

  // Approximate size in bytes, for caches.
  size_t MemoryBytes() const;
};

class SourceProvider;

// A study at one moment. Trials are in the order of their numbers. All that it
// points to must outlive the call it is passed to.
struct StudyView {
  const SearchSpace* space = nullptr;
  Goal goal = Goal::kMaximize;
  bool noiseless = false;  // Results are exact: the same configuration gives the same one.
  int64_t last_trial = 0;  // Highest trial number given out so far, 0 if none.
  int64_t suggested = 0;   // How many trials Suggest made so far.
  // Empty when the strategy does not read history (Strategy::ReadsHistory).
  absl::Span<const EndedTrial> ended;
  absl::Span<const OpenTrial> open;
  absl::Span<const std::shared_ptr<const SourceTaskData>> sources;
  // Where models of the sources come from (core/sources/fitted_source.h). If null,
  // suggestions are made without transfer.
  SourceProvider* fitted_sources = nullptr;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STUDY_STUDY_VIEW_H_
