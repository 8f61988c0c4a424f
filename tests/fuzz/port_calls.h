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

// The server's resident memory, but for what it keeps in its caches, while some of the requests
// were made. Caches have limits of their own, and fill as long as there is more to keep.
struct MemorySpan {
  int64_t median_bytes = 0;
  int64_t most_bytes = 0;
  int64_t median_cached_bytes = 0;
};

struct PortReport {
  int64_t requests = 0;
  std::map<std::string, int64_t> by_rpc;
  std::map<int, int64_t> by_code;  // grpc::StatusCode.
  std::vector<MemorySpan> memory;  // By tenths of the requests.
  int64_t log_bytes = 0;
  // Answers that no request should get, the first few; how the server ended if it did; and that
  // there was no time for all requests, if so.
  std::vector<std::string> failures;

  // By how much the median of a later tenth exceeds that of the first at most, and the most of one
  // that of the first. 0 without a later tenth or samples in the first.
  int64_t Growth() const;
  int64_t PeakGrowth() const;
  std::string Text() const;
};

// On a server of its own.
PortReport CallPort(const PortSettings& settings);

}  // namespace slipstream::fuzz

#endif  // SLIPSTREAM_TESTS_FUZZ_PORT_CALLS_H_
