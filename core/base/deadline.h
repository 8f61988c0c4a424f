// When to give up on work that takes long: at a moment of the monotonic clock, which no change of
// the wall clock moves, or as soon as a stop is requested.
//
//   const Deadline deadline = Deadline::In(absl::Seconds(5)).WithStop(source.get_token());
//   while (more) {
//     SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time to calibrate"));
//     ...
//   }
//
// Once it has passed it stays passed, so a late check may discard what was made in between.
// Immutable, hence thread-safe; cheap to copy.
#ifndef SLIPSTREAM_CORE_BASE_DEADLINE_H_
#define SLIPSTREAM_CORE_BASE_DEADLINE_H_

#include <chrono>
#include <stop_token>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace slipstream {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // Never passes.
  static Deadline Infinite() { return Deadline(); }
  // Has passed.
  static Deadline Passed() { return At(Clock::time_point::min()); }
  // `duration` from now; infinite if that is more than a year.
  static Deadline In(absl::Duration duration);
  static Deadline At(Clock::time_point moment) {
    Deadline deadline;
    deadline.moment_ = moment;
    return deadline;
  }

  // The same, which also passes when a stop is requested.
  Deadline WithStop(std::stop_token stop) const {
    Deadline deadline = *this;
    deadline.stop_ = std::move(stop);
    return deadline;
  }
  // The moment at which this share of the time that is left from now on has passed.
  Deadline Part(double share) const;

  Clock::time_point moment() const { return moment_; }
  bool is_infinite() const { return moment_ == Clock::time_point::max(); }
  bool is_stopped() const { return stop_.stop_requested(); }
  bool has_passed() const { return is_stopped() || (!is_infinite() && Clock::now() >= moment_); }

  // CANCELLED when a stop was requested, DEADLINE_EXCEEDED with `message` when the time is over.
  absl::Status Check(absl::string_view message) const {
    return has_passed() ? Missed(message) : absl::OkStatus();
  }

 private:
  Deadline() = default;
  absl::Status Missed(absl::string_view message) const;

  Clock::time_point moment_ = Clock::time_point::max();
  std::stop_token stop_ = {};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_DEADLINE_H_
