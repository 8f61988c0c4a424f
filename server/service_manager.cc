#include "server/service_manager.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

// A manager that does not read must not stop the server.
constexpr timeval kPatience = {1, 0};

absl::Status CannotTell(absl::string_view name, int error) {
  return absl::UnavailableError(
      absl::StrCat("NOTIFY_SOCKET=", name, ": ", std::strerror(error)));
}

}  // namespace

absl::Status TellServiceManager(absl::string_view lines) {
  const char* const variable = std::getenv("NOTIFY_SOCKET");
  const absl::string_view name = variable == nullptr ? "" : variable;
  if (name.empty()) return absl::OkStatus();
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof(address.sun_path)) return CannotTell(name, ENAMETOOLONG);
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';  // An abstract socket, which is no file.
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return CannotTell(name, errno);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  const ssize_t sent = sendto(descriptor, lines.data(), lines.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), size);
  const int error = errno;
  close(descriptor);
  return sent == static_cast<ssize_t>(lines.size()) ? absl::OkStatus() : CannotTell(name, error);
}

}  // namespace slipstream
