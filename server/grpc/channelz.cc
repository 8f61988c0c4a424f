#include "server/grpc/channelz.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace slipstream::channelz {
namespace {

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

ConnectionFigures FiguresOf(int64_t id) {
  const Json socket(grpc_channelz_get_socket(id));
  return {id, PeerOf(socket), socket.Number("streamsStarted"),
          socket.Number("streamsSucceeded") + socket.Number("streamsFailed"),
          socket.Number("messagesReceived")};
}

}  // namespace

std::vector<ServerFigures> Servers() {
  std::vector<ServerFigures> figures;
  const Json servers(grpc_channelz_get_servers(0));
  for (const int64_t id : servers.Numbers("serverId")) {
    figures.push_back({id, Json(grpc_channelz_get_server(id)).Number("callsStarted")});
  }
  return figures;
}

void ForEachConnection(int64_t server, const std::function<void(const ConnectionFigures&)>& see) {
  int64_t next = 0;
  while (true) {
    const Json sockets(grpc_channelz_get_server_sockets(server, next, 0));
    const std::vector<int64_t> ids = sockets.Numbers("socketId");
    for (const int64_t id : ids) see(FiguresOf(id));
    if (ids.empty() || sockets.Value("end") == "true") return;
    next = ids.back() + 1;
  }
}

}  // namespace slipstream::channelz
