#include "tests/e2e/http.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace slipstream {

std::string AskOverHttp(const std::string& address, const std::string& method_and_path) {
  const bool is_ip6 = address.front() == '[';
  const auto port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  sockaddr_in ip4 = {};
  ip4.sin_family = AF_INET;
  ip4.sin_port = htons(port);
  ip4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 ip6 = {};
  ip6.sin6_family = AF_INET6;
  ip6.sin6_port = htons(port);
  ip6.sin6_addr = in6addr_loopback;
  const auto* const to = is_ip6 ? reinterpret_cast<const sockaddr*>(&ip6)
                                : reinterpret_cast<const sockaddr*>(&ip4);
  const int client = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string request = method_and_path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  if (connect(client, to, is_ip6 ? sizeof(ip6) : sizeof(ip4)) != 0 ||
      send(client, request.data(), request.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(request.size())) {
    close(client);
    throw std::runtime_error("cannot reach " + address);
  }
  std::string answer;
  char part[4096];
  for (ssize_t size = 0; (size = recv(client, part, sizeof(part), 0)) > 0;) {
    answer.append(part, static_cast<size_t>(size));
  }
  close(client);
  return answer;
}

}  // namespace slipstream
