// One Suggest call on its way through the queue and the batches.
#ifndef SLIPSTREAM_SERVER_SERVICE_SUGGEST_CALL_H_
#define SLIPSTREAM_SERVER_SERVICE_SUGGEST_CALL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "core/base/deadline.h"
#include "server/service/answering.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

// The fields are valid. `response` must live until `done` has been called.
struct SuggestCall {
  std::string study_id;
  std::string worker;
  WorkerProcess process = {};
  int count = 1;
  // When the study was created that the worker means; absent: any.
  std::optional<int64_t> study_create_ms = {};
  RequestGuard guard;
  v1::SuggestResponse* response = nullptr;
  Done done;
  // The number of batches that could not commit and left the call to a later one.
  int attempts = 0;
  // Whether what was made beforehand does not suffice.
  bool needs_batch = false;
  // When to suggest what is still missing without computing; the queue sets it.
  Deadline deadline = Deadline::Infinite();
  // Whether the caller has given up. Not called once the call is answered.
  std::function<bool()> is_cancelled = [] { return false; };
};

inline absl::Status ShuttingDown() {
  return absl::UnavailableError("the server is shutting down; nothing is leased");
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SUGGEST_CALL_H_
