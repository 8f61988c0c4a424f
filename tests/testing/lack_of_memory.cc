#include "tests/testing/lack_of_memory.h"

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

LackOfMemory::LackOfMemory(int allocations) {
  failed = false;
  left = allocations;
}

LackOfMemory::~LackOfMemory() { left = kAll; }

bool LackOfMemory::has_struck() const { return failed; }

// Null if there is no memory.
void* AllocateUnlessLacking(std::size_t size) {
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
  void* const allocated = slipstream::AllocateUnlessLacking(size);
  if (allocated == nullptr) throw std::bad_alloc();
  return allocated;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return slipstream::AllocateUnlessLacking(size);
}
void operator delete(void* allocated) noexcept { std::free(allocated); }
void operator delete(void* allocated, std::size_t) noexcept { std::free(allocated); }
