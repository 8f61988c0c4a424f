// What all calls of one server share.
#ifndef SLIPSTREAM_SERVER_GRPC_CALL_SETTING_H_
#define SLIPSTREAM_SERVER_GRPC_CALL_SETTING_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "server/grpc/admission.h"
#include "server/grpc/idle_uploads.h"
#include "server/grpc/memory_budget.h"
#include "server/telemetry/call_monitor.h"

namespace slipstream {

struct CallSetting {
  // Counts the calls in progress, except watchers. A call takes itself off as the last
  // thing that it does: once there are none, all members may be destroyed.
  std::atomic<int64_t>* under_way = nullptr;
  // The largest message that is taken and sent, in bytes.
  int64_t message_bytes = std::numeric_limits<int64_t>::max();
  // The memory that large requests and uploads may take together.
  MemoryBudget* budget = nullptr;
  // Ends uploads whose callers are silent.
  IdleUploads* idle_uploads = nullptr;
  // Notified of all calls; null for none.
  CallMonitor* monitor = nullptr;
  Admission admission = {};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_CALL_SETTING_H_
