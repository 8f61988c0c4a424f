// gRPC's own statistics (channelz, GRPC_ARG_ENABLE_CHANNELZ), read from the JSON in which it gives
// them. Those of all servers of the process.
#ifndef SLIPSTREAM_SERVER_GRPC_CHANNELZ_H_
#define SLIPSTREAM_SERVER_GRPC_CHANNELZ_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "server/grpc/open_connections.h"

namespace slipstream::channelz {

struct ServerFigures {
  int64_t id = 0;
  int64_t calls_begun = 0;
};
std::vector<ServerFigures> Servers();

struct ConnectionFigures {
  int64_t id = 0;
  Peer peer;
  int64_t calls_begun = 0;
  int64_t calls_ended = 0;
  int64_t messages_received = 0;  // To their end.
};
void ForEachConnection(int64_t server, const std::function<void(const ConnectionFigures&)>& see);

}  // namespace slipstream::channelz

#endif  // SLIPSTREAM_SERVER_GRPC_CHANNELZ_H_
