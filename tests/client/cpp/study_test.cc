#include "slipstream/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "slipstream/messages/client.h"
#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream::client {
namespace {

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
