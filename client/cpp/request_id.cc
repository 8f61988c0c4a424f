#include "slipstream/request_id.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_format.h"

namespace slipstream {
namespace {

constexpr uint32_t kCounterEnd = 1u << 12;
// A millisecond's counter starts in the lower half, which leaves room to count.
constexpr uint32_t kFirstCounterMask = (1u << 11) - 1;
constexpr uint64_t kVariant = uint64_t{0b10} << 62;
constexpr uint64_t kRandomBits = (uint64_t{1} << 62) - 1;

int64_t SystemMilliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string Format(int64_t millisecond, uint32_t counter, uint64_t tail) {
  const uint64_t time = static_cast<uint64_t>(millisecond) & 0xffff'ffff'ffff;
  return absl::StrFormat("%08x-%04x-7%03x-%04x-%012x", time >> 16, time & 0xffff, counter,
                         tail >> 48, tail & 0xffff'ffff'ffff);
}

}  // namespace

RequestIdGenerator::RequestIdGenerator(std::function<int64_t()> unix_milliseconds)
    : unix_milliseconds_(std::move(unix_milliseconds)) {}

std::string RequestIdGenerator::Next() {
  const std::lock_guard lock(mutex_);
  const uint64_t high = entropy_();
  const uint64_t low = entropy_();
  const int64_t now = unix_milliseconds_();
  if (now > millisecond_) {
    millisecond_ = now;
    counter_ = entropy_() & kFirstCounterMask;
  } else if (++counter_ == kCounterEnd) {
    ++millisecond_;
    counter_ = 0;
  }
  return Format(millisecond_, counter_, kVariant | (((high << 32) | low) & kRandomBits));
}

std::string MakeRequestId() {
  static auto& generator = *new RequestIdGenerator(SystemMilliseconds);
  return generator.Next();
}

}  // namespace slipstream
