// Adds to study_contract.cc: verbs on studies next to other writes of their
// transaction, and arguments out of bounds.
#include "server/store/study_rules.h"

#include "server/store/source_task_rules.h"
#include "server/store/trial_rules.h"
#include "tests/server/store/rule_test.h"

namespace slipstream {
namespace {

using StudyRules = RuleTest;

TEST_F(StudyRules, AnIdIsTakenAtOnceAndFreeAtOnce) {
  Commit([](RowTransaction& rows) {
    EXPECT_TRUE(rules::CreateStudy(rows, StudyNamed("s")).ok());
    EXPECT_THAT(rules::CreateStudy(rows, StudyNamed("s")).status(), HasCode(kAlreadyExists));
    EXPECT_TRUE(rules::DeleteStudy(rows, "s").ok());
    EXPECT_THAT(rules::DeleteStudy(rows, "s").status(), HasCode(kNotFound));
    return rules::CreateStudy(rows, StudyNamed("s"));
  });
  EXPECT_EQ(Read([](RowSnapshot& rows) { return rules::ListStudies(rows, {0, 9}); })->size(), 1u);
}

TEST_F(StudyRules, AStudyUsesASourceTaskOfTheSameTransaction) {
  const auto study = Transact([](RowTransaction& rows) {
    EXPECT_TRUE(rules::RegisterSourceTask(rows, SourceTaskNamed("t")).ok());
    return rules::CreateStudy(rows, StudyNamed("s", {"t", "t"}));
  });
  ASSERT_TRUE(study.ok()) << study.status();
  const auto sources = Read([&](RowSnapshot& rows) { return rows.ListStudySources(study->key); });
  EXPECT_THAT(*sources, testing::ElementsAre("t", "t"));
}

TEST_F(StudyRules, AllSourceTasksThatAreMissingAreNamed) {
  const auto study = Transact([](RowTransaction& rows) {
    EXPECT_TRUE(rules::RegisterSourceTask(rows, SourceTaskNamed("t")).ok());
    return rules::CreateStudy(rows, StudyNamed("s", {"a", "t", "b"}));
  });
  EXPECT_THAT(study.status(), HasCode(kNotFound));
  EXPECT_EQ(study.status().message(), "there is no sourceTasks/a, sourceTasks/b");
}

TEST_F(StudyRules, AnUpdateReturnsTheCountsOfItsTransaction) {
  StudyChange change;
  change.display_name = "name";
  const auto updated = Transact([&](RowTransaction& rows) {
    EXPECT_TRUE(rules::CreateStudy(rows, StudyNamed("s")).ok());
    EXPECT_TRUE(rules::AddTrials(rows, {"s", {FinishedTrial("x", 1)}}, kMaxTrials).ok());
    return rules::UpdateStudy(rows, "s", change);
  });
  EXPECT_EQ(updated->trial_count, 1);
  EXPECT_EQ(updated->succeeded_count, 1);
}

TEST_F(StudyRules, ARefusedUpdateLeavesEveryFieldAsItWas) {
  StudyChange complete;
  complete.state = StudyState::kCompleted;
  StudyChange reopen;
  reopen.state = StudyState::kActive;
  reopen.display_name = "name";
  Commit([&](RowTransaction& rows) {
    EXPECT_TRUE(rules::CreateStudy(rows, StudyNamed("s")).ok());
    EXPECT_TRUE(rules::UpdateStudy(rows, "s", complete).ok());
    EXPECT_THAT(rules::UpdateStudy(rows, "s", reopen).status(), HasCode(kFailedPrecondition));
    return absl::OkStatus();
  });
  const auto study = Read([](RowSnapshot& rows) { return rules::GetStudy(rows, "s"); });
  EXPECT_EQ(study->state, StudyState::kCompleted);
  EXPECT_EQ(study->display_name, "");
}

TEST_F(StudyRules, ANegativeLimitListsNothing) {
  Commit([](RowTransaction& rows) { return rules::CreateStudy(rows, StudyNamed("s")); });
  EXPECT_TRUE(Read([](RowSnapshot& rows) { return rules::ListStudies(rows, {0, -1}); })->empty());
}

}  // namespace
}  // namespace slipstream
