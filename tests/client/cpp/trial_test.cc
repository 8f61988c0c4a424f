// Tests of trial.h and held_trial.h.
#include "slipstream/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "slipstream/messages/reason_text.h"
#include "slipstream/study.h"
#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class TrialTest : public testing::Test {
 protected:
  TrialTest() {
    v1::Study study = SmallStudy();
    study.mutable_lease_policy()->mutable_duration()->set_nanos(3'000'000);
    server_.service().AddStudy(study);
    ClientOptions options;
    options.address = server_.address();
    options.clock = std::make_shared<FakeClientClock>();
    options.worker = "w";
    study_ = std::make_unique<Study>(*Load("s1", options));
  }

  Trial Suggest() { return *study_->Suggest(); }
  int64_t Calls(const std::string& method) const {
    const auto calls = server_.service().calls();
    return std::count_if(calls.begin(), calls.end(),
                         [&method](const SeenCall& call) { return call.method == method; });
  }
  v1::Trial Stored() { return server_.service().trials("studies/s1").front(); }
  template <typename Condition>
  static void WaitUntil(Condition condition) {
    while (!condition()) std::this_thread::yield();
  }

  mutable FakeServer server_;
  std::unique_ptr<Study> study_;
};

TEST_F(TrialTest, DoesNotSpeakForAnotherTrialOfItsName) {
  {
    Trial trial = Suggest();
    EXPECT_TRUE(trial.Report(1, 0.5).ok());
    server_.service().ReplaceTrial(trial.name());
    EXPECT_TRUE(absl::IsNotFound(trial.Report(2, 0.5)));
    EXPECT_TRUE(absl::IsNotFound(trial.Complete(0.5)));
  }
  EXPECT_EQ(Stored().state(), v1::Trial::ACTIVE) << "nor does it give the other one back";
  Trial other = Suggest();
  EXPECT_TRUE(other.Complete(0.5).ok());
}

TEST_F(TrialTest, HasItsValues) {
  const Trial trial = Suggest();
  EXPECT_EQ(trial.name(), "studies/s1/trials/1");
  EXPECT_EQ(trial.number(), 1);
  EXPECT_EQ(*trial.Number("lr"), 0.25);
  EXPECT_EQ(*trial.Choice("kernel"), "rbf");
  EXPECT_FALSE(trial.Has("degree"));
  EXPECT_EQ(trial.Integer("degree").status().message(), "trial 1 has no value for 'degree'");
  EXPECT_EQ(trial.Boolean("kernel").status().message(), "'kernel' of trial 1 is not a boolean");
  EXPECT_EQ(trial.params().size(), 2u);
  EXPECT_FALSE(trial.candidate().has_value());
}

TEST_F(TrialTest, IsRenewedInTheBackgroundUntilItsOutcome) {
  Trial trial = Suggest();
  WaitUntil([this] { return Calls("Heartbeat") >= 3; });
  EXPECT_FALSE(trial.lost());
  ASSERT_TRUE(trial.Report(1, 0.5).ok());
  EXPECT_FALSE(trial.ended());
  ASSERT_TRUE(trial.Complete(0.75).ok());
  EXPECT_TRUE(trial.ended());
  EXPECT_EQ(trial.measured(), 0.75);
  EXPECT_EQ(Stored().state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(Calls("Report"), 1);
}

TEST_F(TrialTest, StopsEarlyForTheReasonAndWithTheValueOfTheLastReport) {
  Trial trial = Suggest();
  ASSERT_TRUE(trial.Report(2, 0.5).ok());
  EXPECT_FALSE(*trial.ShouldStop());
  EXPECT_EQ(trial.stop_reason(), std::nullopt);
  ASSERT_TRUE(trial.Report(1, 0.25).ok());
  EXPECT_TRUE(*trial.ShouldStop());
  ASSERT_TRUE(trial.Stop().ok());
  EXPECT_EQ(Stored().state(), v1::Trial::STOPPED);
  EXPECT_EQ(Stored().reason(), "two are enough");
  EXPECT_EQ(Stored().measurement().metrics().at("accuracy"), 0.5);
}

TEST_F(TrialTest, StopsWithTheValueOfAReportThatTheServerHasNotTaken) {
  Trial trial = Suggest();
  ASSERT_TRUE(trial.Report(1, 0.25).ok());
  server_.service().FailAlways({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many reports"});
  EXPECT_TRUE(absl::IsResourceExhausted(trial.Report(2, 0.5)));
  server_.service().FailAlways(grpc::Status::OK);
  ASSERT_TRUE(trial.Stop("enough").ok());
  EXPECT_EQ(Stored().measurement().metrics().at("accuracy"), 0.5);
}

TEST_F(TrialTest, IsGivenBackWithoutAnOutcome) {
  { const Trial trial = Suggest(); }
  EXPECT_EQ(Stored().state(), v1::Trial::REQUESTED);
  EXPECT_EQ(Calls("ReleaseTrials"), 1);
}

TEST_F(TrialTest, IsGivenBackAtOnceDuringARenewal) {
  server_.service().FailNext(2, {});  // Whether it held trials before, and the suggestion.
  server_.service().FailNext(1, {.hold = true});
  {
    const Trial trial = Suggest();
    WaitUntil([this] { return Calls("Heartbeat") == 1; });
  }
  EXPECT_EQ(Stored().state(), v1::Trial::REQUESTED);
  server_.service().Release();
}

TEST_F(TrialTest, SurvivesAnExceptionOfAFunctionDuringARenewal) {
  std::atomic<int> thrown{0};
  ClientOptions options;
  options.address = server_.address();
  options.on_retry = [&thrown](const FailedAttempt&) {
    ++thrown;
    throw std::runtime_error("full disk");
  };
  Study study = *Load("s1", options);
  absl::StatusOr<Trial> trial = study.Suggest();
  ASSERT_TRUE(trial.ok()) << trial.status();
  server_.service().FailNext(1, {.status = {grpc::StatusCode::UNAVAILABLE, "down"}});
  WaitUntil([&thrown] { return thrown == 1; });
  EXPECT_TRUE(trial->Complete(0.5).ok());
}

TEST_F(TrialTest, IsGivenBackByThatWhichHoldsItLast) {
  {
    Trial trial = Suggest();
    const Trial moved = std::move(trial);
    EXPECT_EQ(moved.number(), 1);
  }
  EXPECT_EQ(Calls("ReleaseTrials"), 1);
  Trial other = Suggest();
  ASSERT_TRUE(other.Release().ok());
  EXPECT_TRUE(other.ended());
  EXPECT_EQ(Calls("ReleaseTrials"), 2);
}

TEST_F(TrialTest, IsKeptWhenItHasItsOutcome) {
  {
    Trial trial = Suggest();
    ASSERT_TRUE(trial.Fail("out of memory").ok());
  }
  EXPECT_EQ(Calls("ReleaseTrials"), 0);
  EXPECT_EQ(Stored().state(), v1::Trial::FAILED);
}

TEST_F(TrialTest, NoticesThatItWasTakenAway) {
  {
    const Trial trial = Suggest();
    server_.service().TakeAway(trial.name());
    WaitUntil([&trial] { return trial.lost(); });
  }
  EXPECT_EQ(Calls("ReleaseTrials"), 0);
  EXPECT_EQ(Stored().state(), v1::Trial::ACTIVE);
}

TEST_F(TrialTest, AnOutcomeThatIsRefusedCanBeToldAgain) {
  Trial trial = Suggest();
  server_.service().FailAlways({grpc::StatusCode::INVALID_ARGUMENT, "no"});
  EXPECT_FALSE(trial.Stop("hopeless").ok());
  EXPECT_FALSE(trial.ended());
  server_.service().FailAlways(grpc::Status::OK);
  ASSERT_TRUE(trial.Infeasible("diverged").ok());
  EXPECT_EQ(Stored().state(), v1::Trial::INFEASIBLE);
}

TEST_F(TrialTest, IsKeptWhenItsOutcomeWasRefused) {
  {
    Trial trial = Suggest();
    server_.service().FailAlways({grpc::StatusCode::UNAVAILABLE, "down"});
    const absl::Status refused = trial.Stop("hopeless", 0.5);
    server_.service().FailAlways(grpc::Status::OK);
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr("once the server answers again, this records the outcome: slipstream "
                          "--address " + server_.address() +
                          " observe s1/1 --stopped hopeless --value 0.5"));
  }
  EXPECT_EQ(Calls("ReleaseTrials"), 0);
  EXPECT_EQ(Stored().state(), v1::Trial::ACTIVE);
  EXPECT_EQ(Suggest().worker(), "w#2") << "under the same id it would be handed out again";
}

TEST_F(TrialTest, KeepsInItsErrorWhatIsGone) {
  Trial trial = Suggest();
  server_.service().ReplaceTrial(trial.name());
  EXPECT_THAT(std::string(trial.Complete(0.5).message()),
              HasSubstr("this keeps the result: slipstream --address " + server_.address() +
                        " trial add s1 --set kernel=rbf --set lr=0.25 --value 0.5"));
}

TEST_F(TrialTest, RefusesWhatIsNoNumberAndSaysWhatToDo) {
  Trial trial = Suggest();
  const absl::Status refused = trial.Complete(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("trial 1: Complete() got nan"));
  EXPECT_FALSE(trial.Report(1, std::numeric_limits<double>::infinity()).ok());
  EXPECT_EQ(Calls("Observe") + Calls("Report"), 0);
}

TEST_F(TrialTest, CutsALongReason) {
  Trial trial = Suggest();
  ASSERT_TRUE(trial.Fail(std::string(1025, 'x')).ok());
  EXPECT_EQ(Stored().reason(), ReasonText(std::string(1025, 'x')));
}

TEST_F(TrialTest, IsAnnotatedBeforeAndAfterItsOutcome) {
  Trial trial = Suggest();
  EXPECT_TRUE(trial.Labels()->empty());
  ASSERT_TRUE(trial.Annotate({.labels = {{"gpu", "a100"}, {"fold", "3"}}, .note = "odd"}).ok());
  EXPECT_THAT(*trial.Labels(), ElementsAre(Pair("fold", "3"), Pair("gpu", "a100")));
  EXPECT_EQ(*trial.Note(), "odd");
  ASSERT_TRUE(study_->Annotate(1, {.labels = {{"seen", "ann"}}}).ok());
  ASSERT_TRUE(trial.Complete(0.5).ok());
  ASSERT_TRUE(trial.Annotate({.labels = {{"gpu", "h100"}, {"fold", std::nullopt}}}).ok());
  EXPECT_THAT(*trial.Labels(), ElementsAre(Pair("gpu", "h100"), Pair("seen", "ann")));
  EXPECT_EQ(*trial.Note(), "odd");
  ASSERT_TRUE(trial.AnnotateAsync({.note = ""}).get().ok());
  EXPECT_EQ(*trial.Note(), "");
  EXPECT_EQ(Stored().labels_size(), 2);
}

TEST_F(TrialTest, WritesNothingOnAnotherTrialOfItsName) {
  Trial trial = Suggest();
  server_.service().ReplaceTrial(trial.name());
  const absl::Status refused = trial.Annotate({.note = "odd"});
  EXPECT_TRUE(absl::IsNotFound(refused));
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("studies/s1/trials/1 is not the trial that the call is about"));
  EXPECT_TRUE(absl::IsNotFound(trial.Labels().status()));
  EXPECT_TRUE(trial.lost());
  EXPECT_EQ(Stored().note(), "");
}

TEST_F(TrialTest, TellsWithoutWaitingAlsoWhenItGoes) {
  std::future<absl::Status> told;
  {
    Trial trial = Suggest();
    EXPECT_TRUE(trial.ReportAsync(1, 0.5).get().ok());
    EXPECT_TRUE(trial.ReportAsync(2, 0.5).get().ok());
    EXPECT_TRUE(*trial.ShouldStopAsync().get());
    told = trial.StopAsync();
  }
  EXPECT_TRUE(told.get().ok());
  EXPECT_EQ(Stored().state(), v1::Trial::STOPPED);
  EXPECT_EQ(Calls("ReleaseTrials"), 0);
  EXPECT_TRUE(Suggest().FailAsync("broken").get().ok());
  EXPECT_TRUE(Suggest().InfeasibleAsync("diverged").get().ok());
}

}  // namespace
}  // namespace slipstream::client
