#include "server/grpc/reset_guard.h"

#include <utility>

#include "absl/time/time.h"
#include "server/grpc/channelz.h"

namespace slipstream {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Milliseconds(20);
constexpr int64_t kManyCallsBetweenLooks = 100;

}  // namespace

ResetGuard::ResetGuard(int64_t most, std::function<void(const Peer&)> close)
    : most_(most), close_(std::move(close)), looks_(kBetweenLooks, [this] { Look(); }) {}

void ResetGuard::Look() {
  for (const channelz::ServerFigures& server : channelz::Servers()) {
    const int64_t before = std::exchange(calls_[server.id], server.calls_begun);
    if (server.calls_begun - before >= kManyCallsBetweenLooks) LookAtServer(server.id);
  }
}

void ResetGuard::LookAtServer(int64_t server) {
  channelz::ForEachConnection(server, [this](const channelz::ConnectionFigures& connection) {
    if (connection.calls_begun - connection.calls_ended > most_) close_(connection.peer);
  });
}

}  // namespace slipstream
