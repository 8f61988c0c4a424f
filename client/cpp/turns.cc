#include "client/cpp/turns.h"

#include "absl/strings/str_cat.h"
#include "client/cpp/shared_objects.h"

namespace slipstream::client_internal {

std::shared_ptr<std::mutex> TurnOf(const std::string& address, const std::string& name) {
  static auto& turns = *new SharedObjects<std::mutex>();
  return turns.Get(absl::StrCat(address, " ", name), [] { return std::make_shared<std::mutex>(); });
}

}  // namespace slipstream::client_internal
