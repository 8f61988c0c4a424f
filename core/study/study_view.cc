#include "core/study/study_view.h"

namespace slipstream {

const std::vector<double>* FindNote(const Notes& notes, absl::string_view name) {
  for (const Note& note : notes) {
    if (note.name == name) return &note.values;
  }
  return nullptr;
}

bool InformsModels(const EndedTrial& trial) {
  return trial.value.has_value() &&
         (trial.ending == Ending::kMeasured || trial.ending == Ending::kStopped);
}

size_t SourceTaskData::MemoryBytes() const {
  size_t bytes = sizeof(SourceTaskData) + name.capacity() + points.capacity() * sizeof(SourcePoint);
  for (const SourcePoint& point : points) {
    bytes += point.configuration.values.capacity() * sizeof(Value);
  }
  return bytes + (space == nullptr ? 0 : space->MemoryBytes());
}

}  // namespace slipstream
