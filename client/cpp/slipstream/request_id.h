// Makes request ids: UUIDs of version 7 (RFC 9562), which are ordered by time.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_REQUEST_ID_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_REQUEST_ID_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <string>

namespace slipstream {

// Every id sorts after all that Next returned before, on any thread, even if the
// clock is set back. Thread-safe. Two processes, also a process and its fork, get
// different ids: 62 bits of each id are drawn from the system's entropy.
class RequestIdGenerator {
 public:
  // `unix_milliseconds` returns the wall clock's time and is called under a lock.
  explicit RequestIdGenerator(std::function<int64_t()> unix_milliseconds);

  // 36 characters, for example "01932c07-209f-7d3b-9d2c-3b1f0c6a7e55".
  std::string Next();

 private:
  std::mutex mutex_;
  const std::function<int64_t()> unix_milliseconds_;
  std::random_device entropy_;
  int64_t millisecond_ = 0;  // The latest id's time.
  uint32_t counter_ = 0;     // The latest id's 12 bits that order ids of one millisecond.
};

// The process's next id.
std::string MakeRequestId();

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_REQUEST_ID_H_
