// Erases the observations of deleted source tasks: as many chunks in one step as have few bytes,
// at least one.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_SOURCE_PURGE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_SOURCE_PURGE_H_

#include "server/store/sqlite/row_purge.h"

namespace slipstream::sqlite {

extern const PurgeKind kChunksOfSourceTasks;

// By source key; the places are those of the chunks, counted from 1.
class SourcePurge : public RowPurge {
 public:
  explicit SourcePurge(Connection* connection) : RowPurge(connection, kChunksOfSourceTasks) {}
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_SOURCE_PURGE_H_
