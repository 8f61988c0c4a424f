// Decides who may make a call, before anybody looks at the request.
//
//   Gate gate(&verifier);
//   if (auto known = gate.Find(rpc, credentials)) return *known;
//   gate.Verify(rpc, credentials, [](Gate::Answer who) { ... });
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_ACCESS_GATE_H_
#define SLIPSTREAM_SERVER_ACCESS_GATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/access/identity.h"
#include "server/access/rpc_table.h"
#include "server/access/token_verifier.h"

namespace slipstream {

// What a caller shows.
struct CallCredentials {
  absl::string_view authorization = {};  // As HTTP has it: "Bearer TOKEN". Empty for none.
  absl::string_view common_name = {};    // The client certificate's; empty for none.
};

class Gate {
 public:
  using Answer = TokenVerifier::Answer;
  using Done = TokenVerifier::Done;

  // `verifier` must outlive the gate.
  explicit Gate(TokenVerifier* verifier) : verifier_(*verifier) {}

  // Who calls, or why not, if that needs no verification of a token. UNAUTHENTICATED: the caller
  // shows nothing, or nothing valid. PERMISSION_DENIED: the RPC is not for its role.
  std::optional<Answer> Find(Rpc rpc, const CallCredentials& credentials);
  // The same; calls `done` once, at once or on another thread. RESOURCE_EXHAUSTED, UNAVAILABLE:
  // see TokenVerifier.
  void Verify(Rpc rpc, const CallCredentials& credentials, Done done);

  // As long as it stays the same, so does what Find answers to whoever is known.
  uint64_t generation() const { return verifier_.generation(); }
  // Whether a call about these projects that has been admitted may go on by the table of now.
  // UNAUTHENTICATED: the caller's line is gone. PERMISSION_DENIED: its role or one of the projects
  // has been taken from it. ABORTED: its token is to be verified again, which a new call does.
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
