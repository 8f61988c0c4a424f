// Converts search spaces and configurations between the wire and the core. Pure
// functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_SPACE_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_SPACE_CONVERSION_H_

#include "absl/status/statusor.h"
#include "core/space/configuration.h"
#include "core/space/search_space.h"
#include "slipstream/v1/space.pb.h"

namespace slipstream {

// INVALID_ARGUMENT, an InvalidField with the path inside the message, when the
// space is illegal.
absl::StatusOr<SearchSpace> SpaceFromProto(const v1::SearchSpace& proto);

// INVALID_ARGUMENT, an InvalidField with a path "values[<name>]", when the
// configuration is not legal in `space`.
absl::StatusOr<Configuration> ConfigurationFromProto(const SearchSpace& space,
                                                     const v1::Configuration& proto);

// `configuration` must be legal in `space`.
void ConfigurationToProto(const SearchSpace& space, const Configuration& configuration,
                          v1::Configuration* proto);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_SPACE_CONVERSION_H_
