// Turns of those in this process that read something, change it and write it back as a whole.
#ifndef SLIPSTREAM_CLIENT_CPP_TURNS_H_
#define SLIPSTREAM_CLIENT_CPP_TURNS_H_

#include <memory>
#include <mutex>
#include <string>

namespace slipstream::client_internal {

// To be locked by whoever changes what has this name on the server at the address, also through
// another connection.
std::shared_ptr<std::mutex> TurnOf(const std::string& address, const std::string& name);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_TURNS_H_
