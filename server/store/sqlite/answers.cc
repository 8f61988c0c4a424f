#include "server/store/sqlite/answers.h"

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/usage.h"

namespace slipstream::sqlite {
namespace {

constexpr const char* kFindIn[] = {
    "SELECT fingerprint, answer FROM answers_0 WHERE request_id = ?",
    "SELECT fingerprint, answer FROM answers_1 WHERE request_id = ?",
};
constexpr const char* kInsertIn[] = {
    "INSERT INTO answers_0(request_id, fingerprint, answer) VALUES(?, ?, ?)",
    "INSERT INTO answers_1(request_id, fingerprint, answer) VALUES(?, ?, ?)",
};
constexpr const char* kCountIn[] = {
    "INSERT INTO answers_0(request_id, fingerprint, answer) VALUES(char(10) || ?, x'', ?)"
    " ON CONFLICT(request_id) DO UPDATE SET answer = answer + excluded.answer",
    "INSERT INTO answers_1(request_id, fingerprint, answer) VALUES(char(10) || ?, x'', ?)"
    " ON CONFLICT(request_id) DO UPDATE SET answer = answer + excluded.answer",
};
constexpr char kBytesOfProject[] =
    "SELECT total(answer) FROM (SELECT answer FROM answers_0 WHERE request_id = char(10) || ?1"
    " UNION ALL SELECT answer FROM answers_1 WHERE request_id = char(10) || ?1)";
constexpr const char* kAnyIn[] = {
    "SELECT 1 FROM answers_0 LIMIT 1",
    "SELECT 1 FROM answers_1 LIMIT 1",
};
// A few hundredths of a second, and more than are remembered until the next step: 10,000 answers,
// or those that have 8 MB and the next one.
#define SLIPSTREAM_ERASE_SOME(table)                                                   \
  "DELETE FROM " table " WHERE request_id <= (SELECT max(request_id) FROM (SELECT"     \
  " request_id, sum(bytes) OVER (ORDER BY request_id ROWS BETWEEN UNBOUNDED PRECEDING" \
  " AND 1 PRECEDING) AS before FROM (SELECT request_id, length(answer) AS bytes FROM " \
  table " ORDER BY request_id LIMIT 10000)) WHERE before IS NULL OR before < 8000000)"
constexpr const char* kEraseSomeIn[] = {SLIPSTREAM_ERASE_SOME("forgotten_answers_0"),
                                        SLIPSTREAM_ERASE_SOME("forgotten_answers_1")};
#undef SLIPSTREAM_ERASE_SOME

using FoundAnswer = absl::StatusOr<std::optional<RememberedAnswer>>;

FoundAnswer FindIn(Connection& connection, int table, const std::string& request_id) {
  Query query(connection, kFindIn[table]);
  query.BindText(request_id);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  if (!found) return std::optional<RememberedAnswer>();
  return RememberedAnswer{query.Bytes(0), query.Bytes(1)};
}

struct LoadedGeneration {
  AnswerGeneration generation;
  bool first = false;  // No answer has ever been remembered: it starts now.
};

absl::StatusOr<LoadedGeneration> LoadGeneration(Connection& connection, int64_t now_ms) {
  Query query(connection, "SELECT current, since_ms FROM answer_generation");
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  const std::optional<int64_t> since_ms = query.OptionalInteger(1);
  return LoadedGeneration{{static_cast<int>(query.Integer(0)), since_ms.value_or(now_ms)},
                          !since_ms.has_value()};
}

std::string NameOf(int table) { return absl::StrCat("answers_", table); }
std::string NameOfForgotten(int table) { return absl::StrCat("forgotten_answers_", table); }

// The SQL that made the table; absent if there is none.
absl::StatusOr<std::optional<std::string>> FindTable(Connection& connection,
                                                     const std::string& name) {
  Query query(connection, "SELECT sql FROM sqlite_schema WHERE name = ?");
  query.BindText(name);
  return query.First([](const Query& row) { return row.Bytes(0); });
}

}  // namespace

FoundAnswer FindAnswerAt(Connection& connection, const std::string& request_id, int64_t now_ms,
                         int64_t retention_ms) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const LoadedGeneration loaded, LoadGeneration(connection, now_ms));
  const AnswerGeneration generation = loaded.generation;
  // Only writes erase old answers, so reads have to look at their age.
  const int64_t age_ms = now_ms - generation.since_ms;
  if (age_ms >= 2 * retention_ms) return std::optional<RememberedAnswer>();
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<RememberedAnswer> answer,
                              FindIn(connection, generation.current, request_id));
  if (answer.has_value() || age_ms >= retention_ms) return answer;
  return FindIn(connection, 1 - generation.current, request_id);
}

absl::Status Answers::Begin(int64_t now_ms, int64_t set_by_ms) {
  if (!generation_.has_value()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const LoadedGeneration loaded, LoadGeneration(connection_, now_ms));
    generation_ = loaded.generation;
    if (loaded.first) SLIPSTREAM_RETURN_IF_ERROR(Store(*generation_));
  }
  if (set_by_ms != 0) {
    SLIPSTREAM_RETURN_IF_ERROR(Store({generation_->current, generation_->since_ms + set_by_ms}));
  }
  const int64_t age_ms = now_ms - generation_->since_ms;
  // The clock was far ahead and has been set back.
  if (age_ms < -retention_ms_) return Store({generation_->current, now_ms});
  if (age_ms < retention_ms_) return absl::OkStatus();
  const int next = 1 - generation_->current;
  SLIPSTREAM_RETURN_IF_ERROR(Forget(next));
  // The new generation begins where the last one ended, not now: after a quiet
  // time the last one's answers would otherwise live too long.
  if (age_ms < 2 * retention_ms_) return Store({next, generation_->since_ms + retention_ms_});
  SLIPSTREAM_RETURN_IF_ERROR(Forget(generation_->current));
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

// What was forgotten earlier has been erased by now, unless there was hardly a transaction since.
absl::Status Answers::Forget(int table) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const auto empty_one, FindTable(connection_, NameOf(table)));
  pending_ = true;
  return connection_.Execute(
      absl::StrCat("DROP TABLE IF EXISTS ", NameOfForgotten(table), "; ALTER TABLE ",
                   NameOf(table), " RENAME TO ", NameOfForgotten(table), "; ",
                   empty_one.value_or("")));
}

absl::Status Answers::EraseSome() {
  for (const int table : {0, 1}) {
    const std::string name = NameOfForgotten(table);
    SLIPSTREAM_ASSIGN_OR_RETURN(const auto forgotten, FindTable(connection_, name));
    if (!forgotten.has_value()) continue;
    SLIPSTREAM_RETURN_IF_ERROR(Query(connection_, kEraseSomeIn[table]).Run());
    if (connection_.changes() > 0) return absl::OkStatus();
    return connection_.Execute(absl::StrCat("DROP TABLE ", name));
  }
  pending_ = false;
  return absl::OkStatus();
}

FoundAnswer Answers::Find(const std::string& request_id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<RememberedAnswer> answer,
                              FindIn(connection_, generation_->current, request_id));
  if (answer.has_value()) return answer;
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool nothing_earlier, EarlierIsEmpty());
  if (nothing_earlier) return answer;
  return FindIn(connection_, 1 - generation_->current, request_id);
}

absl::Status Answers::Insert(const std::string& request_id, const RememberedAnswer& answer,
                             const std::string& project) {
  Query query(connection_, kInsertIn[generation_->current]);
  query.BindText(request_id).BindBlob(answer.fingerprint).BindBlob(answer.answer);
  added_bytes_[project] += StoredBytesOfAnswer(answer.answer);
  return query.Run();
}

absl::Status Answers::Flush() {
  for (const auto& [project, bytes] : added_bytes_) {
    Query query(connection_, kCountIn[generation_->current]);
    query.BindText(project).BindInteger(bytes);
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  }
  added_bytes_.clear();
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Answers::BytesOf(const std::string& project) {
  Query query(connection_, kBytesOfProject);
  query.BindText(project);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  const auto added = added_bytes_.find(project);
  return query.Integer(0) + (added == added_bytes_.end() ? 0 : added->second);
}

}  // namespace slipstream::sqlite
