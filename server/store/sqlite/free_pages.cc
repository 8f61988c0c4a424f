#include "server/store/sqlite/free_pages.h"

#include <algorithm>

#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

// Free pages that are kept in the file: a MiB (of pages of 4 KiB), or in a large file this part of
// it, 1/16.
constexpr int64_t kFewestKept = 256;
constexpr int64_t kKeptPart = 16;

// More than a few small changes need.
constexpr int64_t kSome = 16;

}  // namespace

absl::StatusOr<int64_t> FreePages::Number(const char* sql) {
  Query query(connection_, sql);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  return query.Integer(0);
}

absl::StatusOr<bool> FreePages::Some() {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t free, Number("PRAGMA freelist_count"));
  return free >= kSome;
}

absl::StatusOr<bool> FreePages::TooMany() {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t free, Number("PRAGMA freelist_count"));
  if (free <= kFewestKept) return false;
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t all, Number("PRAGMA page_count"));
  return free > std::max(kFewestKept, all / kKeptPart);
}

// Moves the last pages of the file to free ones; a row for each.
absl::Status FreePages::GiveBackSome() {
  Query query(connection_, "PRAGMA incremental_vacuum(200)");
  absl::StatusOr<bool> more = true;
  while (more.ok() && *more) more = query.Next();
  return more.status();
}

absl::StatusOr<int64_t> FreePages::FileSize() {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t pages, Number("PRAGMA page_count"));
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t page_size, PageSize());
  return pages * page_size;
}

}  // namespace slipstream::sqlite
