#include "server/service/status_service.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/time_util.h"
#include "server/convert/trial_conversion.h"

namespace slipstream {
namespace {

using google::protobuf::util::TimeUtil;

void FillStore(const StoreFigures& figures, v1::ServerStatus::Store* store) {
  store->set_takes_writes(figures.database.refusal.empty());
  store->set_message(figures.database.refusal);
  store->set_commits(figures.database.commit_seconds.count());
  store->set_writes(static_cast<int64_t>(figures.writes_per_commit.sum));
  *store->mutable_commit_time() = TimeUtil::NanosecondsToDuration(
      absl::ToInt64Nanoseconds(absl::Seconds(figures.database.commit_seconds.sum)));
  store->set_file_bytes(figures.database.file_bytes);
  store->set_log_bytes(figures.database.log_bytes);
  if (figures.database.free_bytes) store->set_disk_free_bytes(*figures.database.free_bytes);
}

void FillActivity(const ServiceFigures& figures, v1::ServerStatus* response) {
  for (const ServiceFigures::Queue& queue : figures.queues) {
    v1::ServerStatus::Queue* const entry = response->add_queues();
    entry->set_name(queue.name);
    entry->set_waiting(queue.waiting);
    entry->set_limit(queue.limit);
  }
  for (const ServiceFigures::Cache& cache : figures.caches) {
    v1::ServerStatus::Cache* const entry = response->add_caches();
    entry->set_name(cache.name);
    entry->set_bytes(cache.bytes);
    entry->set_limit_bytes(cache.limit);
  }
  v1::ServerStatus::Suggestions& suggestions = *response->mutable_suggestions();
  suggestions.set_by_recipe(figures.rungs[static_cast<size_t>(Rung::kRecipe)]);
  suggestions.set_without_transfer(figures.rungs[static_cast<size_t>(Rung::kWithoutTransfer)]);
  suggestions.set_quasi_random(figures.rungs[static_cast<size_t>(Rung::kQuasiRandom)]);
  suggestions.set_prepared(figures.prepared);
  suggestions.set_prepared_used(figures.prepared_used);
  suggestions.set_prepared_wasted(figures.prepared_wasted);
  response->set_watchers(figures.watchers);
}

void AddLimit(const std::string& name, int64_t value, const std::string& flag,
              v1::ServerStatus* response) {
  v1::ServerStatus::Limit* const limit = response->add_limits();
  limit->set_name(name);
  limit->set_value(value);
  limit->set_flag(flag);
}

void FillLimits(const ServiceOptions& options, const StoreFigures& store,
                v1::ServerStatus* response) {
  AddLimit("bytes of a message", options.max_message_bytes, "--max-message-bytes", response);
  AddLimit("trials of a study", store.most_trials_per_study, "--max-trials-per-study", response);
  AddLimit("watchers", static_cast<int64_t>(options.events.max_watchers), "", response);
  AddLimit("watchers of a project, with a token file",
           static_cast<int64_t>(options.events.max_watchers_per_project), "", response);
  AddLimit("waiting Suggest calls of a study",
           static_cast<int64_t>(options.max_waiting_suggests_per_study), "", response);
  AddLimit("milliseconds that a Suggest call computes",
           absl::ToInt64Milliseconds(options.suggest_budget), "--suggest-seconds", response);
}

void FillCondition(const ServerCondition& condition, v1::ServerStatus* response) {
  for (const FileInForce& file : condition.files) {
    v1::ServerStatus::File* const entry = response->add_files();
    entry->set_name(file.name);
    entry->set_is_in_force(file.is_in_force);
  }
  if (condition.certificate_end.has_value()) {
    *response->mutable_certificate_end_time() =
        TimestampOf(absl::ToUnixMillis(*condition.certificate_end));
  }
  if (condition.last_backup.has_value()) {
    *response->mutable_last_backup_time() = TimestampOf(absl::ToUnixMillis(*condition.last_backup));
  }
}

// What the store holds for each project, also for those that have nothing but a quota.
UsageByProject WithThoseOf(const QuotaTable& table, UsageByProject usages) {
  for (const auto& [project, quota] : table.projects) usages.try_emplace(project);
  return usages;
}

void FillQuota(const Quota& quota, v1::ServerStatus::Quota* entry) {
  if (quota.studies) entry->set_studies(*quota.studies);
  if (quota.trials) entry->set_trials(*quota.trials);
  if (quota.source_tasks) entry->set_source_tasks(*quota.source_tasks);
  if (quota.bytes) entry->set_bytes(*quota.bytes);
  if (quota.calls_per_second) entry->set_calls_per_second(*quota.calls_per_second);
}

void FillProject(const std::string& project, const ProjectUsage& usage, const Quota& quota,
                 v1::ServerStatus::Project* entry) {
  entry->set_name(absl::StrCat("projects/", project));
  entry->set_studies(usage.studies);
  entry->set_trials(usage.trials);
  entry->set_source_tasks(usage.source_tasks);
  entry->set_bytes(usage.bytes);
  FillQuota(quota, entry->mutable_quota());
}

void FillTotal(const UsageByProject& usages, const StatusService::MaySee& may_see,
               v1::ServerStatus::Contents* contents) {
  ProjectUsage total;
  for (const auto& [project, usage] : usages) {
    if (may_see(project)) total += usage;
  }
  contents->set_studies(total.studies);
  contents->set_trials(total.trials);
  contents->set_source_tasks(total.source_tasks);
}

void FillProjects(const UsageByProject& usages, const StatusService::MaySee& may_see,
                  const QuotaTable& table, v1::ServerStatus* response) {
  for (const auto& [project, usage] : WithThoseOf(table, usages)) {
    if (response->projects_size() >= kMostProjectsShown) return;
    if (!may_see(project)) continue;
    FillProject(project, usage, table.Of(project), response->add_projects());
  }
}

}  // namespace

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  if (!(file >> size >> resident)) return 0;
  return resident * sysconf(_SC_PAGESIZE);
}

void StatusService::FillContents(const MaySee& may_see, v1::ServerStatus* response) {
  const absl::StatusOr<UsageByProject> usages = store_.ListUsage();
  if (!usages.ok()) {
    v1::ServerStatus::Store& store = *response->mutable_store();
    store.set_message(absl::StrCat(store.message(), store.message().empty() ? "" : "; ",
                                   "cannot be read: ", usages.status().message()));
    return;
  }
  FillTotal(*usages, may_see, response->mutable_contents());
  const auto table =
      options_.quotas != nullptr ? options_.quotas->table() : std::make_shared<const QuotaTable>();
  FillProjects(*usages, may_see, *table, response);
}

void StatusService::GetServerStatus(const v1::GetServerStatusRequest*, v1::ServerStatus* response,
                                    Done done) {
  GetServerStatusFor([](absl::string_view) { return true; }, response, std::move(done));
}

void StatusService::GetServerStatusFor(const MaySee& may_see, v1::ServerStatus* response,
                                       Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    const std::chrono::nanoseconds uptime = steady_now_() - steady_start_;
    response->set_version(options_.version);
    *response->mutable_start_time() = TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(start_));
    *response->mutable_uptime() = TimeUtil::NanosecondsToDuration(uptime.count());
    const ServiceFigures figures = figures_();
    FillStore(figures.store, response->mutable_store());
    FillContents(may_see, response);
    FillActivity(figures, response);
    FillLimits(options_, figures.store, response);
    FillCondition(options_.condition(), response);
    response->set_resident_bytes(ResidentBytes());
    return absl::OkStatus();
  });
}

}  // namespace slipstream
