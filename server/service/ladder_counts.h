// Counts how often each rung of the ladder has produced a suggestion since the
// server started. Thread-safe; counts that are read one after the other may differ
// by suggestions made in between.
#ifndef SLIPSTREAM_SERVER_SERVICE_LADDER_COUNTS_H_
#define SLIPSTREAM_SERVER_SERVICE_LADDER_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/strategy/strategy.h"

namespace slipstream {

class LadderCounts {
 public:
  void Count(Rung rung) { counts_[static_cast<size_t>(rung)].fetch_add(1); }
  int64_t Of(Rung rung) const { return counts_[static_cast<size_t>(rung)].load(); }

 private:
  std::array<std::atomic<int64_t>, 3> counts_ = {};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LADDER_COUNTS_H_
