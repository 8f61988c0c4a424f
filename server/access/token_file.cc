#include "server/access/token_file.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "server/access/token_hash.h"
#include "server/file/column_file.h"

namespace slipstream {
namespace {

constexpr absl::string_view kByCertificate = "certificate";
constexpr absl::string_view kAllProjects = "*";
constexpr size_t kSecretCharacters = 40;  // Of a token after its dot; those that we make have 43.

absl::StatusOr<TokenEntry> ParseLine(const std::vector<absl::string_view>& columns) {
  if (columns.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", columns.size(), " columns instead of four: name, role, projects and hash"));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(Identity identity, ParseIdentity(columns[0], columns[1], columns[2]));
  TokenEntry entry;
  entry.identity = std::make_shared<const Identity>(std::move(identity));
  if (columns[3] == kByCertificate) return entry;
  entry.hash = std::string(columns[3]);
  if (IsTokenHash(entry.hash)) return entry;
  return absl::InvalidArgumentError(
      "the last column is neither \"certificate\" nor an Argon2id hash such as slipstream_server "
      "--new-token prints");
}

// Whether a text in the wrong column may be a token, or a hash, which nobody is shown.
bool MayBeSecret(absl::string_view text) {
  const size_t dot = text.find('.');
  const size_t secret = dot == absl::string_view::npos ? 0 : text.size() - dot - 1;
  return secret >= kSecretCharacters || absl::StartsWith(text, "$");
}

absl::Status CheckNoSecret(absl::string_view column, absl::string_view text) {
  if (!MayBeSecret(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(column, " looks like a token or hash (not shown); check the order of name, "
                           "role, projects and hash"));
}

}  // namespace

absl::StatusOr<Identity> ParseIdentity(absl::string_view name, absl::string_view role,
                                       absl::string_view projects) {
  Identity identity;
  SLIPSTREAM_RETURN_IF_ERROR(CheckNoSecret("the name", name));
  SLIPSTREAM_RETURN_IF_ERROR(CheckNoSecret("the role", role));
  for (const absl::string_view project : absl::StrSplit(projects, ',')) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckNoSecret("the project", project));
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckShortName("the name", name));
  identity.name = std::string(name);
  const std::optional<Role> known = RoleNamed(role);
  if (!known.has_value()) {
    return InvalidField("the role", role, "trainer, operator, ci or admin");
  }
  identity.role = *known;
  identity.all_projects = projects == kAllProjects;
  if (identity.all_projects) return identity;
  for (const absl::string_view project : absl::StrSplit(projects, ',')) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckShortName("the project", project));
    identity.projects.emplace_back(project);
  }
  return identity;
}

absl::StatusOr<TokenTable> ParseTokenFile(absl::string_view text) {
  TokenTable table;
  const auto take = [&table](const std::vector<absl::string_view>& columns) -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(TokenEntry entry, ParseLine(columns));
    const std::string name = entry.identity->name;
    if (table.emplace(name, std::move(entry)).second) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has a line already; give a second token another name"));
  };
  SLIPSTREAM_RETURN_IF_ERROR(ForEachLine(text, take));
  return table;
}

absl::StatusOr<TokenTable> ReadTokenFile(const std::string& path) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string text, ReadOwnersFile("the token file", path));
  absl::StatusOr<TokenTable> table = ParseTokenFile(text);
  if (table.ok()) return table;
  return absl::InvalidArgumentError(
      absl::StrCat("the token file ", path, ", ", table.status().message()));
}

std::string TokenLine(const Identity& identity, absl::string_view hash) {
  return absl::StrCat(
      identity.name, " ", NameOf(identity.role), " ",
      identity.all_projects ? std::string(kAllProjects) : absl::StrJoin(identity.projects, ","),
      " ", hash, "\n");
}

}  // namespace slipstream
