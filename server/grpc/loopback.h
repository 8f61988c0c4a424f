// Whether an address is of the machine itself, so that no other one reaches it.
#ifndef SLIPSTREAM_SERVER_GRPC_LOOPBACK_H_
#define SLIPSTREAM_SERVER_GRPC_LOOPBACK_H_

#include <string>

namespace slipstream {

// The only name that is one is "localhost"; "127.example.com" may be another machine.
bool IsLoopback(const std::string& host);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_LOOPBACK_H_
