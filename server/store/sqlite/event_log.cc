// The rows of events.
#include "core/base/status.h"
#include "server/store/sqlite/sqlite_transaction.h"

namespace slipstream::sqlite {
namespace {

EventRecord EventOf(const Query& row) {
  EventRecord event;
  event.sequence = row.Integer(0);
  event.kind = static_cast<EventKind>(row.Integer(1));
  event.study_key = row.Integer(2);
  event.number = row.Integer(3);
  event.time_ms = row.Integer(4);
  event.value = row.OptionalReal(5);
  event.detail = row.Bytes(6);
  return event;
}

}  // namespace

absl::StatusOr<EventPage> SqliteSnapshot::ListEvents(int64_t after_sequence, int limit) {
  EventPage page;
  {
    // The sequence remembers the last number when all events have been deleted.
    Query query(reader_,
                "SELECT (SELECT min(sequence) FROM events),"
                " (SELECT seq FROM sqlite_sequence WHERE name = 'events')");
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
    page.last_sequence = query.OptionalInteger(1).value_or(0);
    page.first_sequence = query.OptionalInteger(0).value_or(page.last_sequence + 1);
  }
  Query query(reader_,
              "SELECT sequence, kind, study_key, number, time_ms, value, detail FROM events"
              " WHERE sequence > ? ORDER BY sequence LIMIT ?");
  query.BindInteger(after_sequence).BindInteger(limit);
  SLIPSTREAM_ASSIGN_OR_RETURN(page.events, query.All(EventOf));
  return page;
}

absl::StatusOr<int64_t> SqliteTransaction::AppendEvent(const EventRecord& event) {
  Query query(writer_,
              "INSERT INTO events(kind, study_key, number, time_ms, value, detail)"
              " VALUES(?, ?, ?, ?, ?, ?)");
  query.BindInteger(static_cast<int64_t>(event.kind))
      .BindInteger(event.study_key)
      .BindInteger(event.number)
      .BindInteger(event.time_ms)
      .BindReal(event.value)
      .BindText(event.detail);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  return writer_.last_inserted();
}

absl::Status SqliteTransaction::DeleteEvents(int64_t last_sequence) {
  return Query(writer_, "DELETE FROM events WHERE sequence <= ?").BindInteger(last_sequence).Run();
}

}  // namespace slipstream::sqlite
