// Whether leases end when they have to. That does not depend on the order of calls, and is looked
// at apart from it: a StudyMachine knows no time.
//
// A lease is kept for its duration after every call whose answer shows that it began or renewed the
// lease. A call whose answer was lost may have renewed it or not, so that the lease may end as if
// it had not and as if it had. After the last call that may have renewed it, a lease has to end
// within its duration, the sweeper's period and kMarginUs, by the server's clock, which tells the
// time of the event. A crash adds the time until the next server is ready and what the lease clock
// loses.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_LEASE_TIMES_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_LEASE_TIMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/e2e/histories/call.h"
#include "tests/e2e/histories/study_machine.h"

namespace slipstream::histories {

// How often the server looks for leases that have run out.
inline constexpr int64_t kSweepPeriodUs = 1'000'000;
// How long a busy machine may take for a sweep, or for a call that nobody waits for any more.
inline constexpr int64_t kMarginUs = 3'000'000;
// The lease clock is written down when it is five seconds old, at the next sweep.
inline constexpr int64_t kLostClockUs = 6'000'000;

// Each returns what is wrong with one of the calls on a study, or nothing. No trial is ACTIVE again
// once its lease has ended, so all calls that found it ACTIVE came before.
std::string EarlyLeaseEnd(const Policy& policy, const std::vector<Call>& calls);
std::string OverdueLease(const Policy& policy, const Outages& outages,
                         const std::vector<Call>& calls);

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_LEASE_TIMES_H_
