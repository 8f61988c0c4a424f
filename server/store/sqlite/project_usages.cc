#include "server/store/sqlite/project_usages.h"

#include <string>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/store/resource_message.h"

namespace slipstream::sqlite {
namespace {

// The ids of studies are read from their index, as the table has large rows.
constexpr char kStudies[] =
    "SELECT id, trial_count, bytes FROM studies CROSS JOIN study_heads USING (key)";
constexpr char kSourceTasks[] = "SELECT id, bytes FROM source_tasks";

// Adds what `share_of`, a function of (const Query&), makes of each row to the project of the id in
// its first column.
template <typename ShareOf>
absl::Status AddRows(Query& query, ShareOf share_of, UsageByProject& usages) {
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
    if (!found) return absl::OkStatus();
    const std::string id = query.Bytes(0);
    usages[std::string(ProjectOfId(id))] += share_of(query);
  }
}

}  // namespace

absl::StatusOr<UsageByProject> ReadUsage(Connection& connection) {
  UsageByProject usages;
  Query studies(connection, kStudies);
  const auto share_of_study = [](const Query& row) {
    return ProjectUsage{.studies = 1, .trials = row.Integer(1), .bytes = row.Integer(2)};
  };
  SLIPSTREAM_RETURN_IF_ERROR(AddRows(studies, share_of_study, usages));
  Query source_tasks(connection, kSourceTasks);
  const auto share_of_source_task = [](const Query& row) {
    return ProjectUsage{.source_tasks = 1, .bytes = row.Integer(1)};
  };
  SLIPSTREAM_RETURN_IF_ERROR(AddRows(source_tasks, share_of_source_task, usages));
  return usages;
}

absl::Status ProjectUsages::Count() {
  SLIPSTREAM_ASSIGN_OR_RETURN(usages_, ReadUsage(connection_));
  counted_ = true;
  counted_in_transaction_ = true;
  return absl::OkStatus();
}

ProjectUsage ProjectUsages::Of(absl::string_view project) const {
  const auto found = usages_.find(project);
  return found == usages_.end() ? ProjectUsage() : found->second;
}

void ProjectUsages::Add(absl::string_view project, const ProjectUsage& more) {
  if (!std::exchange(counted_, false)) return;
  AddTo(usages_, project, more);
  AddTo(changes_, project, more);
  counted_ = true;
}

void ProjectUsages::AddTo(UsageByProject& usages, absl::string_view project,
                          const ProjectUsage& more) {
  auto entry = usages.find(project);
  if (entry == usages.end()) entry = usages.emplace(project, ProjectUsage()).first;
  entry->second += more;
  if (entry->second == ProjectUsage()) usages.erase(entry);
}

void ProjectUsages::Committed() {
  counted_in_transaction_ = false;
  changes_.clear();
}

void ProjectUsages::RolledBack() {
  const bool counts = std::exchange(counted_, false);
  const bool has_more = std::exchange(counted_in_transaction_, false);  // Than what is in changes_.
  const UsageByProject changes = std::exchange(changes_, {});
  if (!counts || has_more) return;
  const absl::Status undone = OrOutOfMemory([&] {
    for (const auto& [project, change] : changes) {
      ProjectUsage less;
      less -= change;
      AddTo(usages_, project, less);
    }
    return absl::OkStatus();
  });
  counted_ = undone.ok();
}

}  // namespace slipstream::sqlite
