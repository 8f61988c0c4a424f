// A study's events tell which of its leases ended, and in which order its calls probably took
// effect.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_EVENT_HINTS_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_EVENT_HINTS_H_

#include <vector>

#include "tests/e2e/histories/call.h"
#include "tests/e2e/histories/event_watch.h"

namespace slipstream::histories {

// Adds the leases that ended as calls.
void AddLeaseEnds(const std::vector<ToldEvent>& events, std::vector<Call>& calls);

// Sets the moments of calls to those of the events that they seem to have caused. A search tries
// them first; which order it finds in the end does not depend on them.
void HintMoments(const std::vector<ToldEvent>& events, std::vector<Call>& calls);

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_EVENT_HINTS_H_
