#include "server/store/group_commit.h"

#include <iterator>

namespace slipstream {
namespace {

using Place = WriteBatch::iterator;

// A refused write does not end the transaction, as it has written nothing.
absl::Status ApplyAll(Place begin, Place end, RowTransaction& rows) {
  for (Place each = begin; each != end; ++each) {
    each->status = each->write->Apply(rows);
    if (!rows.failed()) continue;
    if (each->status.ok()) return absl::InternalError("a write ignored a failure");
    return each->status;
  }
  return absl::OkStatus();
}

TransactionEnd Commit(Database& database, Place begin, Place end) {
  TransactionEnd committed =
      database.Transact([&](RowTransaction& rows) { return ApplyAll(begin, end, rows); });
  if (!committed.status.ok()) {
    for (Place each = begin; each != end; ++each) each->status = committed.status;
  }
  return committed;
}

}  // namespace

void CommitTogether(Database& database, WriteBatch& batch) {
  if (!Commit(database, batch.begin(), batch.end()).rolled_back || batch.size() == 1) return;
  for (Place each = batch.begin(); each != batch.end(); ++each) {
    Commit(database, each, std::next(each));
  }
}

}  // namespace slipstream
