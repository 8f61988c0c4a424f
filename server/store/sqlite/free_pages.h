// Gives pages that have become free back to the file system, in small steps, so that
// other writes are not delayed. Some are kept for what is written next.
//
// Not thread-safe: used by the writing thread.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_FREE_PAGES_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_FREE_PAGES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

class FreePages {
 public:
  explicit FreePages(Connection* connection) : connection_(*connection) {}

  // Whether there are enough for a few small changes.
  absl::StatusOr<bool> Some();
  // Whether there are so many that some should be given back.
  absl::StatusOr<bool> TooMany();
  // Called in a transaction: gives back a few hundred at most. The file is truncated by a
  // checkpoint after the commit.
  absl::Status GiveBackSome();
  // Bytes that the database takes without those that have been given back.
  absl::StatusOr<int64_t> FileSize();
  absl::StatusOr<int64_t> PageSize() { return Number("PRAGMA page_size"); }

 private:
  absl::StatusOr<int64_t> Number(const char* sql);

  Connection& connection_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_FREE_PAGES_H_
