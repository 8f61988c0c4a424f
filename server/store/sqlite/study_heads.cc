#include "server/store/sqlite/study_heads.h"

#include <utility>

#include "core/base/status.h"
#include "server/store/sqlite/resource_message.h"

namespace slipstream::sqlite {

const StudyHead* StudyHeads::Load(const Query& row) {
  StudyHead head;
  head.key = row.Integer(0);
  head.id = row.Bytes(1);
  head.state = static_cast<StudyState>(row.Integer(2));
  head.trial_count = row.Integer(3);
  head.succeeded_count = row.Integer(4);
  head.suggested_count = row.Integer(5);
  keys_[head.id] = head.key;
  return &heads_.insert_or_assign(head.key, std::move(head)).first->second;
}

absl::StatusOr<const StudyHead*> StudyHeads::Find(const std::string& id) {
  const auto known = keys_.find(id);
  if (known != keys_.end()) return &heads_.at(known->second);
  Query query(connection_,
              "SELECT key, id, state, trial_count, succeeded_count, suggested_count"
              " FROM studies JOIN study_heads USING (key) WHERE id = ?");
  query.BindText(id);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  if (!found) return StudyNotFound(id);
  return Load(query);
}

absl::StatusOr<const StudyHead*> StudyHeads::FindByKey(int64_t key, const std::string& id) {
  const auto known = heads_.find(key);
  if (known != heads_.end()) return &known->second;
  Query query(connection_,
              "SELECT key, id, state, trial_count, succeeded_count, suggested_count"
              " FROM studies JOIN study_heads USING (key) WHERE key = ?");
  query.BindInteger(key);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  if (!found) return StudyNotFound(id);
  return Load(query);
}

StudyHead& StudyHeads::Change(const StudyHead& head) {
  StudyHead& mine = heads_.at(head.key);
  if (!mine.changed) changed_.push_back(mine.key);
  mine.changed = true;
  return mine;
}

void StudyHeads::Forget(int64_t key) {
  const auto head = heads_.find(key);
  if (head == heads_.end()) return;
  keys_.erase(head->second.id);
  heads_.erase(head);
}

absl::Status StudyHeads::Flush() {
  for (const int64_t key : changed_) {
    const auto entry = heads_.find(key);
    if (entry == heads_.end()) continue;  // Forgotten since.
    StudyHead& head = entry->second;
    Query query(connection_,
                "UPDATE study_heads SET state = ?, trial_count = ?, succeeded_count = ?,"
                " suggested_count = ? WHERE key = ?");
    query.BindInteger(static_cast<int64_t>(head.state))
        .BindInteger(head.trial_count)
        .BindInteger(head.succeeded_count)
        .BindInteger(head.suggested_count)
        .BindInteger(head.key);
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
    head.changed = false;
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
