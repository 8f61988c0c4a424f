// A closed-loop load: a fixed number of calls in flight, each followed by the next.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_LOAD_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_LOAD_H_

#include <cstdint>
#include <functional>

#include "tests/benchmarks/latencies.h"

namespace slipstream {

// Starts call number `index` (from 0) on connection `lane`. Calls `done`, from any
// thread, with whether the call succeeded. Returns false, without starting a call,
// if there is nothing left to call.
using StartCall = std::function<bool(int64_t index, int lane, std::function<void(bool)> done)>;

// Keeps `in_flight` calls on `lanes` connections in flight for `seconds`, waits for
// the last one and returns their latencies.
Latencies RunLoad(int in_flight, int lanes, double seconds, const StartCall& start);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_LOAD_H_
