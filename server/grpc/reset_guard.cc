#include "server/grpc/reset_guard.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace slipstream {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Milliseconds(20);
constexpr int64_t kManyCallsBetweenLooks = 100;

// A JSON text of gRPC's, freed with its scope; empty if there is none.
class Json {
 public:
  explicit Json(char* text) : text_(text, &gpr_free) {}

  absl::string_view view() const { return text_ == nullptr ? "" : text_.get(); }

  // The first value of this name after `*at`, which moves behind it; without quotes. Empty,
  // and `*at` at the end, if there is none.
  absl::string_view Next(absl::string_view name, size_t* at) const {
    const std::string key = absl::StrCat("\"", name, "\":");
    size_t begin = view().find(key, *at);
    if (begin == absl::string_view::npos) {
      *at = view().size();
      return {};
    }
    begin += key.size();
    if (begin < view().size() && view()[begin] == '"') ++begin;
    const size_t end = std::min(view().find_first_of("\",}", begin), view().size());
    *at = end;
    return view().substr(begin, end - begin);
  }
  absl::string_view Value(absl::string_view name) const {
    size_t at = 0;
    return Next(name, &at);
  }
  int64_t Number(absl::string_view name) const {
    int64_t number = 0;
    return absl::SimpleAtoi(Value(name), &number) ? number : 0;
  }
  std::vector<int64_t> Numbers(absl::string_view name) const {
    std::vector<int64_t> numbers;
    for (size_t at = 0; at < view().size();) {
      int64_t number = 0;
      if (absl::SimpleAtoi(Next(name, &at), &number)) numbers.push_back(number);
    }
    return numbers;
  }

 private:
  std::unique_ptr<char, decltype(&gpr_free)> text_;
};

Peer PeerOf(const Json& socket) {
  size_t at = socket.view().find("\"remote\":");
  Peer peer;
  if (at == absl::string_view::npos) return peer;
  size_t ip_at = at;
  (void)absl::SimpleAtoi(socket.Next("port", &at), &peer.port);
  // A slash is escaped in JSON.
  std::string encoded(socket.Next("ip_address", &ip_at));
  std::erase(encoded, '\\');
  (void)absl::Base64Unescape(encoded, &peer.ip);
  return peer;
}

}  // namespace

ResetGuard::ResetGuard(int64_t most, std::function<void(const Peer&)> close)
    : most_(most), close_(std::move(close)), thread_([this] { Watch(); }) {}

ResetGuard::~ResetGuard() {
  ending_.Notify();
  thread_.join();
}

void ResetGuard::Watch() {
  while (!ending_.WaitForNotificationWithTimeout(kBetweenLooks)) {
    const Json servers(grpc_channelz_get_servers(0));
    for (const int64_t server : servers.Numbers("serverId")) {
      const Json state(grpc_channelz_get_server(server));
      const int64_t calls = state.Number("callsStarted");
      const int64_t before = std::exchange(calls_[server], calls);
      if (calls - before >= kManyCallsBetweenLooks) LookAtServer(server);
    }
  }
}

void ResetGuard::LookAtServer(int64_t server) {
  int64_t next = 0;
  while (true) {
    const Json sockets(grpc_channelz_get_server_sockets(server, next, 0));
    const std::vector<int64_t> ids = sockets.Numbers("socketId");
    for (const int64_t id : ids) LookAtSocket(id);
    if (ids.empty() || sockets.Value("end") == "true") return;
    next = ids.back() + 1;
  }
}

void ResetGuard::LookAtSocket(int64_t socket) {
  const Json state(grpc_channelz_get_socket(socket));
  const int64_t unended = state.Number("streamsStarted") - state.Number("streamsSucceeded") -
                          state.Number("streamsFailed");
  if (unended > most_) close_(PeerOf(state));
}

}  // namespace slipstream
