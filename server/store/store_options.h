// The options of every store, whatever its backend.
#ifndef SLIPSTREAM_SERVER_STORE_STORE_OPTIONS_H_
#define SLIPSTREAM_SERVER_STORE_STORE_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/quota/quotas.h"

namespace slipstream {

struct StoreOptions {
  // Milliseconds since 1970.
  std::function<int64_t()> now_ms = [] { return absl::ToUnixMillis(absl::Now()); };
  // A clock that is never set.
  std::function<std::chrono::steady_clock::time_point()> steady_now =
      std::chrono::steady_clock::now;
  // Remembered answers live at least this long, and at most twice as long, however the other clock
  // is set.
  absl::Duration retention = absl::Hours(24);
  // Trials of one study at most.
  int64_t max_trials_per_study = 1000000;
  // Reports of one trial at most.
  int64_t max_reports_per_trial = 10000;
  // Leases that one sweep ends at most, so that other writes do not wait long.
  int max_leases_per_sweep = 500;
  // Called once, by any thread, when a failure or damage has ended all writing until
  // the store is opened again. Must be quick.
  std::function<void(const absl::Status& cause)> on_halt = [](const absl::Status&) {};
  // Called while the store is opened, with what an operator should know of a store that can be
  // used: perhaps something that was acknowledged is lost.
  std::function<void(const std::string& text)> on_warning = [](const std::string&) {};
  // Called while the store is opened, before its schema is migrated from one version to a later
  // one, which may take long: programs that know only the earlier one refuse it from then on.
  std::function<void(int64_t from, int64_t to)> on_upgrade = [](int64_t, int64_t) {};
  // Writes that may wait at once; more get RESOURCE_EXHAUSTED.
  size_t max_waiting_writes = 10000;
  // What each project may store; null for no limits. Must outlive the store.
  Quotas* quotas = nullptr;
  // Writes that share one commit at most.
  size_t max_writes_per_commit = 512;
};

// INVALID_ARGUMENT naming the first option that is out of its bounds, for a
// backend that can number `most_trials` trials of a study.
absl::Status CheckStoreOptions(const StoreOptions& options, int64_t most_trials);

// INVALID_ARGUMENT unless `value` is within [least, most].
absl::Status CheckOptionRange(absl::string_view option, int64_t value, int64_t least, int64_t most);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_STORE_OPTIONS_H_
