#include "server/access/role.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace slipstream {
namespace {

constexpr Role kRoles[] = {Role::kTrainer, Role::kOperator, Role::kCi, Role::kAdmin};

}  // namespace

absl::string_view NameOf(Role role) {
  switch (role) {
    case Role::kTrainer:
      return "trainer";
    case Role::kOperator:
      return "operator";
    case Role::kCi:
      return "ci";
    case Role::kAdmin:
      return "admin";
  }
  return "unknown";
}

std::optional<Role> RoleNamed(absl::string_view name) {
  for (const Role role : kRoles) {
    if (NameOf(role) == name) return role;
  }
  return std::nullopt;
}

std::string RoleSet::ToText() const {
  std::vector<absl::string_view> names;
  for (const Role role : kRoles) {
    if (Has(role)) names.push_back(NameOf(role));
  }
  const absl::string_view last = names.back();
  names.pop_back();
  if (names.empty()) return std::string(last);
  return absl::StrCat(absl::StrJoin(names, ", "), " or ", last);
}

}  // namespace slipstream
