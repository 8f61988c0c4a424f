// Suggest and Observe from many threads without a transport, so that
// ThreadSanitizer sees all of it.
#include "server/service/suggest_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

using SuggestQueueTest = ServiceFixture;

TEST_F(SuggestQueueTest, ManyWorkersGetEveryCandidateOnce) {
  constexpr int kWorkers = 8;
  constexpr int kCandidates = 120;
  Create(CandidateStudy(kCandidates));
  std::mutex mutex;
  std::multiset<int64_t> candidates;
  std::atomic<int> refused{0};
  std::vector<std::thread> workers;
  for (int w = 0; w < kWorkers; ++w) {
    workers.emplace_back([&, w] {
      while (true) {
        v1::SuggestResponse response;
        const auto ask = AskRequest("studies/s", "w" + std::to_string(w));
        const absl::Status status = Call(&TrialService::Suggest, ask, &response);
        if (!status.ok()) {
          refused += absl::IsFailedPrecondition(status) ? 1 : 0;
          return;
        }
        v1::Trial told;
        const auto tell = TellRequest(response.trials(0).name(), LossOutcome(w));
        ASSERT_TRUE(Call(&TrialService::Observe, tell, &told).ok());
        const std::lock_guard<std::mutex> lock(mutex);
        candidates.insert(response.trials(0).candidate());
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(refused, kWorkers) << "each is told that the list is used up";
  EXPECT_EQ(candidates.size(), size_t{kCandidates});
  EXPECT_EQ(std::set<int64_t>(candidates.begin(), candidates.end()).size(), size_t{kCandidates});
}

TEST_F(SuggestQueueTest, OneRequestSentManyTimesAtOnceLeasesOnce) {
  Create(ExampleStudy());
  constexpr int kTimes = 12;
  std::vector<v1::SuggestResponse> responses(kTimes);
  std::vector<std::thread> threads;
  for (int t = 0; t < kTimes; ++t) {
    threads.emplace_back([&, t] {
      const auto ask = AskRequest("studies/s", "w", 2, "one-id");
      EXPECT_TRUE(Call(&TrialService::Suggest, ask, &responses[t]).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const v1::SuggestResponse& response : responses) {
    EXPECT_EQ(response.DebugString(), responses[0].DebugString());
  }
  ASSERT_EQ(responses[0].trials_size(), 2);
  EXPECT_EQ(Suggest("other").name(), "studies/s/trials/3");
}

// Under a flood of additions a call may be ABORTED and has to be repeated.
TEST_F(SuggestQueueTest, TrialsAddedConcurrentlyDoNotDuplicateSuggestions) {
  Create(ExampleStudy());
  std::atomic<bool> stop{false};
  std::thread adder([&] {
    v1::AddTrialsRequest request;
    request.set_study("studies/s");
    *request.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
    while (!stop) {
      v1::AddTrialsResponse added;
      EXPECT_TRUE(Call(&TrialService::AddTrials, request, &added).ok());
    }
  });
  std::set<std::string> names;
  for (int i = 0; i < 40; ++i) {
    v1::SuggestResponse response;
    const auto ask = AskRequest("studies/s", "w" + std::to_string(i));
    absl::Status status = absl::AbortedError("not called yet");
    while (absl::IsAborted(status)) status = Call(&TrialService::Suggest, ask, &response);
    EXPECT_TRUE(status.ok()) << status;
    for (const v1::Trial& trial : response.trials()) names.insert(trial.name());
  }
  stop = true;
  adder.join();
  EXPECT_EQ(names.size(), 40u);
}

TEST_F(SuggestQueueTest, CallsBeyondTheBoundOfAStudyAreRefusedNamingIt) {
  Create(ExampleStudy());
  ServiceOptions options;
  options.max_waiting_suggests_per_study = 1;
  options.compute_threads = 1;
  std::promise<void> started;
  std::promise<void> gate;
  bool holding = false;
  before_read_ = [&](const std::string& verb) {
    if (verb != "PlanLeases" || std::exchange(holding, true)) return;
    started.set_value();
    gate.get_future().wait();
  };
  service_.reset();
  service_.emplace(&observed_store_, options);
  std::promise<void> answered;
  std::once_flag once;
  const auto suggest = [&](const std::string& worker) {
    return std::async(std::launch::async, [&, worker] {
      absl::Status status = Call(&TrialService::Suggest, AskRequest("studies/s", worker));
      std::call_once(once, [&answered] { answered.set_value(); });
      return status;
    });
  };
  auto running = suggest("running");
  started.get_future().wait();
  auto first = suggest("first");
  auto second = suggest("second");
  answered.get_future().wait();  // One of the two waits for the running batch.
  gate.set_value();
  EXPECT_TRUE(running.get().ok());
  const absl::Status one = first.get();
  const absl::Status other = second.get();
  EXPECT_NE(one.ok(), other.ok());
  const absl::Status& refused = one.ok() ? other : one;
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(std::string(refused.message()),
              ::testing::HasSubstr("studies/s is busy: the limit of 1 Suggest calls of a study"));
}

}  // namespace
}  // namespace slipstream
