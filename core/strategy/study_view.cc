#include "core/strategy/study_view.h"

namespace slipstream {

size_t SourceTaskData::MemoryBytes() const {
  size_t bytes = sizeof(SourceTaskData) + name.capacity() + points.capacity() * sizeof(SourcePoint);
  for (const SourcePoint& point : points) {
    bytes += point.configuration.values.capacity() * sizeof(Value);
  }
  return bytes + (space == nullptr ? 0 : space->MemoryBytes());
}

}  // namespace slipstream
