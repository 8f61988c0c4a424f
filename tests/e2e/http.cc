#include "tests/e2e/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace slipstream {

std::string AskOverHttp(const std::string& address, const std::string& method_and_path) {
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.find(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::string request = method_and_path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  if (connect(client, reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0 ||
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
