#include "server/telemetry/scrape_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <new>
#include <semaphore>
#include <string>

#include "tests/e2e/http.h"
#include "tests/e2e/raw_connection.h"

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ScrapeEndpointTest : public testing::Test {
 protected:
  void SetUp() override {
    auto endpoint = ScrapeEndpoint::Start(
        "127.0.0.1:0",
        {.metrics = [this] { return metrics_(); }, .health = [this] { return health_; }});
    ASSERT_TRUE(endpoint.ok()) << endpoint.status();
    endpoint_ = *std::move(endpoint);
  }

  // From now on, whoever makes the metrics waits until Release.
  void Hold() {
    metrics_ = [this, go = go_.get_future().share()] {
      held_.release();
      go.wait();
      return std::string();
    };
  }
  void Release() { go_.set_value(); }

  std::function<std::string()> metrics_ = [] { return std::string("up 1\n"); };
  std::counting_semaphore<> held_{0};
  std::promise<void> go_;
  absl::Status health_;
  std::unique_ptr<ScrapeEndpoint> endpoint_;
};

TEST_F(ScrapeEndpointTest, MetricsComeInPrometheusFormat) {
  EXPECT_THAT(AskOverHttp(endpoint_->address(), "GET /metrics"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("text/plain; version=0.0.4"),
                    EndsWith("\r\n\r\nup 1\n")));
}

TEST_F(ScrapeEndpointTest, HealthIsTwoHundredOrSaysWhatIsWrong) {
  EXPECT_THAT(AskOverHttp(endpoint_->address(), "GET /healthz"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\nok\n")));
  health_ = absl::UnavailableError("the disk is full");
  EXPECT_THAT(AskOverHttp(endpoint_->address(), "GET /healthz"),
              AllOf(StartsWith("HTTP/1.1 503 "), EndsWith("\r\n\r\nthe disk is full\n")));
}

TEST_F(ScrapeEndpointTest, WithoutMemoryForAPageTheAnswerSaysSo) {
  metrics_ = []() -> std::string { throw std::bad_alloc(); };
  EXPECT_THAT(AskOverHttp(endpoint_->address(), "GET /metrics"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(AskOverHttp(endpoint_->address(), "GET /healthz"), EndsWith("\r\n\r\nok\n"));
}

TEST_F(ScrapeEndpointTest, HealthDoesNotWaitForThoseWhoMakeMetrics) {
  Hold();
  std::list<RawConnection> scrapers;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(scrapers.emplace_back(endpoint_->address()).Send("GET /metrics HTTP/1.1\r\n\r\n"));
  }
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(held_.try_acquire_for(std::chrono::seconds(20)));
  auto answer = std::async(std::launch::async,
                           [&] { return AskOverHttp(endpoint_->address(), "GET /healthz"); });
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  Release();
  EXPECT_THAT(answer.get(), EndsWith("\r\n\r\nok\n"));
}

TEST_F(ScrapeEndpointTest, ConnectionsBeyondTheLimitAreClosed) {
  Hold();
  std::list<RawConnection> scrapers;
  for (int i = 0; i < kMostScrapes; ++i) {
    ASSERT_TRUE(scrapers.emplace_back(endpoint_->address()).Send("GET /metrics HTTP/1.1\r\n\r\n"));
  }
  EXPECT_TRUE(RawConnection(endpoint_->address()).IsClosedWithin(std::chrono::seconds(5)));
  Release();
  for (RawConnection& scraper : scrapers) {
    EXPECT_THAT(scraper.Receive(std::chrono::seconds(20)), StartsWith("HTTP/1.1 200 "));
  }
}

// Less than the second for which it waits for a request.
constexpr std::chrono::milliseconds kAtOnce(800);

TEST_F(ScrapeEndpointTest, ItEndsAtOnceWhileARequestIsIncomplete) {
  RawConnection half(endpoint_->address());
  ASSERT_TRUE(half.Send("GET /metr"));
  AskOverHttp(endpoint_->address(), "GET /metrics");  // The other has been accepted before it.
  const auto begin = std::chrono::steady_clock::now();
  endpoint_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kAtOnce);
}

TEST_F(ScrapeEndpointTest, ItEndsAtOnceWhileAnAnswerIsNotRead) {
  metrics_ = [] { return std::string(32 << 20, 'x'); };  // More than the sockets take.
  RawConnection scraper(endpoint_->address());
  ASSERT_TRUE(scraper.Send("GET /metrics HTTP/1.1\r\n\r\n"));
  EXPECT_THAT(scraper.Receive(std::chrono::seconds(20)), StartsWith("HTTP/1.1 200 "));
  const auto begin = std::chrono::steady_clock::now();
  endpoint_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kAtOnce);
}

TEST_F(ScrapeEndpointTest, ItDoesNotStartWithoutADescriptorToEndIt) {
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  const int free = dup(STDIN_FILENO);  // The lowest.
  close(free);
  rlimit lower = before;
  lower.rlim_cur = static_cast<rlim_t>(free) + 1;  // One for the socket.
  setrlimit(RLIMIT_NOFILE, &lower);
  const auto endpoint = ScrapeEndpoint::Start(
      "127.0.0.1:0", {.metrics = metrics_, .health = [] { return absl::OkStatus(); }});
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(absl::IsResourceExhausted(endpoint.status())) << endpoint.status();
}

TEST_F(ScrapeEndpointTest, NothingElseIsThere) {
  for (const char* line : {"GET /", "GET /metrics/x", "GET /../../etc/passwd", "GET /healthz2"}) {
    EXPECT_THAT(AskOverHttp(endpoint_->address(), line), HasSubstr("404")) << line;
  }
}

TEST_F(ScrapeEndpointTest, AHeadHasNoBodyAndOtherMethodsAreNotAllowed) {
  for (const char* page : {" /metrics", " /healthz"}) {
    const std::string head = AskOverHttp(endpoint_->address(), std::string("HEAD") + page);
    EXPECT_THAT(head, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\n")));
    const std::string get = AskOverHttp(endpoint_->address(), std::string("GET") + page);
    EXPECT_THAT(get, StartsWith(head));
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
      EXPECT_THAT(AskOverHttp(endpoint_->address(), std::string(method) + page),
                  AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: GET, HEAD\r\n")))
          << method;
    }
  }
}

TEST_F(ScrapeEndpointTest, WhatIsNoRequestIsToldSo) {
  for (const char* line : {"GET", "GET /metrics x", ""}) {
    EXPECT_THAT(AskOverHttp(endpoint_->address(), line), StartsWith("HTTP/1.1 400 ")) << line;
  }
}

TEST_F(ScrapeEndpointTest, AQueryIsIgnored) {
  EXPECT_THAT(AskOverHttp(endpoint_->address(), "GET /healthz?verbose"), EndsWith("\r\nok\n"));
}

TEST_F(ScrapeEndpointTest, ARequestThatIsTooLongIsNotAnswered) {
  RawConnection longer(endpoint_->address());
  longer.Send("GET /metrics HTTP/1.1\r\nX: " + std::string(kMostScrapeRequestBytes + 2000, 'x') +
              "\r\n\r\n");
  EXPECT_EQ(longer.Receive(std::chrono::seconds(20)), "");
}

TEST_F(ScrapeEndpointTest, AnAnswerArrivesAlthoughTheRequestsBodyIsNotRead) {
  RawConnection posts(endpoint_->address());
  ASSERT_TRUE(posts.Send("POST /metrics HTTP/1.1\r\nContent-Length: 90000\r\n\r\n" +
                         std::string(90000, 'x')));
  EXPECT_THAT(posts.Receive(std::chrono::seconds(20)), StartsWith("HTTP/1.1 405 "));
}

// Their time is that of the whole request, however often they send a part.
TEST_F(ScrapeEndpointTest, ConnectionsThatSendALittleAtATimeHoldUpNoProbe) {
  std::list<RawConnection> slow;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(slow.emplace_back(endpoint_->address()).Send("GET /metrics HTTP/1.1\r\n"));
  }
  auto answer = std::async(std::launch::async,
                           [&] { return AskOverHttp(endpoint_->address(), "GET /healthz"); });
  EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(900)), std::future_status::ready);
  EXPECT_THAT(answer.get(), EndsWith("\r\n\r\nok\n"));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (slow.back().Send("X: y\r\n")) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "it is not closed";
    slow.back().Receive(std::chrono::milliseconds(300));  // What it says of that, if anything.
  }
}

TEST_F(ScrapeEndpointTest, ConnectionsThatSendNothingHoldUpOthersForAShortTime) {
  std::list<RawConnection> silent;
  for (int i = 0; i < 32; ++i) {
    ASSERT_TRUE(silent.emplace_back(endpoint_->address()).Send("GET /metr"));
  }
  auto answer = std::async(std::launch::async,
                           [&] { return AskOverHttp(endpoint_->address(), "GET /metrics"); });
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  silent.clear();
  EXPECT_THAT(answer.get(), EndsWith("\r\n\r\nup 1\n"));
}

TEST_F(ScrapeEndpointTest, AnAddressThatIsTakenOrNoneIsRefused) {
  const ScrapeEndpoint::Pages pages = {.metrics = [] { return std::string(); },
                                       .health = [] { return absl::OkStatus(); }};
  const auto taken = ScrapeEndpoint::Start(endpoint_->address(), pages);
  EXPECT_TRUE(absl::IsFailedPrecondition(taken.status())) << taken.status();
  EXPECT_THAT(std::string(taken.status().message()), HasSubstr(endpoint_->address()));
  for (const char* address : {"nonsense", "127.0.0.1", "127.0.0.1:x", ":1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ScrapeEndpoint::Start(address, pages).status())) << address;
  }
}

}  // namespace
}  // namespace slipstream
