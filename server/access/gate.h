// Decides who may make a call, before the request is read.
//
//   Gate gate(&verifier);
//   if (auto known = gate.Find(credentials)) return *known;
//   gate.Verify(credentials, [](Gate::Answer who) { ... });
//   ...
//   SLIPSTREAM_RETURN_IF_ERROR(Gate::CheckRole(rpc, **who));
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_ACCESS_GATE_H_
#define SLIPSTREAM_SERVER_ACCESS_GATE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/access/identity.h"
#include "server/access/rpc_table.h"
#include "server/access/token_verifier.h"

namespace slipstream {

// The credentials that a caller presents.
struct CallCredentials {
  absl::string_view authorization = {};  // As HTTP has it: "Bearer TOKEN". Empty for none.
  absl::string_view common_name = {};    // The client certificate's; empty for none.
  absl::string_view address = {};        // The caller's, for Verify alone.
};

class Gate {
 public:
  using Answer = TokenVerifier::Answer;
  using Done = TokenVerifier::Done;

  // `verifier` must outlive the gate.
  explicit Gate(TokenVerifier* verifier) : verifier_(*verifier) {}

  // Who calls, if that needs no verification of a token. UNAUTHENTICATED: there are no credentials,
  // or no valid ones.
  std::optional<Answer> Find(const CallCredentials& credentials);
  // The same; calls `done` once, at once or on another thread. RESOURCE_EXHAUSTED, UNAVAILABLE:
  // see TokenVerifier.
  void Verify(const CallCredentials& credentials, Done done);

  // PERMISSION_DENIED: the RPC is not for the caller's role.
  static absl::Status CheckRole(Rpc rpc, const Identity& caller);

  // As long as it stays the same, so do the answers of Find for known callers.
  uint64_t generation() const { return verifier_.generation(); }
  // Whether an admitted call about these projects may go on by the table that holds now.
  // UNAUTHENTICATED: the caller's line is gone. PERMISSION_DENIED: its role or one of the projects
  // has been taken from it. ABORTED: its token must be verified again, which a new call does.
  absl::Status CheckAgain(Rpc rpc, const CallCredentials& credentials,
                          const std::set<std::string>& projects);

 private:
  TokenVerifier& verifier_;
};

// The name of all projects together, as in "projects/-".
inline constexpr char kEveryProject[] = "-";

// PERMISSION_DENIED unless `identity` may use all of `project`.
absl::Status CheckProject(const Identity& identity, absl::string_view project);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_ACCESS_GATE_H_
