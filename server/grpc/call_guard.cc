#include "server/grpc/call_guard.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/grpc/channelz.h"

namespace slipstream {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Milliseconds(20);

// A connection and its calls.
struct Holder {
  int64_t calls = 0;
  Peer peer;
};

}  // namespace

CallGuard::CallGuard(Limits limits,
                     std::function<void(const Peer&, const std::string& why)> close)
    : limits_(limits), close_(std::move(close)), looks_(kBetweenLooks, [this] { Look(); }) {}

// Until so many calls have begun, no limit is exceeded by more than half, however slowly they come.
void CallGuard::Look() {
  const int64_t between_looks = std::min(limits_.of_a_connection, limits_.in_all) / 2;
  for (const channelz::ServerFigures& server : channelz::Servers()) {
    int64_t& looked_at = calls_[server.id];
    if (server.calls_begun - looked_at < between_looks) continue;
    looked_at = server.calls_begun;
    LookAtServer(server.id);
  }
}

void CallGuard::LookAtServer(int64_t server) {
  std::vector<Holder> holders;
  int64_t in_all = 0;
  channelz::ForEachConnection(server, [&](const channelz::ConnectionFigures& connection) {
    const int64_t calls = connection.calls_begun - connection.calls_ended;
    if (calls > limits_.of_a_connection) {
      return close_(connection.peer, "cancels calls as fast as it begins them");
    }
    holders.push_back({calls, connection.peer});
    in_all += calls;
  });
  if (in_all <= limits_.in_all) return;
  std::sort(holders.begin(), holders.end(),
            [](const Holder& one, const Holder& other) { return one.calls > other.calls; });
  for (const Holder& holder : holders) {
    if (in_all <= limits_.in_all) return;
    close_(holder.peer, absl::StrCat("has the most open calls, ", holder.calls, ", while ", in_all,
                                     " are open in all and ", limits_.in_all, " are allowed"));
    in_all -= holder.calls;
  }
}

}  // namespace slipstream
