// One watcher's call: sends events as they come, one message at a time. Messages are sent as
// bytes, since watchers of the same events share them.
#ifndef SLIPSTREAM_SERVER_GRPC_WATCH_REACTOR_H_
#define SLIPSTREAM_SERVER_GRPC_WATCH_REACTOR_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "server/service/watch_service.h"

namespace slipstream {

// Deletes itself when the call is done.
class WatchReactor : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  // `open` opens the stream: it takes what to call when there is more, and what to call
  // with the stream.
  using Open = std::function<void(std::function<void()> on_more, WatchService::Opened opened)>;
  // Told how the call ends, just before the caller is.
  using OnEnd = std::function<void(const absl::Status&)>;
  // Whether the caller may still watch; asked before each message, also when nothing happens.
  using MayGoOn = std::function<absl::Status()>;
  WatchReactor(const Open& open, MayGoOn may_go_on, OnEnd on_end);

  void OnWriteDone(bool alive) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  void Opened(absl::StatusOr<std::unique_ptr<EventStream>> stream);
  void OnMore();
  // Sends what there is, unless a message is under way. The mutex is held. Throws nothing, as the
  // thread that serves all watchers comes here, too.
  void Pump();
  // False if nothing will follow.
  absl::StatusOr<bool> SendNext();
  void End(const absl::Status& status);

  const MayGoOn may_go_on_;
  const OnEnd on_end_;
  std::mutex mutex_;
  grpc::ByteBuffer message_;  // On its way to the caller.
  bool writing_ = false;
  bool opening_ = true;
  bool cancelled_ = false;
  bool finished_ = false;
  std::atomic<bool> more_{false};
  // Null until it is open. The first to be destroyed: OnMore is called until then.
  std::unique_ptr<EventStream> stream_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_WATCH_REACTOR_H_
