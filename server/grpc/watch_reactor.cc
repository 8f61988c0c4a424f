#include "server/grpc/watch_reactor.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/grpc/status_conversion.h"

namespace slipstream {
namespace {

// The answer's message without a copy; the answer lives as long as the bytes are needed.
grpc::ByteBuffer BytesOf(std::shared_ptr<const WatchAnswer> answer) {
  using Owner = std::shared_ptr<const WatchAnswer>;
  const std::string& message = answer->message;
  // Slices do not say so, but nobody writes to their bytes.
  auto* const bytes = const_cast<char*>(message.data());
  const size_t size = message.size();
  const grpc::Slice slice(
      bytes, size, [](void* owner) { delete static_cast<Owner*>(owner); },
      new Owner(std::move(answer)));
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

WatchReactor::WatchReactor(const Open& open, MayGoOn may_go_on, OnEnd on_end)
    : may_go_on_(std::move(may_go_on)), on_end_(std::move(on_end)) {
  open([this] { OnMore(); },
       [this](absl::StatusOr<std::unique_ptr<EventStream>> stream) { Opened(std::move(stream)); });
}

// A call that was cancelled meanwhile ends only now: until then the stream's maker
// refers to it.
void WatchReactor::Opened(absl::StatusOr<std::unique_ptr<EventStream>> stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  opening_ = false;
  if (cancelled_) return End(absl::CancelledError("the call was cancelled"));
  if (!stream.ok()) return End(stream.status());
  stream_ = *std::move(stream);
  Pump();
}

// Comes from the thread that serves all watchers, so it does not wait for one that is
// busy. Should that one miss it, it comes again within the feed's poll.
void WatchReactor::OnMore() {
  more_ = true;
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) Pump();
}

void WatchReactor::OnWriteDone(bool alive) {
  const std::lock_guard<std::mutex> lock(mutex_);
  writing_ = false;
  if (!alive) return End(absl::CancelledError("the caller is gone"));
  // Each watcher gets a message each time that the feed tells of news, and no more: what all
  // watchers together may cost is bounded there.
  if (more_.exchange(false) || cancelled_ || stream_->ended()) Pump();
}

void WatchReactor::OnCancel() {
  const std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (!opening_ && !writing_) End(absl::CancelledError("the call was cancelled"));
}

// Whoever has called Finish may still hold the mutex: gRPC comes here on another thread.
void WatchReactor::OnDone() {
  { const std::lock_guard<std::mutex> lock(mutex_); }
  delete this;
}

void WatchReactor::Pump() {
  if (finished_ || writing_ || stream_ == nullptr) return;
  const absl::StatusOr<bool> goes_on = OrOutOfMemory([this] { return SendNext(); });
  if (!goes_on.ok() || !*goes_on) End(goes_on.status());
}

absl::StatusOr<bool> WatchReactor::SendNext() {
  if (cancelled_) return absl::CancelledError("the call was cancelled");
  if (stream_->ended()) return false;
  SLIPSTREAM_RETURN_IF_ERROR(may_go_on_());
  do {
    more_ = false;
    SLIPSTREAM_ASSIGN_OR_RETURN(std::shared_ptr<const WatchAnswer> next, stream_->Next());
    if (next == nullptr) continue;
    message_ = BytesOf(std::move(next));
    writing_ = true;
    StartWrite(&message_);
    return true;
  } while (more_);
  return true;
}

void WatchReactor::End(const absl::Status& status) {
  if (std::exchange(finished_, true)) return;
  Finish(OrNoMemory([&] {
    on_end_(status);
    return ToGrpcStatus(status);
  }));
}

}  // namespace slipstream
