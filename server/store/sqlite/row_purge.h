// Erases the rows of what can no longer be found, in small steps, so that the deletion of something
// large does not delay other writes. The same becomes of rows that were inserted before what they
// belong to, if that never is.
//
// Not thread-safe: used by the writing thread.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_ROW_PURGE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_ROW_PURGE_H_

#include <cstdint>
#include <set>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// What a step writes and erases at most, about: a few hundredths of a second.
inline constexpr int64_t kPurgedBytesAtOnce = 8'000'000;
inline constexpr int64_t kPurgedReportsAtOnce = 20'000;

// What a purge erases. Its table has a row for each deleted thing: the key, and the first and the
// last place of the rows that are left.
struct PurgeKind {
  const char* add;      // SQL: inserts such a row, with 1 as the first place.
  const char* list;     // All rows.
  const char* remove;   // The row of a key.
  const char* advance;  // Sets the first place in the row of a key.
  // Erases rows from place `first` on, up to the one that is returned, at most `last`.
  absl::StatusOr<int64_t> (*erase_some)(Connection& connection, int64_t key, int64_t first,
                                        int64_t last);
};

class RowPurge {
 public:
  // `kind` is a constant.
  RowPurge(Connection* connection, const PurgeKind& kind) : connection_(*connection), kind_(kind) {}

  // Called in the transaction that deletes something with rows at the places 1 to `last`.
  absl::Status Add(int64_t key, int64_t last);
  // Called in the transaction that begins it: its rows are held, and erased if that is not undone
  // in the life of this object.
  absl::Status Hold(int64_t key, int64_t last);
  // Called in the transaction that inserts it: it then keeps its rows.
  absl::Status Keep(int64_t key);
  // Has the rows of something that was begun erased after all, once this transaction is committed.
  void Release(int64_t key);
  // Called in any transaction: erases some rows, and returns whether there was anything to erase.
  absl::StatusOr<bool> Continue();
  // Whether there may be anything left to erase, other than what is held.
  bool pending() const { return pending_; }
  void Committed();
  void RolledBack();

 private:
  absl::Status Insert(int64_t key, int64_t last);

  Connection& connection_;
  const PurgeKind& kind_;
  bool pending_ = true;  // An earlier process may have left some.
  std::set<int64_t> held_;
  std::set<int64_t> released_;  // By this transaction.
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_ROW_PURGE_H_
