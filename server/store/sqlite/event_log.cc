#include "server/store/sqlite/event_log.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

// A row of this many events is read and decoded in well under a millisecond.
constexpr size_t kMostInARow = 1024;
// The last of the ten bytes that a number of 64 bits may take begins at this bit.
constexpr int kLastShift = 63;

void PutNumber(uint64_t number, std::string* bytes) {
  for (; number >= 128; number >>= 7) bytes->push_back(static_cast<char>(number | 128));
  bytes->push_back(static_cast<char>(number));
}

// Reads what PutNumber and the like have written, and notes if the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(absl::string_view bytes) : bytes_(bytes) {}

  uint64_t Number() {
    uint64_t number = 0;
    for (int shift = 0; shift <= kLastShift; shift += 7) {
      const absl::string_view taken = Take(1);
      if (!ok_) return 0;
      const auto byte = static_cast<unsigned char>(taken[0]);
      number |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) return number;
    }
    ok_ = false;
    return 0;
  }
  absl::string_view Take(uint64_t size) {
    ok_ = ok_ && size <= bytes_.size();
    if (!ok_) return {};
    const absl::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  bool empty() const { return bytes_.empty(); }
  bool ok() const { return ok_; }

 private:
  absl::string_view bytes_;
  bool ok_ = true;
};

void PutEvent(const EventRecord& event, int64_t last_ms, std::string* bytes) {
  // The lowest bit tells whether there is a value.
  PutNumber(static_cast<uint64_t>(event.kind) << 1 | (event.value.has_value() ? 1 : 0), bytes);
  PutNumber(static_cast<uint64_t>(event.study_key), bytes);
  PutNumber(static_cast<uint64_t>(event.number), bytes);
  // Differences modulo 2^64, as clocks can be set back.
  PutNumber(static_cast<uint64_t>(event.time_ms) - static_cast<uint64_t>(last_ms), bytes);
  PutNumber(event.detail.size(), bytes);
  bytes->append(event.detail);
  if (!event.value.has_value()) return;
  const auto bits = std::bit_cast<uint64_t>(*event.value);
  for (int shift = 0; shift < 64; shift += 8) bytes->push_back(static_cast<char>(bits >> shift));
}

double TakeReal(ByteReader& reader) {
  const absl::string_view bytes = reader.Take(8);
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bits |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return std::bit_cast<double>(bits);
}

EventRecord TakeEvent(ByteReader& reader, int64_t sequence, int64_t last_ms) {
  EventRecord event;
  event.sequence = sequence;
  const uint64_t kind = reader.Number();
  event.kind = static_cast<EventKind>(kind >> 1);
  event.study_key = static_cast<int64_t>(reader.Number());
  event.number = static_cast<int64_t>(reader.Number());
  event.time_ms = static_cast<int64_t>(static_cast<uint64_t>(last_ms) + reader.Number());
  const absl::string_view detail = reader.Take(reader.Number());
  event.detail.assign(detail.data(), detail.size());
  if ((kind & 1) != 0) event.value = TakeReal(reader);
  return event;
}

absl::StatusOr<int64_t> ReadLast(Connection& connection) {
  Query query(connection, "SELECT max(last) FROM event_blocks");
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  return query.OptionalInteger(0).value_or(0);
}

}  // namespace

std::string EncodeEvents(absl::Span<const EventRecord> events) {
  std::string bytes;
  int64_t last_ms = 0;
  for (const EventRecord& event : events) {
    PutEvent(event, last_ms, &bytes);
    last_ms = event.time_ms;
  }
  return bytes;
}

absl::StatusOr<std::vector<EventRecord>> DecodeEvents(int64_t first, absl::string_view bytes) {
  std::vector<EventRecord> events;
  ByteReader reader(bytes);
  int64_t last_ms = 0;
  while (reader.ok() && !reader.empty()) {
    events.push_back(TakeEvent(reader, first++, last_ms));
    last_ms = events.back().time_ms;
  }
  if (!reader.ok()) {
    return absl::DataLossError(absl::StrCat("the events before number ", first, " are stored in ",
                                            bytes.size(), " bytes that are not events"));
  }
  return events;
}

absl::StatusOr<int64_t> EventLog::Append(EventRecord event) {
  if (!last_.has_value()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(last_, ReadLast(connection_));
  }
  event.sequence = ++*last_;
  waiting_.push_back(std::move(event));
  return *last_;
}

absl::Status EventLog::DeleteUpTo(int64_t sequence) {
  Query query(connection_,
              "DELETE FROM event_blocks"
              " WHERE last <= ? AND last < (SELECT max(last) FROM event_blocks)");
  return query.BindInteger(sequence).Run();
}

absl::Status EventLog::Flush() {
  const absl::Span<const EventRecord> waiting(waiting_);
  for (size_t begin = 0; begin < waiting.size(); begin += kMostInARow) {
    const absl::Span<const EventRecord> row = waiting.subspan(begin, kMostInARow);
    const std::string bytes = EncodeEvents(row);
    Query query(connection_, "INSERT INTO event_blocks(last, first, events) VALUES(?, ?, ?)");
    query.BindInteger(row.back().sequence).BindInteger(row.front().sequence).BindBlob(bytes);
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  }
  waiting_.clear();
  return absl::OkStatus();
}

void EventLog::RolledBack() {
  last_.reset();
  waiting_.clear();
}

absl::StatusOr<EventPage> ReadEvents(Connection& connection, int64_t after_sequence, int limit) {
  EventPage page;
  SLIPSTREAM_ASSIGN_OR_RETURN(page.last_sequence, ReadLast(connection));
  {
    Query query(connection, "SELECT first FROM event_blocks ORDER BY last LIMIT 1");
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<int64_t> first,
                                query.First([](const Query& row) { return row.Integer(0); }));
    page.first_sequence = first.value_or(page.last_sequence + 1);
  }
  Query query(connection, "SELECT first, events FROM event_blocks WHERE last > ? ORDER BY last");
  query.BindInteger(after_sequence);
  const auto most = static_cast<size_t>(std::max(limit, 0));
  while (page.events.size() < most) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
    if (!found) break;
    SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<EventRecord> events,
                                DecodeEvents(query.Integer(0), query.Bytes(1)));
    for (EventRecord& event : events) {
      if (event.sequence > after_sequence && page.events.size() < most) {
        page.events.push_back(std::move(event));
      }
    }
  }
  return page;
}

}  // namespace slipstream::sqlite
