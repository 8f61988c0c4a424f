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
#include "server/store/clock_comparison.h"
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
  // Both must outlive this. `set_healthy` is called with changes. `note_sweep` is told of each
  // sweep of leases that this has the store make, on a thread of the store, perhaps after this is
  // destroyed.
  Upkeep(Store* store, Log* log, std::function<void(bool healthy)> set_healthy,
         std::function<void(const LeaseSweep&)> note_sweep, MachineClocks clocks = {})
      : store_(*store),
        log_(*log),
        set_healthy_(std::move(set_healthy)),
        note_sweep_(std::move(note_sweep)),
        clocks_(std::move(clocks)) {}

  // One round; to be called about once a second, on one thread.
  void Run();

 private:
  void LookAtClock();
  // A change that would be made anyway, to find out whether one can be made.
  void TryToWrite();
  void SweepLeases();

  Store& store_;
  Log& log_;
  const std::function<void(bool)> set_healthy_;
  const std::function<void(const LeaseSweep&)> note_sweep_;
  const MachineClocks clocks_;
  ClockComparison comparison_;
  std::string refusal_;  // As it was last reported.
  std::shared_ptr<std::atomic<bool>> is_trying_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_UPKEEP_H_
