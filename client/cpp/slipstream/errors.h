// The details that a Client's errors carry besides code and message.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_ERRORS_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_ERRORS_H_

#include <vector>

#include "absl/status/status.h"
#include "slipstream/v1/errors.pb.h"

namespace slipstream {

// The fields that the server complained about, with value and bound; empty for
// errors that are not about a field. The message of `status` names them too.
std::vector<v1::FieldViolation> ViolationsOf(const absl::Status& status);

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_ERRORS_H_
