#include "server/telemetry/scrape_endpoint.h"

#include <CivetServer.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <semaphore>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";
// So many threads make a page at a time, as each reads the store.
constexpr int kMakeAtOnce = 8;
constexpr std::chrono::milliseconds kBetweenConnections(10);
constexpr char kTextType[] = "text/plain; charset=utf-8";

absl::StatusOr<std::string> HostOf(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 || port > 65535) {
    return InvalidField("metrics-address", address, "host:port, such as 127.0.0.1:7412");
  }
  // The library takes addresses of hosts, not their names, and several separated by commas.
  const std::string host = address.substr(0, colon);
  if (host.find(',') != std::string::npos) {
    return InvalidField("metrics-address", address, "one address");
  }
  if (host.find(':') != std::string::npos) {
    return InvalidField("metrics-address", address,
                        "an IPv4 address and a port, as metrics are not served over IPv6");
  }
  return host == "localhost" ? "127.0.0.1" : host;
}

// Connects, and hangs up at once. It does not matter whether that succeeds.
void Connect(const std::string& host, int port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1) {
    (void)connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }
  close(descriptor);
}

}  // namespace

class ScrapeEndpoint::Handlers {
  // Answers GET with a page, HEAD with its head, and POST, PUT, DELETE, OPTIONS and PATCH with 405.
  class Page : public CivetHandler {
   public:
    struct Content {
      int status = 200;
      std::string type;
      std::string text;
    };
    explicit Page(std::function<Content()> make) : make_(std::move(make)) {}

    bool handleGet(CivetServer*, mg_connection* connection) override {
      const Content content = Make();
      SendHead(connection, content);
      mg_write(connection, content.text.data(), content.text.size());
      return true;
    }
    bool handleHead(CivetServer*, mg_connection* connection) override {
      SendHead(connection, Make());
      return true;
    }
    bool handlePost(CivetServer*, mg_connection* connection) override { return Refuse(connection); }
    bool handlePut(CivetServer*, mg_connection* connection) override { return Refuse(connection); }
    bool handleDelete(CivetServer*, mg_connection* connection) override {
      return Refuse(connection);
    }
    bool handleOptions(CivetServer*, mg_connection* connection) override {
      return Refuse(connection);
    }
    bool handlePatch(CivetServer*, mg_connection* connection) override {
      return Refuse(connection);
    }

   private:
    Content Make() {
      making_.acquire();
      const absl::Cleanup leave = [this] { making_.release(); };
      return make_();
    }
    static void SendHead(mg_connection* connection, const Content& content) {
      const char* const reason = content.status == 200 ? "OK" : "Service Unavailable";
      const std::string head =
          absl::StrCat("HTTP/1.1 ", content.status, " ", reason, "\r\nContent-Type: ", content.type,
                       "\r\nContent-Length: ", content.text.size(),
                       "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n");
      mg_write(connection, head.data(), head.size());
    }
    static bool Refuse(mg_connection* connection) {
      constexpr absl::string_view kAnswer =
          "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nContent-Length: 0\r\n"
          "Connection: close\r\n\r\n";
      mg_write(connection, kAnswer.data(), kAnswer.size());
      return true;
    }

    const std::function<Content()> make_;
    std::counting_semaphore<kMakeAtOnce> making_{kMakeAtOnce};
  };

 public:
  Handlers(const std::string& host, const std::string& port, Pages pages)
      : host_(host),
        metrics_([metrics = std::move(pages.metrics)] {
          return Page::Content{200, kMetricsType, metrics()};
        }),
        health_([health = std::move(pages.health)] {
          const absl::Status status = health();
          if (status.ok()) return Page::Content{200, kTextType, "ok\n"};
          return Page::Content{503, kTextType, absl::StrCat(status.message(), "\n")};
        }),
        server_(std::vector<std::string>{
            "listening_ports", absl::StrCat(host, ":", port), "num_threads",
            absl::StrCat(kMostScrapes), "request_timeout_ms",
            absl::StrCat(1000 * kMostScrapeRequestSeconds), "keep_alive_timeout_ms", "1",
            "max_request_size", absl::StrCat(kMostScrapeRequestBytes)}) {
    server_.addHandler("/metrics$", metrics_);
    server_.addHandler("/healthz$", health_);
  }

  // The library's thread that takes connections looks only every two seconds whether it is to end,
  // or when there is one. A connection that comes before it is told to end is taken in vain.
  ~Handlers() {
    const int port = Port();
    const std::future<void> closed = std::async(std::launch::async, [this] { server_.close(); });
    do {
      Connect(host_, port);
    } while (closed.wait_for(kBetweenConnections) != std::future_status::ready);
  }

  int Port() { return server_.getListeningPorts().front(); }

 private:
  const std::string host_;
  Page metrics_;
  Page health_;
  CivetServer server_;  // Last: its threads use the pages.
};

ScrapeEndpoint::~ScrapeEndpoint() = default;

absl::Status ScrapeEndpoint::CheckAddress(const std::string& address) {
  return HostOf(address).status();
}

absl::StatusOr<std::unique_ptr<ScrapeEndpoint>> ScrapeEndpoint::Start(const std::string& address,
                                                                      Pages pages) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string host, HostOf(address));
  const std::string port = address.substr(address.rfind(':') + 1);
  std::unique_ptr<ScrapeEndpoint> endpoint(new ScrapeEndpoint);
  try {
    endpoint->handlers_ =
        std::make_unique<Handlers>(host, port, std::move(pages));
  } catch (const CivetException&) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot listen on ", address,
                     " for metrics: the port is taken, or the address is not one of this machine"));
  }
  endpoint->address_ = absl::StrCat(host, ":", endpoint->handlers_->Port());
  return endpoint;
}

}  // namespace slipstream
