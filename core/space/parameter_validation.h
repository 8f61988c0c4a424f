// Checks parameters one by one, without the parameters that they refer to.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_SPACE_PARAMETER_VALIDATION_H_
#define SLIPSTREAM_CORE_SPACE_PARAMETER_VALIDATION_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/space/parameter.h"

namespace slipstream {

// Checks the number, names and domains of `parameters`. INVALID_ARGUMENT, an
// InvalidField whose path starts with "parameters".
absl::Status ValidateParameters(const std::vector<Parameter>& parameters);

// INVALID_ARGUMENT for parameters[index].<field>; names the parameter after
// `bound`.
absl::Status InvalidParameter(size_t index, absl::string_view name, absl::string_view field,
                              absl::string_view value, absl::string_view bound);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_PARAMETER_VALIDATION_H_
