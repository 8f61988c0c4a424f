// How much one call may be about.
#ifndef SLIPSTREAM_SERVER_SERVICE_CALL_LIMITS_H_
#define SLIPSTREAM_SERVER_SERVICE_CALL_LIMITS_H_

#include <cstdint>

namespace slipstream {

// Trials to suggest, add, renew, release or list as the best.
inline constexpr int kMaxTrialsPerCall = 1000;
inline constexpr int kMostReportsPerCall = 1000;

// The most that the observations of a study's source tasks take in memory together, in bytes: a
// little more than those of the largest source task.
inline constexpr int64_t kMaxSourceBytes = int64_t{384} << 20;

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_CALL_LIMITS_H_
