#include "server/access/token_file.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
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

// Whether a text in the wrong column may be a token, or a hash, which nobody is shown. A host's
// name may be as long, but its parts are shorter.
bool MayBeSecret(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  return absl::StartsWith(text, "$") ||
         std::any_of(parts.begin() + 1, parts.end(), [](absl::string_view part) {
           return part.size() >= kSecretCharacters;
         });
}

absl::Status CheckNoSecret(absl::string_view column, absl::string_view text) {
  if (!MayBeSecret(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(column, " looks like a token or hash (not shown); check the order of name, "
                           "role, projects and hash"));
}

// Of a client certificate: whatever fits into a column.
absl::Status CheckCommonName(absl::string_view field, absl::string_view name) {
  if (name.size() <= kMostCommonNameBytes &&
      std::none_of(name.begin(), name.end(), absl::ascii_iscntrl)) {
    return absl::OkStatus();
  }
  return InvalidField(field, name,
                      absl::StrCat("at most ", kMostCommonNameBytes,
                                   " bytes without control characters"));
}

using CheckName = absl::Status (*)(absl::string_view field, absl::string_view name);

absl::StatusOr<Identity> ParseColumns(absl::string_view name, absl::string_view role,
                                      absl::string_view projects, CheckName check_name) {
  Identity identity;
  SLIPSTREAM_RETURN_IF_ERROR(CheckNoSecret("the name", name));
  SLIPSTREAM_RETURN_IF_ERROR(CheckNoSecret("the role", role));
  for (const absl::string_view project : absl::StrSplit(projects, ',')) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckNoSecret("the project", project));
  }
  SLIPSTREAM_RETURN_IF_ERROR(check_name("the name", name));
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

absl::StatusOr<TokenEntry> ParseLine(const std::vector<absl::string_view>& columns) {
  if (columns.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", columns.size(), " columns instead of four: name, role, projects and hash"));
  }
  const bool by_certificate = columns[3] == kByCertificate;
  SLIPSTREAM_ASSIGN_OR_RETURN(
      Identity identity, ParseColumns(columns[0], columns[1], columns[2],
                                      by_certificate ? &CheckCommonName : &CheckShortName));
  TokenEntry entry;
  entry.identity = std::make_shared<const Identity>(std::move(identity));
  if (by_certificate) return entry;
  entry.hash = std::string(columns[3]);
  if (IsTokenHash(entry.hash)) return entry;
  return absl::InvalidArgumentError(
      "the last column is neither \"certificate\" nor an Argon2id hash such as slipstream_server "
      "--new-token prints");
}

}  // namespace

absl::StatusOr<Identity> ParseIdentity(absl::string_view name, absl::string_view role,
                                       absl::string_view projects) {
  return ParseColumns(name, role, projects, &CheckShortName);
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
