// One budget of memory for what calls hold while they are under way, so that callers who
// send much and do not finish are refused rather than suffered.
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_GRPC_MEMORY_BUDGET_H_
#define SLIPSTREAM_SERVER_GRPC_MEMORY_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream {

class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t bytes) : bytes_(bytes) {}

  // Takes this much of the budget, or RESOURCE_EXHAUSTED, naming it, and takes nothing, not even
  // for a moment: a call that is refused takes away nothing from those that fit.
  absl::Status Take(int64_t bytes) {
    int64_t taken = taken_;
    while (bytes <= bytes_ - taken) {
      if (taken_.compare_exchange_weak(taken, taken + bytes)) return absl::OkStatus();
    }
    const std::string message =
        absl::StrCat("calls under way hold as much memory as they may, ", bytes_ >> 20,
                     " MiB (a part of --call-memory-mib): repeat the call later, or send less");
    // What alone takes more than all does so later, too.
    return bytes > bytes_ ? absl::ResourceExhaustedError(message) : OverloadError(message);
  }
  void GiveBack(int64_t bytes) { taken_ -= bytes; }
  int64_t bytes() const { return bytes_; }

 private:
  const int64_t bytes_;
  std::atomic<int64_t> taken_{0};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_MEMORY_BUDGET_H_
