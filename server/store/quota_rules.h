// The rule of quotas: what a project stores does not grow above them. What does not grow is never
// refused, so that a project that has more than a lowered quota allows can still be worked on.
#ifndef SLIPSTREAM_SERVER_STORE_QUOTA_RULES_H_
#define SLIPSTREAM_SERVER_STORE_QUOTA_RULES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/usage.h"

namespace slipstream::rules {

// RESOURCE_EXHAUSTED if the project of what has this id would have more than its quota if it got
// `more`. Null quotas allow everything.
absl::Status CheckQuota(RowTransaction& rows, Quotas* quotas, absl::string_view id,
                        const ProjectUsage& more);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_QUOTA_RULES_H_
