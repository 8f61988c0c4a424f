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

  // Takes this much of the budget for a call that holds `held` of it already, or
  // RESOURCE_EXHAUSTED, naming it, and takes nothing, not even for a moment: a call that is refused
  // takes away nothing from those that fit. An OverloadError unless the call alone needs more than
  // there is, which it will later, too.
  absl::Status Take(int64_t bytes, int64_t held = 0) {
    int64_t taken = taken_;
    while (bytes <= bytes_ - taken) {
      if (taken_.compare_exchange_weak(taken, taken + bytes)) return absl::OkStatus();
    }
    const std::string limit = absl::StrCat(bytes_ >> 20, " MiB (a part of --call-memory-mib)");
    if (bytes > bytes_ - held) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the call needs more memory than there is for all calls, ", limit,
                       ": send less"));
    }
    return OverloadError(absl::StrCat("calls under way hold as much memory as is allowed, ", limit,
                                      ": repeat the call later, or send less"));
  }
  void GiveBack(int64_t bytes) { taken_ -= bytes; }
  int64_t bytes() const { return bytes_; }

 private:
  const int64_t bytes_;
  std::atomic<int64_t> taken_{0};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_MEMORY_BUDGET_H_
