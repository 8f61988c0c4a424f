// Closes connections that hold more calls than there is room for. From its headers on until the
// server has ended it a call takes memory that no other limit counts: also one that its caller has
// reset, which no longer counts against the limit of calls of a connection (CVE-2023-44487), and
// one of gRPC's own services, which ask for no token.
//
// It looks at gRPC's own statistics (see channelz.h) many times a second, and at those of
// single connections once many calls have begun.
#ifndef SLIPSTREAM_SERVER_GRPC_CALL_GUARD_H_
#define SLIPSTREAM_SERVER_GRPC_CALL_GUARD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "server/grpc/open_connections.h"
#include "server/service/rounds.h"

namespace slipstream {

class CallGuard {
 public:
  // Calls that have begun and not been ended, whether or not they have been reset.
  struct Limits {
    int64_t of_a_connection;
    int64_t in_all;
  };

  // Calls `close`, on a thread of its own, for each connection with more calls than it may have
  // and, while all connections together have too many, for those with the most. `why` says what
  // the connection does.
  CallGuard(Limits limits, std::function<void(const Peer&, const std::string& why)> close);

 private:
  void Look();
  void LookAtServer(int64_t server);

  const Limits limits_;
  const std::function<void(const Peer&, const std::string&)> close_;
  std::map<int64_t, int64_t> calls_;  // That servers had begun when they were last looked into.
  Rounds looks_;                      // Last: its thread uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_CALL_GUARD_H_
