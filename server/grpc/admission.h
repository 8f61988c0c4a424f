// Whether a call that has been read may go on: whose projects it is about, and how many calls they
// have made.
#ifndef SLIPSTREAM_SERVER_GRPC_ADMISSION_H_
#define SLIPSTREAM_SERVER_GRPC_ADMISSION_H_

#include <memory>

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

// PERMISSION_DENIED if a message names a resource of a project that is not the caller's; null
// stands for a caller who may use all.
absl::Status CheckProjects(const std::shared_ptr<const Identity>& caller,
                           const google::protobuf::Message& message);

// The same for what a message of an upload names beside the resources of its header.
absl::Status CheckContent(const std::shared_ptr<const Identity>& caller,
                          const v1::RegisterSourceTaskRequest& message);
absl::Status CheckContent(const std::shared_ptr<const Identity>& caller,
                          const v1::ImportStudyRequest& message);

// CheckProjects for the request of a call, which is then counted: RESOURCE_EXHAUSTED if one of its
// projects makes too many. What a worker tells of the trials that it holds counts, but is not
// refused, as it would be lost.
absl::Status CheckRequest(const Admission& admission, Rpc rpc,
                          const std::shared_ptr<const Identity>& caller,
                          const google::protobuf::Message& request);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_ADMISSION_H_
