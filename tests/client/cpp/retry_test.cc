#include <gmock/gmock.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <set>

#include "client/cpp/caller.h"
#include "slipstream/messages/client.h"
#include "slipstream/v1/errors.pb.h"
#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream {
namespace {

using testing::HasSubstr;
using testing::Not;

class Retry : public testing::Test {
 protected:
  Retry() {
    options_.address = server_.address();
    options_.clock = clock_;
  }

  Client& client() {
    if (!client_) client_ = *Client::Connect(options_);
    return *client_;
  }

  std::vector<SeenCall> calls() { return server_.service().calls(); }

  FakeServer server_;
  std::shared_ptr<FakeClientClock> clock_ = std::make_shared<FakeClientClock>();
  ClientOptions options_;
  std::unique_ptr<Client> client_;
};

Fault Failing(grpc::StatusCode code) { return {.status = {code, "on demand"}}; }

TEST_F(Retry, RepeatsUnderTheSameRequestIdUntilTheServerAnswers) {
  server_.service().FailNext(3, Failing(grpc::StatusCode::UNAVAILABLE));
  ASSERT_TRUE(client().CreateStudy(SmallStudy(), "digits").ok());
  ASSERT_EQ(calls().size(), 4u);
  for (const SeenCall& call : calls()) {
    EXPECT_EQ(call.request_id, calls()[0].request_id);
    EXPECT_EQ(call.request_id.size(), 36u);
  }
}

TEST_F(Retry, TellsWhyEachAttemptIsRepeated) {
  std::vector<FailedAttempt> failed;
  options_.on_retry = [&](const FailedAttempt& attempt) { failed.push_back(attempt); };
  client_internal::Caller caller(options_, grpc::InsecureChannelCredentials);
  int attempts = 0;
  const absl::Status status = caller.Call(
      "list studies", options_.call, [&](client_internal::Caller::Stub&, grpc::ClientContext*) {
        if (++attempts == 1) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "refused");
        if (attempts == 2) {
          clock_->Sleep(std::chrono::seconds(3));
          return grpc::Status(grpc::StatusCode::ABORTED, "it has changed");
        }
        return grpc::Status::OK;
      });
  EXPECT_TRUE(status.ok()) << status;
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_FALSE(failed[0].answered);
  EXPECT_EQ(failed[1].status, absl::AbortedError("it has changed"));
  EXPECT_TRUE(failed[1].answered);
  EXPECT_EQ(failed[1].took, std::chrono::seconds(3));
  EXPECT_EQ(failed[1].pause, clock_->sleeps()[2]);
}

TEST_F(Retry, TellsWhatAServerAnswersThatIsUnavailable) {
  std::vector<FailedAttempt> failed;
  options_.on_retry = [&](const FailedAttempt& attempt) { failed.push_back(attempt); };
  server_.service().FailNext(1, Failing(grpc::StatusCode::UNAVAILABLE));
  ASSERT_TRUE(client().CreateStudy(SmallStudy()).ok());
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_TRUE(failed[0].answered);
  EXPECT_EQ(failed[0].status, absl::UnavailableError("on demand"));
}

TEST_F(Retry, RepeatsAbortedCalls) {
  server_.service().FailNext(1, Failing(grpc::StatusCode::ABORTED));
  EXPECT_TRUE(client().CreateStudy(SmallStudy()).ok());
}

TEST_F(Retry, RepeatsCallsThatAServerDropsWhenItShutsDown) {
  server_.service().FailNext(1, Failing(grpc::StatusCode::CANCELLED));
  EXPECT_TRUE(client().CreateStudy(SmallStudy()).ok());
}

TEST_F(Retry, TellsAtOnceThatAnotherServiceListens) {
  client_internal::Caller caller(options_, grpc::InsecureChannelCredentials);
  int attempts = 0;
  const absl::Status status = caller.Call(
      "list studies", options_.call, [&](client_internal::Caller::Stub&, grpc::ClientContext*) {
        ++attempts;
        return grpc::Status(grpc::StatusCode::UNAVAILABLE,
                            "failed to connect to all addresses; last error: UNAVAILABLE: "
                            "ipv4:127.0.0.1:80: Failed parsing HTTP/2");
      });
  EXPECT_EQ(attempts, 1);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("cannot list studies on " + options_.address + ": what listens there does "
                        "not speak gRPC, so it is another service"));
}

TEST_F(Retry, MakesAChangeOnceEvenIfItsResponseWasLost) {
  server_.service().FailNext(
      2, {.status = {grpc::StatusCode::UNAVAILABLE, "lost"}, .lost_answer = true});
  const auto study = client().CreateStudy(SmallStudy(), "digits");
  ASSERT_TRUE(study.ok()) << study.status();
  EXPECT_EQ(study->name(), "studies/digits");
  EXPECT_EQ(server_.service().study_count(), 1u);
}

TEST_F(Retry, RepeatsCallsThatABusyServerRefuses) {
  v1::StatusDetails details;
  details.add_details()->PackFrom(v1::Overload());
  const grpc::Status busy(grpc::StatusCode::RESOURCE_EXHAUSTED, "the server is busy",
                          details.SerializeAsString());
  server_.service().FailNext(2, {.status = busy});
  EXPECT_TRUE(client().CreateStudy(SmallStudy()).ok());
  EXPECT_EQ(clock_->sleeps().size(), 2u);
}

grpc::Status TooManyCalls(int64_t seconds) {
  v1::Overload overload;
  overload.mutable_retry_delay()->set_seconds(seconds);
  v1::StatusDetails details;
  details.add_details()->PackFrom(overload);
  return {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many calls", details.SerializeAsString()};
}

TEST_F(Retry, WaitsForLongerThanTheServerAsksFor) {
  server_.service().FailNext(4, {.status = TooManyCalls(3)});
  EXPECT_TRUE(client().CreateStudy(SmallStudy()).ok());
  const std::vector<std::chrono::nanoseconds> sleeps = clock_->sleeps();
  ASSERT_EQ(sleeps.size(), 4u);
  for (size_t i = 0; i < sleeps.size(); ++i) {
    EXPECT_GE(sleeps[i], std::chrono::seconds(3));
    EXPECT_LE(sleeps[i], std::chrono::seconds(3) + client_internal::LongestPause(
                                                       options_.retry, static_cast<int>(i) + 1));
  }
  const std::set<std::chrono::nanoseconds> distinct(sleeps.begin(), sleeps.end());
  EXPECT_EQ(distinct.size(), sleeps.size());  // So that callers come one after the other.
}

TEST_F(Retry, DoesNotWaitForAServerThatRefusesBeyondTheDeadline) {
  server_.service().FailNext(1, {.status = TooManyCalls(60)});
  const absl::Status status = client().CreateStudy(SmallStudy()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("too many calls"));
  EXPECT_TRUE(clock_->sleeps().empty());
}

TEST_F(Retry, DoesNotRepeatCallsThatCannotSucceed) {
  for (const auto code : {grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::NOT_FOUND,
                          grpc::StatusCode::ALREADY_EXISTS, grpc::StatusCode::FAILED_PRECONDITION,
                          grpc::StatusCode::RESOURCE_EXHAUSTED, grpc::StatusCode::INTERNAL,
                          grpc::StatusCode::UNKNOWN, grpc::StatusCode::PERMISSION_DENIED}) {
    const size_t before = calls().size();
    server_.service().FailNext(1, Failing(code));
    EXPECT_EQ(static_cast<int>(client().CreateStudy(SmallStudy()).status().code()),
              static_cast<int>(code));
    EXPECT_EQ(calls().size(), before + 1);
  }
  EXPECT_TRUE(clock_->sleeps().empty());
}

TEST_F(Retry, IsDecidedByTheCodeAndNotByTheMessage) {
  server_.service().FailNext(1, {.status = {grpc::StatusCode::UNKNOWN, "Stream removed"}});
  EXPECT_EQ(client().CreateStudy(SmallStudy()).status().code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(calls().size(), 1u);
}

TEST_F(Retry, KeepsACallersOwnRequestId) {
  server_.service().FailNext(1, Failing(grpc::StatusCode::UNAVAILABLE));
  v1::CreateStudyRequest request;
  *request.mutable_study() = SmallStudy();
  request.set_request_id("nightly-42");
  ASSERT_TRUE(client().CreateStudy(request).ok());
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_EQ(calls()[0].request_id, "nightly-42");
  EXPECT_EQ(calls()[1].request_id, "nightly-42");
}

TEST_F(Retry, GivesUpAtTheOverallDeadline) {
  server_.service().FailAlways({grpc::StatusCode::UNAVAILABLE, "down"});
  const absl::Status status = client().GetStudy("studies/digits").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_LT(clock_->Elapsed(), options_.call.overall);
  // Pauses grow to 2.5 s on average, so they nearly fill the time.
  EXPECT_GT(clock_->Elapsed(), options_.call.overall - 2 * options_.retry.max_backoff);
  EXPECT_GT(calls().size(), 10u);
}

TEST_F(Retry, TakesTheLongestDeadlinesThatThereAre) {
  options_.call = {std::chrono::nanoseconds::max(), std::chrono::nanoseconds::max()};
  options_.retry.max_attempts = 1;
  server_.service().AddStudy(SmallStudy());
  EXPECT_EQ(client().GetStudy("studies/s1").status(), absl::OkStatus());
}

TEST_F(Retry, LetsSuggestGoOnForLonger) {
  server_.service().FailAlways({grpc::StatusCode::UNAVAILABLE, "down"});
  EXPECT_FALSE(client().Suggest("studies/digits", "gpu-3").ok());
  EXPECT_GT(clock_->Elapsed(), options_.call.overall * 2);
  EXPECT_LT(clock_->Elapsed(), options_.suggest.overall);
}

TEST_F(Retry, PausesGrowAndStayInTheirBounds) {
  server_.service().FailAlways({grpc::StatusCode::UNAVAILABLE, "down"});
  EXPECT_FALSE(client().Suggest("studies/digits", "gpu-3").ok());
  const std::vector<std::chrono::nanoseconds> sleeps = clock_->sleeps();
  ASSERT_GT(sleeps.size(), 20u);
  for (size_t i = 0; i < sleeps.size(); ++i) {
    EXPECT_GE(sleeps[i], std::chrono::nanoseconds::zero());
    EXPECT_LE(sleeps[i], client_internal::LongestPause(options_.retry, static_cast<int>(i) + 1));
  }
  const std::set<std::chrono::nanoseconds> distinct(sleeps.begin(), sleeps.end());
  EXPECT_EQ(distinct.size(), sleeps.size());  // Jitter makes all pauses differ.
}

TEST_F(Retry, MakesNoMoreAttemptsThanAllowed) {
  options_.retry.max_attempts = 3;
  server_.service().FailAlways({grpc::StatusCode::UNAVAILABLE, "down"});
  const absl::Status status = client().GetStudy("studies/digits").status();
  EXPECT_EQ(calls().size(), 3u);
  EXPECT_THAT(std::string(status.message()), HasSubstr("3 attempts"));
}

TEST_F(Retry, GivesUpAfterTheLongestOutage) {
  options_.retry.longest_outage = std::chrono::seconds(12);
  options_.retry.max_backoff = std::chrono::seconds(2);
  server_.service().FailAlways({grpc::StatusCode::UNAVAILABLE, "down"});
  EXPECT_FALSE(client().GetStudy("studies/digits").ok());
  EXPECT_LT(clock_->Elapsed(), std::chrono::seconds(12));
  EXPECT_GT(clock_->Elapsed(), std::chrono::seconds(10));
}

TEST_F(Retry, TakesAnAttemptThatIsSlowForNoOutage) {
  options_.call.attempt = std::chrono::milliseconds(100);
  options_.retry.longest_outage = std::chrono::nanoseconds(1);
  server_.service().AddStudy(SmallStudy());
  server_.service().FailNext(1, {.hold = true});
  EXPECT_TRUE(client().GetStudy("studies/s1").ok());
}

TEST_F(Retry, ReportsTheReasonRatherThanTheDeadlineOfTheNextAttempt) {
  // The fake clock advances only by the pause, so the second attempt has a
  // little less than the whole time, which is real.
  options_.call = {std::chrono::seconds(1), std::chrono::seconds(1)};
  options_.retry.max_attempts = 2;
  server_.service().FailNext(1, Failing(grpc::StatusCode::UNAVAILABLE));
  server_.service().FailNext(1, {.hold = true});
  const absl::Status status = client().GetStudy("studies/s1").status();
  EXPECT_EQ(calls().size(), 2u);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("on demand"));
}

TEST_F(Retry, OpensANewConnectionAfterAnAttemptWithoutResponse) {
  options_.call.attempt = std::chrono::milliseconds(100);
  server_.service().AddStudy(SmallStudy());
  server_.service().FailNext(1, {.hold = true});
  const auto study = client().GetStudy("studies/s1");
  ASSERT_TRUE(study.ok()) << study.status();
  ASSERT_GE(calls().size(), 2u);
  EXPECT_NE(calls().front().peer, calls().back().peer);
}

TEST_F(Retry, KeepsItsConnectionWhenTheServerAnswersThatItIsBusy) {
  server_.service().AddStudy(SmallStudy());
  server_.service().FailNext(1, Failing(grpc::StatusCode::UNAVAILABLE));
  ASSERT_TRUE(client().GetStudy("studies/s1").ok());
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_EQ(calls()[0].peer, calls()[1].peer);
}

TEST_F(Retry, SaysThatAnUnavailableServerAnswered) {
  options_.retry.max_attempts = 1;
  server_.service().FailAlways({grpc::StatusCode::UNAVAILABLE, "draining"});
  const std::string message(client().GetStudy("studies/digits").status().message());
  EXPECT_THAT(message, HasSubstr("cannot read studies/digits on " + server_.address()));
  EXPECT_THAT(message, HasSubstr("draining"));
  EXPECT_THAT(message, Not(HasSubstr("is slipstream_server running")));
}

TEST(RetryWithoutServer, AsksWhetherTheServerIsRunning) {
  std::string address;
  {
    FakeServer gone;
    address = gone.address();
  }
  ClientOptions options;
  options.address = address;
  options.clock = std::make_shared<FakeClientClock>();
  options.retry.max_attempts = 2;
  const absl::Status status =
      (*Client::Connect(options))->Observe("studies/d/trials/1", "accuracy", 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no answer from " + address + ": is slipstream_server running there?"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("studies/d/trials/1"));
}

TEST(LongestPause, DoublesUpToItsBound) {
  const RetryOptions retry;
  EXPECT_EQ(client_internal::LongestPause(retry, 1), std::chrono::milliseconds(100));
  EXPECT_EQ(client_internal::LongestPause(retry, 2), std::chrono::milliseconds(200));
  EXPECT_EQ(client_internal::LongestPause(retry, 6), std::chrono::milliseconds(3200));
  EXPECT_EQ(client_internal::LongestPause(retry, 7), std::chrono::seconds(5));
  EXPECT_EQ(client_internal::LongestPause(retry, 1'000'000), std::chrono::seconds(5));
}

}  // namespace
}  // namespace slipstream
