#include "server/store/answer_rules.h"

#include <utility>

#include "core/base/status.h"

namespace slipstream::rules {

absl::StatusOr<std::optional<std::string>> FindAnswer(Rows& rows, const RequestGuard& guard) {
  if (guard.request_id.empty()) return std::optional<std::string>();
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<RememberedAnswer> found,
                              rows.FindAnswer(guard.request_id));
  if (!found.has_value()) return std::optional<std::string>();
  if (found->fingerprint != guard.fingerprint) {
    return InvalidField("request_id", guard.request_id,
                        "an id that has not been used for a request with different content");
  }
  return std::optional<std::string>(std::move(found->answer));
}

absl::Status RememberAnswer(RowTransaction& rows, const RequestGuard& guard, std::string answer) {
  if (guard.request_id.empty()) return absl::OkStatus();
  return rows.InsertAnswer(guard.request_id, {guard.fingerprint, std::move(answer)});
}

}  // namespace slipstream::rules
