// Suggest and Observe from many threads, without a transport between, so that
// ThreadSanitizer sees all of it.
#include "server/service/suggest_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/service/service.h"
#include "server/service/source_task_upload.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

class SuggestQueueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SqliteStoreOptions options;
    options.path = folder_.path() + "/slipstream.db";
    auto store = OpenSqliteStore(options);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    service_.emplace(store_.get(), ServiceOptions{.version = "test"});
  }
  // Calls and waits for the answer.
  template <typename Request, typename Response>
  absl::StatusCode Wait(void (Service::*method)(const Request*, Response*, Service::Done),
                        const Request& request, Response* response) {
    std::promise<absl::StatusCode> done;
    ((*service_).*method)(&request, response,
                          [&done](const absl::Status& status) { done.set_value(status.code()); });
    return done.get_future().get();
  }
  void Create(const v1::Study& study) {
    v1::Study created;
    ASSERT_EQ(Wait(&Service::CreateStudy, CreateRequest(study, "s"), &created),
              absl::StatusCode::kOk);
  }

  // A source task with 20 results on ExampleStudy's space; its name.
  std::string RegisterExample(int task) {
    v1::RegisterSourceTaskRequest message;
    v1::SourceTask* source = message.mutable_header()->mutable_source_task();
    *source->mutable_space() = ExampleStudy().space();
    *source->mutable_metrics() = ExampleStudy().metrics();
    auto upload = std::make_unique<SourceTaskUpload>();
    EXPECT_TRUE(upload->Add(message).ok());
    v1::RegisterSourceTaskRequest chunk;
    for (int i = 0; i < 20; ++i) {
      *chunk.add_observations() =
          MeasuredObservation(ExampleConfiguration(0.001 * (i + 1), 1 + i % 8), (i - task) % 7);
    }
    EXPECT_TRUE(upload->Add(chunk).ok());
    v1::RegisterSourceTaskResponse registered;
    std::promise<absl::Status> done;
    service_->RegisterSourceTask(std::move(upload), &registered, [&done](absl::Status status) {
      done.set_value(std::move(status));
    });
    EXPECT_TRUE(done.get_future().get().ok());
    return registered.source_task().name();
  }
  void CreateWithSources(const std::string& preset) {
    v1::Study study = ExampleStudy(preset);
    for (int task = 0; task < 3; ++task) *study.add_source_tasks() = RegisterExample(task);
    Create(study);
  }
  // Enough for a model.
  void AddResults() {
    v1::AddTrialsRequest results;
    results.set_study("studies/s");
    for (int i = 0; i < 6; ++i) {
      *results.add_observations() =
          MeasuredObservation(ExampleConfiguration(0.001 * (i + 1), 1 + i), i);
    }
    v1::AddTrialsResponse added;
    ASSERT_EQ(Wait(&Service::AddTrials, results, &added), absl::StatusCode::kOk);
  }
  void FinishPreparing() {
    while (service_->preparing_sources()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // How the next suggestion came about.
  v1::Provenance::Rung RungOfNext(const std::string& worker) {
    v1::SuggestResponse response;
    EXPECT_EQ(Wait(&Service::Suggest, AskRequest("studies/s", worker), &response),
              absl::StatusCode::kOk);
    v1::ExplainRequest ask;
    ask.set_trial(response.trials(0).name());
    v1::Explanation explanation;
    EXPECT_EQ(Wait(&Service::Explain, ask, &explanation), absl::StatusCode::kOk);
    return explanation.provenance().rung();
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  std::optional<Service> service_;
};

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
        const absl::StatusCode code = Wait(&Service::Suggest, ask, &response);
        if (code != absl::StatusCode::kOk) {
          refused += code == absl::StatusCode::kFailedPrecondition ? 1 : 0;
          return;
        }
        v1::Trial told;
        const auto tell = TellRequest(response.trials(0).name(), LossOutcome(w));
        ASSERT_EQ(Wait(&Service::Observe, tell, &told), absl::StatusCode::kOk);
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
      EXPECT_EQ(Wait(&Service::Suggest, ask, &responses[t]), absl::StatusCode::kOk);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const v1::SuggestResponse& response : responses) {
    EXPECT_EQ(response.DebugString(), responses[0].DebugString());
  }
  ASSERT_EQ(responses[0].trials_size(), 2);
  v1::SuggestResponse other;
  ASSERT_EQ(Wait(&Service::Suggest, AskRequest("studies/s", "other"), &other),
            absl::StatusCode::kOk);
  EXPECT_EQ(other.trials(0).name(), "studies/s/trials/3");
}

// Under a flood of additions a call may be told to repeat itself.
TEST_F(SuggestQueueTest, TrialsAddedMeanwhileDoNotDuplicateSuggestions) {
  Create(ExampleStudy());
  std::atomic<bool> stop{false};
  std::thread adder([&] {
    v1::AddTrialsRequest request;
    request.set_study("studies/s");
    *request.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
    while (!stop) {
      v1::AddTrialsResponse added;
      EXPECT_EQ(Wait(&Service::AddTrials, request, &added), absl::StatusCode::kOk);
    }
  });
  std::set<std::string> names;
  for (int i = 0; i < 40; ++i) {
    v1::SuggestResponse response;
    const auto ask = AskRequest("studies/s", "w" + std::to_string(i));
    absl::StatusCode code = absl::StatusCode::kAborted;
    while (code == absl::StatusCode::kAborted) code = Wait(&Service::Suggest, ask, &response);
    EXPECT_EQ(code, absl::StatusCode::kOk);
    for (const v1::Trial& trial : response.trials()) names.insert(trial.name());
  }
  stop = true;
  adder.join();
  EXPECT_EQ(names.size(), 40u);
}

class NeverReadySources : public SourceProvider {
 public:
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>&, const SearchSpace&,
      const SourceFitOptions&) override {
    return absl::UnavailableError("soon");
  }
};

TEST_F(SuggestQueueTest, SaysOfWhichStudySourcesAreNotReady) {
  CreateWithSources("cmbo_wss_wss");
  AddResults();
  NeverReadySources never;
  SourceLibrary always(size_t{16} << 20);
  const std::vector<std::pair<SourceProvider*, std::vector<std::string>>> cases = {{&never, {"s"}},
                                                                                   {&always, {}}};
  for (const auto& [provider, expected] : cases) {
    std::vector<std::string> unready;
    Catalog catalog(store_.get(), size_t{1} << 20, size_t{1} << 20);
    HistoryCache histories(store_.get(), size_t{1} << 20);
    Executor executor("computations", 1, 10);
    SuggestOptions options;
    options.on_unready_sources = [&unready](const std::string& id) { unready.push_back(id); };
    std::promise<absl::Status> done;
    v1::SuggestResponse response;
    {
      SuggestQueue queue(store_.get(), &catalog, provider, &histories, &executor, options);
      SuggestCall call;
      call.study_id = "s";
      call.worker = expected.empty() ? "one" : "other";
      call.response = &response;
      call.done = [&done](absl::Status status) { done.set_value(std::move(status)); };
      queue.Suggest(std::move(call));
    }
    EXPECT_TRUE(done.get_future().get().ok());
    EXPECT_EQ(unready, expected);
  }
}

// From the study's creation on, and after a restart from the first suggestion
// that lacks them.
TEST_F(SuggestQueueTest, SourcesAreFittedBeforeTheyAreNeeded) {
  CreateWithSources("cmbo_wss_wss");
  FinishPreparing();
  AddResults();
  EXPECT_EQ(RungOfNext("first"), v1::Provenance::RECIPE);

  service_.emplace(store_.get(), ServiceOptions{.version = "restarted"});
  EXPECT_EQ(RungOfNext("second"), v1::Provenance::WITHOUT_TRANSFER);
  FinishPreparing();
  EXPECT_EQ(RungOfNext("third"), v1::Provenance::RECIPE);
}

}  // namespace
}  // namespace slipstream
