#include "server/store/answer_rules.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream::rules {
namespace {

constexpr char kDefaultProject[] = "default";

std::string ProjectOf(const RequestGuard& guard) {
  return guard.project.empty() ? kDefaultProject : guard.project;
}

int64_t MostAnswerBytes(int64_t quota) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return quota > kMost / kAnswerBytesPerByte ? kMost : quota * kAnswerBytesPerByte;
}

// A request id has no control characters.
std::string KeyOf(const RequestGuard& guard) {
  if (ProjectOf(guard) == kDefaultProject) return guard.request_id;
  return absl::StrCat(guard.project, "\n", guard.request_id);
}

}  // namespace

absl::StatusOr<std::optional<std::string>> FindAnswer(Rows& rows, const RequestGuard& guard) {
  if (guard.request_id.empty()) return std::optional<std::string>();
  const std::string key = KeyOf(guard);
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<RememberedAnswer> found, rows.FindAnswer(key));
  if (!found.has_value() && key != guard.request_id) {
    // Earlier versions did not keep the ids of projects apart.
    SLIPSTREAM_ASSIGN_OR_RETURN(found, rows.FindAnswer(guard.request_id));
    if (found.has_value() && found->fingerprint != guard.fingerprint) found.reset();
  }
  if (!found.has_value()) return std::optional<std::string>();
  if (found->fingerprint != guard.fingerprint) {
    return InvalidField("request_id", guard.request_id,
                        "an id that has not been used for a request with different content");
  }
  return std::optional<std::string>(std::move(found->answer));
}

absl::Status CheckRoomForAnswer(RowTransaction& rows, Quotas* quotas, const RequestGuard& guard) {
  if (quotas == nullptr || guard.request_id.empty()) return absl::OkStatus();
  const std::string project = ProjectOf(guard);
  const std::optional<int64_t> quota = quotas->Of(project).bytes;
  if (!quota.has_value()) return absl::OkStatus();
  const int64_t most = std::max(MostAnswerBytes(*quota), kLeastAnswerBytes);
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t used, rows.FindAnswerBytes(project));
  if (used < most) return absl::OkStatus();
  return quotas->Refusal(
      QuotaKind::kBytes, project,
      absl::StrCat("has ", used, " bytes of answers kept for repeats of its calls, and may have ",
                   most, "; each expires within twice the --request-id-hours"));
}

absl::Status RememberAnswer(RowTransaction& rows, const RequestGuard& guard, std::string answer) {
  if (guard.request_id.empty()) return absl::OkStatus();
  return rows.InsertAnswer(KeyOf(guard), {guard.fingerprint, std::move(answer)}, ProjectOf(guard));
}

}  // namespace slipstream::rules
