// Group commit: several writes share one transaction.
#ifndef SLIPSTREAM_SERVER_STORE_GROUP_COMMIT_H_
#define SLIPSTREAM_SERVER_STORE_GROUP_COMMIT_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/store/database.h"
#include "server/store/pending_write.h"

namespace slipstream {

// Makes the writes of `batch` durable in one transaction; element i of the
// result is the status of write i. If the transaction is rolled back, each
// write gets one of its own, so that a write which the database cannot carry out
// does not fail the others.
std::vector<absl::Status> CommitTogether(
    Database& database, absl::Span<const std::unique_ptr<PendingWrite>> batch);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_GROUP_COMMIT_H_
