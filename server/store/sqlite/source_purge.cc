#include "server/store/sqlite/source_purge.h"

#include <optional>

#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

// Their positions are counted from 0. The position after the last chunk up to which the others in
// the range have few bytes.
constexpr char kEndOfFewBytes[] =
    "SELECT max(position) + 1 FROM (SELECT position, sum(length(data)) OVER (ORDER BY position)"
    " AS bytes FROM source_chunks WHERE source_key = ?1 AND position >= ?2 AND position < ?3)"
    " WHERE bytes <= ?4 OR position = ?2";

absl::StatusOr<int64_t> EraseChunks(Connection& connection, int64_t source_key, int64_t first,
                                    int64_t last) {
  const int64_t begin = first - 1;
  int64_t end = last;
  {
    Query query(connection, kEndOfFewBytes);
    query.BindInteger(source_key).BindInteger(begin).BindInteger(end).BindInteger(
        kPurgedBytesAtOnce);
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
    end = query.OptionalInteger(0).value_or(end);
  }
  Query query(connection,
              "DELETE FROM source_chunks WHERE source_key = ? AND position >= ? AND position < ?");
  query.BindInteger(source_key).BindInteger(begin).BindInteger(end);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  return end;
}

}  // namespace

const PurgeKind kChunksOfSourceTasks = {
    "INSERT INTO source_purges(source_key, next_chunk, last_chunk) VALUES(?, 1, ?)",
    "SELECT source_key, next_chunk, last_chunk FROM source_purges",
    "DELETE FROM source_purges WHERE source_key = ?",
    "UPDATE source_purges SET next_chunk = ? WHERE source_key = ?",
    EraseChunks,
};

}  // namespace slipstream::sqlite
