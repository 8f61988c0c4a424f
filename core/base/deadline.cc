#include "core/base/deadline.h"

namespace slipstream {
namespace {

constexpr absl::Duration kLongest = absl::Hours(24 * 365);

}  // namespace

Deadline Deadline::In(absl::Duration duration) {
  if (duration > kLongest) return Infinite();
  if (duration <= absl::ZeroDuration()) return At(Clock::now());
  return At(Clock::now() + absl::ToChronoNanoseconds(duration));
}

Deadline Deadline::Part(double share) const {
  if (is_infinite()) return *this;
  const Clock::time_point now = Clock::now();
  Deadline part = *this;
  if (now < moment_) {
    part.moment_ = now + std::chrono::duration_cast<Clock::duration>(share * (moment_ - now));
  }
  return part;
}

absl::Status Deadline::Missed(absl::string_view message) const {
  if (is_stopped()) return absl::CancelledError("the computation was stopped");
  return absl::DeadlineExceededError(message);
}

}  // namespace slipstream
