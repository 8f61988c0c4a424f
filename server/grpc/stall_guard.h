// Closes connections on which a message stays incomplete, though the other end
// may answer pings: the part that came takes memory, and gRPC reports no call
// before its message is complete. The same holds for an answer that is not read.
//
// It looks at gRPC's own statistics (see channelz.h): a connection is stalled on which more calls
// have begun and not ended than may last (see lasting_calls.h), and on which no message comes to
// its end and no call begins for the whole of the limit. The statistics are of connections and not
// of calls, so that a caller who goes on making other calls on the same connection is not found;
// what such a caller holds is bounded by gRPC's part of the memory for calls alone.
#ifndef SLIPSTREAM_SERVER_GRPC_STALL_GUARD_H_
#define SLIPSTREAM_SERVER_GRPC_STALL_GUARD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "absl/time/time.h"
#include "core/base/deadline.h"
#include "server/grpc/channelz.h"
#include "server/grpc/lasting_calls.h"
#include "server/service/rounds.h"

namespace slipstream {

class StallGuard {
 public:
  // Calls `close`, on a thread of its own, for connections that are stalled. Looks four times in
  // each `limit`, which must be longer than short-lived calls take.
  StallGuard(absl::Duration limit, std::shared_ptr<LastingCalls> calls,
             std::function<void(const Peer&)> close);

 private:
  // A connection with a message under way.
  struct Suspect {
    int64_t calls_begun = 0;
    int64_t messages_received = 0;
    Deadline limit = Deadline::Infinite();
  };

  void Look();
  void LookAt(const channelz::ConnectionFigures& connection);

  const absl::Duration limit_;
  const std::shared_ptr<LastingCalls> calls_;
  const std::function<void(const Peer&)> close_;
  std::map<int64_t, Suspect> before_;  // By the connection's id, as of the last look, ...
  std::map<int64_t, Suspect> now_;     // ... and of this one.
  Rounds looks_;                       // Last: its thread uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_STALL_GUARD_H_
