#include "tests/e2e/requests.h"

#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace slipstream {
namespace {

constexpr size_t kObservationsPerMessage = 1000;

}  // namespace

grpc::Status CallWithBytes(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                           const std::string& bytes, std::string* answer) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const grpc::Slice slice(bytes);
  const auto call = stub.PrepareUnaryCall(&context, method, grpc::ByteBuffer(&slice, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer received;
  grpc::Status status;
  call->Finish(&received, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  std::vector<grpc::Slice> slices;
  if (answer != nullptr && status.ok() && received.Dump(&slices).ok()) {
    for (const grpc::Slice& part : slices) answer->append(part.begin(), part.end());
  }
  return status;
}

bool IsServing(const std::shared_ptr<grpc::Channel>& channel) {
  std::string answer;
  const grpc::Status status = CallWithBytes(channel, "/grpc.health.v1.Health/Check", "", &answer);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return answer == std::string("\x08\x01", 2);
}

grpc::Status Register(v1::OptimizationService::Stub& stub,
                      const v1::RegisterSourceTaskRequest::Header& header,
                      const std::vector<v1::Observation>& observations,
                      v1::RegisterSourceTaskResponse* response) {
  grpc::ClientContext context;
  const auto writer = stub.RegisterSourceTask(&context, response);
  v1::RegisterSourceTaskRequest message;
  *message.mutable_header() = header;
  bool open = writer->Write(message);
  for (size_t first = 0; open && first < observations.size(); first += kObservationsPerMessage) {
    message.Clear();
    const size_t last = std::min(observations.size(), first + kObservationsPerMessage);
    for (size_t i = first; i < last; ++i) *message.add_observations() = observations[i];
    open = writer->Write(message);
  }
  writer->WritesDone();
  return writer->Finish();
}

grpc::Status Import(v1::OptimizationService::Stub& stub, const v1::ImportStudyRequest& request,
                    v1::Study* response) {
  grpc::ClientContext context;
  const auto writer = stub.ImportStudy(&context, response);
  writer->Write(request);
  writer->WritesDone();
  return writer->Finish();
}

v1::FieldViolation ViolationIn(const grpc::Status& status) {
  v1::StatusDetails details;
  v1::BadRequest bad_request;
  if (!details.ParseFromString(status.error_details()) || details.details_size() != 1 ||
      !details.details(0).UnpackTo(&bad_request) || bad_request.field_violations_size() != 1) {
    return {};
  }
  return bad_request.field_violations(0);
}

}  // namespace slipstream
