// The clock by which leases end. It runs with the wall clock while a server is up
// and stands still while none is, or while the wall clock jumps: no lease runs out
// for time in which its worker could not have renewed it.
//
// The clock is one row: what it showed at some moment of the wall clock. Every
// transaction derives the present from that row alone, so several servers on one
// database agree, and a crash loses at most the few seconds since the row was
// last written. Servers that are up write it down at least every few seconds
// (lease_sweeper.h); a longer gap means that none was.
//
// The wall clocks of several servers may differ by up to a minute. A row whose time
// has not come yet is of a server whose clock is ahead. It is left alone: were it
// written with this server's time, the other one would take the difference for time
// that has passed, each time anew. Until the row's time comes, or it is written again,
// the clock stands still here. While the server that is ahead is up, that is for a few
// seconds, and leases may be that much shorter; once it is down, or if the clock was set
// back by less than a minute, it is for the difference, and leases last that much longer. Where
// clocks differ by more than a minute, the servers write the row one after the other, all time
// between counts as none, and no lease runs out: sweeps tell of that (LeaseSweep::uncounted_ms).
#ifndef SLIPSTREAM_SERVER_STORE_LEASE_CLOCK_H_
#define SLIPSTREAM_SERVER_STORE_LEASE_CLOCK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/store/rows.h"

namespace slipstream::rules {

// The row is rewritten once it is this old.
inline constexpr int64_t kLeaseClockWrittenAfterMs = 5'000;
// A gap of the wall clock that is longer than this, or negative, counts as no time. A negative one
// that is longer means that the wall clock was set back.
inline constexpr int64_t kLongestLeaseClockGapMs = 60'000;

// One moment by both clocks.
struct LeaseMoment {
  int64_t lease_ms = 0;
  int64_t wall_ms = 0;
  int64_t uncounted_ms = 0;  // A gap of the wall clock before it that counts as no time; 0: none.
};

LeaseMoment MomentOf(const LeaseClock& clock, int64_t now_ms);

// Whether the row is to be rewritten: it is old, or the wall clock was set back.
bool IsDue(const LeaseClock& clock, int64_t now_ms);

// The present, written down if the row is due.
absl::StatusOr<LeaseMoment> PresentMoment(RowTransaction& rows);

// Lets the clock go on from what the row shows, as the first transaction of a
// server. Time since then counts for no lease.
absl::Status RestartLeaseClock(RowTransaction& rows);

// Sets the trial's lease to end a duration of `policy` after `moment`, or never.
void RenewLease(const LeasePolicy& policy, const LeaseMoment& moment, TrialRecord& trial);

// Fills in lease_end_ms where there is a lease_end.
absl::Status FillLeaseEnds(Rows& rows, absl::Span<TrialRecord> trials);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_LEASE_CLOCK_H_
