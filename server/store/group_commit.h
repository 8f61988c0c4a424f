// Group commit: several writes share one transaction.
#ifndef SLIPSTREAM_SERVER_STORE_GROUP_COMMIT_H_
#define SLIPSTREAM_SERVER_STORE_GROUP_COMMIT_H_

#include "server/store/database.h"
#include "server/store/pending_write.h"

namespace slipstream {

// Makes the writes of `batch` durable in one transaction, and notes the status of
// each. If the transaction is rolled back, each write gets one of its own, so that a
// write which the database cannot carry out does not fail the others. Throws nothing.
void CommitTogether(Database& database, WriteBatch& batch);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_GROUP_COMMIT_H_
