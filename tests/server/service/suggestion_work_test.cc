// Suggestions in turns: budgets, callers who are gone, the server's end, and fairness.
#include "server/service/suggestion_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

class SuggestionWorkTest : public ServiceFixture {
 protected:
  void StartService(ServiceOptions options) {
    service_.reset();
    service_.emplace(&observed_store_, std::move(options));
  }

  // A study that a model is fitted to, with results.
  void CreateModelled(const std::string& id) {
    Create(ExampleStudy("gp_log_ei"), id);
    v1::AddTrialsRequest request;
    request.set_study("studies/" + id);
    for (int i = 0; i < 8; ++i) {
      *request.add_observations() =
          MeasuredObservation(ExampleConfiguration(0.01 * (i + 1), 1 + i % 8), i % 3);
    }
    ASSERT_TRUE(Call(&TrialService::AddTrials, request).ok());
  }

  struct Asked {
    v1::SuggestRequest request;
    v1::SuggestResponse response;
    std::promise<absl::Status> promise;
    std::future<absl::Status> status = promise.get_future();
  };

  // Asks and returns; the answer comes later.
  std::unique_ptr<Asked> Ask(
      const std::string& study, int count,
      std::function<bool()> is_cancelled = [] { return false; }) {
    auto asked = std::make_unique<Asked>();
    asked->request = AskRequest("studies/" + study, "w" + std::to_string(++workers_), count);
    service_->trials().Suggest(
        &asked->request, &asked->response,
        [&promise = asked->promise](absl::Status status) { promise.set_value(std::move(status)); },
        std::move(is_cancelled));
    return asked;
  }

  int CountTrials(const std::string& study) {
    v1::ListTrialsRequest request;
    request.set_study("studies/" + study);
    request.set_page_size(1000);
    v1::ListTrialsResponse response;
    EXPECT_TRUE(Call(&TrialService::ListTrials, request, &response).ok());
    return response.trials_size();
  }

  // Holds the thread that plans leases, once, until the gate opens.
  void HoldPlanning() {
    before_read_ = [this](const std::string& verb) {
      if (verb != "PlanLeases" || has_held_.exchange(true)) return;
      planning_.set_value();
      gate_.get_future().wait();
    };
  }

  std::promise<void> planning_;
  std::promise<void> gate_;
  std::atomic<bool> has_held_{false};
  int workers_ = 0;
};

TEST_F(SuggestionWorkTest, ACallWhoseTimeIsOverIsAnsweredWithEvenlySpreadPoints) {
  CreateModelled("s");
  ServiceOptions options;
  options.suggest_budget = absl::ZeroDuration();
  StartService(options);
  const auto asked = Ask("s", 40);
  ASSERT_TRUE(asked->status.get().ok());
  ASSERT_EQ(asked->response.trials_size(), 40);
  for (const int place : {0, 39}) {
    const v1::Explanation explanation = Explain(asked->response.trials(place).name());
    EXPECT_EQ(explanation.provenance().rung(), v1::Provenance::QUASI_RANDOM);
    EXPECT_THAT(explanation.provenance().rung_reason(), HasSubstr("deadline"));
  }
  EXPECT_EQ(service_->ladder().Of(Rung::kQuasiRandom), 40);
}

TEST_F(SuggestionWorkTest, ABudgetHoldsForTheWholeCall) {
  CreateModelled("s");
  ServiceOptions options;
  options.suggest_budget = absl::Milliseconds(200);
  StartService(options);
  const auto asked = Ask("s", 1000);
  ASSERT_TRUE(asked->status.get().ok());
  ASSERT_EQ(asked->response.trials_size(), 1000);
  EXPECT_EQ(Explain(asked->response.trials(999).name()).provenance().rung(),
            v1::Provenance::QUASI_RANDOM);
}

TEST_F(SuggestionWorkTest, NothingIsLeasedToACallerWhoIsGoneBeforeWorkBegins) {
  CreateModelled("s");
  const auto gone = Ask("s", 3, [] { return true; });
  EXPECT_TRUE(absl::IsCancelled(gone->status.get()));
  EXPECT_EQ(CountTrials("s"), 8);
  EXPECT_EQ(service_->ladder().Of(Rung::kRecipe), 0);
}

TEST_F(SuggestionWorkTest, NothingIsLeasedToACallerWhoGoesMeanwhile) {
  CreateModelled("s");
  std::atomic<bool> is_gone{false};
  HoldPlanning();
  const auto asked = Ask("s", 3, [&is_gone] { return is_gone.load(); });
  planning_.get_future().wait();
  is_gone = true;
  gate_.set_value();
  EXPECT_TRUE(absl::IsCancelled(asked->status.get()));
  EXPECT_EQ(CountTrials("s"), 8);
}

TEST_F(SuggestionWorkTest, AStopAnswersRunningWaitingAndLaterCallsAndLeasesNothing) {
  CreateModelled("s");
  HoldPlanning();
  const auto running = Ask("s", 500);
  planning_.get_future().wait();
  const auto waiting = Ask("s", 1);
  service_->StopComputing();
  gate_.set_value();
  const auto later = Ask("s", 1);
  for (const auto& asked : {running.get(), waiting.get(), later.get()}) {
    const absl::Status status = asked->status.get();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_EQ(asked->response.trials_size(), 0);
  }
  EXPECT_EQ(CountTrials("s"), 8);
}

TEST_F(SuggestionWorkTest, AStudyWithMuchToDoLetsOthersHaveTheirTurns) {
  CreateModelled("heavy");
  CreateModelled("light");
  ServiceOptions options;
  options.compute_threads = 1;
  options.suggest_turn = absl::ZeroDuration();
  options.suggest_budget = absl::Seconds(30);
  StartService(options);
  HoldPlanning();
  const auto heavy = Ask("heavy", 300);
  planning_.get_future().wait();
  const auto light = Ask("light", 1);
  gate_.set_value();
  EXPECT_TRUE(light->status.get().ok());
  EXPECT_EQ(heavy->status.wait_for(std::chrono::seconds(0)), std::future_status::timeout)
      << "the light study should not have waited for all of the heavy one";
  EXPECT_TRUE(heavy->status.get().ok());
  EXPECT_EQ(heavy->response.trials_size(), 300);
}

class BatchOfThree : public SuggestionWorkTest {
 protected:
  // Three calls for two trials each, of which the second is late; `last` may be anything.
  void Run(const std::function<void(SuggestCall&)>& change_last) {
    CreateModelled("s");
    std::vector<SuggestCall> calls;
    for (size_t i = 0; i < 3; ++i) {
      SuggestCall& call = calls.emplace_back();
      call.study_id = "s";
      call.worker = "w" + std::to_string(i);
      call.count = 2;
      call.response = &responses_[i];
      call.done = [&status = statuses_[i]](absl::Status answer) { status = std::move(answer); };
      if (i == 1) call.deadline = Deadline::Passed();
    }
    change_last(calls.back());
    std::promise<std::vector<std::string>> finished;
    LeaseBatchWork::Start(context_, "s", std::move(calls), [&](std::vector<SuggestCall> again) {
      std::vector<std::string> workers;
      for (const SuggestCall& call : again) workers.push_back(call.worker);
      finished.set_value(std::move(workers));
    });
    EXPECT_THAT(finished.get_future().get(), ::testing::ElementsAre("w2"));
    EXPECT_TRUE(statuses_[0].ok()) << "it is served, as it is before the late one";
    EXPECT_TRUE(statuses_[1].ok());
    EXPECT_TRUE(absl::IsUnknown(statuses_[2])) << "it is not answered, but " << statuses_[2];
    EXPECT_EQ(responses_[0].trials_size(), 2);
    EXPECT_EQ(responses_[1].trials_size(), 2);
    EXPECT_EQ(CountTrials("s"), 12);
  }

 private:
  Catalog catalog_{&observed_store_, size_t{1} << 20, size_t{1} << 20};
  HistoryCache histories_{&observed_store_, size_t{1} << 20};
  SourceLibrary sources_{size_t{1} << 20};
  LadderCounts ladder_;
  const ServiceOptions options_;
  const LeaseBatchContext context_{.store = &observed_store_,
                                   .catalog = &catalog_,
                                   .sources = &sources_,
                                   .histories = &histories_,
                                   .ladder = &ladder_,
                                   .options = &options_};
  std::vector<v1::SuggestResponse> responses_ = std::vector<v1::SuggestResponse>(3);
  std::vector<absl::Status> statuses_ =
      std::vector<absl::Status>(3, absl::UnknownError("not answered"));
};

TEST_F(BatchOfThree, CallsThatStillHaveTimeAreLeftToTheNext) {
  Run([](SuggestCall&) {});
}

// Their deadline passes when the suggestions for the late one are made, just before they are told.
TEST_F(BatchOfThree, CallsThatBecomeLateMeanwhileAreLeftToTheNextToo) {
  Run([](SuggestCall& last) {
    last.deadline = Deadline::In(absl::Milliseconds(300));
    last.is_cancelled = [deadline = last.deadline, asked = std::make_shared<int>(0)] {
      // In the beginning, before the work, and after it.
      for (++*asked; *asked == 3 && !deadline.has_passed();) std::this_thread::yield();
      return false;
    };
  });
}

}  // namespace
}  // namespace slipstream
