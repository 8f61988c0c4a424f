// Settings and limits of the service; this is the only place that states their
// defaults.
#ifndef SLIPSTREAM_SERVER_SERVICE_SERVICE_OPTIONS_H_
#define SLIPSTREAM_SERVER_SERVICE_SERVICE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/study/suggestion.h"
#include "server/quota/quotas.h"
#include "server/service/backup_service.h"
#include "server/service/event_feed.h"
#include "server/service/retention_sweeper.h"
#include "server/service/server_condition.h"
#include "server/store/store.h"

namespace slipstream {

struct ServiceOptions {
  // Written into the provenance of every suggestion.
  std::string version;
  // Threads that read the store, and threads that compute suggestions.
  int read_threads = 2;
  int compute_threads = 2;
  // Reads and computations that may wait; more get RESOURCE_EXHAUSTED.
  size_t max_waiting_reads = 4096;
  size_t max_waiting_computations = 4096;
  // Cached studies, source tasks and histories, in bytes.
  size_t study_cache_bytes = size_t{16} << 20;
  size_t source_cache_bytes = size_t{64} << 20;
  size_t history_cache_bytes = size_t{16} << 20;
  // Cached learning curves, in bytes, and how many reports of a study's latest trials
  // early stopping looks at.
  size_t curve_cache_bytes = size_t{16} << 20;
  int64_t max_curve_points = 200000;
  // Suggestions made for callers to come, in bytes.
  size_t prepared_bytes = size_t{16} << 20;
  // Cached models of source tasks, in bytes, and the number of requests to fit
  // or to combine source tasks that may wait.
  size_t fitted_source_bytes = size_t{832} << 20;
  size_t max_waiting_fits = 10000;
  // Runs once on the thread that fits source tasks, to lower its priority.
  std::function<void()> on_fitting_thread = {};
  // Runs once on each thread that also takes later turns of computations, to lower its priority:
  // first turns, and answers to other calls, come before long work.
  std::function<void()> on_computing_thread = {};
  // The largest message received or sent, in bytes. A Suggest call whose trials
  // might exceed it gets INVALID_ARGUMENT.
  int max_message_bytes = 16 << 20;
  // Time from the arrival of a Suggest call after which strategies step down the ladder.
  absl::Duration suggest_budget = absl::Seconds(5);
  // Time after which a thread that computes suggestions for one study turns to other studies; a
  // suggestion that has begun is finished.
  absl::Duration suggest_turn = absl::Milliseconds(10);
  // Called after a suggestion that did not come from the first rung of the ladder, with the study's
  // id, and after a source task that no model fits. On any thread, and must be quick.
  std::function<void(const std::string& study_id, Rung rung, const std::string& reason)>
      on_step_down = {};
  std::function<void(const std::string& source, const absl::Status&)> on_failed_fit = {};
  // How often to look for leases that have run out, and what to call after some have, and after
  // they could not be ended.
  absl::Duration lease_sweep_period = absl::Seconds(1);
  std::function<void(const LeaseSweep&)> on_lease_sweep = {};
  std::function<void(const absl::Status&)> on_failed_lease_sweep = {};
  // Called after a sweep before which time counted as none, with LeaseSweep::uncounted_ms.
  std::function<void(absl::Duration by)> on_lease_clock_gap = {};
  // Whether suggestions are made before callers ask for them: by models after each result, and
  // without models some more than were asked for.
  bool prepare_ahead = true;
  EventFeedOptions events = {};
  BackupOptions backups = {};
  // What each project may have, which the status reports; null for no limits. Must outlive the
  // service.
  Quotas* quotas = nullptr;
  // What the status tells of the server around the service; on any thread.
  std::function<ServerCondition()> condition = [] { return ServerCondition(); };
  RetentionOptions retention = {};
  // Suggest calls of one study that may wait; more get RESOURCE_EXHAUSTED.
  size_t max_waiting_suggests_per_study = 1000;
  // Suggest calls that one batch answers at most.
  size_t max_suggests_per_batch = 128;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SERVICE_OPTIONS_H_
