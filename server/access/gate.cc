#include "server/access/gate.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

constexpr absl::string_view kScheme = "Bearer ";

absl::string_view TokenIn(absl::string_view authorization) {
  if (!absl::StartsWithIgnoreCase(authorization, kScheme)) return {};
  return authorization.substr(kScheme.size());
}

absl::Status NoCredentials() {
  return absl::UnauthenticatedError(
      "this server requires a token: set SLIPSTREAM_TOKEN, or give the client its token another "
      "way; it is sent as metadata \"authorization: Bearer TOKEN\"");
}

}  // namespace

std::optional<Gate::Answer> Gate::Find(const CallCredentials& credentials) {
  const absl::string_view token = TokenIn(credentials.authorization);
  if (!token.empty()) return verifier_.Find(token);
  if (credentials.common_name.empty()) return NoCredentials();
  return verifier_.OfCertificate(credentials.common_name);
}

void Gate::Verify(const CallCredentials& credentials, Done done) {
  if (std::optional<Answer> known = Find(credentials)) return done(*std::move(known));
  verifier_.Verify(TokenIn(credentials.authorization), std::move(done), credentials.address);
}

absl::Status Gate::CheckRole(Rpc rpc, const Identity& caller) {
  const RpcEntry& entry = EntryOf(rpc);
  if (entry.roles.Has(caller.role)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat(caller.name, " has the role ", NameOf(caller.role), ", and ", entry.name,
                   " needs ", entry.roles.ToText(), "; use a token with such a role"));
}

absl::Status Gate::CheckAgain(Rpc rpc, const CallCredentials& credentials,
                              const std::set<std::string>& projects) {
  const std::optional<Answer> known = Find(credentials);
  if (!known.has_value()) {
    return absl::AbortedError(
        "the server's token file has changed since the call began; make the call again");
  }
  SLIPSTREAM_RETURN_IF_ERROR(known->status());
  SLIPSTREAM_RETURN_IF_ERROR(CheckRole(rpc, ***known));
  for (const std::string& project : projects) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckProject(***known, project));
  }
  return absl::OkStatus();
}

absl::Status CheckProject(const Identity& identity, absl::string_view project) {
  if (identity.MayUse(project)) return absl::OkStatus();
  const std::vector<std::string>& own = identity.projects;
  const bool is_every = project == kEveryProject;
  std::string message =
      absl::StrCat(identity.name, " may use the project", own.size() > 1 ? "s " : " ",
                   absl::StrJoin(own, ", "), " and not ", is_every ? "all" : project, "; ");
  // A name without a project may have been meant in one of the caller's projects.
  if (project == "default") {
    absl::StrAppend(&message, "names without a project belong to default: name projects/",
                    own.empty() ? "{project}" : own.front(), ", or ");
  }
  absl::StrAppend(&message, "use a token for ", is_every ? "all projects" : "that project");
  return absl::PermissionDeniedError(message);
}

}  // namespace slipstream
