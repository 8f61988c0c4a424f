// The details that the errors of calls carry besides code and message.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_ERRORS_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_ERRORS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace slipstream {

// A field of a request that broke a bound.
struct Violation {
  std::string field;        // For example "study.space.parameters[2].double_domain.min".
  std::string description;  // The whole complaint as a sentence.
  std::string value;        // The value that was sent, truncated.
  std::string bound;        // What would have been accepted, for example "> 0".
};

// The fields that the server complained about; empty for errors that are not about
// a field. The message of `status` names them too.
std::vector<Violation> ViolationsOf(const absl::Status& status);

// The project's quota that the call would have exceeded: "studies", "trials", "sources", "mib" or
// "calls_per_second", as in the server's quota file. Empty for errors that are not about a quota.
std::string ExceededQuota(const absl::Status& status);

// Whether a study has no further trials to give, as each candidate of its list has one, or as it
// has as many as the server allows. Earlier servers do not tell of the latter.
bool HasNoMoreTrials(const absl::Status& status);

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_ERRORS_H_
