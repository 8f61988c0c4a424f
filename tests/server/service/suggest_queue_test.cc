// Suggest and Observe from many threads without a transport, so that
// ThreadSanitizer sees all of it.
#include "server/service/suggest_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "tests/server/service/service_fixture.h"
#include "tests/server/store/store_calls.h"
#include "tests/testing/allocation_limit.h"

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

// A study "s" that suggestions are worked out ahead for, and another one.
class OneComputationTest : public ServiceFixture {
 protected:
  OneComputationTest() {
    ServiceOptions options;
    options.compute_threads = 2;
    options.lease_sweep_period = absl::InfiniteDuration();
    service_.reset();
    service_.emplace(&observed_store_, options);
    Create(ExampleStudy("gp_log_ei"));
    Create(CandidateStudy(50), "other");  // Each call of which is planned.
    AddResults({3, 1, 4, 1, 5, 9, 2, 6});
  }
  ~OneComputationTest() override { service_->WaitUntilComputed(); }

  // From now on counts computations that begin, and holds the first one until Release.
  void HoldTheNextComputation() {
    service_->WaitUntilComputed();
    before_read_ = [this](const std::string& verb) {
      if (verb != "PlanLeases" || ++begun_ > 1) return;
      held_.set_value();
      gate_.get_future().wait();
    };
  }
  void WaitUntilHeld() { held_.get_future().wait(); }
  void Release() { gate_.set_value(); }

  std::future<absl::Status> AskSoon(const std::string& worker) {
    auto asked = std::make_unique<Asked>();
    asked->request = AskRequest("studies/s", worker);
    std::future<absl::Status> status = asked->status.get_future();
    service_->trials().Suggest(
        &asked->request, &asked->response,
        [&promise = asked->status](absl::Status answer) { promise.set_value(std::move(answer)); });
    asked_.push_back(std::move(asked));
    return status;
  }
  // Tasks begin in their order, so that what waits for a thread has begun when these calls, which
  // come after it, are answered.
  void LetOthersCompute() {
    for (int i = 0; i < kOthers; ++i) Suggest("v" + std::to_string(i), "studies/other");
  }

  static constexpr int kOthers = 5;
  std::atomic<int> begun_{0};

 private:
  struct Asked {
    v1::SuggestRequest request;
    v1::SuggestResponse response;
    std::promise<absl::Status> status;
  };

  std::promise<void> held_;
  std::promise<void> gate_;
  std::vector<std::unique_ptr<Asked>> asked_;
};

TEST_F(OneComputationTest, CallsWaitWhileSuggestionsAreWorkedOutAhead) {
  const v1::Trial first = Suggest("w0");
  HoldTheNextComputation();
  Observe(first.name(), 7);
  WaitUntilHeld();
  std::vector<std::future<absl::Status>> asked;
  for (int i = 1; i <= 4; ++i) asked.push_back(AskSoon("w" + std::to_string(i)));
  LetOthersCompute();
  EXPECT_EQ(begun_, 1 + kOthers);
  Release();
  for (std::future<absl::Status>& status : asked) EXPECT_TRUE(status.get().ok());
}

TEST_F(OneComputationTest, NeitherCallsNorWorkAheadBeginWhileABatchIsComputed) {
  const v1::Trial first = Suggest("w0");
  HoldTheNextComputation();
  std::vector<std::future<absl::Status>> asked;
  asked.push_back(AskSoon("w1"));
  WaitUntilHeld();
  Observe(first.name(), 7);
  for (int i = 2; i <= 4; ++i) asked.push_back(AskSoon("w" + std::to_string(i)));
  LetOthersCompute();
  EXPECT_EQ(begun_, 1 + kOthers);
  Release();
  for (std::future<absl::Status>& status : asked) EXPECT_TRUE(status.get().ok());
}

// Workers who ask at once, while each result has the next suggestions worked out ahead.
TEST_F(OneComputationTest, ComputationsOfManyWorkersComeOneAfterTheOther) {
  constexpr int kWorkers = 6;
  constexpr int kRounds = 8;
  std::atomic<int> beginning{0};
  std::atomic<int> most{0};
  before_read_ = [&](const std::string& verb) {
    if (verb != "PlanLeases") return;
    ++begun_;
    const int now = ++beginning;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    // Whoever else may begin has the time to.
    for (int i = 0; i < 200; ++i) std::this_thread::yield();
    --beginning;
  };
  std::vector<std::thread> workers;
  for (int w = 0; w < kWorkers; ++w) {
    workers.emplace_back([&, w] {
      for (int round = 0; round < kRounds; ++round) {
        Observe(Suggest("w" + std::to_string(w)).name(), w + round);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  service_->WaitUntilComputed();
  before_read_ = nullptr;
  EXPECT_EQ(most, 1);
  EXPECT_GE(begun_, kRounds);
  EXPECT_GT(service_->Figures().prepared, 0) << "there was work ahead";
}

TEST_F(OneComputationTest, WorkAheadForWhichThereIsTooLittleMemoryIsLeftOut) {
  const std::string trial = Suggest("w").name();
  service_->WaitUntilComputed();
  std::atomic<bool> was_reached = false;
  before_read_ = [&](const std::string& verb) {
    if (verb == "PlanLeases" && !was_reached.exchange(true)) throw std::bad_alloc();
  };
  Observe(trial, 1);
  service_->WaitUntilComputed();
  EXPECT_TRUE(was_reached);
  EXPECT_NE(Suggest("w").name(), trial);
}

// A store that answers a lease at once with ABORTED, while there is no memory.
class AbortingStore : public ObservedStore {
 public:
  explicit AbortingStore(Store* store) : ObservedStore(store, [](const std::string&) {}) {}

  void LeasePrepared(PreparedLease lease, Write<std::vector<TrialRecord>> write) override {
    if (!Abort([&](absl::Status status) { write.done(std::move(status), std::nullopt); })) {
      ObservedStore::LeasePrepared(std::move(lease), std::move(write));
    }
  }
  void LeaseTrials(LeaseBatch batch) override {
    if (!Abort(batch.done)) ObservedStore::LeaseTrials(std::move(batch));
  }

  // Only the next answer, and with memory for so many allocations.
  void AbortNext(int allocations) { allocations_ = allocations; }

 private:
  bool Abort(const std::function<void(absl::Status)>& done) {
    const int allocations = allocations_.exchange(-1);
    if (allocations < 0) return false;
    absl::Status aborted = absl::AbortedError("plan again");
    const AllocationLimit limit(allocations);
    done(std::move(aborted));
    return true;
  }

  std::atomic<int> allocations_{-1};  // Negative: nothing is aborted.
};

// A queue whose memory may run out at any allocation.
class LittleMemoryQueueTest : public ServiceFixture {
 protected:
  LittleMemoryQueueTest() {
    Create(ExampleStudy());
    StartQueue([] {});
  }
  ~LittleMemoryQueueTest() override { queue_->WaitUntilIdle(); }

  void StartQueue(const std::function<void()>& on_thread) {
    queue_.reset();
    executor_.emplace("computations", /*threads=*/1, /*max_waiting=*/10, /*spare_threads=*/0,
                      on_thread);
    context_.executor = &*executor_;
    queue_.emplace(context_, &*executor_);
  }

  // Calls `test` with no memory at first and then more and more, until it says that there was
  // enough of it. Checks after each time that the queue still answers.
  void WithMoreAndMoreMemory(const std::function<bool(int allocations)>& test) {
    int times = 0;
    for (int allocations = 0; test(allocations); ++times) {
      queue_->WaitUntilIdle();
      const absl::Status status = Ask();
      ASSERT_TRUE(status.ok()) << status << " after " << allocations << " allocations";
      allocations += 1 + allocations / 16;
    }
    EXPECT_GT(times, 0) << "nothing was tested";
  }

  struct Asked {
    v1::SuggestResponse response;
    std::promise<absl::Status> promise;
    std::future<absl::Status> status = promise.get_future();
    SuggestCall call;
  };
  // A call that is not in the queue yet.
  Asked& NewCall() {
    Asked& asked = asked_.emplace_back();
    asked.call.study_id = "s";
    asked.call.worker = "w" + std::to_string(asked_.size());
    asked.call.response = &asked.response;
    asked.call.done = [&promise = asked.promise](absl::Status status) {
      promise.set_value(std::move(status));
    };
    return asked;
  }
  absl::Status Ask() {
    Asked& asked = NewCall();
    queue_->Suggest(std::move(asked.call));
    return asked.status.get();
  }
  // Has the next call go to the store, as a suggestion is there for it, or be computed.
  void Prepare() {
    while (!prepared_.HasUnused(key())) EXPECT_TRUE(Ask().ok());
  }
  void ForgetPrepared() { prepared_.Forget(key()); }
  int64_t key() { return store_->GetStudy("s")->key; }
  // Whether the call was refused, because memory ran out.
  static bool IsRefused(const absl::Status& status) {
    EXPECT_TRUE(status.ok() || IsOverload(status)) << status;
    return !status.ok();
  }

  AbortingStore aborting_store_{store_.get()};
  PreparedSuggestions prepared_{10, size_t{1} << 20};
  Catalog catalog_{&aborting_store_, size_t{1} << 20, size_t{1} << 20};
  HistoryCache histories_{&aborting_store_, size_t{1} << 20};
  SourceLibrary sources_{size_t{16} << 20};
  LadderCounts ladder_;
  ServiceOptions options_;
  LeaseBatchContext context_{.store = &aborting_store_,
                             .catalog = &catalog_,
                             .sources = &sources_,
                             .histories = &histories_,
                             .ladder = &ladder_,
                             .options = &options_,
                             .prepared = &prepared_};
  std::optional<Executor> executor_;
  std::optional<SuggestQueue> queue_;
  std::deque<Asked> asked_;
};

TEST_F(LittleMemoryQueueTest, ACallForWhichThereIsTooLittleMemoryIsRefused) {
  for (const bool is_prepared : {false, true}) {
    WithMoreAndMoreMemory([&](int allocations) {
      is_prepared ? Prepare() : ForgetPrepared();
      queue_->WaitUntilIdle();
      Asked& asked = NewCall();
      {
        const AllocationLimit limit(allocations);
        queue_->Suggest(std::move(asked.call));
      }
      return IsRefused(asked.status.get());
    });
  }
}

TEST_F(LittleMemoryQueueTest, ACallThatComesBackFromTheStoreIsRefusedWithoutMemory) {
  WithMoreAndMoreMemory([&](int allocations) {
    Prepare();
    aborting_store_.AbortNext(allocations);
    return IsRefused(Ask());
  });
}

TEST_F(LittleMemoryQueueTest, CallsThatABatchLeavesAreRefusedWithoutMemory) {
  WithMoreAndMoreMemory([&](int allocations) {
    ForgetPrepared();
    aborting_store_.AbortNext(allocations);
    return IsRefused(Ask());
  });
}

TEST_F(LittleMemoryQueueTest, ABatchForWhichThereIsTooLittleMemoryIsRefused) {
  WithMoreAndMoreMemory([&](int allocations) {
    std::promise<void> begun;
    StartQueue([&] {
      thread_local std::optional<AllocationLimit> limit;
      limit.emplace(allocations);
      begun.set_value();
    });
    begun.get_future().wait();
    ForgetPrepared();
    const bool is_refused = IsRefused(Ask());
    StartQueue([] {});
    return is_refused;
  });
}

TEST_F(LittleMemoryQueueTest, WorkAheadThatRunsOutOfMemoryIsLeftOut) {
  Create(ExampleStudy("gp_log_ei"), "modelled");
  const std::shared_ptr<const CatalogStudy> study = *catalog_.GetStudy("modelled");
  WithMoreAndMoreMemory([&](int allocations) {
    const AllocationLimit limit(allocations);
    queue_->PrepareAhead(study);
    return limit.was_reached();
  });
}

// Two studies on one thread, besides the spare one, whose turns end after one suggestion.
TEST_F(SuggestQueueTest, ACallDoesNotWaitUntilWorkAheadOfItsStudyHasAnotherTurn) {
  ServiceOptions options;
  options.compute_threads = 1;
  options.suggest_turn = absl::ZeroDuration();
  options.lease_sweep_period = absl::InfiniteDuration();
  service_.reset();
  service_.emplace(&observed_store_, options);
  Create(ExampleStudy("gp_log_ei"));
  Create(ExampleStudy("gp_log_ei"), "other");
  AddResults({3, 1, 4, 1, 5, 9, 2, 6});
  std::vector<std::string> leased;
  for (int i = 0; i < 4; ++i) leased.push_back(Suggest("w" + std::to_string(i)).name());
  const v1::Trial of_other = Suggest("w", "studies/other");
  service_->WaitUntilComputed();
  std::promise<void> begun[2];
  std::promise<void> gate[2];
  std::atomic<int> begin{0};
  before_read_ = [&](const std::string& verb) {
    const int place = verb == "PlanLeases" ? begin++ : 2;
    if (place >= 2) return;
    begun[place].set_value();
    gate[place].get_future().wait();
  };
  Observe(leased[0], 7);
  begun[0].get_future().wait();
  Observe(of_other.name(), 7);
  gate[0].set_value();
  // The thread turns to the other study, and what is left to do ahead waits behind that.
  begun[1].get_future().wait();
  EXPECT_EQ(service_->Figures().prepared, 0);
  EXPECT_FALSE(Suggest("late").name().empty());
  EXPECT_GT(service_->Figures().prepared, 0) << "what was made ahead is there";
  gate[1].set_value();
  service_->WaitUntilComputed();
  before_read_ = nullptr;
}

}  // namespace
}  // namespace slipstream
