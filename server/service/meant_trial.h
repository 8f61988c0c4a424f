// The trial that a worker's call is about.
#ifndef SLIPSTREAM_SERVER_SERVICE_MEANT_TRIAL_H_
#define SLIPSTREAM_SERVER_SERVICE_MEANT_TRIAL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/status.h"
#include "server/convert/resource_name.h"
#include "server/convert/trial_conversion.h"

namespace slipstream {

struct MeantTrial {
  TrialName name;
  std::optional<int64_t> create_ms;  // When it was created, if the caller says so.
};

// The trial of this name, which is in `field` of a request that also has the field `create_time`.
// INVALID_ARGUMENT, an InvalidField on one of them.
template <typename Request>
absl::StatusOr<MeantTrial> MeantTrialOf(const Request& request, absl::string_view field,
                                        const std::string& name) {
  MeantTrial trial;
  SLIPSTREAM_ASSIGN_OR_RETURN(trial.name, ParseTrialName(field, name));
  if (request.has_create_time()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(trial.create_ms,
                                MsFromProto("create_time", request.create_time()));
  }
  return trial;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_MEANT_TRIAL_H_
