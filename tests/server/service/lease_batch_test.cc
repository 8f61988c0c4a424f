#include "server/service/lease_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/status.h"
#include "google/protobuf/util/time_util.h"
#include "tests/server/service/service_fixture.h"
#include "tests/server/store/store_calls.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NeverReadySources : public SourceProvider {
 public:
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>&, const SearchSpace&,
      const SourceFitOptions&) override {
    return absl::UnavailableError("soon");
  }
};

class LeaseBatchTest : public ServiceFixture {
 protected:
  // What became of one call of a batch.
  struct Answer {
    absl::Status status = absl::UnknownError("not answered");
    v1::SuggestResponse response;
    bool is_given = false;
  };
  struct Wanted {
    std::string worker;
    int count = 1;
    std::string request_id = {};
  };

  // Runs one batch to its end. Calls to try again stay unanswered.
  std::deque<Answer> RunBatch(const std::vector<Wanted>& wanted) {
    std::deque<Answer> answers;
    std::vector<SuggestCall> calls;
    for (const Wanted& each : wanted) {
      Answer& answer = answers.emplace_back();
      calls.push_back({.study_id = "s",
                       .worker = each.worker,
                       .count = each.count,
                       .guard = {each.request_id, each.request_id.empty() ? "" : "fingerprint"},
                       .response = &answer.response,
                       .done = [&answer](absl::Status status) {
                         EXPECT_FALSE(std::exchange(answer.is_given, true));
                         answer.status = std::move(status);
                       }});
    }
    std::promise<void> finished;
    LeaseBatchWork::Start(context_, "s", std::move(calls), [&](std::vector<SuggestCall> again) {
      left_over_ = again.size();
      finished.set_value();
    });
    finished.get_future().wait();
    return answers;
  }
  static std::vector<std::string> NamesIn(const Answer& answer) {
    std::vector<std::string> names;
    for (const v1::Trial& trial : answer.response.trials()) names.push_back(trial.name());
    return names;
  }
  void Pause() {
    v1::UpdateStudyRequest pause;
    pause.mutable_study()->set_name("studies/s");
    pause.mutable_study()->set_state(v1::Study::PAUSED);
    pause.mutable_update_mask()->add_paths("state");
    ASSERT_TRUE(Call(&StudyService::UpdateStudy, pause).ok());
  }
  void Queue(int count) {
    v1::AddTrialsRequest request;
    request.set_study("studies/s");
    for (int i = 0; i < count; ++i) {
      *request.add_observations()->mutable_configuration() = ExampleConfiguration(0.5, 1 + i);
    }
    ASSERT_TRUE(Call(&TrialService::AddTrials, request).ok());
  }

  std::vector<std::string> reads_;  // The verbs that the batches called, in order.
  std::function<void(const std::string& verb)> during_read_ = [](const std::string&) {};
  ObservedStore recorded_store_{store_.get(), [this](const std::string& verb) {
                                  reads_.push_back(verb);
                                  during_read_(verb);
                                }};
  Catalog catalog_{&recorded_store_, size_t{1} << 20, size_t{1} << 20};
  HistoryCache histories_{&recorded_store_, size_t{1} << 20};
  SourceLibrary sources_{size_t{16} << 20};
  LadderCounts ladder_;
  ServiceOptions options_;
  LeaseBatchContext context_{.store = &recorded_store_,
                             .catalog = &catalog_,
                             .sources = &sources_,
                             .histories = &histories_,
                             .ladder = &ladder_,
                             .options = &options_};
  size_t left_over_ = 0;  // Calls of the last batch to try again.
};

TEST_F(LeaseBatchTest, AWorkerGetsItsOwnTrialsThenQueuedOnesThenNewOnes) {
  Create(ExampleStudy());
  RunBatch({{"a", 2}});
  Queue(2);
  const auto answers = RunBatch({{"b", 1}, {"a", 4}});
  EXPECT_THAT(NamesIn(answers[0]), ElementsAre("studies/s/trials/3"));
  EXPECT_THAT(NamesIn(answers[1]), ElementsAre("studies/s/trials/1", "studies/s/trials/2",
                                               "studies/s/trials/4", "studies/s/trials/5"));
  EXPECT_EQ(answers[1].response.trials(2).worker(), "a");
  EXPECT_EQ(ladder_.Of(Rung::kRecipe), 3);
}

// The first call leaves the batch with its first answer, the third is refused, and
// the last finds the candidate list used up: the others still get what is theirs.
TEST_F(LeaseBatchTest, CallsThatLeaveTheBatchDoNotDisturbTheOthers) {
  Create(CandidateStudy(3));
  const auto first = RunBatch({{"a", 1, "the-id"}});
  options_.max_message_bytes = 64 << 10;
  const auto answers =
      RunBatch({{"a", 1, "the-id"}, {"b"}, {"c", 1000}, {"d", 1, "other-id"}, {"e"}});
  EXPECT_EQ(answers[0].response.DebugString(), first[0].response.DebugString());
  EXPECT_THAT(NamesIn(answers[1]), ElementsAre("studies/s/trials/2"));
  EXPECT_EQ(answers[1].response.trials(0).worker(), "b");
  ASSERT_TRUE(ViolationOf(answers[2].status).has_value()) << answers[2].status;
  EXPECT_EQ(ViolationOf(answers[2].status)->field, "count");
  EXPECT_THAT(NamesIn(answers[3]), ElementsAre("studies/s/trials/3"));
  EXPECT_EQ(answers[3].response.trials(0).worker(), "d");
  EXPECT_TRUE(absl::IsFailedPrecondition(answers[4].status)) << answers[4].status;
  for (const size_t i : {0, 1, 3}) EXPECT_TRUE(answers[i].status.ok()) << answers[i].status;
  const auto repeat = RunBatch({{"d", 1, "other-id"}});
  EXPECT_EQ(repeat[0].response.DebugString(), answers[3].response.DebugString());
}

// The row of a queued trial is damaged.
TEST_F(LeaseBatchTest, ARepeatIsRefusedIfTheFirstAnswerCouldNotBeMade) {
  Create(ExampleStudy());
  ASSERT_TRUE(AddTrials(*store_, "s", {NewSuggestion("\xff")}).ok());
  for (const char* call : {"first", "repeat"}) {
    const absl::Status status = RunBatch({{"a", 1, "the-id"}})[0].status;
    EXPECT_TRUE(absl::IsDataLoss(status)) << call << ": " << status;
  }
}

TEST_F(LeaseBatchTest, APausedStudyGivesWorkersTheirTrialsAndNoOthers) {
  Create(ExampleStudy());
  const auto before = RunBatch({{"a", 3}, {"b", 2}});
  Queue(1);
  Pause();
  reads_.clear();
  const auto answers = RunBatch({{"a", 3}, {"other"}, {"b", 2}});
  EXPECT_THAT(reads_, ElementsAre("PlanLeases"));
  EXPECT_EQ(NamesIn(answers[0]), NamesIn(before[0]));
  EXPECT_EQ(NamesIn(answers[2]), NamesIn(before[1]));
  EXPECT_TRUE(absl::IsFailedPrecondition(answers[1].status));
  EXPECT_THAT(std::string(answers[1].status.message()), HasSubstr("PAUSED"));
}

TEST_F(LeaseBatchTest, AskingAgainRenewsTheLeaseAlsoInAPausedStudy) {
  Create(ExampleStudy());
  const auto first = RunBatch({{"a"}});
  Pause();
  const absl::Time begin = absl::Now();  // The store's clock counts milliseconds.
  while (absl::Now() - begin < absl::Milliseconds(2)) std::this_thread::yield();
  const auto again = RunBatch({{"a"}});
  const auto end_of = [](const Answer& answer) {
    return google::protobuf::util::TimeUtil::TimestampToMilliseconds(
        answer.response.trials(0).lease_end_time());
  };
  EXPECT_GT(end_of(again[0]), end_of(first[0]));
}

// It pauses after the plan, while the strategy's history is read.
TEST_F(LeaseBatchTest, AStudyThatIsPausedMeanwhileHasItsCallsPlannedAgain) {
  Create(ExampleStudy("gp_log_ei"));
  bool paused = false;
  during_read_ = [&](const std::string& verb) {
    if (verb == "ListTrials" && !std::exchange(paused, true)) Pause();
  };
  const auto answers = RunBatch({{"a"}});
  EXPECT_TRUE(paused);
  EXPECT_EQ(left_over_, 1u);
  during_read_ = [](const std::string&) {};
  EXPECT_TRUE(absl::IsFailedPrecondition(RunBatch({{"a"}})[0].status));
}

// Trials are added after the plan, while the strategy's history is read.
TEST_F(LeaseBatchTest, ABatchOvertakenByAnotherWriteLeavesItsCallsToTheNextOne) {
  Create(ExampleStudy("gp_log_ei"));
  bool added = false;
  during_read_ = [&](const std::string& verb) {
    if (added || verb != "ListTrials") return;
    added = true;
    v1::AddTrialsRequest request;
    request.set_study("studies/s");
    *request.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
    EXPECT_TRUE(Call(&TrialService::AddTrials, request).ok());
  };
  RunBatch({{"a"}, {"b"}});
  EXPECT_TRUE(added);
  EXPECT_EQ(left_over_, 2u);
  const auto again = RunBatch({{"a"}, {"b"}});
  EXPECT_EQ(left_over_, 0u);
  EXPECT_THAT(NamesIn(again[1]), ElementsAre("studies/s/trials/3"));
}

TEST_F(LeaseBatchTest, TellsWhichStudyLackedASource) {
  v1::Study study = ExampleStudy("cmbo_wss_wss");
  for (int task = 0; task < 3; ++task) study.add_source_tasks(RegisterExample(20, task));
  Create(study);
  AddResults({0, 1, 2, 3, 4, 5});
  std::vector<std::string> unready;
  context_.on_unready_sources = [&unready](const std::string& id) { unready.push_back(id); };
  NeverReadySources never;
  context_.sources = &never;
  EXPECT_TRUE(RunBatch({{"a"}})[0].status.ok());
  EXPECT_THAT(unready, ElementsAre("s"));
  unready.clear();
  context_.sources = &sources_;
  EXPECT_TRUE(RunBatch({{"b"}})[0].status.ok());
  EXPECT_THAT(unready, ElementsAre());
}

TEST_F(LeaseBatchTest, WithoutMemoryForOneCallTheOthersAreAnsweredOnce) {
  Create(ExampleStudy());
  RunBatch({{"a", 1, "id a"}});
  int reads = 0;
  during_read_ = [&reads](const std::string& read) {
    if (read == "FindAnswer" && ++reads == 2) throw std::bad_alloc();
  };
  const auto answers = RunBatch({{"a", 1, "id a"}, {"b", 1, "id b"}});
  EXPECT_TRUE(answers[0].status.ok()) << answers[0].status;
  EXPECT_TRUE(IsOverload(answers[1].status)) << answers[1].status;
}

TEST_F(LeaseBatchTest, ABatchForWhichThereIsTooLittleMemoryIsRefused) {
  Create(ExampleStudy());
  for (const char* verb : {"FindAnswer", "PlanLeases"}) {
    during_read_ = [verb](const std::string& read) {
      if (read == verb) throw std::bad_alloc();
    };
    for (const Answer& answer : RunBatch({{"a", 1, "id a"}, {"b", 1, "id b"}})) {
      EXPECT_TRUE(IsOverload(answer.status)) << verb << ": " << answer.status;
    }
  }
  during_read_ = [](const std::string&) {};
  for (const Answer& answer : RunBatch({{"a", 1, "id a"}, {"b", 1, "id b"}})) {
    EXPECT_TRUE(answer.status.ok()) << answer.status;
  }
}

}  // namespace
}  // namespace slipstream
