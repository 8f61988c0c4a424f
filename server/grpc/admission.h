// Whether a call that has been read may go on: whose projects it is about, and how many calls they
// have made.
#ifndef SLIPSTREAM_SERVER_GRPC_ADMISSION_H_
#define SLIPSTREAM_SERVER_GRPC_ADMISSION_H_

#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "server/access/gate.h"
#include "server/access/identity.h"
#include "server/access/rpc_table.h"
#include "server/quota/call_rates.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

// Who may call, and how often. Null: everybody, any number of times.
struct Admission {
  Gate* gate = nullptr;
  CallRates* rates = nullptr;
};

// PERMISSION_DENIED if one of the projects is not the caller's; null stands for a caller who may
// use all.
absl::Status CheckProjects(const std::shared_ptr<const Identity>& caller,
                           const std::set<std::string>& projects);

// The projects that a message of an upload names besides the resources of its header.
std::set<std::string> ProjectsOfContent(const v1::RegisterSourceTaskRequest& message);
std::set<std::string> ProjectsOfContent(const v1::ImportStudyRequest& message);

// CheckProjects for what the request of a call names. The call is then counted: RESOURCE_EXHAUSTED
// if one of its projects makes too many. What workers say of trials that they hold counts, but is
// not refused, as it would be lost.
absl::Status CheckRequest(const Admission& admission, Rpc rpc,
                          const std::shared_ptr<const Identity>& caller,
                          const google::protobuf::Message& request);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_ADMISSION_H_
