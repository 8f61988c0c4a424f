// One question over HTTP, as it goes over the socket.
#ifndef SLIPSTREAM_TESTS_E2E_HTTP_H_
#define SLIPSTREAM_TESTS_E2E_HTTP_H_

#include <string>

namespace slipstream {

// All that `address`, 127.0.0.1:port, answers to a request with this method and path, such as
// "GET /metrics"; throws std::runtime_error if it cannot be reached.
std::string AskOverHttp(const std::string& address, const std::string& method_and_path);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_E2E_HTTP_H_
