#include "slipstream/optimization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "slipstream/study.h"
#include "slipstream/v1/errors.pb.h"
#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream::client {
namespace {

using testing::HasSubstr;

class OptimizationTest : public testing::Test {
 protected:
  OptimizationTest() {
    server_.service().AddStudy(SmallStudy());
    ClientOptions options;
    options.address = server_.address();
    options.clock = std::make_shared<FakeClientClock>();
    study_ = std::make_unique<Study>(*Load("s1", options));
  }

  std::vector<v1::Trial> Stored() { return server_.service().trials("studies/s1"); }

  FakeServer server_;
  std::unique_ptr<Study> study_;
};

TEST_F(OptimizationTest, EvaluatesAsManyTrialsAsAskedForOnSeveralThreads) {
  std::atomic<int> evaluated{0};
  int shown = 0;
  const auto best =
      study_->Optimize([&evaluated](Trial& trial) { return *trial.Number("lr") + ++evaluated; },
                       {.trials = 20, .workers = 4, .progress = [&shown](const Trial& trial) {
                          if (trial.measured().has_value()) ++shown;
                        }});
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ(evaluated, 20);
  EXPECT_EQ(shown, 20);
  EXPECT_EQ((*best)->value, 20.25);
  for (const v1::Trial& trial : Stored()) EXPECT_EQ(trial.state(), v1::Trial::SUCCEEDED);
}

constexpr size_t kMoreThanThereIs = size_t{1} << 47;
constexpr size_t kUsual = 8 << 20;

// Threads that are started without attributes of their own get stacks of this size.
void SetStackBytes(size_t bytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  ASSERT_EQ(pthread_setattr_default_np(&attributes), 0);
  pthread_attr_destroy(&attributes);
}

TEST_F(OptimizationTest, GoesOnWithoutTheThreadsThatCannotStart) {
  std::atomic<int> evaluated{0};
  const auto first = study_->Suggest();  // Its lease is renewed by a thread of the client.
  ASSERT_TRUE(first.ok()) << first.status();
  server_.StartThreads(4);  // The server is in this process too.
  SetStackBytes(kMoreThanThereIs);
  const auto best = study_->Optimize(
      [&evaluated](Trial&) {
        SetStackBytes(kUsual);
        return static_cast<double>(++evaluated);
      },
      {.trials = 5, .workers = 4});
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ(evaluated, 5);
}

TEST_F(OptimizationTest, ReturnsThatThereIsNoThreadAtAll) {
  server_.StartThreads(4);
  SetStackBytes(kMoreThanThereIs);
  // Without a thread that renews leases, or one that makes calls, no trial is asked for.
  const absl::Status optimized =
      study_->Optimize([](Trial&) { return 0.5; }, {.trials = 1}).status();
  const absl::Status suggested = study_->SuggestAsync().get().status();
  SetStackBytes(kUsual);
  EXPECT_EQ(optimized.code(), absl::StatusCode::kResourceExhausted) << optimized;
  EXPECT_EQ(suggested.code(), absl::StatusCode::kResourceExhausted) << suggested;
  EXPECT_TRUE(Stored().empty());
  EXPECT_TRUE(study_->SuggestAsync().get().ok());
}

TEST_F(OptimizationTest, TellsEachOutcome) {
  const auto objective = [](Trial& trial) -> Outcome {
    switch (trial.number()) {
      case 1:
        return Failed{"broken"};
      case 2:
        return Infeasible{"diverged"};
      case 3:
        return Stopped{"hopeless", 0.5};
      case 4:
        (void)trial.Complete(0.25);
        return 7.0;  // Ignored.
      default:
        (void)trial.Report(1, 0.1);
        (void)trial.Report(2, 0.2);
        (void)trial.ShouldStop();
        return 0.3;
    }
  };
  ASSERT_TRUE(study_->Optimize(objective, {.trials = 5}).ok());
  const std::vector<v1::Trial> trials = Stored();
  EXPECT_EQ(trials[0].state(), v1::Trial::FAILED);
  EXPECT_EQ(trials[1].reason(), "diverged");
  EXPECT_EQ(trials[2].measurement().metrics().at("accuracy"), 0.5);
  EXPECT_EQ(trials[3].measurement().metrics().at("accuracy"), 0.25);
  EXPECT_EQ(trials[4].state(), v1::Trial::STOPPED);
  EXPECT_EQ(trials[4].measurement().metrics().at("accuracy"), 0.3);
}

TEST_F(OptimizationTest, AnExceptionFailsItsTrialAndIsThrownAgain) {
  const auto objective = [](Trial&) -> Outcome { throw std::runtime_error("out of memory"); };
  EXPECT_THROW((void)study_->Optimize(objective, {.trials = 10, .workers = 2}), std::runtime_error);
  EXPECT_LE(Stored().size(), 2u);
  for (const v1::Trial& trial : Stored()) {
    if (trial.state() == v1::Trial::REQUESTED) continue;  // It was suggested too late.
    EXPECT_EQ(trial.state(), v1::Trial::FAILED);
    EXPECT_EQ(trial.reason(), "out of memory");
  }
}

TEST_F(OptimizationTest, AnExceptionWhoseTextIsNotUtf8FailsItsTrialToo) {
  const std::pair<std::string, std::string> told_of_texts[] = {
      {"no caf\xE9 \xE2\x82", "no caf? ??"},  // Latin-1, and a character that was cut off.
      {"\xC0\xAF \xED\xA0\x80", "?? ???"},   // An overlong form and a surrogate.
      {"\xF4\x90\x80\x80 \x80", "???? ?"},
      {"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\xB1", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\xB1"},
  };
  for (const auto& [text, told] : told_of_texts) {
    const auto objective = [&text](Trial&) -> Outcome { throw std::runtime_error(text); };
    EXPECT_THROW((void)study_->Optimize(objective, {}), std::runtime_error);
    EXPECT_EQ(Stored().back().state(), v1::Trial::FAILED);
    EXPECT_EQ(Stored().back().reason(), told);
  }
}

TEST_F(OptimizationTest, AValueThatIsNotFiniteMakesItsTrialInfeasible) {
  const std::vector<Objective> objectives = {
      [](Trial&) { return std::nan(""); },
      [](Trial&) { return -std::numeric_limits<double>::infinity(); },
      [](Trial& trial) {
        (void)trial.Report(1, 0.1);
        (void)trial.Report(2, 0.2);
        (void)trial.ShouldStop();
        return std::nan("");
      },
      [](Trial&) { return Stopped{.value = std::nan("")}; },
  };
  for (const Objective& objective : objectives) {
    const auto best = study_->Optimize(objective, {.trials = 2});
    ASSERT_TRUE(best.ok()) << best.status();
    EXPECT_EQ(Stored().back().state(), v1::Trial::INFEASIBLE);
    EXPECT_THAT(Stored().back().reason(), HasSubstr("the objective is "));
  }
  EXPECT_EQ(Stored().size(), 2 * objectives.size());
}

TEST_F(OptimizationTest, SoDoesOneThatTheObjectiveTellsTheTrial) {
  const auto objective = [](Trial& trial) -> Outcome {
    const double nan = std::nan("");
    (void)trial.Report(1, nan);
    const bool stops = trial.number() == 2;
    if (trial.number() != 3) (void)(stops ? trial.Stop({}, nan) : trial.Complete(nan));
    if (trial.number() == 4) return Failed{"the data was broken"};
    return 0.5;
  };
  const auto best = study_->Optimize(objective, {.trials = 4});
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ((*best)->number, 3);
  EXPECT_EQ(Stored()[0].state(), v1::Trial::INFEASIBLE);
  EXPECT_EQ(Stored()[0].reason(), "Complete() got nan");
  EXPECT_EQ(Stored()[1].reason(), "Stop() got nan");
  EXPECT_EQ(Stored()[3].state(), v1::Trial::FAILED);
}

TEST_F(OptimizationTest, GoesOnAfterATrialThatSomebodyElseHasEnded) {
  const auto objective = [this](Trial& trial) {
    if (trial.number() == 1) {
      server_.service().FailNext(1, {.status = OtherOutcomeStatus("ended by hand")});
    }
    return 0.5;
  };
  const auto best = study_->Optimize(objective, {.trials = 3});
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ(Stored()[1].state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(Stored()[2].state(), v1::Trial::SUCCEEDED);
  for (const SeenCall& call : server_.service().calls()) EXPECT_NE(call.method, "ReleaseTrials");
}

TEST_F(OptimizationTest, EndsWhenTheStudyIsPausedOrCompletedMeanwhile) {
  const grpc::Status refusal{grpc::StatusCode::FAILED_PRECONDITION, "the study is not active"};
  const auto end = [&](const Trial& trial) {
    ASSERT_TRUE((trial.number() == 1 ? study_->Pause() : study_->Complete()).ok());
    server_.service().FailNext(1, {.status = refusal});
  };
  const auto objective = [](Trial&) { return 0.5; };
  for (size_t trials = 1; trials <= 2; ++trials) {
    const auto best = study_->Optimize(objective, {.trials = 9, .progress = end});
    ASSERT_TRUE(best.ok()) << best.status();
    EXPECT_EQ((*best)->number, 1);
    EXPECT_EQ(Stored().size(), trials);
  }
  server_.service().FailNext(1, {.status = refusal});
  EXPECT_EQ(study_->Optimize(objective, {}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(OptimizationTest, GoesOnAfterAPauseThatIsOverWhenItLooks) {
  const grpc::Status refusal{grpc::StatusCode::FAILED_PRECONDITION, "the study is not active"};
  const auto refuse = [&](const Trial& trial) {
    if (trial.number() < 3) server_.service().FailNext(1, {.status = refusal});
  };
  const auto objective = [](Trial&) { return 0.5; };
  ASSERT_TRUE(study_->Optimize(objective, {.trials = 3, .progress = refuse}).ok());
  EXPECT_EQ(Stored().size(), 3u);
  server_.service().FailNext(1, {.status = refusal});
  ASSERT_TRUE(study_->Optimize(objective, {.trials = 1}).ok());
  for (const Fault& fault : {Fault{refusal}, Fault{}, Fault{refusal}}) {
    server_.service().FailNext(1, fault);
  }
  EXPECT_EQ(study_->Optimize(objective, {.trials = 1}).status().code(),
            absl::StatusCode::kFailedPrecondition) << "it is refused for another reason";
}

TEST_F(OptimizationTest, TellsOfAnErrorWhileOthersStillTrain) {
  std::atomic<int> begun{0};
  std::atomic<bool> told{false};
  const auto objective = [&](Trial&) -> Outcome {
    const bool fails = ++begun == 3;
    while (begun < 3) std::this_thread::yield();
    if (fails) throw std::runtime_error("disk");
    while (!told) std::this_thread::yield();  // Ends only if the error is told of.
    throw std::runtime_error("cut short");
  };
  std::vector<absl::Status> errors;
  const auto note = [&](const absl::Status& error) {
    errors.push_back(error);
    told = true;
  };
  try {
    (void)study_->Optimize(objective, {.workers = 3, .on_error = note});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "disk");
  }
  EXPECT_EQ(errors, std::vector<absl::Status>{absl::UnknownError("disk")});
  errors.clear();
  server_.service().FailNext(1, {.status = {grpc::StatusCode::INTERNAL, "no"}});
  EXPECT_FALSE(study_->Optimize(objective, {.on_error = note}).ok());
  EXPECT_TRUE(errors.empty()) << "nobody else trains";
}

TEST_F(OptimizationTest, EndsWithAnExceptionOfTheProgramsOtherFunctions) {
  ClientOptions options;
  options.address = server_.address();
  options.clock = std::make_shared<FakeClientClock>();
  options.on_retry = [](const FailedAttempt&) { throw std::runtime_error("full disk"); };
  Study study = *Load("s1", options);
  server_.service().FailAlways({grpc::StatusCode::UNAVAILABLE, "down"});
  const auto objective = [](Trial&) { return 0.5; };
  EXPECT_THROW((void)study.Optimize(objective, {.workers = 3}), std::runtime_error);
  server_.service().FailAlways(grpc::Status::OK);
  const auto show = [](const Trial&) { throw std::runtime_error("full disk"); };
  EXPECT_THROW((void)study.Optimize(objective, {.workers = 3, .progress = show}),
               std::runtime_error);
}

TEST_F(OptimizationTest, KeepsATrialWhoseOutcomeTheServerWouldNotRecord) {
  const std::vector<Objective> objectives = {
      [](Trial&) { return 0.25; },
      [](Trial& trial) {
        EXPECT_FALSE(trial.Complete(0.25).ok());
        return 7.0;  // Ignored.
      },
      [](Trial& trial) {
        EXPECT_FALSE(trial.Complete(0.25).ok());
        return Failed{"the result was refused"};
      },
      [](Trial& trial) -> Outcome { throw std::runtime_error(trial.Complete(0.25).ToString()); },
  };
  size_t number = 0;
  for (const Objective& objective : objectives) {
    for (const auto code : {grpc::StatusCode::INTERNAL, grpc::StatusCode::UNAUTHENTICATED,
                            grpc::StatusCode::INVALID_ARGUMENT}) {
      const auto refused = [&](Trial& trial) {
        server_.service().FailNext(1, {.status = {code, "no"}});
        return objective(trial);
      };
      std::string error;
      try {
        const absl::Status status = study_->Optimize(refused, {.trials = 3}).status();
        EXPECT_EQ(static_cast<int>(status.code()), static_cast<int>(code));
        error = status.ToString();
      } catch (const std::runtime_error& thrown) {
        error = thrown.what();
      }
      ASSERT_EQ(Stored().size(), ++number);
      EXPECT_THAT(error, HasSubstr(": no; once that is mended, this records the outcome: "
                                   "slipstream --address " + server_.address() + " observe s1/" +
                                   std::to_string(number) + " --value 0.25"));
      EXPECT_EQ(Stored().back().state(), v1::Trial::ACTIVE);
    }
  }
  for (const SeenCall& call : server_.service().calls()) EXPECT_NE(call.method, "ReleaseTrials");
}

TEST_F(OptimizationTest, TellsTheOutcomeOfATrialThatItsObjectiveHasMovedAway) {
  const auto objective = [](Trial& trial) {
    const Trial mine = std::move(trial);
    return 2 * *mine.Number("lr");
  };
  int shown = 0;
  const auto show = [&shown](const Trial&) { ++shown; };
  const auto best = study_->Optimize(objective, {.trials = 2, .progress = show});
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ((*best)->value, 0.5);
  EXPECT_EQ(shown, 0);
}

TEST_F(OptimizationTest, EndsWithATrialThatWasGivenBackMeanwhile) {
  const auto objective = [this](Trial&) {
    server_.service().FailNext(1, {.status = {grpc::StatusCode::FAILED_PRECONDITION, "queued"}});
    return 0.5;
  };
  const auto best = study_->Optimize(objective, {.trials = 3});
  EXPECT_EQ(best.status().code(), absl::StatusCode::kFailedPrecondition) << best.status();
}

TEST_F(OptimizationTest, EndsWhenTheCandidatesOrTheTimeDo) {
  const auto objective = [this](Trial&) {
    server_.service().FailNext(1, {});  // The outcome is heard, the next suggestion refused.
    server_.service().FailNext(1, {.status = UsedUpStatus("none left")});
    return 0.5;
  };
  const auto best = study_->Optimize(objective, {});
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ(Stored().size(), 1u);
  const auto in_no_time = study_->Optimize(objective, {.timeout = std::chrono::nanoseconds(0)});
  EXPECT_TRUE(in_no_time.ok());
  EXPECT_EQ(Stored().size(), 1u);
}

// A refusal that lasts longer than any test.
Fault Busy() {
  v1::Overload overload;
  overload.mutable_retry_delay()->set_seconds(200);
  v1::StatusDetails details;
  details.add_details()->PackFrom(overload);
  return {.status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "busy", details.SerializeAsString()}};
}

class RefusedSuggestionTest : public OptimizationTest {
 protected:
  RefusedSuggestionTest() {
    ClientOptions options;
    options.address = server_.address();
    options.on_retry = [this](const FailedAttempt&) { refused_ = true; };
    study_ = std::make_unique<Study>(*Load("s1", options));
  }

  ~RefusedSuggestionTest() override {
    EXPECT_LT(std::chrono::steady_clock::now() - start_, std::chrono::seconds(40));
  }

  // The first suggestion is made, the second one refused.
  void RefuseTheSecond() {
    server_.service().FailNext(1, {});
    server_.service().FailNext(1, Busy());
  }
  void WaitUntilRefused() {
    while (!refused_) std::this_thread::yield();
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> refused_{false};
};

TEST_F(RefusedSuggestionTest, IsNotWaitedForAfterAnException) {
  RefuseTheSecond();
  const auto objective = [this](Trial&) -> Outcome {
    WaitUntilRefused();
    throw std::runtime_error("disk");
  };
  EXPECT_THROW((void)study_->Optimize(objective, {.workers = 2}), std::runtime_error);
  EXPECT_EQ(Stored().size(), 1u);
}

TEST_F(RefusedSuggestionTest, IsNotWaitedForAfterAStop) {
  RefuseTheSecond();
  std::stop_source source;
  const auto objective = [&](Trial&) {
    WaitUntilRefused();
    source.request_stop();
    return 0.5;
  };
  const auto best = study_->Optimize(objective, {.workers = 2, .stop = source.get_token()});
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ((*best)->number, 1);
  EXPECT_EQ(Stored().size(), 1u);
}

TEST_F(RefusedSuggestionTest, IsNotWaitedForAfterTheEndOfTheTime) {
  server_.service().FailNext(1, Busy());
  const auto best =
      study_->Optimize([](Trial&) { return 0.5; }, {.timeout = std::chrono::seconds(1)});
  EXPECT_TRUE(best.ok()) << best.status();
}

// Calls `at_call` before each call.
class CalledClock final : public ClientClock {
 public:
  std::chrono::nanoseconds Elapsed() override {
    if (at_call) at_call();
    return std::chrono::nanoseconds(0);
  }
  void Sleep(std::chrono::nanoseconds) override {}

  std::function<void()> at_call;
};

TEST_F(OptimizationTest, GivesBackATrialThatIsSuggestedAfterTheEnd) {
  constexpr std::chrono::milliseconds kTime(100);
  const auto clock = std::make_shared<CalledClock>();
  ClientOptions options;
  options.address = server_.address();
  options.clock = clock;
  Study study = *Load("s1", options);
  const Objective objective = [](Trial&) -> Outcome { throw std::runtime_error("started"); };

  std::stop_source source;
  clock->at_call = [&source] { source.request_stop(); };
  EXPECT_TRUE(study.Optimize(objective, {.stop = source.get_token()}).ok());
  ASSERT_EQ(Stored().size(), 1u);

  const auto start = std::chrono::steady_clock::now();
  clock->at_call = [=] {
    while (std::chrono::steady_clock::now() < start + 2 * kTime) std::this_thread::yield();
  };
  EXPECT_TRUE(study.Optimize(objective, {.timeout = kTime}).ok());
  for (const v1::Trial& trial : Stored()) EXPECT_EQ(trial.state(), v1::Trial::REQUESTED);
}

TEST_F(OptimizationTest, ReturnsWhatTheServerRefuses) {
  server_.service().FailAlways({grpc::StatusCode::PERMISSION_DENIED, "no"});
  const auto refused = study_->Optimize([](Trial&) { return 0.5; }, {.trials = 3, .workers = 3});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(OptimizationTest, RefusesOptionsOutOfTheirBounds) {
  const auto objective = [](Trial&) { return 0.5; };
  EXPECT_EQ(study_->Optimize(objective, {.workers = 0}).status().message(),
            "workers is 0, must be from 1 to 1000");
  EXPECT_EQ(study_->Optimize(objective, {.trials = -1}).status().message(),
            "trials is -1, must be 0 or more");
  EXPECT_EQ(study_->Optimize(nullptr, {}).status().message(), "the objective is empty");
}

}  // namespace
}  // namespace slipstream::client
