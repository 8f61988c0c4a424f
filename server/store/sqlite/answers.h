// The answers to guarded writes, remembered in two generations: new ones go to
// the current table, look-ups to both. When the current one is as old as the
// retention, the other is emptied as a whole and becomes the current, so an
// answer lives for one to two retentions and costs nothing to forget.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_ANSWERS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_ANSWERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite/connection.h"
#include "server/store/store.h"

namespace slipstream::sqlite {

// Which table new answers go to, and since when.
struct AnswerGeneration {
  int current = 0;
  int64_t since_ms = 0;
};

// The answer under `guard`'s id as of `now_ms`, whether or not it has been
// swept away yet. For readers; needs a snapshot. INVALID_ARGUMENT: remembered
// with another fingerprint.
absl::StatusOr<std::optional<std::string>> FindAnswerAt(Connection& connection,
                                                        const RequestGuard& guard, int64_t now_ms,
                                                        int64_t retention_ms);

// The writing thread's view. Not thread-safe.
class Answers {
 public:
  Answers(Connection* connection, int64_t retention_ms)
      : connection_(*connection), retention_ms_(retention_ms) {}

  // At the start of each transaction.
  absl::Status Begin(int64_t now_ms);
  // As FindAnswerAt, within the transaction. Absent if not guarded.
  absl::StatusOr<std::optional<std::string>> Find(const RequestGuard& guard);
  // Nothing if not guarded.
  absl::Status Remember(const RequestGuard& guard, const std::string& answer);
  // After a rollback.
  void RolledBack() {
    generation_.reset();
    earlier_is_empty_.reset();
  }

 private:
  absl::Status Store(AnswerGeneration generation);
  absl::Status Empty(int table);
  // Whether the table that is not the current one has no answers. It gets none
  // while it is not, so this is looked up once for each generation.
  absl::StatusOr<bool> EarlierIsEmpty();

  Connection& connection_;
  const int64_t retention_ms_;
  std::optional<AnswerGeneration> generation_;
  std::optional<bool> earlier_is_empty_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_ANSWERS_H_
