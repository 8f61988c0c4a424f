#include "server/store/quota_rules.h"

#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/resource_message.h"

namespace slipstream::rules {
namespace {

struct Check {
  QuotaKind kind;
  const char* many;
  const char* one;
  std::optional<int64_t> quota;
  int64_t used = 0;
  int64_t more = 0;

  bool Fits() const { return !quota.has_value() || more <= 0 || more <= *quota - used; }
};

}  // namespace

absl::Status CheckQuota(RowTransaction& rows, Quotas* quotas, absl::string_view id,
                        const ProjectUsage& more) {
  if (quotas == nullptr) return absl::OkStatus();
  const absl::string_view project = ProjectOfId(id);
  const Quota quota = quotas->Of(project);
  if (!quota.LimitsStorage()) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const ProjectUsage used, rows.FindUsage(project));
  for (const Check& check :
       {Check{QuotaKind::kStudies, "studies", "study", quota.studies, used.studies, more.studies},
        Check{QuotaKind::kTrials, "trials", "trial", quota.trials, used.trials, more.trials},
        Check{QuotaKind::kSourceTasks, "source tasks", "source task", quota.source_tasks,
              used.source_tasks, more.source_tasks},
        Check{QuotaKind::kBytes, "bytes", "byte", quota.bytes, used.bytes, more.bytes}}) {
    if (check.Fits()) continue;
    return quotas->Refusal(check.kind, project,
                           absl::StrCat("has ", check.used, " ",
                                        check.used == 1 ? check.one : check.many, ", ", check.more,
                                        " more would be above its quota of ", *check.quota));
  }
  return absl::OkStatus();
}

}  // namespace slipstream::rules
