// Which projects a request is about. A pure function.
#ifndef SLIPSTREAM_SERVER_GRPC_CALL_PROJECTS_H_
#define SLIPSTREAM_SERVER_GRPC_CALL_PROJECTS_H_

#include <set>
#include <string>

#include "google/protobuf/message.h"

namespace slipstream {

// The projects of all resources that the request names: "default" for names without a project.
// Malformed names count by their beginning; the service refuses them. A backup is about
// kEveryProject, as a copy has all of them.
std::set<std::string> ProjectsOf(const google::protobuf::Message& request);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_CALL_PROJECTS_H_
