// Ends leases that have run out, as long as the server is up: a thread looks for them
// at regular times. What running out means, and by which clock, is decided in the
// store's transaction, so that several servers may sweep one database.
//
//   LeaseSweeper sweeper(store, absl::Seconds(1), log);
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_LEASE_SWEEPER_H_
#define SLIPSTREAM_SERVER_SERVICE_LEASE_SWEEPER_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/time/time.h"
#include "server/store/store.h"

namespace slipstream {

class LeaseSweeper {
 public:
  using OnSweep = std::function<void(const LeaseSweep&)>;

  // Sweeps every `period`; with an infinite one only when Sweep is called. `store`
  // must outlive the sweeper. `on_sweep`, if any, is called after a sweep that ended leases.
  LeaseSweeper(Store* store, absl::Duration period, OnSweep on_sweep = {});
  // Waits for a sweep that is under way.
  ~LeaseSweeper();

  // Ends all leases that have run out; returns when that is durable. Errors are
  // those of the store, and the next sweep does what this one could not.
  absl::Status Sweep();

 private:
  void SweepUntilStopped(absl::Duration period);
  absl::StatusOr<LeaseSweep> SweepOnce();

  Store& store_;
  const OnSweep on_sweep_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LEASE_SWEEPER_H_
