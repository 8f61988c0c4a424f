// Random histories of one study's trials on the store and on the reference machine,
// with crashes, time that passes while no store is open, jumps of the wall clock,
// repeated requests and plans that are out of date. After every step both agree on
// every trial; what they do not agree on fails the test.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_TRIAL_HISTORIES_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_TRIAL_HISTORIES_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "server/store/store.h"
#include "server/store/store_options.h"

namespace slipstream {

// Opens what its last store left, which is closed by then; an empty one the first time.
using OpenStore = std::function<std::unique_ptr<Store>(const StoreOptions&)>;

// What the histories reached.
struct HistoryCounts {
  int histories = 0;
  int requeues = 0;     // Histories in which a configuration was queued again,
  int withdrawals = 0;  // in which a trial was withdrawn for another one's result,
  int completed_give_backs = 0;  // and in which one was given back after the study was completed.
  int64_t aborted = 0;       // Leases that were refused, as their plan was out of date.
  int64_t without_plan = 0;  // Leases of what was prepared.
};

// The first so many histories, each on a backend of its own, until one fails.
HistoryCounts RunTrialHistories(int histories, const std::function<OpenStore()>& new_backend);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_TRIAL_HISTORIES_H_
