// Which projects a request is about. A pure function.
#ifndef SLIPSTREAM_SERVER_GRPC_CALL_PROJECTS_H_
#define SLIPSTREAM_SERVER_GRPC_CALL_PROJECTS_H_

#include <set>
#include <string>

#include "google/protobuf/message.h"

namespace slipstream {

// The name of all projects together, as in "projects/-".
inline constexpr char kEveryProject[] = "-";

// The projects of all resources that the request names: "default" for names without a project.
// Names that are none count as their beginning says; the service refuses them.
std::set<std::string> ProjectsOf(const google::protobuf::Message& request);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_CALL_PROJECTS_H_
