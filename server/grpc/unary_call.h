// A call of one request and one answer.
#ifndef SLIPSTREAM_SERVER_GRPC_UNARY_CALL_H_
#define SLIPSTREAM_SERVER_GRPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/grpc/call_facts.h"
#include "server/grpc/incoming_call.h"
#include "server/grpc/message_bytes.h"
#include "server/grpc/status_conversion.h"
#include "server/service/answering.h"

namespace slipstream {

// Deletes itself when it has been answered.
template <typename Request, typename Response>
class UnaryCall {
 public:
  // Admits and reads the call, and answers it, or has `run`, a function of (UnaryCall*, Done), do
  // so when its request is sound. gRPC keeps `bytes` as long as the call.
  template <typename Run>
  static grpc::ServerUnaryReactor* Begin(const CallSetting& setting, Rpc rpc,
                                         grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer& bytes, grpc::ByteBuffer* answer,
                                         const Run& run) {
    auto* const call = new UnaryCall(setting, rpc, context, answer);
    grpc::ServerUnaryReactor* const reactor = call->reactor_;
    // What throws has not answered the call, and never will.
    const absl::Status asked = OrOutOfMemory([&]() -> absl::Status {
      SLIPSTREAM_RETURN_IF_ERROR(call->incoming_.CheckMessage(bytes));
      call->incoming_.Admit([call, &bytes, run](const absl::Status& admitted) {
        const absl::Status has_begun = OrOutOfMemory([&]() -> absl::Status {
          SLIPSTREAM_RETURN_IF_ERROR(admitted);
          SLIPSTREAM_RETURN_IF_ERROR(call->Read(bytes));
          run(call, [call](const absl::Status& end) { call->End(end); });
          return absl::OkStatus();
        });
        if (!has_begun.ok()) call->End(has_begun);
      });
      return absl::OkStatus();
    });
    if (!asked.ok()) call->End(asked);
    return reactor;
  }

  const Request& request() const { return request_; }
  Response* response() { return &response_; }
  const std::shared_ptr<const Identity>& caller() const { return incoming_.caller(); }

 private:
  // Requests of at least this size are counted in the memory budget. Small ones are too many to
  // count, and bounded by the calls of a connection.
  static constexpr size_t kLargeBytes = 16 << 10;

  UnaryCall(const CallSetting& setting, Rpc rpc, grpc::CallbackServerContext* context,
            grpc::ByteBuffer* answer)
      : setting_(setting),
        incoming_(setting, rpc, context),
        reactor_(context->DefaultReactor()),
        answer_(answer) {
    ++*setting.under_way;
  }

  absl::Status Read(const grpc::ByteBuffer& bytes) {
    SLIPSTREAM_RETURN_IF_ERROR(HoldBeforeParsing(bytes.Length()));
    SLIPSTREAM_RETURN_IF_ERROR(Parse(bytes, &request_));
    SLIPSTREAM_RETURN_IF_ERROR(incoming_.Check(request_));
    if (request_.ByteSizeLong() < kLargeBytes) return absl::OkStatus();
    // The request, and about as much again for what is made of it.
    return HoldInAll(static_cast<int64_t>(2 * request_.SpaceUsedLong()));
  }

  // Takes what a large request may hold before memory is allocated for it, so that of many that are
  // parsed at once those that have begun can be ended, and the others are refused early. No more
  // than half of the budget, so that none is refused for its estimate alone.
  absl::Status HoldBeforeParsing(size_t bytes) {
    constexpr int64_t kHeldForEachByte = 24;  // By a list of candidates with eight parameters.
    if (bytes < kLargeBytes) return absl::OkStatus();
    const int64_t estimate = kHeldForEachByte * static_cast<int64_t>(bytes);
    return HoldInAll(std::min(estimate, setting_.budget->bytes() / 2));
  }

  // Takes from the budget, or gives back to it, what is missing.
  absl::Status HoldInAll(int64_t bytes) {
    const int64_t more = bytes - held_bytes_;
    if (more > 0) SLIPSTREAM_RETURN_IF_ERROR(setting_.budget->Take(more, held_bytes_));
    if (more < 0) setting_.budget->GiveBack(-more);
    held_bytes_ = bytes;
    return absl::OkStatus();
  }

  grpc::Status Prepare(absl::Status status) {
    grpc::Status end = status.ok() ? ToBytes(response_, answer_) : ToGrpcStatus(status);
    if (end.ok()) status = incoming_.CheckAnswer(*answer_);
    if (end.ok() && !status.ok()) end = ToGrpcStatus(status);
    incoming_.End(status, [&] {
      CallFacts facts = FactsOf(request_);
      const std::string made = status.ok() ? FactsOf(response_).resource : std::string();
      if (!made.empty()) facts.resource = made;
      return facts;
    });
    return end;
  }

  // Throws nothing, so that whoever answers a call has answered it.
  void End(const absl::Status& status) {
    reactor_->Finish(OrNoMemory([&] { return Prepare(status); }));
    const CallSetting& setting = setting_;
    const int64_t held_bytes = held_bytes_;
    delete this;
    setting.budget->GiveBack(held_bytes);
    --*setting.under_way;
  }

  const CallSetting& setting_;
  IncomingCall incoming_;
  grpc::ServerUnaryReactor* const reactor_;
  grpc::ByteBuffer* const answer_;
  Request request_;
  Response response_;
  int64_t held_bytes_ = 0;  // Taken from the memory budget.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_UNARY_CALL_H_
