#include "server/service/trial_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/status.h"
#include "tests/server/service/service_fixture.h"
#include "tests/server/store/store_calls.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TrialServiceTest : public ServiceFixture {
 protected:
  void SetUp() override { Create(ExampleStudy()); }

  // The store's clock counts milliseconds.
  static void WaitForTheNextMillisecond() {
    const absl::Time begin = absl::Now();
    while (absl::Now() - begin < absl::Milliseconds(2)) std::this_thread::yield();
  }

  // Has another server delete the study and create one of the same name, so that
  // this server's cache is out of date. The new study has one leased trial.
  void MakeAnewElsewhere(const v1::Study& study) {
    Service other(store_.get(), ServiceOptions());
    v1::DeleteStudyRequest deletion;
    deletion.set_name("studies/s");
    google::protobuf::Empty empty;
    EXPECT_TRUE(Await([&](const Done& done) {
                  other.studies().DeleteStudy(&deletion, &empty, done);
                }).ok());
    const v1::CreateStudyRequest creation = CreateRequest(study, "s");
    v1::Study created;
    EXPECT_TRUE(Await([&](const Done& done) {
                  other.studies().CreateStudy(&creation, &created, done);
                }).ok());
    const v1::SuggestRequest ask = AskRequest("studies/s", "w");
    v1::SuggestResponse suggested;
    EXPECT_TRUE(
        Await([&](const Done& done) { other.trials().Suggest(&ask, &suggested, done); }).ok());
  }
};

TEST_F(TrialServiceTest, ASuggestedTrialIsActiveUntilItIsObserved) {
  const v1::Trial trial = Suggest("w");
  EXPECT_EQ(trial.name(), "studies/s/trials/1");
  EXPECT_EQ(trial.state(), v1::Trial::ACTIVE);
  EXPECT_EQ(trial.worker(), "w");
  const v1::Trial ended = Observe(trial.name(), 0.5);
  EXPECT_EQ(ended.state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(ended.measurement().metrics().at("loss"), 0.5);
  v1::GetTrialRequest request;
  request.set_name(trial.name());
  v1::Trial read;
  ASSERT_TRUE(Call(&TrialService::GetTrial, request, &read).ok());
  EXPECT_EQ(WithoutConfiguration(read).DebugString(), ended.DebugString());
}

TEST_F(TrialServiceTest, ARepeatedObserveIsAnsweredWithTheEndedTrialAlsoAfterARestart) {
  const auto request = TellRequest(Suggest("w").name(), LossOutcome(1), "the-id");
  v1::Trial first;
  ASSERT_TRUE(Call(&TrialService::Observe, request, &first).ok());
  Restart();
  v1::Trial repeat;
  ASSERT_TRUE(Call(&TrialService::Observe, request, &repeat).ok());
  EXPECT_EQ(repeat.DebugString(), first.DebugString());
}

TEST_F(TrialServiceTest, ARepeatedObserveDoesNotAnswerWithATrialOfAnotherStudyOfThatName) {
  const auto request = TellRequest(Suggest("w").name(), LossOutcome(1), "the-id");
  ASSERT_TRUE(Call(&TrialService::Observe, request).ok());
  Delete("s");
  Create(ExampleStudy());
  ASSERT_EQ(Suggest("other").name(), request.trial());
  const absl::Status repeated = Call(&TrialService::Observe, request);
  EXPECT_TRUE(absl::IsNotFound(repeated));
  EXPECT_THAT(std::string(repeated.message()), HasSubstr("is not the trial"));
}

TEST_F(TrialServiceTest, AnOutcomeOfATrialThatIsGoneIsNotTakenForAnotherOne) {
  const v1::Trial trial = Suggest("w");
  auto request = TellRequest(trial.name(), LossOutcome(1), "the-id");
  *request.mutable_create_time() = trial.create_time();
  request.mutable_create_time()->set_seconds(trial.create_time().seconds() - 1);
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::Observe, request)));
  *request.mutable_create_time() = trial.create_time();
  EXPECT_TRUE(Call(&TrialService::Observe, request).ok());
  request.mutable_create_time()->set_nanos(-1);
  ExpectViolation(Call(&TrialService::Observe, request), "create_time");
}

// Whether or not the caller says when the trial was created that it means.
TEST_F(TrialServiceTest, ARepeatedObserveOfATrialThatIsGoneDoesNotAnswerWithOneThatHasEnded) {
  for (const std::string id : {"says-when", "does-not"}) {
    const v1::Trial gone = Suggest("w");
    auto request = TellRequest(gone.name(), LossOutcome(1), id);
    if (id == "says-when") *request.mutable_create_time() = gone.create_time();
    ASSERT_TRUE(Call(&TrialService::Observe, request).ok());
    EXPECT_TRUE(Call(&TrialService::Observe, request).ok());
    Delete("s");
    WaitForTheNextMillisecond();
    Create(ExampleStudy());
    Observe(Suggest("w").name(), 2);
    EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::Observe, request))) << id;
    Delete("s");
    Create(ExampleStudy());
  }
}

TEST_F(TrialServiceTest, ATrialThatIsGoneIsNotReadAsAnotherOneOfItsName) {
  const v1::Trial trial = Suggest("w");
  v1::GetTrialRequest get;
  get.set_name(trial.name());
  v1::ExplainRequest explain;
  explain.set_trial(trial.name());
  for (const int64_t later : {0, 1}) {
    for (auto* const meant : {get.mutable_create_time(), explain.mutable_create_time()}) {
      *meant = trial.create_time();
      meant->set_seconds(meant->seconds() + later);
    }
    EXPECT_EQ(absl::IsNotFound(Call(&TrialService::GetTrial, get)), later > 0);
    EXPECT_EQ(absl::IsNotFound(Call(&TrialService::Explain, explain)), later > 0);
  }
}

TEST_F(TrialServiceTest, AnOutcomeThatDoesNotFitIsAboutATrialThatIsGone) {
  const v1::Trial gone = Suggest("w");
  auto request = TellRequest(gone.name(), LossOutcome(1), "the-id");
  Delete("s");
  WaitForTheNextMillisecond();
  v1::Study other = ExampleStudy();
  other.mutable_metrics(0)->set_name("accuracy");
  Create(other);
  Suggest("w");
  ExpectViolation(Call(&TrialService::Observe, request), "outcome.measurement.metrics[loss]");
  *request.mutable_create_time() = gone.create_time();
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::Observe, request)));
}

// The calls of a worker whose study was deleted and created again, also where the server has not
// heard of that.
TEST_F(TrialServiceTest, ACallThatMeansAStudyThatIsGoneIsNotTakenForItsSuccessor) {
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  v1::Study gone;
  ASSERT_TRUE(Call(&StudyService::GetStudy, get, &gone).ok());
  Suggest("w");
  WaitForTheNextMillisecond();
  MakeAnewElsewhere(CandidateStudy(3));
  v1::Study anew;
  ASSERT_TRUE(Call(&StudyService::GetStudy, get, &anew).ok());
  v1::SuggestRequest ask = AskRequest("studies/s", "other");
  v1::AddTrialsRequest add;
  add.set_study("studies/s");
  *add.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  v1::UpdateTrialRequest annotate;
  annotate.mutable_trial()->set_name("studies/s/trials/1");
  annotate.mutable_trial()->set_note("odd");
  annotate.mutable_update_mask()->add_paths("note");
  v1::ListTrialsRequest list;
  list.set_study("studies/s");
  v1::BestTrialsRequest best;
  best.set_study("studies/s");
  v1::UpdateStudyRequest pause;
  pause.mutable_study()->set_name("studies/s");
  pause.mutable_study()->set_state(v1::Study::PAUSED);
  pause.mutable_update_mask()->add_paths("state");
  const auto mean = [&](const google::protobuf::Timestamp& time) {
    for (auto* field :
         {ask.mutable_study_create_time(), add.mutable_study_create_time(),
          annotate.mutable_study_create_time(), list.mutable_study_create_time(),
          best.mutable_study_create_time(), pause.mutable_study_create_time()}) {
      *field = time;
    }
  };
  mean(gone.create_time());
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::Suggest, ask)));
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::AddTrials, add)));
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::UpdateTrial, annotate)));
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::ListTrials, list)));
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::BestTrials, best)));
  EXPECT_TRUE(absl::IsNotFound(Call(&StudyService::UpdateStudy, pause)));
  mean(anew.create_time());
  EXPECT_TRUE(Call(&TrialService::Suggest, ask).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Call(&TrialService::AddTrials, add)));
  EXPECT_TRUE(Call(&TrialService::UpdateTrial, annotate).ok());
  EXPECT_TRUE(Call(&TrialService::ListTrials, list).ok());
  EXPECT_TRUE(Call(&TrialService::BestTrials, best).ok());
  EXPECT_TRUE(Call(&StudyService::UpdateStudy, pause).ok());
  ask.mutable_study_create_time()->set_nanos(-1);
  ExpectViolation(Call(&TrialService::Suggest, ask), "study_create_time");
}

// Of calls that wait together, each is answered for the study that it means.
TEST_F(TrialServiceTest, WorkersOfTwoStudiesOfANameDoNotMixInABatch) {
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  v1::Study study;
  ASSERT_TRUE(Call(&StudyService::GetStudy, get, &study).ok());
  std::vector<std::thread> workers;
  for (int i = 0; i < 8; ++i) {
    workers.emplace_back([&, i] {
      v1::SuggestRequest ask = AskRequest("studies/s", absl::StrCat("w", i));
      *ask.mutable_study_create_time() = study.create_time();
      if (i % 2 == 1) ask.mutable_study_create_time()->set_seconds(1);
      v1::SuggestResponse response;
      const absl::Status status = Call(&TrialService::Suggest, ask, &response);
      if (i % 2 == 1) {
        EXPECT_TRUE(absl::IsNotFound(status)) << status;
        return;
      }
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(response.trials(0).worker(), absl::StrCat("w", i));
    });
  }
  for (std::thread& worker : workers) worker.join();
}

TEST_F(TrialServiceTest, ARepeatedAddTrialsIsAnsweredThoughTheStudyIsGone) {
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  request.set_request_id("the-id");
  *request.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  v1::AddTrialsResponse first;
  ASSERT_TRUE(Call(&TrialService::AddTrials, request, &first).ok());
  Delete("s");
  v1::AddTrialsResponse repeat;
  ASSERT_TRUE(Call(&TrialService::AddTrials, request, &repeat).ok());
  EXPECT_EQ(repeat.DebugString(), first.DebugString());
  request.set_request_id("another-id");
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::AddTrials, request)));
}

TEST_F(TrialServiceTest, ARepeatedAddTrialsIsAnsweredThoughTheStudyHasAnotherSpace) {
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  request.set_request_id("the-id");
  *request.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  v1::AddTrialsResponse first;
  ASSERT_TRUE(Call(&TrialService::AddTrials, request, &first).ok());
  Delete("s");
  Create(CandidateStudy(2));
  v1::AddTrialsResponse repeat;
  ASSERT_TRUE(Call(&TrialService::AddTrials, request, &repeat).ok());
  EXPECT_EQ(repeat.DebugString(), first.DebugString());
  request.set_request_id("another-id");
  EXPECT_TRUE(absl::IsInvalidArgument(Call(&TrialService::AddTrials, request)));
}

// Its row is damaged.
TEST_F(TrialServiceTest, ARepeatIsRefusedIfTheFirstAnswerCouldNotBeMade) {
  ASSERT_TRUE(AddTrials(*store_, "s", {NewSuggestion("\xff")}).ok());
  v1::UpdateTrialRequest request;
  request.set_request_id("the-id");
  request.mutable_trial()->set_name("studies/s/trials/1");
  request.mutable_trial()->set_note("note");
  request.mutable_update_mask()->add_paths("note");
  for (const char* call : {"first", "repeat"}) {
    const absl::Status status = Call(&TrialService::UpdateTrial, request);
    EXPECT_TRUE(absl::IsDataLoss(status)) << call << ": " << status;
  }
  EXPECT_EQ(store_->GetTrial("s", 1)->note, "note") << "the change itself was made";
}

TEST_F(TrialServiceTest, TrialsThatMayHaveBeenAddedBeforeAreRefusedForTooLittleMemory) {
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  request.set_request_id("the-id");
  *request.add_observations() = MeasuredObservation(ExampleConfiguration(2), 1);
  RunOutOfMemoryIn("FindAnswer");
  const absl::Status refused = Call(&TrialService::AddTrials, request);
  EXPECT_TRUE(IsOverload(refused)) << refused;
}

// A definition may be large.
TEST_F(TrialServiceTest, APageOfTrialsIsReadWithoutTheStudysDefinition) {
  AddResults({1, 2});
  std::vector<std::string> reads;
  before_read_ = [&](const std::string& verb) { reads.push_back(verb); };
  v1::ListTrialsRequest request;
  request.set_study("studies/s");
  v1::ListTrialsResponse page;
  ASSERT_TRUE(Call(&TrialService::ListTrials, request, &page).ok());
  EXPECT_EQ(page.trials_size(), 2);
  EXPECT_THAT(reads, ElementsAre("GetStudySummary", "ListTrials"));
}

// The study has to be read again, as the trial may be another one's.
TEST_F(TrialServiceTest, AnOutcomeOfAnAbsentTrialIsRefusedForTooLittleMemory) {
  Suggest("w");
  RunOutOfMemoryIn("GetStudy");
  const auto request = TellRequest("studies/s/trials/9", LossOutcome(1));
  const absl::Status refused = Call(&TrialService::Observe, request);
  EXPECT_TRUE(IsOverload(refused)) << refused;
}

TEST_F(TrialServiceTest, AConfigurationIsCheckedAgainstAStudyThatAnotherServerMadeAnew) {
  AddResults({1});
  MakeAnewElsewhere(CandidateStudy(2));
  v1::AddTrialsRequest add;
  add.set_study("studies/s");
  add.set_request_id("the-id");
  *add.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  const absl::Status refused = Call(&TrialService::AddTrials, add);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_EQ(store_->GetStudy("s")->trial_count, 1);
}

TEST_F(TrialServiceTest, AnOutcomeGoesToAStudyThatAnotherServerMadeAnew) {
  const std::string trial = Suggest("w").name();
  MakeAnewElsewhere(ExampleStudy());
  std::vector<std::string> reads;
  before_read_ = [&](const std::string& verb) { reads.push_back(verb); };
  EXPECT_EQ(Observe(trial, 0.5).state(), v1::Trial::SUCCEEDED);
  EXPECT_THAT(reads, ElementsAre("GetStudy", "GetStudy", "GetCandidates"));
  EXPECT_EQ(store_->GetStudy("s")->succeeded_count, 1);
}

TEST_F(TrialServiceTest, AnOutcomeOfAnAbsentTrialDoesNotEvictItsStudy) {
  Suggest("w");
  const auto request = TellRequest("studies/s/trials/9", LossOutcome(1));
  for (int i = 0; i < 2; ++i) {
    std::vector<std::string> reads;
    before_read_ = [&](const std::string& verb) { reads.push_back(verb); };
    const absl::Status missing = Call(&TrialService::Observe, request);
    EXPECT_TRUE(absl::IsNotFound(missing));
    EXPECT_THAT(std::string(missing.message()), HasSubstr("studies/s/trials/9"));
    EXPECT_THAT(reads, ElementsAre("GetStudy"));
  }
}

TEST_F(TrialServiceTest, RefusalsNameTheField) {
  ExpectViolation(Call(&TrialService::Suggest, AskRequest("studies/", "w")), "study");
  ExpectViolation(Call(&TrialService::Suggest, AskRequest("studies/s", "")), "worker");
  ExpectViolation(Call(&TrialService::Suggest, AskRequest("studies/s", "w", 1001)), "count");
  ExpectViolation(Call(&TrialService::Suggest, AskRequest("studies/s", "w", 1, "new\nline")),
                  "request_id");
  ExpectViolation(Call(&TrialService::Observe, TellRequest("studies/s/trials/0", LossOutcome(1))),
                  "trial");
  const std::string trial = Suggest("w").name();
  ExpectViolation(Call(&TrialService::Observe, TellRequest(trial, v1::Outcome())), "outcome.kind");
  v1::AddTrialsRequest add;
  add.set_study("studies/s");
  ExpectViolation(Call(&TrialService::AddTrials, add), "observations");
  *add.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  *add.add_observations() = MeasuredObservation(ExampleConfiguration(2), 1);
  ExpectViolation(Call(&TrialService::AddTrials, add), "observations[1].configuration.values[lr]");
  v1::ListTrialsRequest list;
  list.set_study("studies/s");
  list.mutable_read_mask()->add_paths("no_field");
  ExpectViolation(Call(&TrialService::ListTrials, list), "read_mask");
}

TEST_F(TrialServiceTest, PagesListTheTrialsOfTheStatesAskedFor) {
  AddResults({3, 1, 2});
  Suggest("w");
  v1::ListTrialsRequest request;
  request.set_study("studies/s");
  request.set_page_size(2);
  request.add_states(v1::Trial::SUCCEEDED);
  request.mutable_read_mask()->add_paths("name");
  std::vector<std::string> names;
  int pages = 0;
  do {
    v1::ListTrialsResponse page;
    ASSERT_TRUE(Call(&TrialService::ListTrials, request, &page).ok());
    for (const v1::Trial& trial : page.trials()) {
      names.push_back(trial.name());
      EXPECT_FALSE(trial.has_configuration());
    }
    request.set_page_token(page.next_page_token());
    ++pages;
  } while (!request.page_token().empty());
  EXPECT_EQ(pages, 2);
  EXPECT_THAT(names, ElementsAre("studies/s/trials/1", "studies/s/trials/2", "studies/s/trials/3"));
}

TEST_F(TrialServiceTest, APageOfTrialsContinuesOnlyInTheStudyThatItIsOf) {
  AddResults({3, 1, 2});
  v1::ListTrialsRequest request;
  request.set_study("studies/s");
  request.set_page_size(2);
  v1::ListTrialsResponse page;
  ASSERT_TRUE(Call(&TrialService::ListTrials, request, &page).ok());
  request.set_page_token(page.next_page_token());
  ASSERT_TRUE(Call(&TrialService::ListTrials, request, &page).ok());
  Delete("s");
  Create(ExampleStudy(), "s");
  AddResults({3, 1, 2});
  ExpectViolation(Call(&TrialService::ListTrials, request), "page_token");
  request.mutable_study_create_time()->set_seconds(1);
  EXPECT_TRUE(absl::IsNotFound(Call(&TrialService::ListTrials, request))) << "it tells why";
  request.clear_study_create_time();
  request.clear_page_token();
  EXPECT_TRUE(Call(&TrialService::ListTrials, request).ok());
}

TEST_F(TrialServiceTest, TheBestTrialsAreTheLowestOfAMinimisedMetric) {
  AddResults({3, 1, 2});
  v1::BestTrialsRequest request;
  request.set_study("studies/s");
  request.set_count(2);
  v1::BestTrialsResponse best;
  ASSERT_TRUE(Call(&TrialService::BestTrials, request, &best).ok());
  ASSERT_EQ(best.trials_size(), 2);
  EXPECT_EQ(best.trials(0).name(), "studies/s/trials/2");
  EXPECT_EQ(best.trials(1).name(), "studies/s/trials/3");
}

TEST_F(TrialServiceTest, ExplainShowsTheProvenanceOfSuggestedTrialsOnly) {
  const v1::Explanation suggested = Explain(Suggest("w").name());
  EXPECT_EQ(suggested.provenance().preset(), "quasi_random");
  EXPECT_EQ(suggested.provenance().version(), "test");
  ASSERT_GT(suggested.provenance().facts_size(), 0);
  for (const auto& fact : suggested.provenance().facts()) {
    EXPECT_NE(suggested.fact_meanings().at(fact.name()), "");
  }
  AddResults({1});
  const v1::Explanation added = Explain("studies/s/trials/2");
  EXPECT_EQ(added.trial().state(), v1::Trial::SUCCEEDED);
  EXPECT_FALSE(added.has_provenance());
  EXPECT_TRUE(added.fact_meanings().empty());
}

// A study that is deleted and created anew between two reads cannot be mixed up in one.
TEST_F(TrialServiceTest, ExplainReadsTheTrialAndItsProvenanceInOneSnapshot) {
  const std::string trial = Suggest("w").name();
  std::vector<std::string> reads;
  before_read_ = [&](const std::string& verb) { reads.push_back(verb); };
  EXPECT_TRUE(Explain(trial).has_provenance());
  EXPECT_THAT(reads, ::testing::ElementsAre("GetExplainedTrial"));
}

}  // namespace
}  // namespace slipstream
