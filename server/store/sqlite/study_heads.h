// A cache of study heads, kept by the writing thread: many writes to one study
// cost one SELECT, and one UPDATE per commit.
//
// Correct because no other process may write to the file while it is locked. Not
// thread-safe.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_HEADS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_HEADS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/rows.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/project_usages.h"

namespace slipstream::sqlite {

class StudyHeads {
 public:
  // Keeps at most about `capacity` heads from one transaction to the next. Tells `usages` of
  // changes; both pointers must outlive this.
  StudyHeads(Connection* connection, size_t capacity, ProjectUsages* usages)
      : connection_(*connection), capacity_(capacity), usages_(*usages) {}

  absl::StatusOr<std::optional<StudyHead>> Find(const std::string& id);
  absl::StatusOr<std::optional<StudyHead>> Find(int64_t key);
  // The head if it is cached, else null. Holds until the next call.
  const StudyHead* Cached(int64_t key) const;

  // Notes the counts of an existing study, to be written by Flush.
  absl::Status UpdateCounts(const StudyHead& head);
  // After the row of the study's state and lease policy has been written.
  void UpdateSettings(const StudyRecord& study);
  // After the rows of a study that is cached have been deleted.
  void Forget(int64_t key);

  // Writes the changed counts: before the commit, and before the rows are read without the cache.
  absl::Status Flush();
  void Committed();
  void RolledBack();

 private:
  struct Entry {
    StudyHead head;
    bool changed = false;
  };

  absl::StatusOr<std::optional<StudyHead>> Load(Query& query);

  Connection& connection_;
  const size_t capacity_;
  ProjectUsages& usages_;
  std::unordered_map<int64_t, Entry> heads_;
  std::unordered_map<std::string, int64_t> keys_;
  std::vector<int64_t> changed_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_HEADS_H_
