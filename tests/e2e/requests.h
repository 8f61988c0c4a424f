// Short ways to make calls over gRPC and to look at their errors, in tests.
#ifndef SLIPSTREAM_TESTS_E2E_REQUESTS_H_
#define SLIPSTREAM_TESTS_E2E_REQUESTS_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "slipstream/v1/errors.pb.h"
#include "slipstream/v1/services.grpc.pb.h"
#include "tests/e2e/messages.h"

namespace slipstream {

// Calls `method` of `stub`; the answer goes to `response` unless it is null.
template <typename Stub, typename Request, typename Response>
grpc::Status Call(Stub& stub,
                  grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request, Response* response = nullptr) {
  grpc::ClientContext context;
  Response ignored;
  return (stub.*method)(&context, request, response != nullptr ? response : &ignored);
}

// Calls the unary method "/package.Service/Method" with bytes instead of a message; those of the
// answer go to `answer` unless it is null.
grpc::Status CallWithBytes(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                           const std::string& bytes, std::string* answer = nullptr);

// Whether a health check of the whole server is answered with SERVING.
bool IsServing(const std::shared_ptr<grpc::Channel>& channel);

// Uploads a source task: the header, then the observations in chunks.
grpc::Status Register(v1::OptimizationService::Stub& stub,
                      const v1::RegisterSourceTaskRequest::Header& header,
                      const std::vector<v1::Observation>& observations,
                      v1::RegisterSourceTaskResponse* response);

// Sends all of an import in one message.
grpc::Status Import(v1::OptimizationService::Stub& stub, const v1::ImportStudyRequest& request,
                    v1::Study* response);

// The one violation in the status's details; empty fields if there is none.
v1::FieldViolation ViolationIn(const grpc::Status& status);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_E2E_REQUESTS_H_
