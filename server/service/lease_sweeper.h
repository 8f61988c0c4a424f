// Ends leases that have run out, as long as the server is up: a thread looks for them
// at regular times. What running out means, and by which clock, is decided in the
// store's transaction, so that several servers may sweep one database.
//
//   LeaseSweeper sweeper(store, absl::Seconds(1), log);
//
// Thread-safe. Its destructor waits for a sweep that is under way.
#ifndef SLIPSTREAM_SERVER_SERVICE_LEASE_SWEEPER_H_
#define SLIPSTREAM_SERVER_SERVICE_LEASE_SWEEPER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/service/rounds.h"
#include "server/store/store.h"

namespace slipstream {

class LeaseSweeper {
 public:
  using OnSweep = std::function<void(const LeaseSweep&)>;
  using OnFailure = std::function<void(const absl::Status&)>;

  // Sweeps every `period`; with an infinite one only when Sweep is called. `store`
  // must outlive the sweeper. `on_sweep`, if any, is called once after a sweep that ended leases,
  // however many, or before which time counted as none, and `on_failure`, if any, after one that
  // failed.
  LeaseSweeper(Store* store, absl::Duration period, OnSweep on_sweep = {},
               OnFailure on_failure = {});

  // Ends all leases that have run out; returns when that is durable. Errors are
  // those of the store, and the next sweep does what this one could not.
  absl::Status Sweep();

  // Sweeps that failed so far.
  int64_t failures() const { return failures_; }

 private:
  // Adds what it has done to `swept`, also where it fails at last.
  absl::Status SweepAll(LeaseSweep* swept);
  absl::StatusOr<LeaseSweep> SweepOnce();

  Store& store_;
  const OnSweep on_sweep_;
  const OnFailure on_failure_;
  std::atomic<int64_t> failures_{0};
  std::optional<Rounds> rounds_;  // Last: its thread uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LEASE_SWEEPER_H_
