#include "client/cpp/server_address.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "slipstream/client_options.h"

namespace slipstream::client_internal {
namespace {

constexpr int kLastPort = 65535;

// With the colon before it.
std::string DefaultPort() {
  const std::string address = kDefaultAddress;
  return address.substr(address.rfind(':'));
}

// Whether gRPC takes it apart itself: https://grpc.github.io/grpc/cpp/md_doc_naming.html.
bool HasScheme(const std::string& address) {
  for (const char* scheme :
       {"unix:", "unix-abstract:", "vsock:", "dns:", "ipv4:", "ipv6:", "xds:"}) {
    if (absl::StartsWith(address, scheme)) return true;
  }
  return false;
}

bool IsPort(const std::string& text) {
  int port = 0;
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &port) && port >= 1 && port <= kLastPort;
}

// Whether it has neither spaces nor any of the signs between the parts of an address.
bool IsName(const std::string& text) {
  const std::string signs = "/:@[]";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return !absl::ascii_isspace(c) && !absl::ascii_iscntrl(c) &&
           signs.find(static_cast<char>(c)) == std::string::npos;
  });
}

// Whether it is of IPv6, possibly with a zone as in "fe80::1%eth0".
bool IsIp6(const std::string& text) {
  const size_t zone = std::min(text.find('%'), text.size());
  const std::string digits = text.substr(0, zone);
  return std::count(digits.begin(), digits.end(), ':') > 1 &&
         std::all_of(digits.begin(), digits.end(),
                     [](unsigned char c) {
                       return absl::ascii_isxdigit(c) || c == ':' || c == '.';
                     }) &&
         (zone == text.size() || IsName(text.substr(zone + 1)));
}

bool IsHost(const std::string& text) {
  if (!absl::StartsWith(text, "[")) return IsName(text);
  return absl::EndsWith(text, "]") && IsIp6(text.substr(1, text.size() - 2));
}

// Where the colon before the port is; npos without one.
size_t FindPort(const std::string& address) {
  const size_t colon = address.rfind(':');
  const bool is_inside_of_brackets = absl::StartsWith(address, "[") && absl::EndsWith(address, "]");
  return is_inside_of_brackets ? std::string::npos : colon;
}

}  // namespace

std::string WithPort(const std::string& address) {
  if (HasScheme(address) || !CheckAddress(address).ok()) return address;
  if (IsIp6(address)) return absl::StrCat("[", address, "]", DefaultPort());
  return IsHost(address) ? absl::StrCat(address, DefaultPort()) : address;
}

bool IsHostWithPort(const std::string& address) {
  const size_t colon = FindPort(address);
  return !HasScheme(address) && colon != std::string::npos && IsHost(address.substr(0, colon)) &&
         IsPort(address.substr(colon + 1));
}

absl::Status CheckAddress(const std::string& address) {
  if (IsIp6(address) && absl::EndsWith(address, DefaultPort())) {
    const std::string host = address.substr(0, address.rfind(':'));
    return absl::InvalidArgumentError(absl::StrCat("address is ", address, ", must be [", host, "]",
                                                   DefaultPort(), ", or [", address,
                                                   "] if that is the whole address"));
  }
  if (address.empty() || HasScheme(address) || IsIp6(address) || IsHost(address) ||
      IsHostWithPort(address)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "address is ", address, ", must be host:port with a port from 1 to ", kLastPort,
      ", a host alone, or of another form such as [::1]", DefaultPort(), " or unix:path"));
}

}  // namespace slipstream::client_internal
