// The contract of what a project takes, and of the quotas that bound it.
#include <string>

#include "absl/strings/str_cat.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"
#include "tests/server/store/recount.h"
#include "tests/server/store/row_contract.h"
#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// The usage of the project "default".
ProjectUsage UsageOf(Store& store) { return (*store.ListUsage())["default"]; }

TEST_P(StoreContract, AProjectTakesWhatCallersGaveAndSomeForEachRow) {
  NewStudy study = StudyNamed("s");
  study.definition = std::string(10, 'd');
  study.candidates = std::string(1000, 'c');
  study.lease = {.duration_ms = 60'000, .max_requeues = 1};
  ASSERT_TRUE(CreateStudy(store(), study).ok());
  EXPECT_EQ(UsageOf(store()), (ProjectUsage{.studies = 1, .bytes = 1010}));
  NewTrial added = FinishedTrial(std::string(7, 'x'), 1);
  added.outcome->measurement = std::string(5, 'm');
  added.outcome->reason = "why";
  ASSERT_TRUE(AddTrials(store(), "s", {added}).ok());
  int64_t bytes = 1010 + 200 + 7 + 5 + 3;
  EXPECT_EQ(UsageOf(store()), (ProjectUsage{.studies = 1, .trials = 1, .bytes = bytes}));
  ASSERT_TRUE(LeaseFresh(store(), *store().GetStudy("s"), "w", 1).ok());
  bytes += 200 + 2 + 6;  // "x2", "why x2"
  EXPECT_EQ(UsageOf(store()).bytes, bytes);
  ASSERT_TRUE(ReportSteps(store(), {"s", 2, {{1, 0.5}, {2, 0.5}}}).ok());
  ASSERT_TRUE(ReportSteps(store(), {"s", 2, {{2, 0.25}, {3, 0.5}}}).ok());
  bytes += 3 * 24;
  EXPECT_EQ(UsageOf(store()).bytes, bytes);
  ASSERT_TRUE(UpdateTrial(store(), "s", 2, {"labels", "note"}).ok());
  ASSERT_TRUE(ObserveTrial(store(), {"s", 2, Ending(TrialState::kFailed, "broke")}).ok());
  bytes += 6 + 4 + 5;
  EXPECT_EQ(UsageOf(store()).bytes, bytes);
  NewSourceTask task = SourceTaskNamed("t");
  task.definition = std::string(3, 'd');
  task.chunks = {std::string(20, 'c'), std::string(30, 'c')};
  ASSERT_TRUE(RegisterSourceTask(store(), task).ok());
  bytes += 53;
  EXPECT_EQ(UsageOf(store()),
            (ProjectUsage{.studies = 1, .trials = 2, .source_tasks = 1, .bytes = bytes}));
  Reopen();
  EXPECT_EQ(UsageOf(store()).bytes, bytes);
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
}

TEST_P(StoreContract, AProjectTakesWhatItsIdsSay) {
  Create("s");
  Create("vision/s");
  Create("vision/other");
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("nlp/t")).ok());
  const UsageByProject usages = *store().ListUsage();
  EXPECT_EQ(usages, Recount(store()));
  EXPECT_EQ(usages.size(), 3u);
  EXPECT_EQ(usages.at("vision").studies, 2);
  EXPECT_EQ(usages.at("nlp").source_tasks, 1);
}

TEST_P(StoreContract, WhatIsDeletedIsGivenBackAtOnce) {
  CreateWithLeases("s", 3);
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("t")).ok());
  EXPECT_GT(UsageOf(store()).bytes, 600);
  ASSERT_TRUE(DeleteSourceTask(store(), "t").ok());
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  EXPECT_EQ(UsageOf(store()), ProjectUsage());
}

// Also those of a trial that comes into the queue again without its reports.
TEST_P(StoreContract, ARequeuedTrialCountsAndReportsThatAreDroppedDoNot) {
  NewStudy study = StudyNamed("s");
  study.lease = {.duration_ms = 60'000, .max_requeues = 1};
  const auto created = CreateStudy(store(), study);
  ASSERT_TRUE(LeaseFresh(store(), *created, "w", 2).ok());
  ASSERT_TRUE(ReportSteps(store(), {"s", 1, {{1, 0.5}, {2, 0.5}}}).ok());
  const int64_t bytes = UsageOf(store()).bytes;
  ASSERT_TRUE(ReleaseTrials(store(), {"s", "w", {1}}).ok());
  EXPECT_EQ(UsageOf(store()).bytes, bytes - 48);
  clock_.Advance(absl::Seconds(59));
  ASSERT_TRUE(SweepLeases(store()).ok());
  clock_.Advance(absl::Seconds(2));
  ASSERT_EQ(SweepLeases(store())->queued_again, 1);
  EXPECT_EQ(UsageOf(store()).trials, 3);
  EXPECT_EQ(UsageOf(store()).bytes, bytes - 48 + 202);
  ASSERT_TRUE(ObserveTrial(store(), {"s", 2, Success(1)}).ok()) << "late; withdraws the repeat";
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
}

// What a transaction is told.
ProjectUsage Found(RowTransaction& rows) { return rows.FindUsage("default").value(); }

void AddStudy(RowTransaction& rows, const std::string& id) {
  ASSERT_TRUE(rules::CreateStudy(rows, StudyNamed(id)).ok());
  ASSERT_TRUE(rules::AddTrials(rows, {id, {FinishedTrial("x", 1)}}, 10).ok());
}

constexpr int64_t kStudyBytes = 15 + 209;  // "definition of s", and a trial that was measured.
constexpr ProjectUsage kOne = {.studies = 1, .trials = 1, .bytes = kStudyBytes};
constexpr ProjectUsage kTwo = {.studies = 2, .trials = 2, .bytes = 2 * kStudyBytes};

TEST_P(RowContract, ATransactionIsToldWhatProjectsTakeWithWhatItHasWritten) {
  Commit([](RowTransaction& rows) {
    AddStudy(rows, "s");
    EXPECT_EQ(Found(rows), kOne);
    AddStudy(rows, "t");
    EXPECT_EQ(Found(rows), kTwo);
    EXPECT_EQ(rows.FindUsage("vision").value(), ProjectUsage());
  });
  Commit([](RowTransaction& rows) {
    EXPECT_EQ(Found(rows), kTwo);
    ASSERT_TRUE(rules::DeleteStudy(rows, "s").ok());
    EXPECT_EQ(Found(rows), kOne);
    SourceTaskRecord task;
    task.id = "u";
    const int64_t key = rows.InsertSourceTask(task, 5).value();
    EXPECT_EQ(Found(rows).source_tasks, 1);
    EXPECT_EQ(Found(rows).bytes, kStudyBytes + 5);
    ASSERT_TRUE(rows.DeleteSourceTask(key).ok());
    EXPECT_EQ(Found(rows), kOne);
  });
  Reopen();
  Commit([](RowTransaction& rows) { EXPECT_EQ(Found(rows), kOne); });
}

TEST_P(RowContract, WhatIsRolledBackTakesNothing) {
  Commit([](RowTransaction& rows) { AddStudy(rows, "s"); });
  for (int round = 0; round < 3; ++round) {  // At first nobody has asked before.
    RollBack([](RowTransaction& rows) {
      AddStudy(rows, "t");
      EXPECT_EQ(Found(rows), kTwo);
      ASSERT_TRUE(rules::DeleteStudy(rows, "s").ok());
      EXPECT_EQ(Found(rows), kOne);
      ASSERT_TRUE(rules::DeleteStudy(rows, "t").ok());
      EXPECT_EQ(Found(rows), ProjectUsage());
    });
    if (round > 0) Commit([](RowTransaction& rows) { EXPECT_EQ(Found(rows), kOne); });
  }
  const absl::Status read = database_->Read([](RowSnapshot& rows) {
    EXPECT_THAT(*rows.ListUsage(), ElementsAre(Pair("default", kOne)));
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
}

TEST_P(RowContract, AnEmptyStoreHasNoProjects) {
  const absl::Status read = database_->Read([](RowSnapshot& rows) {
    EXPECT_THAT(*rows.ListUsage(), IsEmpty());
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
}

}  // namespace
}  // namespace slipstream
