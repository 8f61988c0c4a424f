#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

// Counts answers and lets somebody wait for them.
class Countdown {
 public:
  explicit Countdown(int count) : left_(count) {}
  void Down() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) done_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return left_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  int left_;
};

TEST_P(StoreContract, WritesOfManyThreadsAreEachCarriedOutOnce) {
  constexpr int kThreads = 8;
  constexpr int kTrialsEach = 100;
  CreateWithLeases("s", kThreads * kTrialsEach);
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTrialsEach; ++i) {
        const int64_t number = t * kTrialsEach + i + 1;
        const RequestGuard guard = {"r" + std::to_string(number), "f"};
        const auto outcome = Success(static_cast<double>(number));
        // Like a client that repeats its request after a lost answer.
        const auto first = ObserveTrial(store(), {"s", number, outcome}, guard);
        const auto second = ObserveTrial(store(), {"s", number, outcome}, guard);
        if (!first.ok() || first.earlier || !second.ok() || !second.earlier) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  Reopen();
  EXPECT_EQ(store().GetStudy("s")->succeeded_count, kThreads * kTrialsEach);
  TrialFilter filter;
  filter.limit = kThreads * kTrialsEach + 1;
  const auto trials = store().ListTrials("s", filter);
  ASSERT_EQ(trials->size(), static_cast<size_t>(kThreads * kTrialsEach));
  for (const TrialRecord& trial : *trials) {
    EXPECT_EQ(trial.objective, static_cast<double>(trial.number));
  }
}

TEST_P(StoreContract, OneOfManyEqualRequestsIsCarriedOut) {
  constexpr int kRequests = 50;
  Create("s");
  Countdown answers(kRequests);
  std::atomic<int> written{0};
  std::atomic<int> repeated{0};
  for (int i = 0; i < kRequests; ++i) {
    Write<std::vector<TrialRecord>> write;
    write.guard = {"request", "f"};
    write.render = [](const std::vector<TrialRecord>&) { return std::string("answer"); };
    write.done = [&](absl::Status status, std::optional<std::string> earlier) {
      if (status.ok()) ++(earlier == "answer" ? repeated : written);
      answers.Down();
    };
    store().AddTrials({"s", {NewSuggestion("x")}}, std::move(write));
  }
  answers.Wait();
  EXPECT_EQ(written, 1);
  EXPECT_EQ(repeated, kRequests - 1);
  EXPECT_EQ(store().GetStudy("s")->trial_count, 1);
}

// Refused writes share commits with others and leave nothing in them.
TEST_P(StoreContract, RefusalsDoNotDisturbTheirNeighbours) {
  constexpr int kRounds = 200;
  Create("s");
  Countdown answers(2 * kRounds);
  std::atomic<int> added{0};
  std::atomic<int> not_found{0};
  for (int i = 0; i < kRounds; ++i) {
    Write<std::vector<TrialRecord>> good;
    good.done = [&](absl::Status status, std::optional<std::string>) {
      if (status.ok()) ++added;
      answers.Down();
    };
    store().AddTrials({"s", {FinishedTrial("x", 1)}}, std::move(good));
    Write<TrialRecord> bad;
    bad.guard = {"r" + std::to_string(i), "f"};
    bad.done = [&](absl::Status status, std::optional<std::string>) {
      if (absl::IsNotFound(status)) ++not_found;
      answers.Down();
    };
    store().ObserveTrial({"s", 100000, Success(1)}, std::move(bad));
  }
  answers.Wait();
  EXPECT_EQ(added, kRounds);
  EXPECT_EQ(not_found, kRounds);
  EXPECT_EQ(store().GetStudy("s")->succeeded_count, kRounds);
}

TEST_P(StoreContract, AnswersComeInTheOrderOfTheWritesAndOneAtATime) {
  constexpr int kWrites = 500;
  Create("s");
  Countdown answers(kWrites);
  std::vector<int64_t> numbers;  // Written only by callbacks, one at a time.
  std::vector<int64_t> rendered(kWrites, 0);
  for (int i = 0; i < kWrites; ++i) {
    Write<std::vector<TrialRecord>> write;
    write.render = [&rendered, i](const std::vector<TrialRecord>& trials) {
      rendered[static_cast<size_t>(i)] = trials[0].number;
      return std::string();
    };
    write.done = [&, i](absl::Status, std::optional<std::string>) {
      numbers.push_back(rendered[static_cast<size_t>(i)]);
      answers.Down();
    };
    store().AddTrials({"s", {NewSuggestion("x")}}, std::move(write));
  }
  answers.Wait();
  ASSERT_EQ(numbers.size(), static_cast<size_t>(kWrites));
  for (int i = 0; i < kWrites; ++i) EXPECT_EQ(numbers[static_cast<size_t>(i)], i + 1);
}

TEST_P(StoreContract, ReadersSeeWholeWritesOnly) {
  constexpr int kWrites = 200;
  const StudyRecord study = Create("s");
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0};
  std::atomic<int> reads{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < 6; ++r) {
    readers.emplace_back([&] {
      while (!stop) {
        const auto plan = store().PlanLeases(study.key, "s", {}, 10000);
        // Each write queues two trials, counted by the study.
        if (!plan.ok() || plan->queued.size() % 2 != 0 ||
            static_cast<int64_t>(plan->queued.size()) != plan->study.trial_count) {
          ++torn;
        }
        ++reads;
      }
    });
  }
  // All writes may take less time than starting a thread.
  while (reads == 0) std::this_thread::yield();
  for (int i = 0; i < kWrites; ++i) {
    ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x"), NewSuggestion("y")}).ok());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_GT(reads, 0);
}

TEST_P(StoreContract, ClosingAnswersAllSubmittedWrites) {
  constexpr int kWrites = 300;
  Create("s");
  std::atomic<int> answered{0};
  for (int i = 0; i < kWrites; ++i) {
    Write<std::vector<TrialRecord>> write;
    write.done = [&](absl::Status status, std::optional<std::string>) {
      if (status.ok()) ++answered;
    };
    store().AddTrials({"s", {NewSuggestion("x")}}, std::move(write));
  }
  Reopen();
  EXPECT_EQ(answered, kWrites);
  EXPECT_EQ(store().GetStudy("s")->trial_count, kWrites);
}

TEST_P(StoreContract, LeasesThatRaceForOnePlanAreGrantedOnce) {
  constexpr int kThreads = 6;
  const StudyRecord study = Create("s");
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("q")}).ok());
  std::atomic<int> granted{0};
  std::atomic<int> aborted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      LeaseBatch batch;
      batch.study_key = study.key;
      batch.study_id = "s";
      batch.expected_trial_count = 1;
      batch.grants.resize(1);
      batch.grants[0].worker = "w" + std::to_string(t);
      batch.grants[0].queued = {1};
      const absl::Status status = LeaseTrials(store(), std::move(batch)).status();
      if (status.ok()) ++granted;
      if (absl::IsAborted(status)) ++aborted;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(granted, 1);
  EXPECT_EQ(aborted, kThreads - 1);
}

}  // namespace
}  // namespace slipstream
