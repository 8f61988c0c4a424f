// Random damage of a store's files, and what a store holds, to see whether it still holds it.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_SQLITE_STORE_DAMAGE_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_SQLITE_STORE_DAMAGE_H_

#include <random>
#include <string>

#include "server/store/store.h"

namespace slipstream {

// Everything that can be read from the store, as text.
std::string ContentOf(Store& store);

// Fills an empty store with studies, trials of all states, provenances, reports, source
// tasks, events and remembered answers: some small, some over several pages.
void FillStore(Store& store);

// Damages the file at `path` somewhere and returns how, in words. The file is not empty.
std::string DamageFile(const std::string& path, std::mt19937_64& random);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_SQLITE_STORE_DAMAGE_H_
