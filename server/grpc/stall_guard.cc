#include "server/grpc/stall_guard.h"

#include <utility>

namespace slipstream {
namespace {

constexpr int kLooksInALimit = 4;

}  // namespace

StallGuard::StallGuard(absl::Duration limit, std::shared_ptr<LastingCalls> calls,
                       std::function<void(const Peer&)> close)
    : limit_(limit),
      calls_(std::move(calls)),
      close_(std::move(close)),
      looks_(limit / kLooksInALimit, [this] { Look(); }) {}

void StallGuard::Look() {
  for (const channelz::ServerFigures& server : channelz::Servers()) {
    channelz::ForEachConnection(
        server.id, [this](const channelz::ConnectionFigures& figures) { LookAt(figures); });
  }
  before_ = std::exchange(now_, {});
}

void StallGuard::LookAt(const channelz::ConnectionFigures& connection) {
  const int64_t open = connection.calls_begun - connection.calls_ended;
  if (open <= calls_->Of(connection.peer)) return;
  Suspect suspect = {connection.calls_begun, connection.messages_received, Deadline::In(limit_)};
  const auto before = before_.find(connection.id);
  if (before != before_.end() && before->second.calls_begun == suspect.calls_begun &&
      before->second.messages_received == suspect.messages_received) {
    suspect.limit = before->second.limit;
  }
  if (suspect.limit.has_passed()) return close_(connection.peer);
  now_.emplace(connection.id, suspect);
}

}  // namespace slipstream
