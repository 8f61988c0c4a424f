#include "client/cli/server_address.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "slipstream/client_options.h"

namespace slipstream::cli {
namespace {

// With the colon before it.
std::string DefaultPort() {
  const std::string address = kDefaultAddress;
  return address.substr(address.rfind(':'));
}

// Whether it is of a kind that has no port, or has it inside of gRPC's longer form.
bool IsOfAnotherKind(const std::string& address) {
  for (const char* scheme :
       {"unix:", "unix-abstract:", "vsock:", "dns:", "ipv4:", "ipv6:", "xds:"}) {
    if (absl::StartsWith(address, scheme)) return true;
  }
  return address.empty() || absl::StrContains(address, '/');
}

}  // namespace

std::string WithPort(const std::string& address) {
  if (IsOfAnotherKind(address)) return address;
  if (address.front() == '[') {
    return address.back() == ']' ? absl::StrCat(address, DefaultPort()) : address;
  }
  const auto colons = std::count(address.begin(), address.end(), ':');
  if (colons > 1) return absl::StrCat("[", address, "]", DefaultPort());
  if (colons == 0) return absl::StrCat(address, DefaultPort());
  return address;
}

}  // namespace slipstream::cli
