// Bytes that several caches share beyond what each may take by itself.
//
// Thread-safe and lock-free.
#ifndef SLIPSTREAM_CORE_BASE_BYTE_BUDGET_H_
#define SLIPSTREAM_CORE_BASE_BYTE_BUDGET_H_

#include <atomic>
#include <cstddef>

namespace slipstream {

class ByteBudget {
 public:
  explicit ByteBudget(size_t bytes) : left_(bytes) {}

  // False, and takes nothing, if fewer are left.
  bool Take(size_t bytes) {
    size_t left = left_.load(std::memory_order_relaxed);
    while (left >= bytes) {
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  // What was taken before.
  void Give(size_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }

  size_t left() const { return left_.load(std::memory_order_relaxed); }

 private:
  std::atomic<size_t> left_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_BYTE_BUDGET_H_
