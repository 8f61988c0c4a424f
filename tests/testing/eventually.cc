#include "tests/testing/eventually.h"

#include <chrono>
#include <thread>

namespace slipstream {
namespace {

constexpr std::chrono::seconds kPatience(30);
constexpr std::chrono::milliseconds kPause(20);

}  // namespace

bool Eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace slipstream
