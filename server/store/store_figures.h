// What a store reports about itself to operators.
#ifndef SLIPSTREAM_SERVER_STORE_STORE_FIGURES_H_
#define SLIPSTREAM_SERVER_STORE_STORE_FIGURES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "server/figures/histogram.h"

namespace slipstream {

// What a database knows, since it was opened.
struct DatabaseFigures {
  // Why no change can be made at present, for lack of space or until the database is opened
  // again; empty if changes can be made.
  std::string refusal = {};
  // Whether only opening it again helps.
  bool halted = false;
  HistogramFigures commit_seconds = {};  // Until changes were durable; of commits that succeeded.
  HistogramFigures sync_seconds = {};    // Waits for the disk.
  int64_t failed_commits = 0;            // Whose changes the disk did not take.
  int64_t file_bytes = 0;
  int64_t log_bytes = 0;
  // What is left of the disk; absent for a store in memory, and if the system does not tell.
  std::optional<int64_t> free_bytes = {};
};

struct StoreFigures {
  DatabaseFigures database;
  HistogramFigures writes_per_commit;
  int64_t waiting_writes = 0;  // Without an answer.
  int64_t most_waiting_writes = 0;
  int64_t most_trials_per_study = 0;
};

struct StoreCounts {
  int64_t studies = 0;
  int64_t trials = 0;
  int64_t source_tasks = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_STORE_FIGURES_H_
