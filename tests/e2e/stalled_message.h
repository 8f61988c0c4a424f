// A call whose one large message is sent as far as the server takes it, up to its last byte, and
// then never ended.
//
// Not thread-safe.
#ifndef SLIPSTREAM_TESTS_E2E_STALLED_MESSAGE_H_
#define SLIPSTREAM_TESTS_E2E_STALLED_MESSAGE_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "tests/e2e/raw_connection.h"

namespace slipstream {

class StalledMessage {
 public:
  // Sends a message of so many bytes to a method until the server takes nothing more for a while.
  StalledMessage(const std::string& address, const std::string& method, int64_t bytes);

  // Bytes of the message that went.
  int64_t sent() const { return sent_; }
  // Whether the server closes the connection within this time, in which pings are not answered: to
  // be less than the server waits for the answer to one.
  bool IsClosedWithin(std::chrono::milliseconds patience) {
    return connection_.IsClosedWithin(patience);
  }

 private:
  // Reads what the server sends within this time: windows, settings, pings. False if that is
  // nothing, or the end of the call.
  bool Listen(std::chrono::milliseconds patience);
  // False if the frame ends the call.
  bool Take(int type, int flags, uint32_t stream, const std::string& payload);
  bool SendSome(int64_t left);

  RawConnection connection_;
  std::string received_;  // Not a whole frame yet.
  int64_t initial_window_ = 65535;
  int64_t connection_window_ = 65535;
  int64_t stream_window_ = 65535;
  int64_t sent_ = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_E2E_STALLED_MESSAGE_H_
