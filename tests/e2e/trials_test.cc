// Trials over a real socket: suggestions, results, added trials, best, explain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;
constexpr char kStudy[] = "studies/s";

class Trials : public ::testing::Test {
 protected:
  void SetUp() override { Create(ExampleStudy()); }

  void Create(const v1::Study& study, const std::string& id = "s") {
    const grpc::Status status = Call(stub(), &Stub::CreateStudy, CreateRequest(study, id));
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  Stub& stub() { return server_.stub(); }
  v1::SuggestResponse Ask(const std::string& worker, int count = 1,
                          const std::string& study = kStudy) {
    v1::SuggestResponse response;
    const grpc::Status status =
        Call(stub(), &Stub::Suggest, AskRequest(study, worker, count), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  grpc::Status Tell(const std::string& trial, const v1::Outcome& outcome,
                    v1::Trial* response = nullptr) {
    return Call(stub(), &Stub::Observe, TellRequest(trial, outcome), response);
  }
  v1::Trial Get(const std::string& name) {
    v1::GetTrialRequest request;
    request.set_name(name);
    v1::Trial trial;
    const grpc::Status status = Call(stub(), &Stub::GetTrial, request, &trial);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return trial;
  }
  grpc::Status Add(const std::vector<v1::Observation>& observations,
                   v1::AddTrialsResponse* response = nullptr, const std::string& study = kStudy) {
    v1::AddTrialsRequest request;
    request.set_study(study);
    for (const v1::Observation& observation : observations) {
      *request.add_observations() = observation;
    }
    return Call(stub(), &Stub::AddTrials, request, response);
  }
  void ExpectRefused(const grpc::Status& status, const std::string& field, const std::string& value,
                     const std::string& bound) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    EXPECT_EQ(ViolationIn(status).field(), field);
    EXPECT_THAT(ViolationIn(status).value(), HasSubstr(value));
    EXPECT_THAT(ViolationIn(status).bound(), HasSubstr(bound));
  }

  TemporaryFolder data_;
  ServerProcess server_{data_.path()};
};

TEST_F(Trials, ASuggestionIsAnActiveTrialOfItsWorkerInsideTheSpace) {
  const v1::SuggestResponse response = Ask("w");
  ASSERT_EQ(response.trials_size(), 1);
  const v1::Trial& trial = response.trials(0);
  EXPECT_EQ(trial.name(), "studies/s/trials/1");
  EXPECT_EQ(trial.state(), v1::Trial::ACTIVE);
  EXPECT_EQ(trial.worker(), "w");
  const double lr = trial.configuration().values().at("lr").double_value();
  EXPECT_GE(lr, 1e-5);
  EXPECT_LE(lr, 1);
  EXPECT_EQ(Get(trial.name()).DebugString(), trial.DebugString());
}

// Each call renews the lease.
std::string WithoutLease(v1::Trial trial) {
  trial.clear_lease_end_time();
  return trial.DebugString();
}

TEST_F(Trials, OneWorkerAskingTwiceGetsItsOwnTrialAgain) {
  const v1::Trial first = Ask("w").trials(0);
  const v1::SuggestResponse again = Ask("w");
  ASSERT_EQ(again.trials_size(), 1);
  EXPECT_EQ(WithoutLease(again.trials(0)), WithoutLease(first));
  const v1::SuggestResponse two = Ask("w", 2);
  ASSERT_EQ(two.trials_size(), 2);
  EXPECT_EQ(WithoutLease(two.trials(0)), WithoutLease(first));
  EXPECT_EQ(two.trials(1).name(), "studies/s/trials/2");
  EXPECT_EQ(Ask("w", 1).trials(0).name(), "studies/s/trials/1");
}

TEST_F(Trials, ManyWorkersAskingAtOnceGetDifferentTrials) {
  constexpr int kWorkers = 16;
  constexpr int kRounds = 10;
  std::mutex mutex;
  std::set<std::string> names;
  std::set<double> rates;
  std::vector<std::thread> workers;
  for (int w = 0; w < kWorkers; ++w) {
    workers.emplace_back([&, w] {
      for (int i = 0; i < kRounds; ++i) {
        const v1::SuggestResponse response = Ask("worker-" + std::to_string(w));
        ASSERT_EQ(response.trials_size(), 1);
        ASSERT_TRUE(Tell(response.trials(0).name(), LossOutcome(i)).ok());
        const std::lock_guard<std::mutex> lock(mutex);
        names.insert(response.trials(0).name());
        rates.insert(response.trials(0).configuration().values().at("lr").double_value());
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(names.size(), size_t{kWorkers * kRounds});
  EXPECT_EQ(rates.size(), size_t{kWorkers * kRounds});
  v1::GetStudyRequest request;
  request.set_name(kStudy);
  v1::Study study;
  ASSERT_TRUE(Call(stub(), &Stub::GetStudy, request, &study).ok());
  EXPECT_EQ(study.trial_count(), kWorkers * kRounds);
  EXPECT_EQ(study.succeeded_trial_count(), kWorkers * kRounds);
}

TEST_F(Trials, OneWorkerAskingOnManyThreadsGetsOneTrial) {
  std::mutex mutex;
  std::set<std::string> names;
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t) {
    threads.emplace_back([&] {
      const v1::SuggestResponse response = Ask("w");
      const std::lock_guard<std::mutex> lock(mutex);
      for (const v1::Trial& trial : response.trials()) names.insert(trial.name());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(names, ::testing::ElementsAre("studies/s/trials/1"));
}

TEST_F(Trials, TheSameSeedGivesTheSameSuggestionsOneByOneOrTogether) {
  Create(ExampleStudy(), "one");
  Create(ExampleStudy(), "all");
  const v1::SuggestResponse all = Ask("w", 5, "studies/all");
  for (int i = 0; i < 5; ++i) {
    const v1::SuggestResponse one = Ask("w" + std::to_string(i), 1, "studies/one");
    EXPECT_EQ(one.trials(0).configuration().DebugString(),
              all.trials(i).configuration().DebugString());
    EXPECT_EQ(one.trials(0).configuration().values().at("lr").double_value(),
              all.trials(i).configuration().values().at("lr").double_value());
  }
}

TEST_F(Trials, AResultEndsATrial) {
  const std::string name = Ask("w").trials(0).name();
  v1::Trial answer;
  ASSERT_TRUE(Tell(name, LossOutcome(0.25), &answer).ok());
  EXPECT_EQ(answer.state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(answer.measurement().metrics().at("loss"), 0.25);
  EXPECT_TRUE(answer.has_end_time());
  EXPECT_EQ(WithoutConfiguration(Get(name)).DebugString(), answer.DebugString());
  EXPECT_EQ(Ask("w").trials(0).name(), "studies/s/trials/2");
}

TEST_F(Trials, FailedInfeasibleAndStoppedTrialsKeepTheirReasonsAndMeasurements) {
  v1::Outcome failed;
  failed.mutable_failure()->set_reason("node lost");
  v1::Outcome infeasible;
  infeasible.mutable_infeasibility()->set_reason("diverged");
  v1::Outcome stopped;
  stopped.mutable_early_stop()->set_reason("hopeless");
  (*stopped.mutable_early_stop()->mutable_measurement()->mutable_metrics())["loss"] = 9;
  const v1::SuggestResponse trials = Ask("w", 3);
  v1::Trial answer;
  ASSERT_TRUE(Tell(trials.trials(0).name(), failed, &answer).ok());
  EXPECT_EQ(answer.state(), v1::Trial::FAILED);
  EXPECT_EQ(answer.reason(), "node lost");
  ASSERT_TRUE(Tell(trials.trials(1).name(), infeasible, &answer).ok());
  EXPECT_EQ(answer.state(), v1::Trial::INFEASIBLE);
  ASSERT_TRUE(Tell(trials.trials(2).name(), stopped, &answer).ok());
  EXPECT_EQ(answer.state(), v1::Trial::STOPPED);
  EXPECT_EQ(answer.measurement().metrics().at("loss"), 9);
}

TEST_F(Trials, ASecondResultIsFineIfEqualAndRefusedIfNot) {
  const std::string name = Ask("w").trials(0).name();
  ASSERT_TRUE(Tell(name, LossOutcome(0.25)).ok());
  v1::Trial answer;
  EXPECT_TRUE(Tell(name, LossOutcome(0.25), &answer).ok());
  EXPECT_EQ(answer.measurement().metrics().at("loss"), 0.25);
  const grpc::Status other = Tell(name, LossOutcome(0.5));
  EXPECT_EQ(other.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(other.error_message(), HasSubstr(name));
  v1::Outcome failed;
  failed.mutable_failure();
  EXPECT_EQ(Tell(name, failed).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(Get(name).measurement().metrics().at("loss"), 0.25);
}

TEST_F(Trials, ResultsThatAreNotFiniteAreRefusedAndTheTrialStaysActive) {
  const std::string name = Ask("w").trials(0).name();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string field = "outcome.measurement.metrics[loss]";
  ExpectRefused(Tell(name, LossOutcome(nan)), field, "nan", "finite");
  ExpectRefused(Tell(name, LossOutcome(infinity)), field, "inf", "finite");
  ExpectRefused(Tell(name, LossOutcome(-infinity)), field, "-inf", "finite");
  EXPECT_EQ(Get(name).state(), v1::Trial::ACTIVE);
  ExpectRefused(Add({MeasuredObservation(ExampleConfiguration(), nan)}),
                "observations[0].outcome.measurement.metrics[loss]", "nan", "finite");
}

TEST_F(Trials, ResultsOfOtherMetricsAreRefused) {
  const std::string name = Ask("w").trials(0).name();
  v1::Outcome other;
  (*other.mutable_measurement()->mutable_metrics())["accuracy"] = 1;
  ExpectRefused(Tell(name, other), "outcome.measurement.metrics[accuracy]", "accuracy", "loss");
  (*other.mutable_measurement()->mutable_metrics())["loss"] = 1;
  ExpectRefused(Tell(name, other), "outcome.measurement.metrics", "2 metrics", "loss");
  v1::Outcome empty;
  ExpectRefused(Tell(name, empty), "outcome.kind", "empty", "measurement");
  empty.mutable_measurement();
  ExpectRefused(Tell(name, empty), "outcome.measurement.metrics", "empty", "loss");
}

TEST_F(Trials, ParametersOutsideTheSpaceAreRefused) {
  const auto refused = [&](const v1::Configuration& configuration) {
    return Add(
        {MeasuredObservation(ExampleConfiguration(), 1), MeasuredObservation(configuration, 1)});
  };
  const std::string path = "observations[1].configuration.values";
  ExpectRefused(refused(ExampleConfiguration(2.0)), path + "[lr]", "2", "1");
  ExpectRefused(refused(ExampleConfiguration(0.1, 9)), path + "[layers]", "9", "8");
  v1::Configuration wrong = ExampleConfiguration();
  (*wrong.mutable_values())["kernel"].set_category_value("cubic");
  ExpectRefused(refused(wrong), path + "[kernel]", "cubic", "rbf");
  wrong = ExampleConfiguration();
  (*wrong.mutable_values())["degree"].set_integer_value(3);
  ExpectRefused(refused(wrong), path + "[degree]", "3", "");
  wrong = ExampleConfiguration();
  (*wrong.mutable_values())["momentum"].set_double_value(3);
  ExpectRefused(refused(wrong), path + "[momentum]", "", "");
  wrong = ExampleConfiguration();
  wrong.mutable_values()->erase("lr");
  ExpectRefused(refused(wrong), path + "[lr]", "", "");
  v1::ListTrialsRequest request;
  request.set_study(kStudy);
  v1::ListTrialsResponse page;
  ASSERT_TRUE(Call(stub(), &Stub::ListTrials, request, &page).ok());
  EXPECT_EQ(page.trials_size(), 0);
}

TEST_F(Trials, QueuedConfigurationsAreLeasedBeforeNewSuggestions) {
  v1::Observation queued;
  *queued.mutable_configuration() = ExampleConfiguration(0.5);
  v1::AddTrialsResponse added;
  ASSERT_TRUE(Add({MeasuredObservation(ExampleConfiguration(0.1), 3), queued}, &added).ok());
  ASSERT_EQ(added.trials_size(), 2);
  EXPECT_EQ(added.trials(0).state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(added.trials(1).state(), v1::Trial::REQUESTED);
  EXPECT_EQ(Tell(added.trials(1).name(), LossOutcome(1)).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
  const v1::SuggestResponse response = Ask("w", 2);
  ASSERT_EQ(response.trials_size(), 2);
  EXPECT_EQ(response.trials(0).name(), added.trials(1).name());
  EXPECT_EQ(response.trials(0).state(), v1::Trial::ACTIVE);
  EXPECT_EQ(response.trials(0).worker(), "w");
  EXPECT_EQ(response.trials(1).name(), "studies/s/trials/3");
}

TEST_F(Trials, TheBestTrialsComeBestFirst) {
  std::vector<v1::Observation> observations;
  for (const double loss : {3.0, 1.0, 2.0, 1.0}) {
    observations.push_back(MeasuredObservation(ExampleConfiguration(), loss));
  }
  ASSERT_TRUE(Add(observations).ok());
  v1::BestTrialsRequest request;
  request.set_study(kStudy);
  request.set_count(3);
  v1::BestTrialsResponse best;
  ASSERT_TRUE(Call(stub(), &Stub::BestTrials, request, &best).ok());
  ASSERT_EQ(best.trials_size(), 3);
  EXPECT_EQ(best.trials(0).name(), "studies/s/trials/2");
  EXPECT_EQ(best.trials(1).name(), "studies/s/trials/4");
  EXPECT_EQ(best.trials(2).name(), "studies/s/trials/3");
}

TEST_F(Trials, ListingFiltersByStateAcrossPages) {
  Ask("w", 5);
  for (const int number : {1, 3, 5}) {
    ASSERT_TRUE(Tell("studies/s/trials/" + std::to_string(number), LossOutcome(number)).ok());
  }
  v1::ListTrialsRequest request;
  request.set_study(kStudy);
  request.set_page_size(2);
  request.add_states(v1::Trial::SUCCEEDED);
  v1::ListTrialsResponse page;
  ASSERT_TRUE(Call(stub(), &Stub::ListTrials, request, &page).ok());
  ASSERT_EQ(page.trials_size(), 2);
  request.set_page_token(page.next_page_token());
  ASSERT_TRUE(Call(stub(), &Stub::ListTrials, request, &page).ok());
  ASSERT_EQ(page.trials_size(), 1);
  EXPECT_EQ(page.trials(0).name(), "studies/s/trials/5");
  EXPECT_TRUE(page.next_page_token().empty());
}

TEST_F(Trials, ExplainTellsWhereASuggestionCameFrom) {
  v1::ExplainRequest request;
  request.set_trial(Ask("w", 2).trials(1).name());
  v1::Explanation explanation;
  ASSERT_TRUE(Call(stub(), &Stub::Explain, request, &explanation).ok());
  EXPECT_EQ(explanation.trial().name(), request.trial());
  EXPECT_EQ(explanation.provenance().preset(), "quasi_random");
  EXPECT_EQ(explanation.provenance().seed(), 7u);
  EXPECT_EQ(explanation.provenance().rung(), v1::Provenance::RECIPE);
  EXPECT_FALSE(explanation.provenance().version().empty());
  ASSERT_GE(explanation.provenance().facts_size(), 1);
  EXPECT_EQ(explanation.provenance().facts(0).name(), "sobol_index");
  EXPECT_EQ(explanation.provenance().facts(0).number(), 1);
}

TEST_F(Trials, ACandidateListGivesEachCandidateOnceAndThenSaysSo) {
  for (const char* preset : {"quasi_random", "random", "source_portfolio"}) {
    std::string id = std::string("list-") + preset;
    for (char& c : id) c = c == '_' ? '-' : c;
    Create(CandidateStudy(5, preset), id);
    const v1::SuggestResponse most = Ask("a", 3, "studies/" + id);
    const v1::SuggestResponse rest = Ask("b", 10, "studies/" + id);
    EXPECT_EQ(most.trials_size(), 3);
    EXPECT_EQ(rest.trials_size(), 2) << "fewer than asked for, as the list runs out";
    std::set<int64_t> candidates;
    for (const v1::Trial& trial : most.trials()) candidates.insert(trial.candidate());
    for (const v1::Trial& trial : rest.trials()) candidates.insert(trial.candidate());
    EXPECT_THAT(candidates, ::testing::ElementsAre(0, 1, 2, 3, 4)) << preset;
    const grpc::Status none = Call(stub(), &Stub::Suggest, AskRequest("studies/" + id, "c"));
    EXPECT_EQ(none.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_THAT(none.error_message(), HasSubstr("5"));
  }
}

TEST_F(Trials, BadRequestsAreRefusedNamingTheField) {
  ExpectRefused(Call(stub(), &Stub::Suggest, AskRequest("studies/", "w")), "study", "studies/",
                "studies/{study}");
  ExpectRefused(Call(stub(), &Stub::Suggest, AskRequest(kStudy, "")), "worker", "", "1 to 128");
  ExpectRefused(Call(stub(), &Stub::Suggest, AskRequest(kStudy, "w", 1001)), "count", "1001",
                "1 to 1000");
  ExpectRefused(Call(stub(), &Stub::Suggest, AskRequest(kStudy, "w", -1)), "count", "-1",
                "1 to 1000");
  ExpectRefused(Tell("studies/s/trials/0", LossOutcome(1)), "trial", "studies/s/trials/0", "");
  ExpectRefused(Tell("studies/s/trials/1x", LossOutcome(1)), "trial", "1x", "");
  ExpectRefused(Add({}), "observations", "0 observations", "1 to 1000");
  ExpectRefused(Call(stub(), &Stub::Suggest, AskRequest(kStudy, "w", 1, std::string(129, 'r'))),
                "request_id", "rrr", "128");
  ExpectRefused(Call(stub(), &Stub::Suggest, AskRequest(kStudy, "w", 1, "line\nbreak")),
                "request_id", "line", "printable");
  EXPECT_EQ(Tell("studies/s/trials/77", LossOutcome(1)).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(Trials, AMessageBeyondTheLimitIsRefusedNamingIt) {
  v1::AddTrialsRequest request;
  request.set_study(kStudy);
  request.add_observations()->mutable_outcome()->mutable_failure()->set_reason(
      std::string(17 << 20, 'x'));
  const grpc::Status status = Call(stub(), &Stub::AddTrials, request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr(std::to_string(16 << 20)));
}

// 200 parameters with long names: about 24 KiB per trial.
v1::Study WideStudy() {
  v1::Study study = ExampleStudy();
  study.mutable_space()->clear_parameters();
  for (int i = 0; i < 200; ++i) {
    v1::Parameter* parameter = study.mutable_space()->add_parameters();
    parameter->set_name(std::string(100, 'x') + std::to_string(i));
    parameter->mutable_double_domain()->set_max(1);
  }
  return study;
}

TEST_F(Trials, AnAnswerBeyondTheLimitIsRefusedBeforeAnythingIsLeased) {
  ASSERT_TRUE(Call(stub(), &Stub::CreateStudy, CreateRequest(WideStudy(), "wide")).ok());
  const grpc::Status status = Call(stub(), &Stub::Suggest, AskRequest("studies/wide", "w", 1000));
  ExpectRefused(status, "count", "1000", "at most");
  v1::ListTrialsRequest list;
  list.set_study("studies/wide");
  v1::ListTrialsResponse none;
  ASSERT_TRUE(Call(stub(), &Stub::ListTrials, list, &none).ok());
  EXPECT_EQ(none.trials_size(), 0);
  v1::SuggestResponse some;
  ASSERT_TRUE(Call(stub(), &Stub::Suggest, AskRequest("studies/wide", "w", 400), &some).ok());
  EXPECT_EQ(some.trials_size(), 400);
  EXPECT_LT(some.ByteSizeLong(), size_t{16} << 20);
}

TEST_F(Trials, PagesOfLongTrialsEndEarlyAndLoseNone) {
  ASSERT_TRUE(Call(stub(), &Stub::CreateStudy, CreateRequest(WideStudy(), "wide")).ok());
  ASSERT_TRUE(Call(stub(), &Stub::Suggest, AskRequest("studies/wide", "w", 400)).ok());
  v1::ListTrialsRequest list;
  list.set_study("studies/wide");
  list.set_page_size(1000);
  int pages = 0;
  int next = 1;
  do {
    v1::ListTrialsResponse page;
    ASSERT_TRUE(Call(stub(), &Stub::ListTrials, list, &page).ok());
    ASSERT_GT(page.trials_size(), 0);
    EXPECT_LT(page.ByteSizeLong(), size_t{4} << 20);
    for (const v1::Trial& trial : page.trials()) {
      EXPECT_EQ(trial.name(), "studies/wide/trials/" + std::to_string(next++));
    }
    list.set_page_token(page.next_page_token());
    ++pages;
  } while (!list.page_token().empty());
  EXPECT_EQ(next, 401);
  EXPECT_GE(pages, 3);
}

TEST(SmallMessages, HoldPagesOfTrials) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--max-message-bytes", "65536"});
  ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  for (int i = 0; i < 30; ++i) {
    const v1::SuggestRequest ask = AskRequest("studies/s", "w" + std::to_string(i), 20);
    ASSERT_TRUE(Call(server.stub(), &Stub::Suggest, ask).ok());
  }
  for (const bool with_states_only : {false, true}) {
    v1::ListTrialsRequest list;
    list.set_study("studies/s");
    list.set_page_size(1000);
    if (with_states_only) list.mutable_read_mask()->add_paths("state");
    int trials = 0;
    int pages = 0;
    do {
      v1::ListTrialsResponse page;
      const grpc::Status listed = Call(server.stub(), &Stub::ListTrials, list, &page);
      ASSERT_TRUE(listed.ok()) << listed.error_message();
      trials += page.trials_size();
      list.set_page_token(page.next_page_token());
      ++pages;
    } while (!list.page_token().empty());
    EXPECT_EQ(trials, 600);
    EXPECT_EQ(pages > 1, !with_states_only);
  }
}

}  // namespace
}  // namespace slipstream
