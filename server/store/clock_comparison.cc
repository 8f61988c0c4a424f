#include "server/store/clock_comparison.h"

namespace slipstream {
namespace {

// Clocks that differ by less run about evenly: one may be slewed, and calls may be late.
constexpr absl::Duration kLeast = absl::Minutes(1);

}  // namespace

absl::Duration ClockComparison::SetBy(absl::Time now,
                                      std::chrono::steady_clock::time_point steady_now) {
  const absl::Duration by = SetSince(now, steady_now);
  const std::lock_guard lock(mutex_);
  last_ = Moment{now, steady_now};
  return by;
}

absl::Duration ClockComparison::SetSince(absl::Time now,
                                         std::chrono::steady_clock::time_point steady_now) const {
  const std::lock_guard lock(mutex_);
  const Moment last = last_.value_or(Moment{now, steady_now});
  const absl::Duration by = (now - last.now) - absl::FromChrono(steady_now - last.steady_now);
  return absl::AbsDuration(by) < kLeast ? absl::ZeroDuration() : by;
}

}  // namespace slipstream
