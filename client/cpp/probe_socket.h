// A connection on which nothing is waited for longer than until its deadline.
#ifndef SLIPSTREAM_CLIENT_CPP_PROBE_SOCKET_H_
#define SLIPSTREAM_CLIENT_CPP_PROBE_SOCKET_H_

#include <chrono>
#include <string>

namespace slipstream::client_internal {

// Used by one thread. Raises no signal.
class ProbeSocket {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // Connects to `host`, a name or a number of IPv4 or IPv6 without brackets. Looking up a name may
  // take longer than until the deadline.
  ProbeSocket(const std::string& host, const std::string& port, Deadline deadline);
  ~ProbeSocket();
  ProbeSocket(const ProbeSocket&) = delete;
  ProbeSocket& operator=(const ProbeSocket&) = delete;

  bool is_connected() const { return descriptor_ >= 0; }
  // Whether all was sent.
  bool Send(const std::string& bytes);
  // What comes next; empty if the connection has ended, or nothing comes until the deadline.
  std::string Receive();
  // Whether nothing came until the deadline.
  bool has_waited_in_vain() const { return has_waited_in_vain_; }

 private:
  // Whether the event comes before the deadline.
  bool WaitFor(short event) const;
  bool Connect(int descriptor, const void* address, unsigned size);

  const Deadline deadline_;
  int descriptor_ = -1;
  bool has_waited_in_vain_ = false;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_PROBE_SOCKET_H_
