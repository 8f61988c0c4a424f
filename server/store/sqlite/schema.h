// The tables of a store file, and the migration steps from older files.
//
// A trial's row id is (study's key << 24 | number), so that the trials of one
// study are adjacent.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_SCHEMA_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_SCHEMA_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// The application id in the header that marks a SQLite file as our store.
inline constexpr int kStoreApplicationId = 0x534c5053;  // "SLPS"

// A file of this version or a later one has checksums of its pages (checksum_vfs.h).
inline constexpr int64_t kFirstVersionInForm = 5;
// Only programs that mark the file (file_mark.h) write to one of this version or a later one.
inline constexpr int64_t kFirstVersionWithMarks = 7;

inline constexpr int kTrialNumberBits = 24;
inline constexpr int64_t kMaxTrialNumber = (int64_t{1} << kTrialNumberBits) - 1;

inline int64_t TrialId(int64_t study_key, int64_t number) {
  return (study_key << kTrialNumberBits) | number;
}
inline int64_t TrialNumber(int64_t trial_id) { return trial_id & kMaxTrialNumber; }

// Element i holds the SQL that migrates version i to version i + 1. Elements are
// only ever appended.
absl::Span<const char* const> SchemaSteps();

// FAILED_PRECONDITION if a file of schema `version` is too new for a program
// that knows the first `newest` versions.
absl::Status CheckSchemaVersion(int64_t version, int64_t newest, absl::string_view path);

// 0 if the file has no tables yet.
absl::StatusOr<int64_t> SchemaVersionOf(Connection& connection);

// Migrates the file of `connection`, which is on a ChecksumVfs, to version `steps.size()`, each
// step in a transaction of its own. A failure leaves the file at the last whole step.
absl::Status MigrateSchema(Connection& connection, absl::Span<const char* const> steps);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_SCHEMA_H_
