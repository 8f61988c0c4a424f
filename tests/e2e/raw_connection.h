// A TCP connection to a server on which a test writes HTTP/2 frames as it pleases.
//
// Not thread-safe.
#ifndef SLIPSTREAM_TESTS_E2E_RAW_CONNECTION_H_
#define SLIPSTREAM_TESTS_E2E_RAW_CONNECTION_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace slipstream {

class RawConnection {
 public:
  // `address` is 127.0.0.1:port, and `from` the address of this end, if it matters which one.
  // Throws std::runtime_error if it cannot connect.
  explicit RawConnection(const std::string& address, const std::string& from = "127.0.0.1");
  ~RawConnection();
  RawConnection(RawConnection&& other) noexcept;
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // False once the server has closed the connection. Throws std::runtime_error if the server does
  // not read for 30 s and keeps the connection open.
  bool Send(const std::string& bytes);
  // The client's preface and empty settings.
  bool Begin();
  // What the server sends next; empty if that is nothing within this time, or if it has closed
  // the connection.
  std::string Receive(std::chrono::milliseconds patience);
  // Whether the server closes the connection within this time; reads and ignores what
  // it sends.
  bool IsClosedWithin(std::chrono::milliseconds patience);

 private:
  int socket_ = -1;
};

// A frame of HTTP/2 (RFC 9113, section 4.1).
std::string Frame(int type, int flags, uint32_t stream, const std::string& payload);
// HEADERS that begin a call of this method, e.g. "/package.Service/Method".
std::string HeadersFrame(uint32_t stream, const std::string& method);
// The same with a field of so many bytes, at least 127, in as many frames as it takes.
std::string LargeHeaders(uint32_t stream, const std::string& method, size_t bytes);
// RST_STREAM with CANCEL.
std::string ResetFrame(uint32_t stream);

// Most bytes of memory that the process has had resident so far, and has now.
int64_t PeakMemory(int pid);
int64_t ResidentMemory(int pid);
// Bytes of addresses that it has taken, with memory behind them or not.
int64_t AddressSpace(int pid);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_E2E_RAW_CONNECTION_H_
