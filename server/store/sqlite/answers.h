// Remembered answers, in two generations: new ones go to the current table,
// look-ups to both. When the current one is as old as the retention, the other
// is set aside as a whole, and an empty one in its place becomes the current one;
// so an answer lives for one to two retentions. What is set aside is erased in small
// steps, so that it does not delay other writes. Where the clock was set, the generation begins as
// much later.
//
// Each table also has a row for each project, under a key that no request id has: a newline and
// the project's name. Its answer is the number of bytes that the project's answers in the table
// take. Those that an earlier version wrote do not count.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_ANSWERS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_ANSWERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/rows.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// The table that new answers go to, and since when.
struct AnswerGeneration {
  int current = 0;
  int64_t since_ms = 0;
};

// The answer at the time `now_ms`, whether or not an older one has been erased.
// For readers; needs a snapshot.
absl::StatusOr<std::optional<RememberedAnswer>> FindAnswerAt(Connection& connection,
                                                             const std::string& request_id,
                                                             int64_t now_ms, int64_t retention_ms);

// The writing thread's view. Not thread-safe.
class Answers {
 public:
  Answers(Connection* connection, int64_t retention_ms)
      : connection_(*connection), retention_ms_(retention_ms) {}

  // At the start of each transaction. `set_by_ms`: by how much the clock was set since the latest
  // commit.
  absl::Status Begin(int64_t now_ms, int64_t set_by_ms = 0);
  absl::StatusOr<std::optional<RememberedAnswer>> Find(const std::string& request_id);
  absl::Status Insert(const std::string& request_id, const RememberedAnswer& answer,
                      const std::string& project);
  absl::StatusOr<int64_t> BytesOf(const std::string& project);
  // Writes what projects' answers take, directly before the commit.
  absl::Status Flush();
  // Called in any transaction: erases some of the answers that are forgotten.
  absl::Status EraseSome();
  // Whether there may be any left.
  bool pending() const { return pending_; }
  void RolledBack() {
    generation_.reset();
    earlier_is_empty_.reset();
    added_bytes_.clear();
    pending_ = true;
  }

 private:
  absl::Status Store(AnswerGeneration generation);
  // Sets the table aside and makes an empty one in its place.
  absl::Status Forget(int table);
  // Whether the table that is not the current one has no answers. Looked up once
  // per generation, as that table gets no new ones.
  absl::StatusOr<bool> EarlierIsEmpty();

  Connection& connection_;
  const int64_t retention_ms_;
  std::optional<AnswerGeneration> generation_;
  std::optional<bool> earlier_is_empty_;
  std::map<std::string, int64_t> added_bytes_;  // Of the transaction's answers, by project.
  bool pending_ = true;  // An earlier process may have left some.
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_ANSWERS_H_
