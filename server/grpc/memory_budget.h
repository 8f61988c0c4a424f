// One budget of memory for what calls hold while they are under way, so that callers who
// send much and do not finish are refused rather than suffered.
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_GRPC_MEMORY_BUDGET_H_
#define SLIPSTREAM_SERVER_GRPC_MEMORY_BUDGET_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace slipstream {

class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t bytes) : bytes_(bytes) {}

  // Takes this much of the budget, or RESOURCE_EXHAUSTED, naming it, and takes nothing.
  absl::Status Take(int64_t bytes) {
    if (taken_.fetch_add(bytes) + bytes <= bytes_) return absl::OkStatus();
    taken_ -= bytes;
    return absl::ResourceExhaustedError(
        absl::StrCat("calls under way hold as much memory as they may, ", bytes_ >> 20,
                     " MiB (a part of --call-memory-mib): repeat the call later, or send less"));
  }
  void GiveBack(int64_t bytes) { taken_ -= bytes; }

 private:
  const int64_t bytes_;
  std::atomic<int64_t> taken_{0};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_MEMORY_BUDGET_H_
