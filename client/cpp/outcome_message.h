// A trial's outcome as a message.
#ifndef SLIPSTREAM_CLIENT_CPP_OUTCOME_MESSAGE_H_
#define SLIPSTREAM_CLIENT_CPP_OUTCOME_MESSAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "slipstream/optimization.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::client_internal {

// Of a study that measures `metric`. INVALID_ARGUMENT for a value that is not finite. The reason is
// its ReasonText.
absl::StatusOr<v1::Outcome> MessageOf(const client::Outcome& outcome, const std::string& metric);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_OUTCOME_MESSAGE_H_
