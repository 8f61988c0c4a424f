// How much one call may be about.
#ifndef SLIPSTREAM_SERVER_SERVICE_CALL_LIMITS_H_
#define SLIPSTREAM_SERVER_SERVICE_CALL_LIMITS_H_

namespace slipstream {

// Trials to suggest, add, renew, release or list as the best.
inline constexpr int kMaxTrialsPerCall = 1000;
inline constexpr int kMostReportsPerCall = 1000;

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_CALL_LIMITS_H_
