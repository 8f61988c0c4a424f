// The contract of quotas: what they refuse, and what they never do.
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/answer_rules.h"
#include "tests/server/store/recount.h"
#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

ProjectUsage UsedBy(Store& store, const std::string& project = "default") {
  return (*store.ListUsage())[project];
}

TEST_P(StoreContract, AStudyAboveItsProjectsQuotaIsRefused) {
  Limit("default", {.studies = 1});
  Create("a");
  EXPECT_THAT(CreateStudy(store(), StudyNamed("b")).status,
              IsRefusal(kResourceExhausted,
                        "project default has 1 study, 1 more would be above its quota of 1 "
                        "(studies in /etc/quotas)"));
  EXPECT_THAT(CreateStudy(store(), StudyNamed("a")).status, HasCode(kAlreadyExists));
  EXPECT_THAT(CreateStudy(store(), StudyNamed("c", {"missing"})).status, HasCode(kNotFound));
  Create("vision/b");
  ASSERT_TRUE(DeleteStudy(store(), "a").ok());
  Create("b");
  EXPECT_EQ(quotas_.Refusals()[static_cast<size_t>(QuotaKind::kStudies)], 1);
}

TEST_P(StoreContract, TrialsAboveTheQuotaAreRefusedWhoeverMakesThem) {
  Limit("vision", {.trials = 3});
  const StudyRecord study = Create("vision/s");
  Create("vision/t");
  ASSERT_TRUE(AddTrials(store(), "vision/t", {NewSuggestion("q")}).ok());
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  const std::vector<NewTrial> two = {NewSuggestion("x"), NewSuggestion("y")};
  EXPECT_THAT(AddTrials(store(), "vision/t", two).status,
              IsRefusal(kResourceExhausted, "project vision has 2 trials, 2 more"));
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 2).ok()) << "as there is room for one";
  EXPECT_EQ(UsedBy(store(), "vision").trials, 3);
  EXPECT_THAT(LeaseFresh(store(), study, "w", 2), IsRefusal(kResourceExhausted, "quota of 3"));
  EXPECT_THAT(AddTrials(store(), "vision/s", {NewSuggestion("z")}).status,
              HasCode(kResourceExhausted));
  ASSERT_TRUE(DeleteStudy(store(), "vision/s").ok());
  EXPECT_TRUE(AddTrials(store(), "vision/t", two).ok());
}

TEST_P(StoreContract, ARefusalOfOneGrantIsCountedOnce) {
  Limit("default", {.trials = 1});
  const StudyRecord study = Create("s");
  LeaseBatch batch;
  batch.study_key = study.key;
  batch.study_id = "s";
  batch.grants.resize(2);
  for (LeaseGrant& grant : batch.grants) {
    grant.worker = "w";
    grant.fresh = {NewSuggestion("x")};
    grant.refuse = [](const absl::Status&) {};
  }
  const auto count = [this] { return quotas_.Refusals()[static_cast<size_t>(QuotaKind::kTrials)]; };
  batch.expected_trial_count = 1;
  EXPECT_THAT(LeaseTrials(store(), batch).status(), HasCode(kAborted));
  EXPECT_EQ(count(), 0) << "nobody is answered with it";
  batch.expected_trial_count = 0;
  EXPECT_TRUE(LeaseTrials(store(), batch).ok());
  EXPECT_EQ(count(), 1);
}

TEST_P(StoreContract, BytesAboveTheQuotaAreRefusedWhateverTheyAreOf) {
  Limit("default", {.bytes = 1000});
  const StudyRecord study = Create("s");  // 15 bytes.
  NewStudy large = StudyNamed("large");
  large.candidates = std::string(1000, 'c');
  EXPECT_THAT(CreateStudy(store(), large).status,
              IsRefusal(kResourceExhausted,
                        "has 15 bytes, 1019 more would be above its quota of "
                        "1000 (mib in /etc/quotas)"));
  NewSourceTask task = SourceTaskNamed("t");
  task.chunks = {std::string(999, 'c')};
  EXPECT_THAT(RegisterSourceTask(store(), task).status, HasCode(kResourceExhausted));
  EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion(std::string(900, 'x'))}).status,
              HasCode(kResourceExhausted));
  EXPECT_TRUE(LeaseFresh(store(), study, "w", 5).ok());
  EXPECT_EQ(UsedBy(store()).trials, 4) << "847 bytes in all";
  EXPECT_THAT(LeaseFresh(store(), study, "w", 1), HasCode(kResourceExhausted));
  EXPECT_EQ(quotas_.Refusals()[static_cast<size_t>(QuotaKind::kBytes)], 4);
}

TEST_P(StoreContract, ASourceTaskThatIsKnownTakesNothingMore) {
  Limit("default", {.source_tasks = 1});
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("t")).ok());
  EXPECT_THAT(RegisterSourceTask(store(), SourceTaskNamed("u")).status,
              IsRefusal(kResourceExhausted,
                        "has 1 source task, 1 more would be above its quota "
                        "of 1 (sources in /etc/quotas)"));
  const auto again = RegisterSourceTask(store(), SourceTaskNamed("t"));
  ASSERT_TRUE(again.ok()) << again.status;
  EXPECT_TRUE(again->already_registered);
  ASSERT_TRUE(DeleteSourceTask(store(), "t").ok());
  EXPECT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("u")).ok());
}

TEST_P(StoreContract, AValidationIsRefusedAsTheRegistrationWouldBeAndStoresNothing) {
  NewSourceTask task = SourceTaskNamed("t");
  task.validate_only = true;
  const auto validated = RegisterSourceTask(store(), task);
  ASSERT_TRUE(validated.ok()) << validated.status;
  EXPECT_EQ(validated->record.id, "t");
  EXPECT_FALSE(validated->already_registered);
  EXPECT_THAT(store().GetSourceTask("t").status(), HasCode(kNotFound));
  EXPECT_EQ(UsedBy(store()).source_tasks, 0);
  Limit("default", {.source_tasks = 1});
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("u")).ok());
  EXPECT_THAT(RegisterSourceTask(store(), task).status,
              IsRefusal(kResourceExhausted, "has 1 source task, 1 more would be above its quota"));
  task.id = "u";
  const auto known = RegisterSourceTask(store(), task);
  ASSERT_TRUE(known.ok()) << known.status;
  EXPECT_TRUE(known->already_registered);
}

TEST_P(StoreContract, ARepeatIsAnsweredAsBeforeWhateverTheQuota) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s"), {"r", "f"}, "first").ok());
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, {"q", "f"}, "second").ok());
  Limit("default", {.studies = 0, .trials = 0});
  EXPECT_EQ(CreateStudy(store(), StudyNamed("s"), {"r", "f"}).earlier, "first");
  EXPECT_EQ(AddTrials(store(), "s", {NewSuggestion("x")}, {"q", "f"}).earlier, "second");
  EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion("x")}, {"new", "f"}).status,
              HasCode(kResourceExhausted));
}

// Under the same request id.
TEST_P(StoreContract, ACallThatWasRefusedMayBeMadeAgainOnceThereIsRoom) {
  Limit("default", {.studies = 0});
  ASSERT_THAT(CreateStudy(store(), StudyNamed("s"), {"r", "f"}).status,
              HasCode(kResourceExhausted));
  Limit("default", {});
  EXPECT_TRUE(CreateStudy(store(), StudyNamed("s"), {"r", "f"}).record.has_value());
}

TEST_P(StoreContract, ResultsAreNeverRefusedForAQuotaButCount) {
  NewStudy study = StudyNamed("s");
  study.lease = {.duration_ms = 60'000, .max_requeues = 1};
  const auto created = CreateStudy(store(), study);
  ASSERT_TRUE(LeaseFresh(store(), *created, "w", 3).ok());
  Limit("default", {.studies = 0, .trials = 0, .source_tasks = 0, .bytes = 0});
  const int64_t bytes = UsedBy(store()).bytes;
  EXPECT_TRUE(Heartbeat(store(), {"s", "w", {}}).ok());
  EXPECT_TRUE(ReportSteps(store(), {"s", 1, {{1, 0.5}}}).ok());
  EXPECT_TRUE(ObserveTrial(store(), {"s", 1, Success(1)}).ok());
  EXPECT_TRUE(UpdateTrial(store(), "s", 1, {"labels", "note"}).ok());
  EXPECT_TRUE(ReleaseTrials(store(), {"s", "w", {2}}).ok());
  clock_.Advance(absl::Seconds(59));
  ASSERT_TRUE(SweepLeases(store()).ok());
  clock_.Advance(absl::Seconds(2));
  EXPECT_EQ(SweepLeases(store())->queued_again, 1);
  EXPECT_EQ(UsedBy(store()).trials, 4);
  EXPECT_GT(UsedBy(store()).bytes, bytes);
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
  // Trials that are queued are handed out.
  LeaseBatch batch;
  batch.study_key = created->key;
  batch.study_id = "s";
  batch.expected_trial_count = 4;
  batch.grants.emplace_back().worker = "v";
  batch.grants.back().queued = {2};
  EXPECT_TRUE(LeaseTrials(store(), std::move(batch)).ok());
  EXPECT_TRUE(DeleteStudy(store(), "s").ok());
}

ImportedStudy ImportOf(const std::string& id, int trials) {
  ImportedStudy imported;
  imported.study = StudyNamed(id);
  for (int number = 1; number <= trials; ++number) {
    ImportedTrial& trial = imported.trials.emplace_back();
    trial.record.number = number;
    trial.record.state = number % 2 == 0 ? TrialState::kActive : TrialState::kFailed;
    trial.record.configuration = "x";
    trial.record.reason = "why";
    trial.provenance = "provenance";
    trial.reports = {{1, 0.5}, {2, 0.5}};
  }
  return imported;
}

// Calls that keep an answer, each of which is large: as many as the quota of bytes allows.
TEST_P(StoreContract, NoMoreAnswersAreKeptThanAProjectMayHave) {
  const StudyRecord study = Create("vision/s");
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 1).ok());
  Create("s");
  Limit("vision", {.bytes = 0});
  StudyChange change;
  change.display_name = "n";
  const std::string answer(rules::kLeastAnswerBytes - 400, 'a');
  const auto update = [&](const std::string& request_id, const std::string& project = "vision") {
    const std::string id = project == "vision" ? "vision/s" : "s";
    return UpdateStudy(store(), id, change, {request_id, "f", project}, answer);
  };
  const auto note = [&](const std::string& request_id) {
    return UpdateTrial(store(), "vision/s", 1, {"labels", "note"}, {request_id, "f", "vision"}, "");
  };
  EXPECT_TRUE(update("a").ok());
  EXPECT_TRUE(note("b").ok());
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(note("c").status,
                IsRefusal(kResourceExhausted,
                          "project vision has 16777216 bytes of answers kept for repeats of its "
                          "calls, and may have 16777216; each expires within twice the "
                          "--request-id-hours (mib in /etc/quotas)"));
    Reopen();
  }
  EXPECT_THAT(ReleaseTrials(store(), {"vision/s", "w", {}}, {"d", "f", "vision"}).status,
              HasCode(kResourceExhausted));
  LeaseBatch batch;
  batch.study_key = study.key;
  batch.study_id = "vision/s";
  batch.expected_trial_count = 1;
  batch.grants.emplace_back().worker = "w";
  batch.grants.back().again = {1};
  batch.grants.back().guard = {"e", "f", "vision"};
  EXPECT_THAT(LeaseTrials(store(), batch).status(), HasCode(kResourceExhausted));
  EXPECT_THAT(ImportStudy(store(), ImportOf("vision/t", 0), {"g", "f", "vision"}).status,
              HasCode(kResourceExhausted));
  EXPECT_EQ(quotas_.Refusals()[static_cast<size_t>(QuotaKind::kBytes)], 5);
  // What keeps no answer, or deletes, goes on, and so do repeats and other projects.
  batch.grants.back().guard = {};
  EXPECT_TRUE(LeaseTrials(store(), batch).ok());
  EXPECT_TRUE(note("").ok());
  EXPECT_TRUE(note("b").earlier.has_value());
  EXPECT_TRUE(update("a", "").ok());
  EXPECT_TRUE(DeleteStudy(store(), "vision/s", {"h", "f", "vision"}).ok());
  // More of them with a higher quota, and once the first have expired.
  Limit("vision",
        {.bytes = rules::kLeastAnswerBytes / rules::kAnswerBytesPerByte + 1000});
  Create("vision/s");
  EXPECT_TRUE(update("i").ok());
  EXPECT_THAT(update("j").status, HasCode(kResourceExhausted));
  clock_.Advance(2 * options_.retention);
  EXPECT_TRUE(update("j").ok());
}

TEST_P(StoreContract, AnImportIsHeldToTheQuotasWhole) {
  Limit("default", {.studies = 1, .trials = 4});
  EXPECT_THAT(ImportStudy(store(), ImportOf("s", 5)).status,
              IsRefusal(kResourceExhausted, "has 0 trials, 5 more would be above its quota of 4"));
  EXPECT_TRUE(store().ListUsage()->empty());
  ASSERT_TRUE(ImportStudy(store(), ImportOf("s", 4)).ok());
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
  EXPECT_THAT(ImportStudy(store(), ImportOf("t", 0)).status, HasCode(kResourceExhausted));
  Limit("default", {.bytes = UsedBy(store()).bytes + 100});
  EXPECT_THAT(ImportStudy(store(), ImportOf("t", 1)).status, HasCode(kResourceExhausted));
}

TEST_P(StoreContract, AnImportThatReplacesAStudyNeedsRoomForWhatItHasMoreAlone) {
  ASSERT_TRUE(ImportStudy(store(), ImportOf("s", 4)).ok());
  ImportedStudy larger = ImportOf("s", 6);
  larger.replace_existing = true;
  Limit("default", {.studies = 1, .trials = 5});
  EXPECT_THAT(ImportStudy(store(), larger).status,
              IsRefusal(kResourceExhausted, "has 4 trials, 2 more would be above its quota of 5"));
  EXPECT_EQ(store().GetStudy("s")->trial_count, 4) << "is still there";
  Limit("default", {.studies = 1, .trials = 6});
  EXPECT_TRUE(ImportStudy(store(), larger).ok());
  ImportedStudy smaller = ImportOf("s", 3);
  smaller.replace_existing = true;
  Limit("default", {.studies = 0, .trials = 0, .bytes = 0});
  EXPECT_TRUE(ImportStudy(store(), smaller).ok()) << "above lower quotas, but grows in nothing";
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
}

// Random calls, some of which are refused, on studies of three projects.
class RandomCalls {
 public:
  RandomCalls(Store* store, FakeClock* clock, unsigned seed)
      : store_(*store), clock_(*clock), random_(seed) {}

  void MakeOne() {
    const std::string id = Id();
    switch (Below(12)) {
      case 0:
        return (void)CreateStudy(store_, NewStudyOf(id));
      case 1:
        return (void)DeleteStudy(store_, id);
      case 2:
        return Import(id);
      case 3:
        return (void)AddTrials(store_, id, {NewSuggestion(Text()), FinishedTrial(Text(), 1)});
      case 4:
      case 5:
        return Lease(id);
      case 6:
        return (void)ObserveTrial(store_, {id, Number(), Success(1, Text())});
      case 7:
        return (void)ObserveTrial(store_, {id, Number(), Ending(TrialState::kFailed, Text())});
      case 8:
        return (void)ReportSteps(store_, {id, Number(), {{Below(4), 0.5}, {4 + Below(4), 1}}});
      case 9:
        return (void)UpdateTrial(store_, id, Number(), {Text(), Text()});
      case 10:
        return (void)ReleaseTrials(store_, {id, "w", {Number()}});
      default:
        return Other(id);
    }
  }

 private:
  int Below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  std::string Text() { return std::string(static_cast<size_t>(Below(40)), 't'); }
  int64_t Number() { return 1 + Below(8); }
  std::string Id() {
    constexpr const char* kProjects[] = {"", "vision/", "nlp/"};
    return absl::StrCat(kProjects[Below(3)], "s", Below(2));
  }

  NewStudy NewStudyOf(const std::string& id) {
    NewStudy study = StudyNamed(id);
    study.candidates = Text();
    study.lease = {.duration_ms = 5000, .max_requeues = 2};
    return study;
  }

  void Import(const std::string& id) {
    ImportedStudy imported = ImportOf(id, Below(5));
    imported.replace_existing = Below(2) == 0;
    ImportStudy(store_, imported);
  }

  void Lease(const std::string& id) {
    const auto study = store_.GetStudy(id);
    if (study.ok()) (void)LeaseFresh(store_, *study, "w", 1 + Below(3));
  }

  void Other(const std::string& id) {
    if (Below(3) == 0) {
      clock_.Advance(absl::Seconds(4));
      (void)SweepLeases(store_);
    } else if (Below(2) == 0) {
      (void)RegisterSourceTask(store_, SourceTaskNamed(id));
    } else {
      (void)DeleteSourceTask(store_, id);
    }
  }

  Store& store_;
  FakeClock& clock_;
  std::mt19937 random_;
};

TEST_P(StoreContract, WhateverIsCalledTheStoreKnowsWhatEachProjectTakes) {
  for (unsigned round = 0; round < 12; ++round) {
    SCOPED_TRACE(absl::StrCat("round ", round));
    Limit("vision", {.trials = 12, .bytes = 3000});
    Limit("nlp", {.studies = 1, .source_tasks = 1});
    Limit("default", {.trials = 40});
    RandomCalls calls(&store(), &clock_, round);
    for (int call = 0; call < 60; ++call) calls.MakeOne();
    ASSERT_EQ(*store().ListUsage(), Recount(store()));
    EXPECT_LE(UsedBy(store(), "nlp").studies, 1);
    // A refusal tells what the store counts by.
    for (const char* project : {"vision", "nlp"}) {
      const ProjectUsage usage = UsedBy(store(), project);
      Limit(project, {.bytes = 0});
      EXPECT_THAT(CreateStudy(store(), StudyNamed(absl::StrCat(project, "/new"))).status,
                  IsRefusal(kResourceExhausted, absl::StrCat("has ", usage.bytes, " bytes")));
    }
    if (round % 3 == 2) Reopen();
  }
  for (const QuotaKind kind : {QuotaKind::kStudies, QuotaKind::kTrials, QuotaKind::kSourceTasks}) {
    EXPECT_GT(quotas_.Refusals()[static_cast<size_t>(kind)], 0) << NameOf(kind);
  }
}

}  // namespace
}  // namespace slipstream
