#include "slipstream/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "slipstream/messages/client.h"
#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StudyTest : public testing::Test {
 protected:
  StudyTest() {
    options_.address = server_.address();
    options_.clock = std::make_shared<FakeClientClock>();
    options_.worker = "w";
  }

  static NewStudy Small() {
    return {.id = "digits",
            .space = {{"lr", Real(0, 1)},
                      {"kernel", Choice({"rbf", "poly"})},
                      {"degree", Integer(2, 5).When("kernel", {"poly"})}},
            .maximize = "accuracy"};
  }
  Study Open() { return *CreateOrLoad(Small(), options_); }

  FakeServer server_;
  ClientOptions options_;
};

TEST_F(StudyTest, IsCreatedOnceAndThenLoaded) {
  const auto created = CreateOrLoad(Small(), options_);
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_EQ(created->id(), "digits");
  EXPECT_EQ(created->name(), "studies/digits");
  EXPECT_EQ(created->worker(), "w");
  const auto loaded = CreateOrLoad(Small(), created->messages());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(server_.service().study_count(), 1u);
  EXPECT_EQ(Load("studies/digits", options_)->description().space, Small().space);
}

TEST_F(StudyTest, ThatExistsButDiffersIsAnError) {
  Open();
  NewStudy other = Small();
  other.space[0].second = Log(1e-5, 1);
  const absl::Status differs = CreateOrLoad(other, options_).status();
  EXPECT_EQ(differs.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(
      differs.message(),
      "study 'digits' on " + options_.address +
          " exists, but is not the one asked for:\n  parameter 'lr': asked for Log(1e-05, 1), "
          "the study has Real(0, 1)\nUse it unchanged with Load(\"digits\"), or choose another "
          "id.");
}

TEST_F(StudyTest, MayBeMadeByAnotherProcessMeanwhile) {
  Open();
  server_.service().FailNext(1, {.status = {grpc::StatusCode::NOT_FOUND, "not yet"}});
  EXPECT_TRUE(CreateOrLoad(Small(), options_).ok());
}

TEST_F(StudyTest, RefusesWhatCannotBeAnId) {
  for (const std::string& id : {std::string(), std::string("a/b")}) {
    EXPECT_EQ(Load(id, options_).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(Load("none", options_).status().code(), absl::StatusCode::kNotFound);
  NewStudy wrong = Small();
  wrong.recipe = {{"kernel", "matern"}};
  EXPECT_THAT(std::string(CreateOrLoad(wrong, options_).status().message()),
              HasSubstr("recipe: 'kernel' is 'matern', but an option must be a number"));
}

TEST_F(StudyTest, IsOfTheProjectThatIsNamedOrOfTheOptions) {
  NewStudy named = Small();
  named.project = "vision";
  named.sources = {"sourceTasks/a", "projects/vision/sourceTasks/b"};
  const auto created = CreateOrLoad(named, options_);
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_EQ(created->id(), "digits");
  EXPECT_EQ(created->name(), "projects/vision/studies/digits");
  EXPECT_EQ(created->description().project, "vision");
  EXPECT_THAT(created->description().sources,
              ElementsAre("sourceTasks/a", "projects/vision/sourceTasks/b"));
  EXPECT_TRUE(CreateOrLoad(named, options_).ok());
  Study study = *created;
  EXPECT_EQ(study.Suggest()->name(), "projects/vision/studies/digits/trials/1");

  EXPECT_EQ(Load("digits", options_).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(Load("projects/vision/studies/digits", options_).ok());
  options_.project = "vision";
  EXPECT_EQ(Load("digits", options_)->name(), created->name());
  NewStudy other = Small();
  other.id = created->name();
  other.exact = true;
  EXPECT_THAT(std::string(CreateOrLoad(other, options_).status().message()),
              HasSubstr("study 'projects/vision/studies/digits' on "));
  other.project = "default";
  EXPECT_EQ(CreateOrLoad(other, options_).status().message(),
            "'projects/vision/studies/digits' is not in the project 'default'");
  EXPECT_EQ(server_.service().study_count(), 1u);
}

TEST_F(StudyTest, IsOfTheEnvironmentsProject) {
  ASSERT_EQ(setenv("SLIPSTREAM_PROJECT", "vision", 1), 0);
  const auto of_environment = CreateOrLoad(Small(), options_);
  ASSERT_EQ(setenv("SLIPSTREAM_PROJECT", "-", 1), 0);
  const auto of_all = CreateOrLoad(Small(), options_);
  ASSERT_EQ(unsetenv("SLIPSTREAM_PROJECT"), 0);
  ASSERT_TRUE(of_environment.ok()) << of_environment.status();
  EXPECT_EQ(of_environment->name(), "projects/vision/studies/digits");
  EXPECT_EQ(of_all.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(StudyTest, HasAWorkerForEachSuggestionThatIsOpen) {
  Study study = Open();
  absl::StatusOr<Trial> first = study.Suggest();
  auto others = study.Suggest(2);
  ASSERT_TRUE(first.ok() && others.ok());
  EXPECT_EQ(first->worker(), "w");
  ASSERT_EQ(others->size(), 2u);
  EXPECT_EQ((*others)[1].worker(), "w#2");
  for (const v1::Trial& trial : server_.service().trials("studies/digits")) {
    EXPECT_EQ(trial.worker_process().process_id(), getpid());
    EXPECT_NE(trial.worker_process().host(), "");
  }
  ASSERT_TRUE(first->Complete(0.5).ok());
  EXPECT_EQ(study.Suggest()->worker(), "w");
  EXPECT_EQ(study.Suggest(0).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(StudyTest, SharesItsWorkersWithOtherObjectsOfTheProcess) {
  Study first = Open();
  Study second = Open();
  const absl::StatusOr<Trial> held = first.Suggest();
  EXPECT_EQ(second.Suggest()->worker(), "w#2") << "\"w\" would be given the first one's trial";
  options_.worker = "another";
  EXPECT_EQ(Open().Suggest()->worker(), "another");
  options_.worker = "w";
  NewStudy other = Small();
  other.id = "other";
  EXPECT_EQ(CreateOrLoad(other, options_)->Suggest()->worker(), "w");
}

TEST_F(StudyTest, ResumesAllThatItsWorkerHeldBeforeARestart) {
  Open();
  for (const char* worker : {"w#3", "another", "w#2"}) {
    v1::Trial trial;
    trial.set_state(v1::Trial::ACTIVE);
    trial.set_worker(worker);
    server_.service().AddTrial("studies/digits", trial);
  }
  Study study = Open();
  for (const char* worker : {"w#2", "w#3"}) {  // One after the other.
    absl::StatusOr<Trial> trial = study.Suggest();
    ASSERT_TRUE(trial.ok()) << trial.status();
    EXPECT_EQ(trial->worker(), worker);
    ASSERT_TRUE(trial->Complete(0.5).ok());
  }
  int64_t lists = 0;
  for (const SeenCall& call : server_.service().calls()) lists += call.method == "ListTrials";
  EXPECT_EQ(lists, 1);
}

TEST_F(StudyTest, SuggestsWithoutWaiting) {
  Study study = Open();
  std::vector<std::future<absl::StatusOr<Trial>>> next;
  for (int i = 0; i < 8; ++i) next.push_back(study.SuggestAsync());
  for (auto& one : next) {
    absl::StatusOr<Trial> trial = one.get();
    ASSERT_TRUE(trial.ok()) << trial.status();
    EXPECT_TRUE(trial->CompleteAsync(0.5).get().ok());
  }
  EXPECT_EQ(study.Trials()->size(), 8u);
}

TEST_F(StudyTest, ExhaustedCandidatesAreNotThePause) {
  Study study = Open();
  ASSERT_TRUE(study.Suggest()->Complete(0.5).ok());
  const Fault refusal = {.status = UsedUpStatus("no candidate is left")};
  server_.service().FailNext(1, refusal);
  EXPECT_EQ(study.Suggest().status().code(), absl::StatusCode::kOutOfRange);
  // A pause that is over when the caller looks.
  server_.service().FailNext(1, {.status = {grpc::StatusCode::FAILED_PRECONDITION, "is PAUSED"}});
  EXPECT_EQ(study.Suggest().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(study.Pause().ok());
  EXPECT_TRUE(study.Resume().ok());
  EXPECT_TRUE(study.Complete().ok());
}

TEST_F(StudyTest, ReadsItsTrialsAndTakesOthers) {
  Study study = Open();
  EXPECT_EQ(*study.Best(), std::nullopt);
  EXPECT_EQ(study.Enqueue({{"lr", 0.5}, {"kernel", "rbf"}})->state, TrialState::kRequested);
  const auto added = study.Record({{"lr", 0.5}, {"kernel", "poly"}, {"degree", 3}}, 0.75);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_EQ(added->value, 0.75);
  EXPECT_EQ(std::get<int64_t>(added->params.at("degree")), 3);
  EXPECT_EQ((*study.Best())->number, added->number);
  EXPECT_EQ(study.Trials()->size(), 2u);
}

TEST_F(StudyTest, RecordsAndTellsEveryOutcome) {
  Study study = Open();
  const Configuration params = {{"lr", 0.5}, {"kernel", "rbf"}};
  EXPECT_EQ(study.Record(params, Infeasible{"too large"})->state, TrialState::kInfeasible);
  EXPECT_EQ(study.Record(params, Stopped{"hopeless", 0.25})->value, 0.25);
  EXPECT_THAT(std::string(study.Record(params, std::nan("")).status().message()),
              HasSubstr("the value is nan, and the model takes finite numbers only"));

  ASSERT_TRUE(study.Enqueue(params).ok());
  EXPECT_EQ(study.Find(3)->state, TrialState::kRequested);
  EXPECT_EQ(study.Tell(3, Failed{"out of memory"})->reason, "out of memory");
  EXPECT_EQ(study.Find(3)->state, TrialState::kFailed);
  EXPECT_EQ(study.Tell(9, 1.0).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StudyTest, TakesWholeNumbersAsValues) {
  Study study = Open();
  const Configuration params = {{"lr", 0.5}, {"kernel", "rbf"}};
  EXPECT_EQ(study.Record(params, 1)->value, 1.0);
  ASSERT_TRUE(study.Enqueue(params).ok());
  EXPECT_EQ(study.Tell(2, 0)->value, 0.0);
}

TEST_F(StudyTest, ChangesItsTitleLabelsAndLeases) {
  Study study = Open();
  using std::chrono::hours;
  auto changed = study.Change({.title = "Digits", .labels = {{"team", "vision"}, {"year", "1"}}});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(changed->title, "Digits");
  changed = study.Change({.labels = {{"year", std::nullopt}}, .lease = hours(2), .requeues = 3});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(changed->title, "Digits");
  EXPECT_EQ(changed->labels, (std::map<std::string, std::string>{{"team", "vision"}}));
  EXPECT_EQ(changed->lease, hours(2));
  EXPECT_EQ(study.Change({.lease = hours(1)})->requeues, 3);
  const size_t calls = server_.service().calls().size();
  EXPECT_EQ(study.Change({.title = "Digits"})->requeues, 3);
  EXPECT_EQ(server_.service().calls().size(), calls + 1) << "it was read only";
}

TEST_F(StudyTest, IsOfNoUseInAProcessThatWasForked) {
  auto study = std::make_unique<Study>(Open());
  auto trial = std::make_unique<Trial>(*study->Suggest());
  ASSERT_TRUE(trial->ReportAsync(1, 0.5).get().ok());
  const size_t calls = server_.service().calls().size();
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    alarm(20);  // Instead of hanging.
    const bool refused = absl::IsFailedPrecondition(trial->Report(2, 0.5)) &&
                         absl::IsFailedPrecondition(trial->ReportAsync(3, 0.5).get());
    trial = nullptr;
    study = nullptr;
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(server_.service().calls().size(), calls);
  EXPECT_TRUE(trial->Complete(0.5).ok());
}

TEST_F(StudyTest, TakesTurnsWithOtherObjectsThatChangeItOrItsTrials) {
  Study first = Open();
  const absl::StatusOr<Trial> trial = first.Suggest();
  ASSERT_TRUE(trial.ok());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      Study study = Open();
      for (int i = 0; i < 10; ++i) {
        const std::string label = std::to_string(10 * thread + i);
        EXPECT_TRUE(study.Change({.labels = {{label, ""}}}).ok());
        EXPECT_TRUE(study.Annotate(1, {.labels = {{label, ""}}}).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(first.Change({})->labels.size(), 40u);
  EXPECT_EQ(first.Find(1)->labels.size(), 40u);
}

TEST_F(StudyTest, DoesNotSpeakForAnotherStudyOfItsName) {
  v1::Study message = SmallStudy();
  message.set_name("studies/digits");
  message.mutable_create_time()->set_seconds(1740830400);
  message.mutable_create_time()->set_nanos(345'000'000);
  server_.service().AddStudy(message);
  Study study = *Load("digits", options_);
  ASSERT_TRUE(study.Record({{"lr", 0.5}, {"kernel", "rbf"}}, 0.75).ok());
  ASSERT_TRUE(study.Annotate(1, {.note = "mine"}).ok());
  absl::StatusOr<Trial> trial = study.Suggest();
  ASSERT_TRUE(trial.ok());
  server_.service().ReplaceStudy("studies/digits");
  EXPECT_TRUE(absl::IsNotFound(study.Suggest().status()));
  EXPECT_TRUE(absl::IsNotFound(study.Record({{"lr", 0.5}, {"kernel", "rbf"}}, 0.5).status()));
  EXPECT_TRUE(absl::IsNotFound(study.Annotate(1, {.note = "odd"}).status()));
  EXPECT_TRUE(absl::IsNotFound(study.Trials().status()));
  EXPECT_TRUE(absl::IsNotFound(study.Best().status()));
  EXPECT_TRUE(absl::IsNotFound(study.Find(2).status()));
  EXPECT_TRUE(absl::IsNotFound(study.Tell(2, 0.5).status()));
  EXPECT_TRUE(absl::IsNotFound(study.Change({.title = "mine"}).status()));
  EXPECT_TRUE(absl::IsNotFound(study.Pause()));
  EXPECT_TRUE(absl::IsNotFound(trial->Release()));
  const std::vector<v1::Trial> trials = server_.service().trials("studies/digits");
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].note(), "mine");
  EXPECT_EQ(trials[1].state(), v1::Trial::ACTIVE);
  EXPECT_TRUE(Load("digits", options_)->Pause().ok());
}

TEST_F(StudyTest, WritesLabelsAndNotesOnItsTrials) {
  Study study = Open();
  ASSERT_TRUE(study.Record({{"lr", 0.5}, {"kernel", "rbf"}}, 0.75).ok());
  const auto told = study.Annotate(1, {.labels = {{"gpu", "a100"}}, .note = "from last year"});
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->value, 0.75);
  EXPECT_EQ(told->labels, (std::map<std::string, std::string>{{"gpu", "a100"}}));
  EXPECT_EQ((*study.Best())->note, "from last year");
  EXPECT_EQ(study.Annotate(1, {})->labels, told->labels);
  EXPECT_TRUE(absl::IsNotFound(study.Annotate(7, {.note = "odd"}).status()));
}

}  // namespace
}  // namespace slipstream::client
