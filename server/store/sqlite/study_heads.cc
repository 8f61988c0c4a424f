#include "server/store/sqlite/study_heads.h"

#include <utility>

#include "core/base/status.h"
#include "server/store/resource_message.h"

namespace slipstream::sqlite {

#define SLIPSTREAM_SELECT_HEAD                                                        \
  "SELECT key, id, state, trial_count, succeeded_count, suggested_count, late_count," \
  " lease_ms, max_requeues, best, bytes, create_ms"                                  \
  " FROM studies JOIN study_heads USING (key) "

absl::StatusOr<std::optional<StudyHead>> StudyHeads::Load(Query& query) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  if (!found) return std::optional<StudyHead>();
  Entry entry;
  entry.head.key = query.Integer(0);
  entry.head.id = query.Bytes(1);
  entry.head.state = static_cast<StudyState>(query.Integer(2));
  entry.head.trial_count = query.Integer(3);
  entry.head.succeeded_count = query.Integer(4);
  entry.head.suggested_count = query.Integer(5);
  entry.head.late_count = query.Integer(6);
  entry.head.lease = {query.Integer(7), query.Integer(8)};
  entry.head.best = query.OptionalReal(9);
  entry.head.bytes = query.Integer(10);
  entry.head.create_ms = query.Integer(11);
  const StudyHead head = entry.head;
  keys_[head.id] = head.key;
  heads_.insert_or_assign(head.key, std::move(entry));
  return std::optional<StudyHead>(head);
}

absl::StatusOr<std::optional<StudyHead>> StudyHeads::Find(const std::string& id) {
  const auto known = keys_.find(id);
  if (known != keys_.end()) return std::optional<StudyHead>(heads_.at(known->second).head);
  Query query(connection_, SLIPSTREAM_SELECT_HEAD "WHERE id = ?");
  query.BindText(id);
  return Load(query);
}

absl::StatusOr<std::optional<StudyHead>> StudyHeads::Find(int64_t key) {
  if (const StudyHead* cached = Cached(key)) return std::optional<StudyHead>(*cached);
  Query query(connection_, SLIPSTREAM_SELECT_HEAD "WHERE key = ?");
  query.BindInteger(key);
  return Load(query);
}

#undef SLIPSTREAM_SELECT_HEAD

const StudyHead* StudyHeads::Cached(int64_t key) const {
  const auto entry = heads_.find(key);
  return entry == heads_.end() ? nullptr : &entry->second.head;
}

absl::Status StudyHeads::UpdateCounts(const StudyHead& head) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyHead> found, Find(head.key));
  if (!found.has_value()) return connection_.Fail(SQLITE_NOTFOUND, "the study does not exist");
  Entry& entry = heads_.at(head.key);
  usages_.Add(ProjectOfId(entry.head.id), {.trials = head.trial_count - entry.head.trial_count,
                                      .bytes = head.bytes - entry.head.bytes});
  entry.head.trial_count = head.trial_count;
  entry.head.succeeded_count = head.succeeded_count;
  entry.head.suggested_count = head.suggested_count;
  entry.head.late_count = head.late_count;
  entry.head.best = head.best;
  entry.head.bytes = head.bytes;
  if (!std::exchange(entry.changed, true)) changed_.push_back(head.key);
  return absl::OkStatus();
}

void StudyHeads::UpdateSettings(const StudyRecord& study) {
  const auto entry = heads_.find(study.key);
  if (entry == heads_.end()) return;
  entry->second.head.state = study.state;
  entry->second.head.lease = study.lease;
}

void StudyHeads::Forget(int64_t key) {
  const auto entry = heads_.find(key);
  if (entry == heads_.end()) return;
  const StudyHead& head = entry->second.head;
  ProjectUsage share;
  share -= {.studies = 1, .trials = head.trial_count, .bytes = head.bytes};
  usages_.Add(ProjectOfId(head.id), share);
  keys_.erase(head.id);
  heads_.erase(entry);
}

absl::Status StudyHeads::Flush() {
  for (const int64_t key : changed_) {
    const auto entry = heads_.find(key);
    if (entry == heads_.end()) continue;  // Deleted in this transaction.
    const StudyHead& head = entry->second.head;
    Query query(connection_,
                "UPDATE study_heads SET trial_count = ?, succeeded_count = ?,"
                " suggested_count = ?, late_count = ?, best = ?, bytes = ? WHERE key = ?");
    query.BindInteger(head.trial_count)
        .BindInteger(head.succeeded_count)
        .BindInteger(head.suggested_count)
        .BindInteger(head.late_count)
        .BindReal(head.best)
        .BindInteger(head.bytes)
        .BindInteger(head.key);
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
    entry->second.changed = false;
  }
  changed_.clear();
  return absl::OkStatus();
}

void StudyHeads::Committed() {
  if (heads_.size() > capacity_) RolledBack();
}

void StudyHeads::RolledBack() {
  heads_.clear();
  keys_.clear();
  changed_.clear();
}

}  // namespace slipstream::sqlite
