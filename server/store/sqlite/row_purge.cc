#include "server/store/sqlite/row_purge.h"

#include "core/base/status.h"

namespace slipstream::sqlite {

absl::Status RowPurge::Add(int64_t key, int64_t last) {
  Release(key);
  return Insert(key, last);
}

absl::Status RowPurge::Hold(int64_t key, int64_t last) {
  held_.insert(key);
  return Insert(key, last);
}

absl::Status RowPurge::Insert(int64_t key, int64_t last) {
  if (last == 0) return absl::OkStatus();
  return Query(connection_, kind_.add).BindInteger(key).BindInteger(last).Run();
}

// It goes on to be held: this transaction may be rolled back.
absl::Status RowPurge::Keep(int64_t key) {
  return Query(connection_, kind_.remove).BindInteger(key).RunOnOneRow();
}

void RowPurge::Release(int64_t key) {
  released_.insert(key);
  pending_ = true;
}

void RowPurge::Committed() {
  for (const int64_t key : released_) held_.erase(key);
  released_.clear();
}

void RowPurge::RolledBack() {
  released_.clear();
  pending_ = true;
}

absl::StatusOr<bool> RowPurge::Continue() {
  int64_t key = 0;
  int64_t first = 0;
  int64_t last = 0;
  {
    Query query(connection_, kind_.list);
    do {
      SLIPSTREAM_ASSIGN_OR_RETURN(pending_, query.Next());
      if (!pending_) return false;
      key = query.Integer(0);
    } while (held_.contains(key));
    first = query.Integer(1);
    last = query.Integer(2);
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t erased,
                              kind_.erase_some(connection_, key, first, last));
  if (erased >= last) {
    SLIPSTREAM_RETURN_IF_ERROR(Query(connection_, kind_.remove).BindInteger(key).Run());
  } else {
    SLIPSTREAM_RETURN_IF_ERROR(
        Query(connection_, kind_.advance).BindInteger(erased + 1).BindInteger(key).Run());
  }
  return true;
}

}  // namespace slipstream::sqlite
