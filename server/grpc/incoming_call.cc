#include "server/grpc/incoming_call.h"

#include <grpcpp/security/auth_context.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/grpc/lasting_calls.h"
#include "server/grpc/open_connections.h"

namespace slipstream {
namespace {

using Context = grpc::CallbackServerContext;

absl::string_view View(grpc::string_ref text) { return {text.data(), text.size()}; }

// The common name in the connection's client certificate; empty if it has none.
absl::string_view CommonNameOf(const Context& context) {
  const std::shared_ptr<const grpc::AuthContext> connection = context.auth_context();
  if (connection == nullptr || !connection->IsPeerAuthenticated()) return {};
  for (const grpc::string_ref& name : connection->FindPropertyValues("x509_common_name")) {
    return View(name);
  }
  return {};
}

// Valid as long as the call. A certificate is looked at where there is no token, as that takes
// long.
CallCredentials CredentialsOf(const Context& context) {
  CallCredentials credentials;
  const auto found = context.client_metadata().find("authorization");
  if (found != context.client_metadata().end()) {
    credentials.authorization = View(found->second);
  } else {
    credentials.common_name = CommonNameOf(context);
  }
  return credentials;
}

}  // namespace

IncomingCall::IncomingCall(const CallSetting& setting, Rpc rpc, Context* context)
    : setting_(setting), rpc_(rpc), context_(*context) {
  if (setting.monitor != nullptr) setting.monitor->Begin();
}

void IncomingCall::Admit(std::function<void(absl::Status)> go_on) {
  Gate* const gate = setting_.admission.gate;
  if (gate == nullptr) return go_on(absl::OkStatus());
  generation_ = gate->generation();
  const absl::Status asked = OrOutOfMemory([&] {
    // Throws nothing, so that what throws before it can still be answered.
    const auto answer = [this, go_on](const Gate::Answer& who) {
      if (who.ok()) caller_ = *who;
      go_on(OrOutOfMemory(
          [&] { return who.ok() ? Gate::CheckRole(rpc_, *caller_) : who.status(); }));
    };
    CallCredentials credentials = CredentialsOf(context_);
    if (const std::optional<Gate::Answer> known = gate->Find(credentials)) {
      answer(*known);
    } else {
      const std::string address = AddressOf(PeerNamed(context_.peer()));
      credentials.address = address;
      gate->Verify(credentials, answer);
    }
    return absl::OkStatus();
  });
  if (!asked.ok()) go_on(asked);
}

absl::Status IncomingCall::CheckAgain(absl::FunctionRef<std::set<std::string>()> projects) {
  Gate* const gate = setting_.admission.gate;
  if (gate == nullptr || caller_ == nullptr) return absl::OkStatus();
  const uint64_t generation = gate->generation();
  if (generation == generation_) return absl::OkStatus();
  SLIPSTREAM_RETURN_IF_ERROR(gate->CheckAgain(rpc_, CredentialsOf(context_), projects()));
  generation_ = generation;
  return absl::OkStatus();
}

void IncomingCall::End(const absl::Status& status, absl::FunctionRef<CallFacts()> facts) const {
  if (setting_.monitor == nullptr) return;
  const auto took = std::chrono::steady_clock::now() - begin_;
  setting_.monitor->End(rpc_, status, absl::FromChrono(took), [&] {
    CallFacts known = facts();
    known.peer = context_.peer();
    if (caller_ != nullptr) known.caller = caller_->name;
    // Where everybody may call, a certificate still tells who did.
    if (setting_.admission.gate == nullptr) known.caller = std::string(CommonNameOf(context_));
    return known;
  });
}

}  // namespace slipstream
