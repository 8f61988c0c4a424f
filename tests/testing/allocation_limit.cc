#include "tests/testing/allocation_limit.h"

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace slipstream {
namespace {

constexpr int kAll = std::numeric_limits<int>::max();

thread_local int left = kAll;  // Allocations that succeed.
thread_local bool failed = false;

}  // namespace

AllocationLimit::AllocationLimit(int allocations) {
  failed = false;
  left = allocations;
}

AllocationLimit::~AllocationLimit() { left = kAll; }

bool AllocationLimit::was_reached() const { return failed; }

// Null beyond the limit.
void* AllocateWithinLimit(std::size_t size) {
  if (left == 0) {
    failed = true;
    return nullptr;
  }
  if (left != kAll) --left;
  return std::malloc(size > 0 ? size : 1);
}

}  // namespace slipstream

// The others call these, or, with a sanitizer, the sanitizer's.
void* operator new(std::size_t size) {
  void* const allocated = slipstream::AllocateWithinLimit(size);
  if (allocated == nullptr) throw std::bad_alloc();
  return allocated;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return slipstream::AllocateWithinLimit(size);
}
void operator delete(void* allocated) noexcept { std::free(allocated); }
void operator delete(void* allocated, std::size_t) noexcept { std::free(allocated); }
