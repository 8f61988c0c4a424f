// Which project a name in a request belongs to, before anything checks the name.
// Thread-safe: a free function without state.
#ifndef SLIPSTREAM_SERVER_SERVICE_PROJECT_IN_NAME_H_
#define SLIPSTREAM_SERVER_SERVICE_PROJECT_IN_NAME_H_

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace slipstream {

// The project in a name of any kind, also in one that is not valid; "default" if it has none.
inline absl::string_view ProjectInName(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "projects/")) return "default";
  return name.substr(0, name.find('/'));
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_PROJECT_IN_NAME_H_
