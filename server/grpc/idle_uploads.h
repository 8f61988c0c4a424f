// Ends uploads whose callers have sent nothing for a while, to free what they
// hold.
#ifndef SLIPSTREAM_SERVER_GRPC_IDLE_UPLOADS_H_
#define SLIPSTREAM_SERVER_GRPC_IDLE_UPLOADS_H_

#include <functional>
#include <map>
#include <mutex>

#include "absl/time/time.h"
#include "core/base/deadline.h"
#include "server/service/rounds.h"

namespace slipstream {

// Thread-safe.
class IdleUploads {
 public:
  // Looks for them on a thread of its own, four times in each `limit`.
  explicit IdleUploads(absl::Duration limit);

  // From now on the upload waits for its caller. `end` is called, at most once and not after Leave
  // has returned, when it has done so for longer than the limit. It must be quick, and may lead to
  // Leave on the same thread.
  void Wait(const void* upload, std::function<void()> end);
  absl::Duration limit() const { return limit_; }

  // The upload no longer waits.
  void Leave(const void* upload);

 private:
  struct Waiting {
    Deadline limit = Deadline::Infinite();
    std::function<void()> end;
  };

  void Look();

  const absl::Duration limit_;
  // Held while an upload is ended, so that it cannot leave meanwhile but on that same thread.
  std::recursive_mutex mutex_;
  std::map<const void*, Waiting> waiting_;
  Rounds looks_;  // Last: its thread uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_IDLE_UPLOADS_H_
