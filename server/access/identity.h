// Who a caller is.
#ifndef SLIPSTREAM_SERVER_ACCESS_IDENTITY_H_
#define SLIPSTREAM_SERVER_ACCESS_IDENTITY_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/access/role.h"

namespace slipstream {

struct Identity {
  std::string name;
  Role role = Role::kTrainer;
  bool all_projects = false;
  std::vector<std::string> projects = {};  // If not all.

  bool MayUse(absl::string_view project) const {
    return all_projects || std::find(projects.begin(), projects.end(), project) != projects.end();
  }
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_ACCESS_IDENTITY_H_
