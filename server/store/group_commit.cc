#include "server/store/group_commit.h"

#include <cstddef>

#include "core/base/out_of_memory.h"

namespace slipstream {
namespace {

using Batch = absl::Span<const std::unique_ptr<PendingWrite>>;

// A refused write does not end the transaction, as it has written nothing.
absl::Status ApplyAll(Batch batch, RowTransaction& rows, absl::Span<absl::Status> statuses) {
  for (size_t i = 0; i < batch.size(); ++i) {
    statuses[i] = batch[i]->Apply(rows);
    if (!rows.failed()) continue;
    if (statuses[i].ok()) return absl::InternalError("a write ignored a failure");
    return statuses[i];
  }
  return absl::OkStatus();
}

TransactionEnd Commit(Database& database, Batch batch, absl::Span<absl::Status> statuses) {
  TransactionEnd end = database.Transact([&](RowTransaction& rows) {
    return OrOutOfMemory([&] { return ApplyAll(batch, rows, statuses); });
  });
  if (!end.status.ok()) {
    for (absl::Status& status : statuses) status = end.status;
  }
  return end;
}

}  // namespace

std::vector<absl::Status> CommitTogether(Database& database, Batch batch) {
  std::vector<absl::Status> statuses(batch.size());
  const absl::Span<absl::Status> all = absl::MakeSpan(statuses);
  const bool one_by_one = Commit(database, batch, all).rolled_back && batch.size() > 1;
  for (size_t i = 0; one_by_one && i < batch.size(); ++i) {
    Commit(database, batch.subspan(i, 1), all.subspan(i, 1));
  }
  return statuses;
}

}  // namespace slipstream
