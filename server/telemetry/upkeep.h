// What a serving process does regularly: it tells health checks whether changes can be made,
// finds out whether a full disk has room again, and reports log lines that were left out and that
// the system's clock was set.
#ifndef SLIPSTREAM_SERVER_TELEMETRY_UPKEEP_H_
#define SLIPSTREAM_SERVER_TELEMETRY_UPKEEP_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/service/clock_comparison.h"
#include "server/store/store.h"
#include "server/telemetry/log.h"

namespace slipstream {

// The clocks of a machine: the system's, and one that is never set.
struct MachineClocks {
  std::function<absl::Time()> now = [] { return absl::Now(); };
  std::function<std::chrono::steady_clock::time_point()> steady_now =
      std::chrono::steady_clock::now;
};

class Upkeep {
 public:
  // Both must outlive this, and the store answer no write of it later. `set_healthy` is called
  // with changes.
  Upkeep(Store* store, Log* log, std::function<void(bool healthy)> set_healthy,
         MachineClocks clocks = {})
      : store_(*store),
        log_(*log),
        set_healthy_(std::move(set_healthy)),
        clocks_(std::move(clocks)) {}

  // One round; to be called about once a second, on one thread.
  void Run();

 private:
  void LookAtClock();
  // A change without visible effect, to find out whether one can be made.
  void TryToWrite();

  Store& store_;
  Log& log_;
  const std::function<void(bool)> set_healthy_;
  const MachineClocks clocks_;
  ClockComparison comparison_;
  std::string refusal_;  // As it was last reported.
  std::shared_ptr<std::atomic<bool>> is_trying_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_UPKEEP_H_
