// Generated requests for the port of a server: every RPC, legal and illegal values, bytes that are
// no message; many at a time.
#ifndef SLIPSTREAM_TESTS_FUZZ_PORT_CALLS_H_
#define SLIPSTREAM_TESTS_FUZZ_PORT_CALLS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipstream::fuzz {

struct PortSettings {
  int64_t requests = 20'000;
  // No request begins after this time.
  double seconds = 3600;
  int at_once = 32;
  // Where the data is; empty for where the system keeps temporary files.
  std::string folder = {};
  uint32_t seed = 1;
};

struct PortReport {
  int64_t requests = 0;
  std::map<std::string, int64_t> by_rpc;
  std::map<int, int64_t> by_code;  // grpc::StatusCode.
  // Resident memory of the server: the most in the first tenth of the requests, and after that.
  int64_t first_bytes = 0;
  int64_t later_bytes = 0;
  int64_t log_bytes = 0;
  // Answers that no request should get, the first few; how the server ended if it did; and that
  // there was no time for all requests, if so.
  std::vector<std::string> failures;

  std::string Text() const;
};

// On a server of its own.
PortReport CallPort(const PortSettings& settings);

}  // namespace slipstream::fuzz

#endif  // SLIPSTREAM_TESTS_FUZZ_PORT_CALLS_H_
