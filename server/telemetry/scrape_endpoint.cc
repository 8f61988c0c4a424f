#include "server/telemetry/scrape_endpoint.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "core/base/deadline.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/service/executor.h"
#include "server/socket/listening_sockets.h"

namespace slipstream {
namespace {

constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";
constexpr char kTextType[] = "text/plain; charset=utf-8";
constexpr char kEndOfHead[] = "\r\n\r\n";
// So many threads make the metrics at a time, as each reads the store.
constexpr int kMakeAtOnce = 8;
constexpr int kPauseMilliseconds = 50;

Deadline InSeconds(int seconds) { return Deadline::In(absl::Seconds(seconds)); }

// One request and its answer. Nothing is waited for any more once `wake` can be read.
class Scrape {
 public:
  // Owns the connection, which does not block.
  Scrape(int connection, int wake) : connection_(connection), wake_(wake) {}
  ~Scrape() { close(connection_); }
  Scrape(const Scrape&) = delete;
  Scrape& operator=(const Scrape&) = delete;

  // The request up to its body; empty if it does not come in time, or is too long.
  absl::StatusOr<std::string> ReadHead() {
    return OrOutOfMemory([this]() -> absl::StatusOr<std::string> {
      const Deadline deadline = InSeconds(kMostScrapeRequestSeconds);
      std::string head;
      while (!absl::StrContains(head, kEndOfHead)) {
        const absl::string_view part = Receive(deadline);
        if (head.size() >= kMostScrapeRequestBytes || part.empty()) return std::string();
        absl::StrAppend(&head, part);
      }
      return head;
    });
  }

  void Answer(absl::string_view bytes) {
    const Deadline deadline = InSeconds(kMostScrapeAnswerSeconds);
    while (!bytes.empty()) {
      if (!Wait(POLLOUT, deadline)) return;
      const ssize_t sent = send(connection_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) return;
      bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(sent, 0)));
    }
    // To close a connection of which something is unread takes back what was sent.
    shutdown(connection_, SHUT_WR);
    const Deadline end = InSeconds(kMostScrapeRequestSeconds);
    while (!Receive(end).empty()) {
    }
  }

 private:
  // What comes next, until the next call; empty if nothing does.
  absl::string_view Receive(const Deadline& deadline) {
    if (!Wait(POLLIN, deadline)) return {};
    const ssize_t size = recv(connection_, part_, sizeof(part_), 0);
    return {part_, static_cast<size_t>(std::max<ssize_t>(size, 0))};
  }

  bool Wait(short event, const Deadline& deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.moment() -
                                                                   Deadline::Clock::now());
    pollfd polled[] = {{connection_, event, 0}, {wake_, POLLIN, 0}};
    return left.count() > 0 && poll(polled, 2, static_cast<int>(left.count())) > 0 &&
           polled[1].revents == 0;
  }

  const int connection_;
  const int wake_;
  char part_[1024];
};

std::string AnswerOf(absl::string_view status, absl::string_view fields,
                     absl::string_view text = "") {
  return absl::StrCat("HTTP/1.1 ", status, "\r\n", fields, "Content-Length: ", text.size(),
                      "\r\nConnection: close", kEndOfHead, text);
}

std::string PageOf(absl::string_view status, absl::string_view type, absl::string_view text) {
  return AnswerOf(status,
                  absl::StrCat("Content-Type: ", type, "\r\nCache-Control: no-store\r\n"), text);
}

}  // namespace

class ScrapeEndpoint::Listener {
 public:
  // Owns `wake`, an eventfd.
  Listener(ListeningSockets sockets, Pages pages, int wake)
      : sockets_(std::move(sockets)),
        pages_(std::move(pages)),
        wake_(wake),
        scrapes_(std::make_unique<Executor>("scrapes", kMostScrapes, kMostScrapes)),
        thread_([this] {
          sockets_.WaitForConnections(wake_, [this](int socket) { Accept(socket); });
        }) {}

  ~Listener() {
    const uint64_t one = 1;
    (void)!write(wake_, &one, sizeof(one));
    thread_.join();
    scrapes_.reset();
    close(wake_);
  }

 private:
  void Accept(int socket) {
    const int connection = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    // Perhaps no descriptor is left, and the connection waits on.
    if (connection < 0) return static_cast<void>(poll(nullptr, 0, kPauseMilliseconds));
    if (open_ >= kMostScrapes) return static_cast<void>(close(connection));
    ++open_;
    const absl::Status accepted = OrOutOfMemory(
        [&] { return scrapes_->Run([this, connection] { Serve(connection); }); });
    if (accepted.ok()) return;
    close(connection);
    --open_;
  }

  void Serve(int connection) {
    const absl::Cleanup leave = [this] { --open_; };
    Scrape scrape(connection, wake_);
    const absl::StatusOr<std::string> head = scrape.ReadHead();
    if (head.ok() && head->empty()) return;
    const absl::StatusOr<std::string> answer = OrOutOfMemory(
        [&]() -> absl::StatusOr<std::string> { return head.ok() ? AnswerTo(*head) : head; });
    scrape.Answer(answer.ok() ? *answer : out_of_memory_);
  }

  std::string AnswerTo(absl::string_view head) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(head.substr(0, head.find("\r\n")), ' ');
    if (words.size() != 3 || !absl::StartsWith(words[2], "HTTP/1.")) {
      return AnswerOf("400 Bad Request", "");
    }
    const absl::string_view path = words[1].substr(0, words[1].find('?'));
    if (path != "/metrics" && path != "/healthz") return AnswerOf("404 Not Found", "");
    const bool is_head = words[0] == "HEAD";
    if (words[0] != "GET" && !is_head) {
      return AnswerOf("405 Method Not Allowed", "Allow: GET, HEAD\r\n");
    }
    std::string page = path == "/metrics" ? Metrics() : Health();
    if (is_head) page.resize(page.find(kEndOfHead) + sizeof(kEndOfHead) - 1);
    return page;
  }

  std::string Metrics() {
    making_.acquire();
    const absl::Cleanup leave = [this] { making_.release(); };
    return PageOf("200 OK", kMetricsType, pages_.metrics());
  }

  // Does not wait for those who make the metrics: a probe must be answered in time.
  std::string Health() {
    const absl::Status health = pages_.health();
    if (health.ok()) return PageOf("200 OK", kTextType, "ok\n");
    return PageOf("503 Service Unavailable", kTextType, absl::StrCat(health.message(), "\n"));
  }

  const ListeningSockets sockets_;
  const Pages pages_;
  const std::string out_of_memory_ = AnswerOf("503 Service Unavailable", "");
  const int wake_;
  std::atomic<int> open_{0};  // Connections that are served, or wait for a thread to do so.
  std::counting_semaphore<kMakeAtOnce> making_{kMakeAtOnce};
  std::unique_ptr<Executor> scrapes_;
  std::thread thread_;  // Last: it uses the rest.
};

ScrapeEndpoint::ScrapeEndpoint() = default;
ScrapeEndpoint::~ScrapeEndpoint() = default;

absl::Status ScrapeEndpoint::CheckAddress(const std::string& address) {
  return ParseHostAndPort("metrics-address", address).status();
}

absl::StatusOr<std::unique_ptr<ScrapeEndpoint>> ScrapeEndpoint::Start(const std::string& address,
                                                                      Pages pages) {
  SLIPSTREAM_ASSIGN_OR_RETURN(HostAndPort at, ParseHostAndPort("metrics-address", address));
  SLIPSTREAM_ASSIGN_OR_RETURN(ListeningSockets sockets, ListeningSockets::At(at));
  at.port = sockets.port();
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot serve at ", at.Text(), ": ", std::strerror(errno)));
  }
  std::unique_ptr<ScrapeEndpoint> endpoint(new ScrapeEndpoint);
  endpoint->address_ = at.Text();
  endpoint->listener_ = std::make_unique<Listener>(std::move(sockets), std::move(pages), wake);
  return endpoint;
}

}  // namespace slipstream
