// Connections that keep a server waiting are closed. The server is in this process, so that its
// patience can be short.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "absl/time/time.h"
#include "server/grpc/server.h"
#include "server/service/service.h"
#include "tests/e2e/raw_connection.h"
#include "tests/e2e/stalled_message.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

constexpr std::chrono::seconds kPatience(30);
constexpr int kMostCalls = 100;
constexpr absl::Duration kPauseOfPings = absl::Milliseconds(50);
constexpr char kWatchHealth[] = "/grpc.health.v1.Health/Watch";

// Begins this many watches of the server's health, which go on.
bool WatchHealth(RawConnection* connection, int count) {
  std::string frames;
  for (int i = 0; i < count; ++i) {
    const auto stream = static_cast<uint32_t>(2 * i + 1);
    const std::string everything(5, '\0');  // An empty message, with its length.
    frames += HeadersFrame(stream, kWatchHealth) + Frame(0, /*flags=*/1, stream, everything);
  }
  return connection->Begin() && connection->Send(frames);
}

class ImpatientServer : public testing::Test {
 protected:
  void Start(absl::Duration ping_period = absl::Milliseconds(300)) {
    ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.max_handshake = absl::Milliseconds(300);
    options.ping_period = ping_period;
    options.max_ping_answer = absl::Milliseconds(300);
    options.max_upload_idle = absl::Milliseconds(400);
    options.max_unended_calls = kMostCalls;
    options.min_pause_of_pings = kPauseOfPings;
    options.on_refused = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      told_ += text;
    };
    auto server = Server::Start(options, &service_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  const std::unique_ptr<Store> store_ = MakeMemoryStore();
  Service service_{store_.get(), {.version = "test", .suggest_budget = absl::Milliseconds(100)}};
  std::mutex mutex_;
  std::string told_;
  std::unique_ptr<Server> server_;
};

TEST_F(ImpatientServer, HalfOpenConnectionsAreClosed) {
  Start();
  std::list<RawConnection> connections;
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  for (const size_t sent : {size_t{0}, size_t{3}, size_t{16}, preface.size()}) {
    for (int i = 0; i < 25; ++i) {
      ASSERT_TRUE(connections.emplace_back(server_->address()).Send(preface.substr(0, sent)));
    }
  }
  for (RawConnection& connection : connections) EXPECT_TRUE(connection.IsClosedWithin(kPatience));
}

TEST_F(ImpatientServer, AConnectionThatAnswersNoPingIsClosed) {
  Start();
  RawConnection connection(server_->address());
  ASSERT_TRUE(connection.Begin());
  EXPECT_TRUE(connection.IsClosedWithin(kPatience));
}

TEST_F(ImpatientServer, HeadersThatNeverEndAreClosed) {
  Start();
  constexpr int kHeaders = 1;
  constexpr int kContinuation = 9;
  const std::string fields(16384, '\x82');  // ":method: GET", again and again.
  RawConnection connection(server_->address());
  ASSERT_TRUE(connection.Begin());
  bool open = connection.Send(Frame(kHeaders, 0, 1, fields));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (open && std::chrono::steady_clock::now() < end) {
    open = connection.Send(Frame(kContinuation, 0, 1, fields));
  }
  EXPECT_FALSE(open);
}

// gRPC tells nobody of such calls, not even of those of its own services.
TEST_F(ImpatientServer, AConnectionWithAStalledMessageIsClosedAndOneThatWatchesIsNot) {
  Start(absl::Minutes(1));
  constexpr char kWatchStudies[] = "/slipstream.v1.OptimizationService/WatchStudies";
  constexpr char kCreateStudy[] = "/slipstream.v1.OptimizationService/CreateStudy";
  std::list<RawConnection> watchers;
  for (const char* method : {kWatchHealth, kWatchStudies}) {
    RawConnection& watcher = watchers.emplace_back(server_->address());
    ASSERT_TRUE(watcher.Begin());
    const std::string everything(5, '\0');  // An empty message, with its length.
    ASSERT_TRUE(watcher.Send(HeadersFrame(1, method) + Frame(0, /*flags=*/1, 1, everything)));
  }
  for (const char* method : {kCreateStudy, kWatchStudies, "/grpc.health.v1.Health/Check"}) {
    StalledMessage stalled(server_->address(), method, 1 << 20);
    EXPECT_TRUE(stalled.IsClosedWithin(kPatience)) << method;
  }
  for (RawConnection& watcher : watchers) {
    EXPECT_FALSE(watcher.IsClosedWithin(std::chrono::seconds(1)));
  }
  const std::lock_guard lock(mutex_);
  EXPECT_THAT(told_, testing::HasSubstr("--upload-idle-seconds"));
}

TEST_F(ImpatientServer, ACallerMayPingNowAndThenWhileItsCallGoesOn) {
  Start(absl::Minutes(1));
  RawConnection connection(server_->address());
  ASSERT_TRUE(WatchHealth(&connection, 1));
  const std::string ping = Frame(/*type=*/6, /*flags=*/0, 0, std::string(8, 'p'));
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(connection.Send(ping));
    EXPECT_FALSE(connection.IsClosedWithin(2 * absl::ToChronoMilliseconds(kPauseOfPings))) << i;
  }
  for (int i = 0; i < 1000; ++i) (void)connection.Send(ping);
  EXPECT_TRUE(connection.IsClosedWithin(kPatience));
}

// Calls that are open take memory, and those of gRPC's own services need no token.
TEST_F(ImpatientServer, WhileTooManyCallsAreOpenTheConnectionWithTheMostIsClosed) {
  Start(absl::Minutes(1));
  RawConnection modest(server_->address());
  ASSERT_TRUE(WatchHealth(&modest, kMostCalls / 4));
  RawConnection greedy(server_->address());
  (void)WatchHealth(&greedy, 2 * kMostCalls);  // It may be closed before it has sent all.
  EXPECT_TRUE(greedy.IsClosedWithin(kPatience));
  EXPECT_FALSE(modest.IsClosedWithin(std::chrono::seconds(1)));
  EXPECT_EQ(server_->closed_connections(), 1);
  const std::lock_guard lock(mutex_);
  EXPECT_THAT(told_, testing::HasSubstr("closed a connection from 127.0.0.1 that has the most"));
}

// Frames of another kind may not come between those of headers, so that whoever never ends them
// cannot answer a ping either.
TEST_F(ImpatientServer, HeadersThatStopAreClosed) {
  Start();
  RawConnection connection(server_->address());
  ASSERT_TRUE(connection.Begin());
  ASSERT_TRUE(connection.Send(Frame(/*type=*/1, /*flags=*/0, 1, "\x82")));
  EXPECT_TRUE(connection.IsClosedWithin(kPatience));
}

}  // namespace
}  // namespace slipstream
