#include "server/store/sqlite/sqlite_transaction.h"

#include "core/base/status.h"

namespace slipstream::sqlite {

absl::Status SqliteTransaction::Begin() { return Query(writer_, "BEGIN IMMEDIATE").Run(); }

absl::Status SqliteTransaction::SetNow(int64_t now_ms) {
  now_ms_ = now_ms;
  return answers_.Begin(now_ms);
}

absl::Status SqliteTransaction::Commit() {
  SLIPSTREAM_RETURN_IF_ERROR(heads_.Flush());
  SLIPSTREAM_RETURN_IF_ERROR(Query(writer_, "COMMIT").Run());
  heads_.Committed();
  return absl::OkStatus();
}

absl::Status SqliteTransaction::RollBack() {
  heads_.RolledBack();
  answers_.RolledBack();
  purge_.RolledBack();
  return writer_.RollBack();
}

}  // namespace slipstream::sqlite
