// Calls that are answered without being planned, and what happens when that does not suffice.
#include "server/service/prepared_call.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/quota/quotas.h"
#include "tests/server/service/service_fixture.h"
#include "tests/testing/memory_store.h"

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

  // What a trial is, and how it came about.
  std::string Told(const v1::Trial& trial) {
    return trial.configuration().DebugString() + Explain(trial.name()).provenance().DebugString();
  }

  // Another study with the same definition, whose calls are all planned.
  std::vector<std::string> ToldWhenPlanned(const v1::Study& study, int count) {
    ServiceOptions options;
    options.prepare_ahead = false;
    StartService(std::move(options));
    Create(study, "planned");
    std::vector<std::string> told;
    for (int i = 0; i < count; ++i) {
      told.push_back(Told(Suggest("w" + std::to_string(i), "studies/planned")));
    }
    EXPECT_EQ(plans_, count);
    StartService({});
    plans_ = 0;
    return told;
  }

  // A study for which a model has prepared a suggestion for each of so many workers, whose trials
  // are returned: another one's result came last.
  std::vector<v1::Trial> PrepareByModel(int workers) {
    Create(ExampleStudy("gp_log_ei"));
    AddResults({3, 1, 4, 1, 5, 9, 2, 6});
    const v1::Trial first = Suggest("w0");
    std::vector<v1::Trial> out;
    for (int i = 1; i <= workers; ++i) out.push_back(Suggest("w" + std::to_string(i)));
    Observe(first.name(), 7);
    service_->WaitUntilComputed();
    EXPECT_EQ(service_->Figures().prepared, workers) << "as many as workers are out";
    return out;
  }

  struct Asked {
    v1::SuggestRequest request;
    v1::SuggestResponse response;
    std::promise<absl::Status> promise;
    std::future<absl::Status> status = promise.get_future();
    std::thread thread;  // Which calls; it may be held by the test.

    // Returns when the queue has the call.
    void Join() {
      if (thread.joinable()) thread.join();
    }
    ~Asked() { Join(); }
  };

  // Asks on another thread.
  std::unique_ptr<Asked> Ask(const std::string& worker, int count = 1) {
    auto asked = std::make_unique<Asked>();
    asked->request = AskRequest("studies/s", worker, count);
    asked->thread = std::thread([this, call = asked.get()] {
      service_->trials().Suggest(&call->request, &call->response, [call](absl::Status status) {
        call->promise.set_value(std::move(status));
      });
    });
    return asked;
  }

  // The next call of this verb waits until Release. What went on before is over by then, so that
  // the store's own thread is not held.
  void HoldNext(const std::string& held) {
    service_->WaitUntilComputed();
    auto is_first = std::make_shared<std::atomic<bool>>(true);
    before_read_ = [=, this](const std::string& verb) {
      plans_ += verb == "PlanLeases" ? 1 : 0;
      if (verb != held || !is_first->exchange(false)) return;
      held_.set_value();
      gate_.get_future().wait();
    };
  }
  void WaitUntilHeld() { held_.get_future().wait(); }
  void Release() { gate_.set_value(); }

  std::promise<void> held_;
  std::promise<void> gate_;
  std::atomic<int> plans_{0};
};

TEST_F(PreparedCallTest, QuasiRandomPointsAreSeldomPlannedAndStayTheSame) {
  constexpr int kTrials = 300;
  v1::Study study = ExampleStudy();
  study.set_seed(5);
  const std::vector<std::string> planned = ToldWhenPlanned(study, kTrials);
  Create(study);
  for (int i = 0; i < kTrials; ++i) {
    const v1::Trial trial = Suggest("w" + std::to_string(i));
    EXPECT_EQ(trial.name(), "studies/s/trials/" + std::to_string(i + 1));
    EXPECT_EQ(Told(trial), planned[static_cast<size_t>(i)]);
    if (i % 3 == 0) Observe(trial.name(), i);
  }
  EXPECT_EQ(plans_, 5) << "for 1 + 8 trials, and then twice as many each time";
  EXPECT_EQ(service_->ladder().Of(Rung::kRecipe), kTrials);
  EXPECT_EQ(service_->Figures().prepared, 0) << "only work ahead is counted";
}

// However many studies take turns, none of them is planned each time.
TEST_F(PreparedCallTest, ManyStudiesFindRoom) {
  constexpr int kStudies = 100;
  constexpr int kRounds = 40;
  for (int i = 0; i < kStudies; ++i) Create(ExampleStudy(), "s" + std::to_string(i));
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kStudies; ++i) {
      Suggest("w" + std::to_string(round), "studies/s" + std::to_string(i));
    }
  }
  EXPECT_EQ(plans_, 3 * kStudies);
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
  v1::SuggestRequest of_another = AskRequest("studies/s", "v");
  of_another.mutable_study_create_time()->set_seconds(1);
  const auto refusals = [&](bool prepare_ahead) {
    ServiceOptions options;
    options.prepare_ahead = prepare_ahead;
    options.max_message_bytes = 1 << 14;
    StartService(std::move(options));
    Create(ExampleStudy());
    Suggest("w");
    std::vector<std::string> told;
    const auto ask = [&](const v1::SuggestRequest& request) {
      told.push_back(Call(&TrialService::Suggest, request).ToString());
    };
    const auto change = [&](v1::Study::State state) {
      v1::UpdateStudyRequest request;
      request.mutable_study()->set_name("studies/s");
      request.mutable_study()->set_state(state);
      request.mutable_update_mask()->add_paths("state");
      EXPECT_TRUE(Call(&StudyService::UpdateStudy, request).ok());
    };
    ask(of_another);
    ask(AskRequest("studies/s", "v", 1000));
    const v1::SuggestRequest gone = AskRequest("studies/s", "v");
    v1::SuggestResponse response;
    told.push_back(Await([&](const Done& done) {
                     service_->trials().Suggest(&gone, &response, done, [] { return true; });
                   }).ToString());
    change(v1::Study::PAUSED);
    ask(AskRequest("studies/s", "v"));
    EXPECT_EQ(Suggest("w").name(), "studies/s/trials/1") << "what is held is handed out again";
    change(v1::Study::ACTIVE);
    EXPECT_EQ(Suggest("u").name(), "studies/s/trials/2");
    change(v1::Study::COMPLETED);
    ask(AskRequest("studies/s", "v"));
    Delete("s");
    ask(AskRequest("studies/s", "v"));
    return told;
  };
  const std::vector<std::string> planned = refusals(false);
  plans_ = 0;
  EXPECT_EQ(refusals(true), planned);
  for (const std::string& told : planned) EXPECT_NE(told, "OK");
  Create(ExampleStudy());
  EXPECT_EQ(Suggest("v").name(), "studies/s/trials/1") << "a study of the same name is another one";
}

TEST_F(PreparedCallTest, WhatThereIsNoRoomForIsNotCountedAsUsed) {
  Quotas quotas("/etc/quotas");
  StoreOptions limited;
  limited.quotas = &quotas;
  const std::unique_ptr<Store> store = MakeMemoryStore(limited);
  service_.reset();
  ServiceOptions options;
  options.lease_sweep_period = absl::InfiniteDuration();
  service_.emplace(store.get(), std::move(options));
  PrepareByModel(2);
  const int64_t used = service_->Figures().prepared_used;
  quotas.Replace({.others = {.trials = store->GetStudy("s")->trial_count}});
  v1::SuggestResponse response;
  ASSERT_TRUE(Call(&TrialService::Suggest, AskRequest("studies/s", "w1", 2), &response).ok());
  EXPECT_EQ(response.trials_size(), 1) << "its own";
  EXPECT_EQ(service_->Figures().prepared_used, used);
  quotas.Replace({});
  ASSERT_TRUE(Call(&TrialService::Suggest, AskRequest("studies/s", "w1", 2), &response).ok());
  EXPECT_EQ(response.trials_size(), 2);
  EXPECT_EQ(service_->Figures().prepared_used, used + 1);
  service_.reset();
}

// A call that means another study takes nothing away.
TEST_F(PreparedCallTest, WhatHoldsIsKeptForOthers) {
  PrepareByModel(1);
  v1::SuggestRequest of_another = AskRequest("studies/s", "u");
  of_another.mutable_study_create_time()->set_seconds(1);
  EXPECT_FALSE(Call(&TrialService::Suggest, of_another).ok());
  EXPECT_EQ(service_->Figures().prepared_wasted, 0);
  plans_ = 0;
  Suggest("u");
  EXPECT_EQ(plans_, 0);
  EXPECT_EQ(service_->Figures().prepared_used, 1);
}

// While one call is at the store, others go there too; one that takes a batch waits for it, and so
// do those that come later.
TEST_F(PreparedCallTest, NoBatchBeginsBeforeTheStoreHasAnswered) {
  Create(ExampleStudy());
  Create(ExampleStudy(), "other");
  Suggest("w");
  plans_ = 0;
  HoldNext("LeasePrepared");
  const auto at_store = Ask("a");
  WaitUntilHeld();
  const auto too_many = Ask("b", 20);
  too_many->Join();
  const auto later = Ask("c");
  later->Join();
  EXPECT_EQ(Suggest("x", "studies/other").name(), "studies/other/trials/1");
  EXPECT_EQ(plans_, 1) << "of the other study";
  Release();
  for (Asked* asked : {at_store.get(), too_many.get(), later.get()}) {
    EXPECT_TRUE(asked->status.get().ok());
  }
  EXPECT_EQ(plans_, 2);
  EXPECT_EQ(too_many->response.trials_size(), 20);
}

// Calls that come while a batch is planned go to the store once it has made suggestions for them.
TEST_F(PreparedCallTest, CallsThatWaitForABatchAreAnsweredByTheStore) {
  Create(ExampleStudy());
  HoldNext("PlanLeases");
  std::vector<std::unique_ptr<Asked>> asked;
  asked.push_back(Ask("w0"));
  WaitUntilHeld();
  for (int i = 1; i <= 4; ++i) {
    asked.push_back(Ask("w" + std::to_string(i)));
    asked.back()->Join();
  }
  Release();
  for (const auto& each : asked) EXPECT_TRUE(each->status.get().ok());
  EXPECT_EQ(plans_, 1);
}

TEST_F(PreparedCallTest, AResultThatComesMeanwhileHasWorkAheadBeginAfterwards) {
  const std::vector<v1::Trial> out = PrepareByModel(2);
  HoldNext("LeasePrepared");
  const auto at_store = Ask("a");
  WaitUntilHeld();
  Observe(out[0].name(), 8);
  Release();
  EXPECT_TRUE(at_store->status.get().ok());
  service_->WaitUntilComputed();
  EXPECT_GT(service_->Figures().prepared, 2);
}

TEST_F(PreparedCallTest, AStopLeasesNothingToCallsAtTheStore) {
  Create(ExampleStudy());
  Suggest("w");
  HoldNext("LeasePrepared");
  const auto asked = Ask("v");
  WaitUntilHeld();
  service_->StopComputing();
  Release();
  const absl::Status status = asked->status.get();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  StartService({});
  EXPECT_EQ(Suggest("u").name(), "studies/s/trials/2");
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
  const std::vector<v1::Trial> out = PrepareByModel(3);
  plans_ = 0;
  const v1::Trial next = Suggest("w0");
  EXPECT_EQ(plans_, 0);
  EXPECT_EQ(service_->Figures().prepared_used, 1);
  EXPECT_EQ(Explain(next.name()).provenance().last_trial_seen(), 12);
  Suggest("v");
  EXPECT_EQ(plans_, 0);
  // A failure is a result too, though the row of the study says nothing of it.
  v1::ObserveRequest failed;
  failed.set_trial(out[0].name());
  failed.mutable_outcome()->mutable_failure();
  ASSERT_TRUE(Call(&TrialService::Observe, failed).ok());
  service_->WaitUntilComputed();
  const v1::Trial after = Suggest("u");
  EXPECT_EQ(Explain(after.name()).provenance().last_trial_seen(), 14);
}

TEST_F(PreparedCallTest, AModelsSuggestionsHoldWhileATrialChangesHands) {
  const v1::Trial held = PrepareByModel(1).front();
  v1::ReleaseTrialsRequest release;
  release.set_study("studies/s");
  release.set_worker("w1");
  ASSERT_TRUE(Call(&LeaseService::ReleaseTrials, release).ok());
  EXPECT_EQ(Suggest("u").name(), held.name()) << "it is queued";
  plans_ = 0;
  const v1::Trial fresh = Suggest("t");
  EXPECT_EQ(plans_, 0) << "the same trials are open as before";
  EXPECT_EQ(fresh.name(), "studies/s/trials/11");
  EXPECT_EQ(service_->Figures().prepared_used, 1);
}

// This server is not told of such a failure, and the study's row does not show it.
TEST_F(PreparedCallTest, AFailureThatAnotherServerTookMakesAModelsSuggestionsVoid) {
  PrepareByModel(1);
  const absl::Status failed = Await([this](const Done& done) {
    Write<TrialRecord> write;
    write.done = [done](absl::Status status, std::optional<std::string>) { done(status); };
    TrialOutcome outcome;
    outcome.state = TrialState::kFailed;
    store_->ObserveTrial({"s", 10, outcome}, std::move(write));
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
