#include "client/cli/usage_error.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace slipstream::cli {
namespace {

constexpr char kMark[] = "slipstream.cli/usage";
constexpr char kNoMoreMark[] = "slipstream.cli/no_more_trials";

}  // namespace

absl::Status UsageError(const std::string& message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kMark, absl::Cord());
  return status;
}

bool IsUsageError(const absl::Status& status) { return status.GetPayload(kMark).has_value(); }

absl::Status AsUsageError(const std::string& prefix, const absl::Status& status) {
  if (status.ok()) return status;
  return UsageError(absl::StrCat(prefix, std::string(status.message())));
}

absl::Status AsNoMoreTrials(absl::Status status) {
  status.SetPayload(kNoMoreMark, absl::Cord());
  return status;
}

int ExitCode(const absl::Status& status) {
  if (status.ok()) return 0;
  if (status.GetPayload(kNoMoreMark).has_value()) return 3;
  return IsUsageError(status) ? 2 : 1;
}

}  // namespace slipstream::cli
