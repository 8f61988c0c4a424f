// Closes connections that begin calls and take them back faster than calls can be
// ended. A call that its caller has reset no longer counts against the limit of calls
// of a connection, but takes memory until the server has ended it, so that one
// connection could take any amount (CVE-2023-44487).
//
// It looks at gRPC's own statistics (see channelz.h) many times a second, and at those of
// single connections only while calls come fast.
#ifndef SLIPSTREAM_SERVER_GRPC_RESET_GUARD_H_
#define SLIPSTREAM_SERVER_GRPC_RESET_GUARD_H_

#include <cstdint>
#include <functional>
#include <map>

#include "server/grpc/open_connections.h"
#include "server/service/rounds.h"

namespace slipstream {

class ResetGuard {
 public:
  // Calls `close`, on a thread of its own, for connections with more than `most` calls that
  // have begun and not been ended, whether or not they have been reset.
  ResetGuard(int64_t most, std::function<void(const Peer&)> close);

 private:
  void Look();
  void LookAtServer(int64_t server);

  const int64_t most_;
  const std::function<void(const Peer&)> close_;
  std::map<int64_t, int64_t> calls_;  // That servers had begun at the last look.
  Rounds looks_;                       // Last: its thread uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_RESET_GUARD_H_
