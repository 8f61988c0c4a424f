#include "client/cpp/server_address.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "slipstream/client_options.h"

namespace slipstream::client_internal {
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

bool IsIp6WithoutBrackets(const std::string& address) {
  return !IsOfAnotherKind(address) && address.front() != '[' &&
         std::count(address.begin(), address.end(), ':') > 1;
}

}  // namespace

std::string WithPort(const std::string& address) {
  if (IsOfAnotherKind(address) || !CheckAddress(address).ok()) return address;
  if (IsIp6WithoutBrackets(address)) return absl::StrCat("[", address, "]", DefaultPort());
  const bool has_port = address.front() == '[' ? address.back() != ']'
                                               : absl::StrContains(address, ':');
  return has_port ? address : absl::StrCat(address, DefaultPort());
}

absl::Status CheckAddress(const std::string& address) {
  if (!IsIp6WithoutBrackets(address) || !absl::EndsWith(address, DefaultPort())) {
    return absl::OkStatus();
  }
  const std::string host = address.substr(0, address.rfind(':'));
  return absl::InvalidArgumentError(absl::StrCat("address is ", address, ", must be [", host, "]",
                                                 DefaultPort(), ", or [", address,
                                                 "] if that is the whole address"));
}

}  // namespace slipstream::client_internal
