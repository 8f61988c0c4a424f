// What goes on in the service, for operators.
#ifndef SLIPSTREAM_SERVER_SERVICE_SERVICE_FIGURES_H_
#define SLIPSTREAM_SERVER_SERVICE_SERVICE_FIGURES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "server/figures/histogram.h"
#include "server/quota/quotas.h"
#include "server/store/store_figures.h"

namespace slipstream {

struct ServiceFigures {
  struct Queue {
    std::string name;
    int64_t waiting = 0;
    int64_t limit = 0;
  };
  struct Cache {
    std::string name;
    int64_t bytes = 0;
    int64_t limit = 0;
  };

  std::vector<Queue> queues;
  std::vector<Cache> caches;
  std::array<int64_t, 3> rungs = {};  // Suggestions by their Rung.
  // The weight, 0 to 1, that source tasks had in the suggestions of studies with some.
  HistogramFigures transfer_weights;
  int64_t prepared = 0;         // Precomputed suggestions; ...
  int64_t prepared_used = 0;    // ... given to callers; ...
  int64_t prepared_wasted = 0;  // ... void before a caller asked.
  int64_t stale_leases = 0;
  int64_t queued_again = 0;
  int64_t lease_clock_gaps = 0;  // Sweeps of leases before which time counted as none.
  int64_t expired_studies = 0;  // Deleted as they had been completed long ago.
  // Of what the server does by itself or for its operators.
  int64_t failed_lease_sweeps = 0;
  int64_t failed_expiries = 0;
  int64_t failed_backups = 0;
  int64_t source_fits = 0;
  int64_t failed_source_fits = 0;
  int64_t watchers = 0;
  int64_t watchers_limit = 0;
  std::array<int64_t, kQuotaKinds> quota_refusals = {};  // By QuotaKind.
  StoreFigures store;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SERVICE_FIGURES_H_
