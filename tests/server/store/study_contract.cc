#include <functional>
#include <string>
#include <vector>

#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(StoreContract, AStudyComesBackAsItWasCreated) {
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("b")).ok());
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("a")).ok());
  NewStudy study = StudyNamed("s", {"b", "a"});
  study.definition = std::string("\0bytes\xff", 7);
  study.candidates = std::string(300000, 'c');
  study.display_name = "Näme";
  study.labels = std::string("\0", 1);
  const auto created = CreateStudy(store(), study);
  ASSERT_TRUE(created.ok()) << created.status;
  Reopen();

  const auto found = store().GetStudy("s");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->key, created->key);
  EXPECT_EQ(found->definition, study.definition);
  EXPECT_EQ(found->display_name, study.display_name);
  EXPECT_EQ(found->labels, study.labels);
  EXPECT_EQ(found->state, StudyState::kActive);
  EXPECT_EQ(found->create_ms, clock_.NowMs());
  EXPECT_EQ(found->update_ms, clock_.NowMs());
  EXPECT_EQ(found->trial_count, 0);
  EXPECT_EQ(*store().GetCandidates(found->key), study.candidates);
  EXPECT_THAT(*store().GetStudySources(found->key), ElementsAre("b", "a"));
}

TEST_P(StoreContract, AStudyWithoutCandidatesHasNone) {
  const StudyRecord study = Create("s");
  EXPECT_EQ(*store().GetCandidates(study.key), "");
  EXPECT_THAT(*store().GetStudySources(study.key), IsEmpty());
  EXPECT_THAT(store().GetCandidates(study.key + 1).status(), HasCode(kNotFound));
}

TEST_P(StoreContract, AnIdCanBeTakenOnce) {
  Create("s");
  EXPECT_THAT(CreateStudy(store(), StudyNamed("s")).status, IsRefusal(kAlreadyExists, "studies/s"));
  EXPECT_EQ(store().ListStudies({0, 10})->size(), 1u);
}

TEST_P(StoreContract, AStudyNeedsItsSourceTasks) {
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("there")).ok());
  EXPECT_THAT(CreateStudy(store(), StudyNamed("s", {"there", "missing"})).status,
              IsRefusal(kNotFound, "sourceTasks/missing"));
  EXPECT_THAT(store().GetStudy("s").status(), IsRefusal(kNotFound, "studies/s"));
}

TEST_P(StoreContract, StudiesOfAProjectAreListedAlone) {
  int64_t last = 0;
  for (const char* id : {"s", "vision/b", "vis/a", "vision-2/a", "vision/a", "t", "visions/s"}) {
    last = Create(id).key;
  }
  const auto list = [&](const std::string& project, int64_t after_key, int limit) {
    const auto studies = store().ListStudies({after_key, limit, project});
    EXPECT_TRUE(studies.ok()) << studies.status();
    std::vector<std::string> ids;
    for (const StudyRecord& study : *studies) ids.push_back(study.id);
    return ids;
  };
  EXPECT_THAT(list("vision", 0, 9), ElementsAre("vision/b", "vision/a"));
  EXPECT_THAT(list("vision", 0, 1), ElementsAre("vision/b"));
  EXPECT_THAT(list("vision", store().GetStudy("vision/b")->key, 1), ElementsAre("vision/a"));
  EXPECT_THAT(list("vision", last, 9), IsEmpty());
  EXPECT_THAT(list("vis", 0, 9), ElementsAre("vis/a"));
  EXPECT_THAT(list("default", 0, 9), ElementsAre("s", "t"));
  EXPECT_THAT(list("default", store().GetStudy("s")->key, 1), ElementsAre("t"));
  EXPECT_THAT(list("none", 0, 9), IsEmpty());
  EXPECT_EQ(store().ListStudies({})->size(), 7u);
}

TEST_P(StoreContract, ASummaryIsOfTheStudyThatIsMeantWithoutItsDefinition) {
  CreateWithLeases("s", 2);
  const StudyRecord study = *store().GetStudy("s");
  StudyRef meant("s", study.key);
  meant.create_ms = study.create_ms;
  for (const StudyRef& each : {StudyRef("s"), meant}) {
    const auto summary = store().GetStudySummary(each);
    ASSERT_TRUE(summary.ok()) << summary.status();
    EXPECT_EQ(summary->key, study.key);
    EXPECT_EQ(summary->trial_count, 2);
    EXPECT_EQ(summary->definition, "");
  }
  *meant.create_ms += 1;
  EXPECT_THAT(store().GetStudySummary(meant).status(), IsRefusal(kNotFound, "is not the study"));
  EXPECT_THAT(store().GetStudySummary("absent").status(),
              IsRefusal(kNotFound, "studies/absent"));
}

TEST_P(StoreContract, StudiesAreListedOldestFirstAndPageByPage) {
  const StudyRecord b = Create("b");
  const StudyRecord c = Create("c");
  const StudyRecord a = Create("a");
  const auto first = store().ListStudies({0, 2});
  ASSERT_EQ(first->size(), 2u);
  EXPECT_EQ((*first)[0].id, "b");
  EXPECT_EQ((*first)[1].id, "c");
  EXPECT_EQ((*first)[0].definition, "");
  EXPECT_EQ(store().GetStudy("b")->definition, "definition of b");
  const auto second = store().ListStudies({c.key, 2});
  ASSERT_EQ(second->size(), 1u);
  EXPECT_EQ((*second)[0].key, a.key);
  EXPECT_THAT(*store().ListStudies({a.key, 2}), IsEmpty());
  EXPECT_THAT(*store().ListStudies({0, 0}), IsEmpty());
  EXPECT_LT(b.key, c.key);
}

TEST_P(StoreContract, WhatIsStoredIsCounted) {
  EXPECT_EQ(store().Count()->studies + store().Count()->trials, 0);
  Create("empty");
  CreateWithLeases("s", 3);
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("a")).ok());
  EXPECT_EQ(store().Count()->studies, 2);
  EXPECT_EQ(store().Count()->trials, 3);
  EXPECT_EQ(store().Count()->source_tasks, 1);
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  EXPECT_EQ(store().Count()->studies, 1);
  EXPECT_EQ(store().Count()->trials, 0);
}

TEST_P(StoreContract, FiguresTellOfWritesAndTheirLimits) {
  Create("s");
  const StoreFigures figures = store().Figures();
  EXPECT_EQ(figures.database.refusal, "");
  EXPECT_EQ(figures.writes_per_commit.sum, 2) << "the lease clock, and the study";
  EXPECT_EQ(figures.most_waiting_writes, static_cast<int64_t>(options_.max_waiting_writes));
  EXPECT_EQ(figures.most_trials_per_study, options_.max_trials_per_study);
}

TEST_P(StoreContract, AnUpdateChangesWhatItNamesAndKeepsTheRest) {
  NewStudy study = StudyNamed("s");
  study.display_name = "before";
  study.labels = "labels";
  ASSERT_TRUE(CreateStudy(store(), study).ok());
  clock_.Advance(absl::Seconds(5));
  StudyChange change;
  change.display_name = "after";
  const auto updated = UpdateStudy(store(), "s", change);
  ASSERT_TRUE(updated.ok()) << updated.status;
  EXPECT_EQ(updated->display_name, "after");
  EXPECT_EQ(updated->definition, "definition of s");
  Reopen();
  const auto found = store().GetStudy("s");
  EXPECT_EQ(found->display_name, "after");
  EXPECT_EQ(found->labels, "labels");
  EXPECT_EQ(found->state, StudyState::kActive);
  EXPECT_EQ(found->update_ms, clock_.NowMs());
  EXPECT_EQ(found->create_ms, clock_.NowMs() - 5000);
}

TEST_P(StoreContract, AStudyTellsItsBestResultAndWhenItsNewestTrialWasMade) {
  Create("s");
  EXPECT_EQ(store().GetStudy("s")->last_trial_ms, std::nullopt);
  ASSERT_TRUE(AddTrials(store(), "s", {FinishedTrial("x", 2)}).ok());
  clock_.Advance(absl::Seconds(5));
  ASSERT_TRUE(AddTrials(store(), "s", {FinishedTrial("y", 3)}).ok());
  const int64_t made_ms = clock_.NowMs();
  clock_.Advance(absl::Seconds(5));
  StudyChange title;
  title.display_name = "title";
  const auto updated = UpdateStudy(store(), "s", title);
  ASSERT_TRUE(updated.ok()) << updated.status;
  EXPECT_EQ(updated->last_trial_ms, made_ms);
  EXPECT_EQ(store().GetStudy("s")->last_trial_ms, made_ms);
  EXPECT_EQ(store().ListStudies({0, 9})->front().last_trial_ms, made_ms);
  EXPECT_EQ(store().GetStudy("s")->best, 2);
}

TEST_P(StoreContract, AnUpdateThatChangesNothingIsNoUpdate) {
  const StudyRecord study = Create("s");
  clock_.Advance(absl::Seconds(5));
  StudyChange change;
  change.state = StudyState::kActive;
  EXPECT_EQ(UpdateStudy(store(), "s", change)->update_ms, study.update_ms);
  EXPECT_EQ(store().GetStudy("s")->update_ms, study.update_ms);
}

TEST_P(StoreContract, AnUpdateSeesTheTrialsBeforeIt) {
  CreateWithLeases("s", 2);
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(1)}).ok());
  StudyChange change;
  change.labels = "new";
  const auto updated = UpdateStudy(store(), "s", change);
  EXPECT_EQ(updated->trial_count, 2);
  EXPECT_EQ(updated->succeeded_count, 1);
  EXPECT_EQ(updated->suggested_count, 2);
}

TEST_P(StoreContract, ACompletedStudyStaysCompleted) {
  Create("s");
  StudyChange pause, complete, rename;
  pause.state = StudyState::kPaused;
  complete.state = StudyState::kCompleted;
  rename.display_name = "renamed";
  EXPECT_TRUE(UpdateStudy(store(), "s", pause).ok());
  EXPECT_TRUE(UpdateStudy(store(), "s", complete).ok());
  EXPECT_TRUE(UpdateStudy(store(), "s", complete).ok());
  EXPECT_THAT(UpdateStudy(store(), "s", pause).status, IsRefusal(kFailedPrecondition, "studies/s"));
  EXPECT_TRUE(UpdateStudy(store(), "s", rename).ok());
  Reopen();
  EXPECT_EQ(store().GetStudy("s")->state, StudyState::kCompleted);
  EXPECT_EQ(store().GetStudy("s")->display_name, "renamed");
}

TEST_P(StoreContract, AnAbsentStudyIsNotFound) {
  EXPECT_THAT(UpdateStudy(store(), "s", {}).status, IsRefusal(kNotFound, "studies/s"));
  EXPECT_THAT(DeleteStudy(store(), "s").status, IsRefusal(kNotFound, "studies/s"));
  EXPECT_THAT(store().GetStudy("s").status(), IsRefusal(kNotFound, "studies/s"));
  EXPECT_THAT(store().ListTrials("s", {}).status(), IsRefusal(kNotFound, "studies/s"));
  EXPECT_THAT(store().BestTrials("s", true, 1).status(), IsRefusal(kNotFound, "studies/s"));
  EXPECT_THAT(store().GetTrial("s", 1).status(), IsRefusal(kNotFound, "studies/s"));
  EXPECT_THAT(store().GetExplainedTrial("s", 1).status(), IsRefusal(kNotFound, "studies/s"));
  EXPECT_THAT(store().ListProvenances("s", 0, 9).status(), IsRefusal(kNotFound, "studies/s"));
}

TEST_P(StoreContract, ResultsOfACompletedStudyKeepItFromExpiring) {
  CreateWithLeases("s", 3);
  const absl::Duration day = absl::Hours(24);
  StudyChange complete;
  complete.state = StudyState::kCompleted;
  ASSERT_TRUE(UpdateStudy(store(), "s", complete).ok());
  clock_.Advance(day);
  ASSERT_TRUE(AddTrials(store(), "s", {FinishedTrial("c", 1)}).ok());
  clock_.Advance(day / 2);
  EXPECT_THAT(ExpireStudy(store(), "s", day).status,
              IsRefusal(kFailedPrecondition, "studies/s has been changed"));
  EXPECT_EQ(store().GetStudy("s")->state, StudyState::kCompleted);
  clock_.Advance(day / 2);
  EXPECT_TRUE(ExpireStudy(store(), "s", day).ok());
}

TEST_P(StoreContract, WhatAWorkerDoesKeepsACompletedStudy) {
  const StudyRecord study = CreateWithLeases("s", 2, "w");
  StudyChange complete;
  complete.state = StudyState::kCompleted;
  ASSERT_TRUE(UpdateStudy(store(), "s", complete).ok());
  const absl::Duration day = absl::Hours(24);
  LeaseBatch again;
  again.study_key = study.key;
  again.study_id = "s";
  again.expected_trial_count = 2;
  again.grants.resize(1);
  again.grants[0].worker = "w";
  again.grants[0].again = {1};
  const std::vector<std::function<absl::Status()>> signs = {
      [&] { return LeaseTrials(store(), again).status(); },
      [this] { return ReportSteps(store(), {"s", 1, {{1, 0.5}}}).status; },
      [this] { return Heartbeat(store(), {"s", "w", {1}}).status; },
      [this] { return UpdateTrial(store(), "s", 1, {{}, "a note"}).status; },
      [this] { return ReleaseTrials(store(), {"s", "w", {2}}).status; },
  };
  for (const auto& sign : signs) {
    clock_.Advance(day - absl::Milliseconds(1));
    ASSERT_TRUE(sign().ok());
    clock_.Advance(absl::Milliseconds(1));
    EXPECT_THAT(ExpireStudy(store(), "s", day).status,
                IsRefusal(kFailedPrecondition, "studies/s has been changed"));
  }
  // A heartbeat of a worker that holds nothing is no sign of work.
  clock_.Advance(day - absl::Milliseconds(1));
  ASSERT_TRUE(Heartbeat(store(), {"s", "other", {1}}).ok());
  EXPECT_TRUE(ExpireStudy(store(), "s", day).ok());
}

TEST_P(StoreContract, AStudyExpiresOnceItHasLongBeenCompleted) {
  const StudyRecord study = CreateWithLeases("s", 3);
  const absl::Duration day = absl::Hours(24);
  clock_.Advance(10 * day);
  EXPECT_THAT(ExpireStudy(store(), "s", day).status,
              IsRefusal(kFailedPrecondition, "studies/s is not COMPLETED"));
  StudyChange complete;
  complete.state = StudyState::kCompleted;
  ASSERT_TRUE(UpdateStudy(store(), "s", complete).ok());
  clock_.Advance(day - absl::Milliseconds(1));
  EXPECT_THAT(ExpireStudy(store(), "s", day).status,
              IsRefusal(kFailedPrecondition, "studies/s has been changed"));
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_THAT(ExpireStudy(store(), {"s", study.key + 1}, day).status, HasCode(kNotFound));
  ASSERT_TRUE(ExpireStudy(store(), {"s", study.key}, day).ok());
  EXPECT_THAT(store().GetStudy("s").status(), HasCode(kNotFound));
  EXPECT_EQ(store().Count()->trials, 0);
  EXPECT_EQ(store().ListEvents(0, 1000)->events.back().kind, EventKind::kStudyDeleted);
  EXPECT_THAT(ExpireStudy(store(), "s", day).status, HasCode(kNotFound));
}

TEST_P(StoreContract, ADeletionDeletesTheTrialsToo) {
  const StudyRecord old = CreateWithLeases("s", 3);
  CreateWithLeases("other", 2);
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  EXPECT_THAT(store().GetTrial("s", 1).status(), HasCode(kNotFound));
  EXPECT_THAT(store().PlanLeases(old.key, "s", {"worker"}, 5).status(), HasCode(kNotFound));
  EXPECT_THAT(ObserveTrial(store(), {"s", 1, Success(1)}).status, HasCode(kNotFound));

  const StudyRecord anew = Create("s");
  EXPECT_GT(anew.key, old.key);
  EXPECT_EQ(anew.trial_count, 0);
  EXPECT_THAT(*store().ListTrials("s", {}), IsEmpty());
  EXPECT_EQ(store().ListTrials("other", {})->size(), 2u);
}

// A worker of the first study that goes on must not touch the second one.
TEST_P(StoreContract, ACallThatMeansAStudyByItsTimeReachesNoOtherOfTheName) {
  StudyRef meant("s");
  meant.create_ms = CreateWithLeases("s", 1, "w").create_ms;
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  clock_.Advance(absl::Seconds(1));
  StudyRef anew("s");
  anew.create_ms = CreateWithLeases("s", 1, "w").create_ms;
  StudyChange complete;
  complete.state = StudyState::kCompleted;
  const std::vector<std::function<absl::Status(const StudyRef&)>> calls = {
      [this](const StudyRef& study) { return Heartbeat(store(), {study, "w", {}}).status; },
      [this](const StudyRef& study) { return Heartbeat(store(), {study, "w", {1}}).status; },
      [this](const StudyRef& study) { return UpdateTrial(store(), study, 1, {{}, "odd"}).status; },
      [this](const StudyRef& study) { return ReleaseTrials(store(), {study, "w", {1}}).status; },
      [this](const StudyRef& study) {
        return AddTrials(store(), study, {NewSuggestion("x")}).status;
      },
      [this](const StudyRef& study) { return store().ListTrials(study, {}).status(); },
      [this](const StudyRef& study) { return store().BestTrials(study, true, 1).status(); },
      [&](const StudyRef& study) { return UpdateStudy(store(), study, complete).status; },
      [this](const StudyRef& study) { return DeleteStudy(store(), study).status; },
  };
  for (const auto& call : calls) {
    EXPECT_THAT(call(meant), IsRefusal(kNotFound, "studies/s is not the study that the call"));
    EXPECT_TRUE(call(anew).ok());
  }
}

TEST_P(StoreContract, AnAnnotationOfATrialThatIsGoneIsNotTakenForAnotherOne) {
  CreateWithLeases("s", 1);
  const int64_t create_ms = store().GetTrial("s", 1)->create_ms;
  EXPECT_THAT(UpdateTrial(store(), {"s", 1, {{}, "odd"}, create_ms - 1}).status,
              IsRefusal(kNotFound, "studies/s/trials/1 is not the trial that the call is about"));
  EXPECT_EQ(store().GetTrial("s", 1)->note, "");
  EXPECT_TRUE(UpdateTrial(store(), {"s", 1, {{}, "odd"}, create_ms}).ok());
}

TEST_P(StoreContract, AKeyIsNeverGivenOutTwice) {
  const StudyRecord first = Create("first");
  ASSERT_TRUE(DeleteStudy(store(), "first").ok());
  Reopen();
  EXPECT_GT(Create("second").key, first.key);
}

TEST_P(StoreContract, AStudyOfThousandsOfTrialsIsDeletedAtOnce) {
  const StudyRecord study = CreateWithLeases("s", 2500);
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  EXPECT_THAT(store().ListTrials("s", {}).status(), HasCode(kNotFound));
  Reopen();
  const StudyRecord anew = CreateWithLeases("s", 1);
  EXPECT_EQ(store().PlanLeases(anew.key, "s", {"worker"}, 5)->active[0].size(), 1u);
  EXPECT_NE(anew.key, study.key);
}

}  // namespace
}  // namespace slipstream
