// The store: its verbs by the rules, over any database.
#ifndef SLIPSTREAM_SERVER_STORE_RULE_STORE_H_
#define SLIPSTREAM_SERVER_STORE_RULE_STORE_H_

#include <memory>

#include "server/store/database.h"
#include "server/store/store.h"
#include "server/store/store_options.h"

namespace slipstream {

// `options` have passed CheckStoreOptions. When the store is destroyed it first
// answers all writes, then destroys `database`.
std::unique_ptr<Store> MakeStore(std::unique_ptr<Database> database, const StoreOptions& options);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_RULE_STORE_H_
