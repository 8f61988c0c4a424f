// What Prometheus and load balancers ask for over HTTP: /metrics and /healthz.
//
//   auto endpoint = ScrapeEndpoint::Start("127.0.0.1:7412", {.metrics = ..., .health = ...});
//
// Serves anyone who can reach its address, unencrypted; nothing that it reports names a study or a
// caller. Every answer ends its connection.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_TELEMETRY_SCRAPE_ENDPOINT_H_
#define SLIPSTREAM_SERVER_TELEMETRY_SCRAPE_ENDPOINT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slipstream {

// Connections that are served at a time; further ones are closed. One that does not send a whole
// request, of so many bytes, or take its answer in time is closed, and holds up nobody while there
// are fewer of them.
inline constexpr int kMostScrapes = 128;
inline constexpr int kMostScrapeRequestSeconds = 1;
inline constexpr int kMostScrapeAnswerSeconds = 5;
inline constexpr int kMostScrapeRequestBytes = 8192;

class ScrapeEndpoint {
 public:
  // Called on threads of the endpoint; 503 if there is no memory for the page.
  struct Pages {
    std::function<std::string()> metrics;
    // OK: 200 and "ok"; otherwise 503 and the message.
    std::function<absl::Status()> health;
  };

  // INVALID_ARGUMENT: it is no address to serve at.
  static absl::Status CheckAddress(const std::string& address);

  // `address` is host:port; port 0 picks a free one. INVALID_ARGUMENT: it is no address.
  // FAILED_PRECONDITION: it is taken, or not one of this machine. RESOURCE_EXHAUSTED: no file
  // descriptor is left.
  static absl::StatusOr<std::unique_ptr<ScrapeEndpoint>> Start(const std::string& address,
                                                               Pages pages);
  ~ScrapeEndpoint();

  // With the actual port.
  const std::string& address() const { return address_; }

 private:
  class Listener;

  ScrapeEndpoint();

  std::string address_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_SCRAPE_ENDPOINT_H_
