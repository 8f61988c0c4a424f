#include "server/store/lease_clock.h"

#include <algorithm>
#include <optional>

#include "core/base/status.h"

namespace slipstream::rules {

LeaseMoment MomentOf(const LeaseClock& clock, int64_t now_ms) {
  const int64_t gap = now_ms - clock.wall_ms;
  const bool fits = gap >= -kLongestLeaseClockGapMs && gap <= kLongestLeaseClockGapMs;
  const int64_t passed = fits ? std::max<int64_t>(gap, 0) : 0;
  return {clock.lease_ms + passed, now_ms, fits ? 0 : gap};
}

bool IsDue(const LeaseClock& clock, int64_t now_ms) {
  const int64_t age = now_ms - clock.wall_ms;
  return age >= kLeaseClockWrittenAfterMs || age < -kLongestLeaseClockGapMs;
}

absl::StatusOr<LeaseMoment> PresentMoment(RowTransaction& rows) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<LeaseClock> clock, rows.FindLeaseClock());
  // Where there is none yet, no time has passed.
  const LeaseMoment moment = MomentOf(clock.value_or(LeaseClock{0, rows.now_ms()}), rows.now_ms());
  if (!clock.has_value() || IsDue(*clock, rows.now_ms())) {
    SLIPSTREAM_RETURN_IF_ERROR(rows.WriteLeaseClock({moment.lease_ms, moment.wall_ms}));
  }
  return moment;
}

absl::Status RestartLeaseClock(RowTransaction& rows) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<LeaseClock> clock, rows.FindLeaseClock());
  if (!clock.has_value()) return absl::OkStatus();
  const bool is_ahead = clock->wall_ms > rows.now_ms() && !IsDue(*clock, rows.now_ms());
  if (is_ahead) return absl::OkStatus();
  return rows.WriteLeaseClock({clock->lease_ms, rows.now_ms()});
}

void RenewLease(const LeasePolicy& policy, const LeaseMoment& moment, TrialRecord& trial) {
  trial.lease_end.reset();
  trial.lease_end_ms.reset();
  if (policy.duration_ms <= 0) return;
  trial.lease_end = moment.lease_ms + policy.duration_ms;
  trial.lease_end_ms = moment.wall_ms + policy.duration_ms;
}

absl::Status FillLeaseEnds(Rows& rows, absl::Span<TrialRecord> trials) {
  const bool any = std::any_of(trials.begin(), trials.end(), [](const TrialRecord& trial) {
    return trial.lease_end.has_value();
  });
  if (!any) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<LeaseClock> clock, rows.FindLeaseClock());
  for (TrialRecord& trial : trials) {
    if (!trial.lease_end.has_value() || !clock.has_value()) continue;
    trial.lease_end_ms = *trial.lease_end - clock->lease_ms + clock->wall_ms;
  }
  return absl::OkStatus();
}

}  // namespace slipstream::rules
