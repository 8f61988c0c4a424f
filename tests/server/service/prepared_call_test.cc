// Calls that are answered without being planned, and what happens when that does not suffice.
#include "server/service/prepared_call.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

class PreparedCallTest : public ServiceFixture {
 protected:
  PreparedCallTest() { StartService({}); }
  ~PreparedCallTest() override { before_read_ = nullptr; }

  void StartService(ServiceOptions options) {
    options.lease_sweep_period = absl::InfiniteDuration();
    service_.reset();
    service_.emplace(&observed_store_, std::move(options));
    before_read_ = [this](const std::string& verb) { plans_ += verb == "PlanLeases" ? 1 : 0; };
  }

  // Another study with the same definition, whose calls are all planned.
  std::vector<std::string> PlannedConfigurations(const v1::Study& study, int count) {
    ServiceOptions options;
    options.prepare_ahead = false;
    StartService(std::move(options));
    Create(study, "planned");
    std::vector<std::string> configurations;
    for (int i = 0; i < count; ++i) {
      configurations.push_back(
          Suggest("w" + std::to_string(i), "studies/planned").configuration().DebugString());
    }
    EXPECT_EQ(plans_, count);
    plans_ = 0;
    StartService({});
    return configurations;
  }

  std::atomic<int> plans_{0};
};

TEST_F(PreparedCallTest, EvenlySpreadPointsArePlannedOnceForMany) {
  constexpr int kTrials = 300;
  v1::Study study = ExampleStudy();
  study.set_seed(5);
  const std::vector<std::string> planned = PlannedConfigurations(study, kTrials);
  Create(study);
  for (int i = 0; i < kTrials; ++i) {
    const v1::Trial trial = Suggest("w" + std::to_string(i));
    EXPECT_EQ(trial.name(), "studies/s/trials/" + std::to_string(i + 1));
    EXPECT_EQ(trial.configuration().DebugString(), planned[static_cast<size_t>(i)]);
    if (i % 3 == 0) Observe(trial.name(), i);
  }
  EXPECT_EQ(plans_, 2);
  EXPECT_EQ(service_->ladder().Of(Rung::kRecipe), kTrials);
  EXPECT_EQ(service_->Figures().prepared, 0) << "only work ahead is counted";
}

TEST_F(PreparedCallTest, AWorkersOwnTrialsAndQueuedOnesComeFirst) {
  Create(ExampleStudy());
  const v1::Trial own = Suggest("w");
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  *request.add_observations()->mutable_configuration() = ExampleConfiguration(0.02, 5);
  v1::AddTrialsResponse added;
  ASSERT_TRUE(Call(&TrialService::AddTrials, request, &added).ok());
  v1::SuggestResponse response;
  ASSERT_TRUE(Call(&TrialService::Suggest, AskRequest("studies/s", "w", 2), &response).ok());
  ASSERT_EQ(response.trials_size(), 2);
  EXPECT_EQ(response.trials(0).name(), own.name());
  EXPECT_EQ(response.trials(1).name(), added.trials(0).name());
  EXPECT_EQ(plans_, 1) << "the first call alone was planned";
}

// A person's trial moves the numbers on, so the next suggestion is not the one that was prepared.
TEST_F(PreparedCallTest, AddedTrialsLeadBackToThePlan) {
  Create(ExampleStudy());
  Suggest("w0");
  AddResults({1, 2});
  EXPECT_EQ(Suggest("w1").name(), "studies/s/trials/4");
  EXPECT_EQ(plans_, 2);
  EXPECT_EQ(Suggest("w2").name(), "studies/s/trials/5");
  EXPECT_EQ(plans_, 2);
}

TEST_F(PreparedCallTest, RefusalsAreThoseOfThePlan) {
  Create(ExampleStudy());
  const v1::Trial own = Suggest("w");
  v1::UpdateStudyRequest pause;
  pause.mutable_study()->set_name("studies/s");
  pause.mutable_study()->set_state(v1::Study::PAUSED);
  pause.mutable_update_mask()->add_paths("state");
  ASSERT_TRUE(Call(&StudyService::UpdateStudy, pause).ok());
  v1::SuggestResponse response;
  const absl::Status paused =
      Call(&TrialService::Suggest, AskRequest("studies/s", "v"), &response);
  EXPECT_TRUE(absl::IsFailedPrecondition(paused)) << paused;
  EXPECT_EQ(Suggest("w").name(), own.name()) << "a paused study hands out again what is held";
  Delete("s");
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::Suggest, AskRequest("studies/s", "v"))));
  Create(ExampleStudy());
  EXPECT_EQ(Suggest("v").name(), "studies/s/trials/1") << "a study of the same name is another one";
}

TEST_F(PreparedCallTest, NothingIsLeasedToACallerWhoIsGone) {
  Create(ExampleStudy());
  Suggest("w");
  const v1::SuggestRequest request = AskRequest("studies/s", "v");
  v1::SuggestResponse response;
  const absl::Status status = Await([&](const Done& done) {
    service_->trials().Suggest(&request, &response, done, [] { return true; });
  });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(Suggest("u").name(), "studies/s/trials/2");
  EXPECT_EQ(plans_, 1);
}

TEST_F(PreparedCallTest, ARepeatedCallGetsItsFirstAnswer) {
  Create(ExampleStudy());
  Suggest("w");
  const v1::SuggestRequest request = AskRequest("studies/s", "v", 3, "one-id");
  v1::SuggestResponse first;
  v1::SuggestResponse again;
  ASSERT_TRUE(Call(&TrialService::Suggest, request, &first).ok());
  ASSERT_TRUE(Call(&TrialService::Suggest, request, &again).ok());
  EXPECT_EQ(first.DebugString(), again.DebugString());
  EXPECT_EQ(first.trials_size(), 3);
  v1::SuggestRequest other = request;
  other.set_count(2);
  EXPECT_TRUE(absl::IsInvalidArgument(Call(&TrialService::Suggest, other)));
  EXPECT_EQ(plans_, 1);
}

// What a model has prepared is leased by the transaction too, until a result makes it void.
TEST_F(PreparedCallTest, AModelsSuggestionsHoldUntilATrialEnds) {
  Create(ExampleStudy("gp_log_ei"));
  AddResults({3, 1, 4, 1, 5, 9, 2, 6});
  std::vector<v1::Trial> out;
  for (int i = 0; i < 4; ++i) out.push_back(Suggest("w" + std::to_string(i)));
  Observe(out[0].name(), 7);
  service_->WaitUntilComputed();
  ASSERT_EQ(service_->Figures().prepared, 3) << "as many as workers are out";
  plans_ = 0;
  const v1::Trial next = Suggest("w0");
  EXPECT_EQ(plans_, 0);
  EXPECT_EQ(service_->Figures().prepared_used, 1);
  EXPECT_EQ(Explain(next.name()).provenance().last_trial_seen(), 12);
  Suggest("v");
  EXPECT_EQ(plans_, 0);
  // A failure is a result too, though the row of the study says nothing of it.
  v1::ObserveRequest failed;
  failed.set_trial(out[1].name());
  failed.mutable_outcome()->mutable_failure();
  ASSERT_TRUE(Call(&TrialService::Observe, failed).ok());
  service_->WaitUntilComputed();
  const v1::Trial after = Suggest("u");
  EXPECT_EQ(Explain(after.name()).provenance().last_trial_seen(), 14);
}

TEST_F(PreparedCallTest, AModelsSuggestionsHoldWhileATrialChangesHands) {
  Create(ExampleStudy("gp_log_ei"));
  AddResults({3, 1, 4, 1, 5, 9, 2, 6});
  const v1::Trial held = Suggest("w");
  const v1::Trial other = Suggest("v");
  Observe(other.name(), 7);
  service_->WaitUntilComputed();
  ASSERT_EQ(service_->Figures().prepared, 1);
  v1::ReleaseTrialsRequest release;
  release.set_study("studies/s");
  release.set_worker("w");
  ASSERT_TRUE(Call(&LeaseService::ReleaseTrials, release).ok());
  EXPECT_EQ(Suggest("u").name(), held.name()) << "it is queued";
  plans_ = 0;
  const v1::Trial fresh = Suggest("t");
  EXPECT_EQ(plans_, 0) << "the same trials are open as before";
  EXPECT_EQ(fresh.name(), "studies/s/trials/11");
  EXPECT_EQ(service_->Figures().prepared_used, 1);
}

// Of such a failure this server hears nothing, and its row of the study says nothing of it.
TEST_F(PreparedCallTest, AFailureThatAnotherServerTookMakesAModelsSuggestionsVoid) {
  Create(ExampleStudy("gp_log_ei"));
  AddResults({3, 1, 4, 1, 5, 9, 2, 6});
  Suggest("w");
  Observe(Suggest("v").name(), 7);
  service_->WaitUntilComputed();
  ASSERT_EQ(service_->Figures().prepared, 1);
  const absl::Status failed = Await([this](const Done& done) {
    Write<TrialRecord> write;
    write.done = [done](absl::Status status, std::optional<std::string>) { done(status); };
    TrialOutcome outcome;
    outcome.state = TrialState::kFailed;
    store_->ObserveTrial({"s", 9, outcome}, std::move(write));
  });
  ASSERT_TRUE(failed.ok()) << failed;
  plans_ = 0;
  Suggest("u");
  EXPECT_EQ(plans_, 1);
  EXPECT_EQ(service_->Figures().prepared_used, 0);
  EXPECT_EQ(service_->Figures().prepared_wasted, 1);
}

// Workers of a study without a model, and of one with, while results and persons' trials come in.
TEST_F(PreparedCallTest, ManyWorkersNeverGetATrialTwice) {
  constexpr int kWorkers = 8;
  constexpr int kRounds = 40;
  for (const char* preset : {"quasi_random", "gp_log_ei"}) {
    const std::string id = preset[0] == 'q' ? "quasi" : "model";
    Create(ExampleStudy(preset), id);
    std::mutex mutex;
    std::multiset<std::string> given;
    std::vector<std::thread> workers;
    for (int w = 0; w < kWorkers; ++w) {
      workers.emplace_back([&, w] {
        for (int round = 0; round < kRounds; ++round) {
          const std::string worker = "w" + std::to_string(w) + "-" + std::to_string(round);
          const v1::Trial trial = Suggest(worker, "studies/" + id);
          if (round % 4 != 0) Observe(trial.name(), w + round);
          if (round % 16 == 3) {
            v1::AddTrialsRequest request;
            request.set_study("studies/" + id);
            *request.add_observations() = MeasuredObservation(ExampleConfiguration(), w);
            EXPECT_TRUE(Call(&TrialService::AddTrials, request).ok());
          }
          const std::lock_guard<std::mutex> lock(mutex);
          given.insert(trial.name());
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(given.size(), size_t{kWorkers * kRounds});
    EXPECT_EQ(std::set<std::string>(given.begin(), given.end()).size(), given.size());
  }
  service_->WaitUntilComputed();
}

}  // namespace
}  // namespace slipstream
