// Counts how often each rung of the ladder has produced a suggestion since the
// server started. Thread-safe; counts that are read one after the other may differ
// by suggestions made in between.
#ifndef SLIPSTREAM_SERVER_SERVICE_LADDER_COUNTS_H_
#define SLIPSTREAM_SERVER_SERVICE_LADDER_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/study/suggestion.h"
#include "server/figures/histogram.h"

namespace slipstream {

class LadderCounts {
 public:
  void Count(Rung rung) { counts_[static_cast<size_t>(rung)].fetch_add(1); }
  int64_t Of(Rung rung) const { return counts_[static_cast<size_t>(rung)].load(); }

  // The weight of source tasks in a suggestion of a study that has some.
  void CountTransfer(double weight) { transfer_weights_.Observe(weight); }
  HistogramFigures TransferWeights() const { return transfer_weights_.Figures(); }

 private:
  std::array<std::atomic<int64_t>, 3> counts_ = {};
  Histogram transfer_weights_{{0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LADDER_COUNTS_H_
