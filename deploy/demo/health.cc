#include "deploy/demo/health.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace slipstream {
namespace {

// The encoding of a grpc.health.v1.HealthCheckResponse with status = SERVING. The
// request about the server as a whole is an empty message.
constexpr char kServing[] = "\x08\x01";

std::string Bytes(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  if (!buffer.DumpToSingleSlice(&slice).ok()) return {};
  return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

// Asks once, waiting for a connection. Returns what is wrong; empty if nothing.
std::string AskOnce(grpc::GenericStub& stub, absl::Time deadline) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(absl::ToChronoTime(deadline));
  const grpc::Slice empty;
  const grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer response;
  grpc::CompletionQueue queue;
  const auto call =
      stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return status.error_message();
  return Bytes(response) == kServing ? "" : "it says that it is not serving";
}

}  // namespace

absl::Status WaitUntilServing(const std::string& address, absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  grpc::GenericStub stub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  std::string wrong = "it was not asked";
  while (absl::Now() < deadline) {
    wrong = AskOnce(stub, deadline);
    if (wrong.empty()) return absl::OkStatus();
    absl::SleepFor(std::min(absl::Milliseconds(100), deadline - absl::Now()));
  }
  return absl::DeadlineExceededError(absl::StrCat("the server at ", address,
                                                  " did not serve within ",
                                                  absl::FormatDuration(patience), ": ", wrong));
}

}  // namespace slipstream
