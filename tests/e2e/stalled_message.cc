#include "tests/e2e/stalled_message.h"

#include <algorithm>
#include <utility>

namespace slipstream {
namespace {

// Frames, flags and settings of HTTP/2 (RFC 9113, sections 6 and 6.5.2).
constexpr int kData = 0;
constexpr int kReset = 3;
constexpr int kSettings = 4;
constexpr int kPing = 6;
constexpr int kGoAway = 7;
constexpr int kWindowUpdate = 8;
constexpr int kAcknowledged = 1;
constexpr int kInitialWindowSize = 4;
constexpr size_t kFrameHead = 9;
constexpr int64_t kLargestFrame = 16384;

constexpr uint32_t kStream = 1;
constexpr std::chrono::milliseconds kPatience(300);

int64_t Number(const std::string& bytes, size_t first, size_t count) {
  int64_t number = 0;
  for (size_t i = first; i < first + count; ++i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

// What gRPC puts before a message of this length.
std::string Prefix(int64_t bytes) {
  std::string prefix(1, '\0');
  for (const int shift : {24, 16, 8, 0}) prefix += static_cast<char>(bytes >> shift);
  return prefix;
}

}  // namespace

StalledMessage::StalledMessage(const std::string& address, const std::string& method, int64_t bytes)
    : connection_(address) {
  const std::string prefix = Prefix(bytes);
  connection_.Begin();
  connection_.Send(HeadersFrame(kStream, method) + Frame(kData, 0, kStream, prefix));
  connection_window_ -= static_cast<int64_t>(prefix.size());
  stream_window_ -= static_cast<int64_t>(prefix.size());
  while (sent_ < bytes - 1) {
    const bool may_send = std::min(connection_window_, stream_window_) > 0;
    if (may_send ? !SendSome(bytes - 1 - sent_) : !Listen(kPatience)) return;
  }
}

bool StalledMessage::SendSome(int64_t left) {
  const int64_t size = std::min({left, kLargestFrame, connection_window_, stream_window_});
  connection_window_ -= size;
  stream_window_ -= size;
  sent_ += size;
  return connection_.Send(Frame(kData, 0, kStream, std::string(static_cast<size_t>(size), 'x')));
}

bool StalledMessage::Listen(std::chrono::milliseconds patience) {
  const std::string more = connection_.Receive(patience);
  received_ += more;
  while (received_.size() >= kFrameHead) {
    const auto size = static_cast<size_t>(Number(received_, 0, 3));
    if (received_.size() < kFrameHead + size) break;
    const auto stream = static_cast<uint32_t>(Number(received_, 5, 4));
    const std::string payload = received_.substr(kFrameHead, size);
    const int type = received_[3];
    const int flags = received_[4];
    received_.erase(0, kFrameHead + size);
    if (!Take(type, flags, stream, payload)) return false;
  }
  return !more.empty();
}

bool StalledMessage::Take(int type, int flags, uint32_t stream, const std::string& payload) {
  const bool answers = (flags & kAcknowledged) != 0;
  if (type == kWindowUpdate) {
    (stream == 0 ? connection_window_ : stream_window_) += Number(payload, 0, 4);
  } else if (type == kPing && !answers) {
    connection_.Send(Frame(kPing, kAcknowledged, 0, payload));
  } else if (type == kSettings && !answers) {
    for (size_t i = 0; i + 6 <= payload.size(); i += 6) {
      if (Number(payload, i, 2) != kInitialWindowSize) continue;
      const int64_t window = Number(payload, i + 2, 4);
      stream_window_ += window - std::exchange(initial_window_, window);
    }
    connection_.Send(Frame(kSettings, kAcknowledged, 0, ""));
  }
  return type != kReset && type != kGoAway;
}

}  // namespace slipstream
