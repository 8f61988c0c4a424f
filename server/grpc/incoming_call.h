// A call from its arrival on: who makes it, whether it may go on, and what the monitor is told.
//
//   IncomingCall call(setting, Rpc::kGetStudy, context);
//   call.Admit([&](absl::Status status) {
//     if (status.ok()) status = call.Check(request);
//     ...
//     call.End(status, [&] { return FactsOf(request); });
//   });
#ifndef SLIPSTREAM_SERVER_GRPC_INCOMING_CALL_H_
#define SLIPSTREAM_SERVER_GRPC_INCOMING_CALL_H_

#include <grpcpp/server_context.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "server/access/gate.h"
#include "server/access/rpc_table.h"
#include "server/grpc/call_setting.h"
#include "server/grpc/message_bytes.h"

namespace slipstream {

class IncomingCall {
 public:
  // `setting` and `context` must outlive the call.
  IncomingCall(const CallSetting& setting, Rpc rpc, grpc::CallbackServerContext* context);

  // Calls `go_on` once, at once or on another thread: OK when it is known who calls, or why they
  // may not. It must not throw. The call must live until then, and may be destroyed by it.
  void Admit(std::function<void(absl::Status)> go_on);

  // RESOURCE_EXHAUSTED for a message that is larger than the server takes: see CheckSize.
  absl::Status CheckMessage(const grpc::ByteBuffer& bytes) const {
    return CheckSize("the message", bytes, setting_.message_bytes, "send less in one message");
  }
  // The same for an answer, unless the call has made a change, which is told of nevertheless.
  absl::Status CheckAnswer(const grpc::ByteBuffer& bytes) const {
    if (EntryOf(rpc_).changes) return absl::OkStatus();
    return CheckSize("the answer", bytes, setting_.message_bytes, "ask for less in one call");
  }

  // Whether the caller, who has been admitted, may ask this: see CheckRequest.
  absl::Status Check(const google::protobuf::Message& request) const {
    return CheckRequest(setting_.admission, rpc_, caller_, request);
  }

  // Whether the caller, who has been admitted, may still make the call, which is about `projects`:
  // see Gate::CheckAgain. Asks for them and is not cheap only if the table of callers has changed.
  // By one thread at a time.
  absl::Status CheckAgain(absl::FunctionRef<std::set<std::string>()> projects);

  // Tells the monitor how the call ends. To be called once, before the caller is answered. `facts`
  // is called if what is known of the request is needed.
  void End(const absl::Status& status, absl::FunctionRef<CallFacts()> facts) const;

  grpc::CallbackServerContext& context() const { return context_; }
  // Null if everybody may call, and as long as it is not known who calls.
  const std::shared_ptr<const Identity>& caller() const { return caller_; }

 private:
  const CallSetting& setting_;
  const Rpc rpc_;
  grpc::CallbackServerContext& context_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::shared_ptr<const Identity> caller_;
  uint64_t generation_ = 0;  // Of the table of callers by which it was last admitted.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_INCOMING_CALL_H_
