// GetServerStatus, free of any transport.
#ifndef SLIPSTREAM_SERVER_SERVICE_STATUS_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_STATUS_SERVICE_H_

#include <chrono>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/service/answering.h"
#include "server/service/executor.h"
#include "server/service/service_figures.h"
#include "server/service/service_options.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

// Projects that the status tells of.
inline constexpr int kMostProjectsShown = 1000;

// Thread-safe.
class StatusService {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  // All pointers must outlive the service. `figures` tells what goes on in the services. The uptime
  // is counted by a clock that is never set.
  StatusService(Store* store, const ServiceOptions* options,
                std::function<ServiceFigures()> figures, Executor* reads,
                std::function<SteadyTime()> steady_now = std::chrono::steady_clock::now)
      : store_(*store),
        options_(*options),
        figures_(std::move(figures)),
        reads_(reads),
        steady_now_(std::move(steady_now)) {}

  // Without open_calls, which only the transport knows. Answers also when the store cannot be
  // read; its message then says so.
  void GetServerStatus(const v1::GetServerStatusRequest* request, v1::ServerStatus* response,
                       Done done);

  // The same for a caller who may see some projects only.
  using MaySee = std::function<bool(absl::string_view project)>;
  void GetServerStatusFor(const MaySee& may_see, v1::ServerStatus* response, Done done);

 private:
  void FillContents(const MaySee& may_see, v1::ServerStatus* response);

  Store& store_;
  const ServiceOptions& options_;
  const std::function<ServiceFigures()> figures_;
  Executor* const reads_;
  const std::function<SteadyTime()> steady_now_;
  const absl::Time start_ = absl::Now();
  const SteadyTime steady_start_ = steady_now_();
};

// The process's memory that is in use, in bytes; 0 if it is not known.
int64_t ResidentBytes();

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_STATUS_SERVICE_H_
