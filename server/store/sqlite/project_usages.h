// What each project takes, kept in memory by the writing thread, so that a quota costs only a
// look-up. Counted when it is first asked for, from a row of each study and source task; a store
// without quotas never asks.
//
// Correct because no other process may write to the file while it is locked. Not thread-safe.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_PROJECT_USAGES_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_PROJECT_USAGES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/sqlite/connection.h"
#include "server/store/usage.h"

namespace slipstream::sqlite {

// As the rows say.
absl::StatusOr<UsageByProject> ReadUsage(Connection& connection);

class ProjectUsages {
 public:
  explicit ProjectUsages(Connection* connection) : connection_(*connection) {}

  // Whether it has been counted; changes are noted only then.
  bool is_counted() const { return counted_; }
  // Counts what the rows say, with what the transaction has written so far.
  absl::Status Count();
  // What the project takes; it has been counted.
  ProjectUsage Of(absl::string_view project) const;

  // Notes a change that the transaction makes.
  void Add(absl::string_view project, const ProjectUsage& more);
  void Committed();
  // Throws nothing.
  void RolledBack();

 private:
  // If memory runs out for a change, usages are counted anew.
  static void AddTo(UsageByProject& usages, absl::string_view project, const ProjectUsage& more);

  Connection& connection_;
  bool counted_ = false;
  bool counted_in_transaction_ = false;
  UsageByProject usages_;
  UsageByProject changes_;  // What the transaction has changed since it was counted.
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_PROJECT_USAGES_H_
