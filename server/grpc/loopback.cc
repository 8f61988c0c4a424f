#include "server/grpc/loopback.h"

#include <arpa/inet.h>

namespace slipstream {

bool IsLoopback(const std::string& host) {
  in_addr address = {};
  if (inet_pton(AF_INET, host.c_str(), &address) == 1) return ntohl(address.s_addr) >> 24 == 127;
  return host == "localhost" || host == "[::1]";
}

}  // namespace slipstream
