// The events of a transaction: kept in memory until its end and then written as one
// row, so that an event costs next to nothing beside the change that it reports.
//
// Correct because no other process may write to the file while it is locked. Not
// thread-safe.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_EVENT_LOG_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_EVENT_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/store/records.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// Consecutive events as bytes, without their sequence numbers: whole numbers are
// written seven bits at a time, the lowest first, and times as differences.
std::string EncodeEvents(absl::Span<const EventRecord> events);
// The events again; the first has the sequence number `first`. DATA_LOSS if the bytes
// are not those of events.
absl::StatusOr<std::vector<EventRecord>> DecodeEvents(int64_t first, absl::string_view bytes);

class EventLog {
 public:
  explicit EventLog(Connection* connection) : connection_(*connection) {}

  // Returns the event's sequence number.
  absl::StatusOr<int64_t> Append(EventRecord event);
  // Deletes the rows whose events are all up to this one, but never the latest row.
  absl::Status DeleteUpTo(int64_t sequence);

  // Writes the events of this transaction, before the commit.
  absl::Status Flush();
  void RolledBack();

 private:
  Connection& connection_;
  std::optional<int64_t> last_;  // The last sequence number; absent until it is needed.
  std::vector<EventRecord> waiting_;
};

// The first `limit` events after `after_sequence`, and which ones are kept.
absl::StatusOr<EventPage> ReadEvents(Connection& connection, int64_t after_sequence, int limit);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_EVENT_LOG_H_
