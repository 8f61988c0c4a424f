// A store in memory: the rules of the real one over tables that are maps.
//
//   std::unique_ptr<Store> store = MakeMemoryStore();
//
// Tables may outlive the stores that are opened on them, and several stores may
// share them, as servers share a database. Thread-safe.
#ifndef SLIPSTREAM_TESTS_TESTING_MEMORY_STORE_H_
#define SLIPSTREAM_TESTS_TESTING_MEMORY_STORE_H_

#include <cstddef>
#include <memory>

#include "server/store/database.h"
#include "server/store/store.h"
#include "server/store/store_options.h"

namespace slipstream {

class MemoryTables;

// Empty tables. Configurations of more than `max_configuration_bytes` do not fit
// into them: storing one gives RESOURCE_EXHAUSTED and spoils the transaction.
std::shared_ptr<MemoryTables> MakeMemoryTables(size_t max_configuration_bytes = size_t{1} << 30);

std::unique_ptr<Database> MakeMemoryDatabase(
    const StoreOptions& options = {}, std::shared_ptr<MemoryTables> tables = MakeMemoryTables());

std::unique_ptr<Store> MakeMemoryStore(
    const StoreOptions& options = {}, std::shared_ptr<MemoryTables> tables = MakeMemoryTables());

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_MEMORY_STORE_H_
