// What projects take, counted by reading all that a store holds: what the store's own count is held
// against.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_RECOUNT_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_RECOUNT_H_

#include <ostream>

#include "server/store/store.h"

namespace slipstream {

inline void PrintTo(const ProjectUsage& usage, std::ostream* out) {
  *out << usage.studies << " studies, " << usage.trials << " trials, " << usage.source_tasks
       << " source tasks, " << usage.bytes << " bytes";
}

// The store must have at most ten thousand studies, source tasks, and trials of one study.
UsageByProject Recount(Store& store);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_RECOUNT_H_
