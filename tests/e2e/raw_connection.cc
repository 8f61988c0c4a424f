#include "tests/e2e/raw_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace slipstream {
namespace {

// Of HTTP/2 (RFC 9113, sections 4.2 and 6).
constexpr int kHeaders = 1;
constexpr int kContinuation = 9;
constexpr int kEndHeaders = 4;
constexpr size_t kMostOfAFrame = 16384;

// How long Send waits for a server that does not read.
constexpr int kPatienceSeconds = 30;

// HPACK's literal without indexing, with a new name (RFC 7541, section 6.2.2).
std::string LiteralHeader(const std::string& name, const std::string& value) {
  std::string bytes(1, '\0');
  bytes += static_cast<char>(name.size());
  bytes += name;
  bytes += static_cast<char>(value.size());
  bytes += value;
  return bytes;
}

// An integer above the prefix of seven bits (RFC 7541, section 5.1).
std::string IntegerWithSevenBits(size_t value) {
  std::string bytes(1, '\x7f');
  for (value -= 0x7f; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>((value & 0x7f) | 0x80);
  }
  return bytes + static_cast<char>(value);
}

std::string HeadersOf(const std::string& method) {
  return LiteralHeader(":method", "POST") + LiteralHeader(":scheme", "http") +
         LiteralHeader(":path", method) + LiteralHeader(":authority", "test") +
         LiteralHeader("te", "trailers") + LiteralHeader("content-type", "application/grpc");
}

int64_t StatusLine(int pid, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (status >> word) {
    int64_t kib = 0;
    if (word == name + ":" && status >> kib) return kib << 10;
  }
  throw std::runtime_error("no " + name + " of process " + std::to_string(pid));
}

}  // namespace

RawConnection::RawConnection(const std::string& address, const std::string& from)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in own = {};
  own.sin_family = AF_INET;
  inet_pton(AF_INET, from.c_str(), &own.sin_addr);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience = {kPatienceSeconds, 0};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  if (bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof(own)) != 0 ||
      connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0) {
    close(socket_);
    throw std::runtime_error("cannot connect to " + address);
  }
}

RawConnection::~RawConnection() {
  if (socket_ >= 0) close(socket_);
}

RawConnection::RawConnection(RawConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)) {}

bool RawConnection::Send(const std::string& bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      throw std::runtime_error("the server neither reads nor closes the connection");
    }
    if (count <= 0) return false;
    sent += static_cast<size_t>(count);
  }
  return true;
}

bool RawConnection::Begin() {
  return Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(4, 0, 0, "") + Frame(4, 1, 0, ""));
}

std::string RawConnection::Receive(std::chrono::milliseconds patience) {
  pollfd event = {socket_, POLLIN, 0};
  if (poll(&event, 1, static_cast<int>(patience.count())) <= 0) return {};
  char buffer[65536];
  const ssize_t count = recv(socket_, buffer, sizeof(buffer), 0);
  return count <= 0 ? std::string() : std::string(buffer, static_cast<size_t>(count));
}

bool RawConnection::IsClosedWithin(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  char buffer[65536];
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd event = {socket_, POLLIN, 0};
    if (left.count() <= 0 || poll(&event, 1, static_cast<int>(left.count())) <= 0) return false;
    if (recv(socket_, buffer, sizeof(buffer), 0) <= 0) return true;
  }
}

std::string Frame(int type, int flags, uint32_t stream, const std::string& payload) {
  std::string frame;
  for (const int shift : {16, 8, 0}) frame += static_cast<char>(payload.size() >> shift);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift);
  return frame + payload;
}

std::string HeadersFrame(uint32_t stream, const std::string& method) {
  return Frame(kHeaders, kEndHeaders, stream, HeadersOf(method));
}

std::string LargeHeaders(uint32_t stream, const std::string& method, size_t bytes) {
  std::string fields = HeadersOf(method);
  fields += LiteralHeader("large", "").substr(0, 7);
  fields += IntegerWithSevenBits(bytes);
  fields += std::string(bytes, 'x');
  std::string frames;
  for (size_t first = 0; first < fields.size(); first += kMostOfAFrame) {
    const bool is_last = first + kMostOfAFrame >= fields.size();
    frames += Frame(first == 0 ? kHeaders : kContinuation, is_last ? kEndHeaders : 0, stream,
                    fields.substr(first, kMostOfAFrame));
  }
  return frames;
}

std::string ResetFrame(uint32_t stream) { return Frame(3, 0, stream, std::string("\0\0\0\x8", 4)); }

int64_t PeakMemory(int pid) { return StatusLine(pid, "VmHWM"); }
int64_t ResidentMemory(int pid) { return StatusLine(pid, "VmRSS"); }
int64_t AddressSpace(int pid) { return StatusLine(pid, "VmSize"); }

}  // namespace slipstream
