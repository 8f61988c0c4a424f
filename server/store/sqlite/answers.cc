#include "server/store/sqlite/answers.h"

#include <utility>

#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

constexpr const char* kFindIn[] = {
    "SELECT fingerprint, answer FROM answers_0 WHERE request_id = ?",
    "SELECT fingerprint, answer FROM answers_1 WHERE request_id = ?",
};
constexpr const char* kRememberIn[] = {
    "INSERT INTO answers_0(request_id, fingerprint, answer) VALUES(?, ?, ?)",
    "INSERT INTO answers_1(request_id, fingerprint, answer) VALUES(?, ?, ?)",
};
constexpr const char* kAnyIn[] = {
    "SELECT 1 FROM answers_0 LIMIT 1",
    "SELECT 1 FROM answers_1 LIMIT 1",
};
constexpr const char* kEmpty[] = {"DELETE FROM answers_0", "DELETE FROM answers_1"};

absl::StatusOr<std::optional<std::string>> FindIn(Connection& connection, int table,
                                                  const RequestGuard& guard) {
  Query query(connection, kFindIn[table]);
  query.BindText(guard.request_id);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  if (!found) return std::optional<std::string>();
  if (query.Bytes(0) != guard.fingerprint) {
    return InvalidField("request_id", guard.request_id,
                        "an id that has not been used for a request with other content");
  }
  return std::optional<std::string>(query.Bytes(1));
}

struct LoadedGeneration {
  AnswerGeneration generation;
  bool first = false;  // Nothing has been remembered ever: it starts now.
};

absl::StatusOr<LoadedGeneration> LoadGeneration(Connection& connection, int64_t now_ms) {
  Query query(connection, "SELECT current, since_ms FROM answer_generation");
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  const std::optional<int64_t> since_ms = query.OptionalInteger(1);
  return LoadedGeneration{{static_cast<int>(query.Integer(0)), since_ms.value_or(now_ms)},
                          !since_ms.has_value()};
}

}  // namespace

absl::StatusOr<std::optional<std::string>> FindAnswerAt(Connection& connection,
                                                        const RequestGuard& guard, int64_t now_ms,
                                                        int64_t retention_ms) {
  if (guard.request_id.empty()) return std::optional<std::string>();
  SLIPSTREAM_ASSIGN_OR_RETURN(const LoadedGeneration loaded, LoadGeneration(connection, now_ms));
  const AnswerGeneration generation = loaded.generation;
  // No write may have come by to sweep, so ages are looked at here as well.
  const int64_t age_ms = now_ms - generation.since_ms;
  if (age_ms >= 2 * retention_ms) return std::optional<std::string>();
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<std::string> answer,
                              FindIn(connection, generation.current, guard));
  if (answer.has_value() || age_ms >= retention_ms) return answer;
  return FindIn(connection, 1 - generation.current, guard);
}

absl::Status Answers::Begin(int64_t now_ms) {
  if (!generation_.has_value()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const LoadedGeneration loaded, LoadGeneration(connection_, now_ms));
    generation_ = loaded.generation;
    if (loaded.first) SLIPSTREAM_RETURN_IF_ERROR(Store(*generation_));
  }
  const int64_t age_ms = now_ms - generation_->since_ms;
  // The clock was ahead by more than can be waited for, and has been set back.
  if (age_ms < -retention_ms_) return Store({generation_->current, now_ms});
  if (age_ms < retention_ms_) return absl::OkStatus();
  const int next = 1 - generation_->current;
  SLIPSTREAM_RETURN_IF_ERROR(Empty(next));
  // From the end of the last generation, not from now, or after a quiet time
  // the answers of that one would live for too long.
  if (age_ms < 2 * retention_ms_) return Store({next, generation_->since_ms + retention_ms_});
  SLIPSTREAM_RETURN_IF_ERROR(Empty(generation_->current));
  return Store({next, now_ms});
}

absl::Status Answers::Store(AnswerGeneration generation) {
  Query query(connection_, "UPDATE answer_generation SET current = ?, since_ms = ?");
  query.BindInteger(generation.current).BindInteger(generation.since_ms);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  generation_ = generation;
  earlier_is_empty_.reset();
  return absl::OkStatus();
}

absl::StatusOr<bool> Answers::EarlierIsEmpty() {
  if (!earlier_is_empty_.has_value()) {
    Query query(connection_, kAnyIn[1 - generation_->current]);
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool any, query.Next());
    earlier_is_empty_ = !any;
  }
  return *earlier_is_empty_;
}

absl::Status Answers::Empty(int table) { return Query(connection_, kEmpty[table]).Run(); }

absl::StatusOr<std::optional<std::string>> Answers::Find(const RequestGuard& guard) {
  if (guard.request_id.empty()) return std::optional<std::string>();
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<std::string> answer,
                              FindIn(connection_, generation_->current, guard));
  if (answer.has_value()) return answer;
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool nothing_earlier, EarlierIsEmpty());
  if (nothing_earlier) return answer;
  return FindIn(connection_, 1 - generation_->current, guard);
}

absl::Status Answers::Remember(const RequestGuard& guard, const std::string& answer) {
  if (guard.request_id.empty()) return absl::OkStatus();
  Query query(connection_, kRememberIn[generation_->current]);
  query.BindText(guard.request_id).BindBlob(guard.fingerprint).BindBlob(answer);
  return query.Run();
}

}  // namespace slipstream::sqlite
