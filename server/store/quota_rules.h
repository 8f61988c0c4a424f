// The rule of quotas: what a project stores does not grow above them. A write that does not grow it
// is never refused, so that a project above a lowered quota can still be worked on.
#ifndef SLIPSTREAM_SERVER_STORE_QUOTA_RULES_H_
#define SLIPSTREAM_SERVER_STORE_QUOTA_RULES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/usage.h"

namespace slipstream::rules {

// RESOURCE_EXHAUSTED if the project of the resource `id` would exceed its quota with `more`
// added. Null quotas allow everything.
absl::Status CheckQuota(RowTransaction& rows, Quotas* quotas, absl::string_view id,
                        const ProjectUsage& more);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_QUOTA_RULES_H_
