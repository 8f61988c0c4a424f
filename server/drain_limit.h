// Ends the process should a server not have drained in time, as when a disk that does not answer
// keeps calls from their end. Nothing that was acknowledged is lost, as by kill -9.
//
//   const DrainLimit limit(absl::Seconds(12), [&] { log.Write(...); });
//   server.Drain(absl::Seconds(10));
#ifndef SLIPSTREAM_SERVER_DRAIN_LIMIT_H_
#define SLIPSTREAM_SERVER_DRAIN_LIMIT_H_

#include <functional>
#include <thread>

#include "absl/time/time.h"

namespace slipstream {

class DrainLimit {
 public:
  // Unless it is destroyed before, calls `tell` after this time by the monotonic clock, and ends
  // the process with code 1.
  DrainLimit(absl::Duration time, std::function<void()> tell);

 private:
  std::jthread thread_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_DRAIN_LIMIT_H_
