#include "server/server_log.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "server/grpc/memory_bound.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

// So many of the log's trials, of which some are named.
void AddTrialsTo(LogFields* fields, const std::vector<std::string>& named, int64_t all) {
  fields->push_back({"trials", absl::StrJoin(named, ", ")});
  const int64_t unnamed = all - static_cast<int64_t>(named.size());
  if (unnamed > 0) fields->push_back({"further_trials", unnamed});
}

void LogDropped(const LeaseSweep& sweep, Log* log) {
  log->WriteLimited(
      LogLevel::kWarning, "dropped configurations", "configurations were not queued again", [&] {
        LogFields fields = {{"configurations", sweep.dropped}};
        AddTrialsTo(&fields, sweep.dropped_trials, sweep.dropped);
        fields.push_back({"message", "their leases ran out, and their studies have as many trials "
                                     "as --max-trials-per-study allows"});
        return fields;
      });
}

}  // namespace

LogFields Settings(const Flags& flags) {
  const absl::Duration deletes_after = flags.service.retention.delete_completed_after;
  return {{"listen", flags.server.listen},
          {"data", flags.data},
          {"drain_seconds", flags.drain_seconds},
          {"max_message_bytes", flags.service.max_message_bytes},
          {"compute_threads", flags.service.compute_threads},
          {"fitted_source_mib", static_cast<int64_t>(flags.service.fitted_source_bytes >> 20)},
          {"most_memory_mib", MostResidentBytes(flags.server, flags.service) >> 20},
          {"request_id_hours", absl::ToDoubleHours(flags.store.retention)},
          {"max_trials_per_study", flags.store.max_trials_per_study},
          {"token_file", flags.token_file},
          {"quota_file", flags.quota_file},
          {"tls", flags.server.tls.client_ca.empty() ? (flags.server.tls.is_set() ? "yes" : "no")
                                                     : "mutual"},
          {"audit_log", flags.audit_log},
          {"audit_reads", flags.calls.audit_reads ? "yes" : "no"},
          {"backup_folder", flags.service.backups.folder},
          {"delete_completed_after",
           deletes_after == absl::InfiniteDuration() ? "never"
                                                     : absl::FormatDuration(deletes_after)},
          {"slow_call_seconds", absl::ToDoubleSeconds(flags.calls.slow)},
          {"log_level", flags.log_level}};
}

void LogStore(Log* log, StoreOptions* options) {
  options->on_halt = [log](const absl::Status& cause) {
    log->Write(LogLevel::kError, "no more writes until the server is restarted",
               {{"message", std::string(cause.message())}});
  };
  options->on_warning = [log](const std::string& text) {
    log->Write(LogLevel::kWarning, "the store may have lost changes", {{"message", text}});
  };
  options->on_upgrade = [log](int64_t from, int64_t to) {
    log->Write(LogLevel::kWarning, "upgrading the store, which earlier versions then refuse",
               {{"from_schema_version", from}, {"to_schema_version", to}});
  };
}

void LogEvents(Log* log, ServiceOptions* options) {
  options->on_lease_sweep = [log](const LeaseSweep& sweep) {
    LogFields fields = {{"leases", sweep.stale}, {"queued_again", sweep.queued_again}};
    AddTrialsTo(&fields, sweep.trials, sweep.stale);
    log->Write(LogLevel::kInfo, "leases ran out", fields);
    if (sweep.dropped > 0) LogDropped(sweep, log);
  };
  options->on_failed_lease_sweep = [log](const absl::Status& status) {
    log->WriteRarely(LogLevel::kError, "failed lease sweep",
                     "leases that have run out cannot be ended", [&] {
                       return LogFields{{"message", std::string(status.message())}};
                     });
  };
  options->on_lease_clock_gap = [log](absl::Duration by) {
    log->WriteRarely(
        LogLevel::kWarning, "lease clock gap", "leases' time stood still for a while", [&] {
          return LogFields{
              {"by_seconds", absl::ToInt64Seconds(by)},
              {"message", "the clock was set, the server stood still, or another server of this "
                          "store has a clock that differs by more than a minute; in the last case "
                          "no lease ends: set the servers' clocks to the same time"}};
        });
  };
  options->on_failed_fit = [log](const std::string& source, const absl::Status& status) {
    log->WriteLimited(LogLevel::kWarning, "failed fit", "source task cannot be fitted", [&] {
      return LogFields{{"resource", source}, {"message", std::string(status.message())}};
    });
  };
  options->on_step_down = [log](const std::string& study, Rung rung, const std::string& reason) {
    log->WriteLimited(
        LogLevel::kInfo, absl::StrCat("step down ", study),
        rung == Rung::kWithoutTransfer ? "suggested without transfer" : "suggested without a model",
        [&] {
          return LogFields{{"resource", NameOfStudy(study)}, {"message", reason}};
        });
  };
}

void LogExpiry(Flags* flags, Log* log, AuditLog* audit) {
  RetentionOptions& retention = flags->service.retention;
  retention.now_ms = flags->store.now_ms;
  retention.on_failure = [log](const std::string& study, const absl::Status& status) {
    log->WriteRarely(LogLevel::kError, "failed deletion",
                     "studies that were completed long ago cannot be deleted", [&] {
                       LogFields fields;
                       if (!study.empty()) fields.push_back({"resource", NameOfStudy(study)});
                       fields.push_back({"message", std::string(status.message())});
                       return fields;
                     });
  };
  retention.on_deletion = [=, after = retention.delete_completed_after](const std::string& study) {
    const std::string name = NameOfStudy(study);
    log->Write(LogLevel::kInfo, "deleted a study that was completed long ago",
               {{"resource", name}, {"after", absl::FormatDuration(after)}});
    if (audit == nullptr) return;
    const absl::Status written = audit->Write({{"caller", "--delete-completed-after-days"},
                                               {"method", "DeleteStudy"},
                                               {"resource", name}});
    if (written.ok()) return;
    log->Write(LogLevel::kError, "a change is missing from the audit log",
               {{"resource", name}, {"message", std::string(written.message())}});
  };
}

void LogEnd(const Service& service, Log* log) {
  log->Write(LogLevel::kInfo, "drained",
             {{"suggested_by_recipe", service.ladder().Of(Rung::kRecipe)},
              {"suggested_without_transfer", service.ladder().Of(Rung::kWithoutTransfer)},
              {"suggested_without_model", service.ladder().Of(Rung::kQuasiRandom)}});
}

}  // namespace slipstream
