// The roles of callers. Pure functions.
#ifndef SLIPSTREAM_SERVER_ACCESS_ROLE_H_
#define SLIPSTREAM_SERVER_ACCESS_ROLE_H_

#include <initializer_list>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace slipstream {

enum class Role {
  kTrainer,   // Works on trials.
  kOperator,  // Looks after studies and source tasks.
  kCi,        // Reads studies and registers source tasks.
  kAdmin,     // May do everything.
};

// "trainer", "operator", "ci", "admin".
absl::string_view NameOf(Role role);
std::optional<Role> RoleNamed(absl::string_view name);

class RoleSet {
 public:
  // kAdmin is in every set.
  constexpr RoleSet(std::initializer_list<Role> roles) {
    for (const Role role : roles) bits_ |= BitOf(role);
  }
  constexpr bool Has(Role role) const { return (bits_ & BitOf(role)) != 0; }
  // For people: "trainer, operator or admin".
  std::string ToText() const;

 private:
  static constexpr unsigned BitOf(Role role) { return 1u << static_cast<unsigned>(role); }
  unsigned bits_ = BitOf(Role::kAdmin);
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_ACCESS_ROLE_H_
