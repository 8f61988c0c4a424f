// Deletes studies that were COMPLETED long ago, if the operator wants that, as long as the
// server is up: a thread looks at some studies at regular times. Whether a study is to go is
// decided in the store's transaction, by its clock, so that a study that has just been changed
// stays. Nothing is deleted until that clock has run for a while without jumps, as a deletion stays
// when a clock that was wrong is corrected.
//
//   RetentionSweeper sweeper(store, {.delete_completed_after = absl::Hours(24 * 365)});
//
// Thread-safe. Its destructor waits for a turn that is under way.
#ifndef SLIPSTREAM_SERVER_SERVICE_RETENTION_SWEEPER_H_
#define SLIPSTREAM_SERVER_SERVICE_RETENTION_SWEEPER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/service/rounds.h"
#include "server/store/clock_comparison.h"
#include "server/store/store.h"

namespace slipstream {

struct RetentionOptions {
  // Deletes studies that are COMPLETED and have not been changed for so long; what their workers do
  // counts as a change. Infinite: never.
  absl::Duration delete_completed_after = absl::InfiniteDuration();
  // How often to look, with an infinite period only when Turn is called, and at how many studies.
  absl::Duration period = absl::Seconds(1);
  int studies_per_turn = 100;
  // The store's clock, by which studies are passed over that are surely not due.
  std::function<int64_t()> now_ms = [] { return absl::ToUnixMillis(absl::Now()); };
  // A clock that is never set.
  std::function<std::chrono::steady_clock::time_point()> steady_now =
      std::chrono::steady_clock::now;
  // Called after each deletion, with the study's id; must be quick.
  std::function<void(const std::string& study_id)> on_deletion = {};
  // Called after each deletion that failed, and with no id if studies cannot be listed; must be
  // quick.
  std::function<void(const std::string& study_id, const absl::Status&)> on_failure = {};
};

class RetentionSweeper {
 public:
  // `store` must outlive the sweeper. `forget` is called after each deletion too, so that nothing
  // is kept in memory of the study.
  RetentionSweeper(Store* store, RetentionOptions options,
                   std::function<void(const std::string& study_id)> forget);

  // Looks at the next studies, oldest first, and starts again after the last; deletes those whose
  // time is over. Returns when that is durable. A study that cannot be deleted holds up no other:
  // the first error is returned, and the study's next turn comes after that of all others.
  absl::Status Turn();

  // Studies deleted so far.
  int64_t deleted() const { return deleted_; }
  // Turns in which anything failed so far.
  int64_t failures() const { return failures_; }

 private:
  absl::Status LookAtNextStudies();
  // Whether the store's clock has run as evenly as the steady one for long enough.
  bool TrustsTheClock();
  absl::Status DeleteIfDue(const StudyRecord& study);
  // Whether the study was deleted.
  absl::StatusOr<bool> Delete(const StudyRecord& study);

  Store& store_;
  const RetentionOptions options_;
  const std::function<void(const std::string&)> forget_;
  std::atomic<int64_t> deleted_{0};
  std::atomic<int64_t> failures_{0};
  std::mutex turn_mutex_;  // One turn at a time.
  // Guarded by turn_mutex_.
  int64_t after_key_ = 0;
  ClockComparison clocks_;  // Of the store's clock.
  // Then the store's clock is trusted; absent before the first turn.
  std::optional<std::chrono::steady_clock::time_point> trusted_since_;
  std::optional<Rounds> rounds_;  // Last: its thread uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_RETENTION_SWEEPER_H_
