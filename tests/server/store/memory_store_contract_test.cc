// The contracts of the store, of its rows and of several servers, on the tests' store in memory;
// also where each transaction has to be run again.
#include <map>

#include "tests/server/store/row_contract.h"
#include "tests/testing/conflicting_database.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

// The tables of a folder are kept until the end of the program, as a database
// server keeps them while its clients come and go.
std::shared_ptr<MemoryTables> TablesOf(const std::string& folder) {
  static auto& tables = *new std::map<std::string, std::shared_ptr<MemoryTables>>();
  std::shared_ptr<MemoryTables>& found = tables[folder];
  if (found == nullptr) found = MakeMemoryTables();
  return found;
}

const Backend kMemory = {"Memory", [](const std::string& folder, const StoreOptions& options) {
                           return MakeMemoryDatabase(options, TablesOf(folder));
                         }};

const Backend kConflicting = {"Conflicting", [](const std::string& folder,
                                                const StoreOptions& options) {
                                return MakeConflictingDatabase(
                                    MakeMemoryDatabase(options, TablesOf(folder)));
                              }};

INSTANTIATE_TEST_SUITE_P(InMemory, StoreContract, testing::Values(kMemory, kConflicting),
                         BackendName);
INSTANTIATE_TEST_SUITE_P(InMemory, SeveralServers, testing::Values(kMemory, kConflicting),
                         BackendName);
INSTANTIATE_TEST_SUITE_P(InMemory, RowContract, testing::Values(kMemory), BackendName);

}  // namespace
}  // namespace slipstream
