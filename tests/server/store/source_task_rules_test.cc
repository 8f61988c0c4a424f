// Adds to source_task_contract.cc: verbs on source tasks next to other writes of
// their transaction, and arguments out of bounds.
#include "server/store/source_task_rules.h"

#include "server/store/study_rules.h"
#include "tests/server/store/rule_test.h"

namespace slipstream {
namespace {

using SourceTaskRules = RuleTest;

TEST_F(SourceTaskRules, ARegistrationIsKnownAtOnce) {
  const auto second = Transact([](RowTransaction& rows) {
    EXPECT_FALSE(rules::RegisterSourceTask(rows, SourceTaskNamed("t"))->already_registered);
    return rules::RegisterSourceTask(rows, SourceTaskNamed("t"));
  });
  EXPECT_TRUE(second->already_registered);
  EXPECT_EQ(Read([](RowSnapshot& rows) { return rules::ListSourceTasks(rows, {}); })->size(), 1u);
}

TEST_F(SourceTaskRules, AStudyOfTheSameTransactionKeepsItsSourceTask) {
  Commit([](RowTransaction& rows) {
    EXPECT_TRUE(rules::RegisterSourceTask(rows, SourceTaskNamed("t")).ok());
    EXPECT_TRUE(rules::CreateStudy(rows, StudyNamed("s", {"t"})).ok());
    EXPECT_THAT(rules::DeleteSourceTask(rows, "t").status(),
                IsRefusal(kFailedPrecondition, "sourceTasks/t is used by studies/s"));
    EXPECT_TRUE(rules::DeleteStudy(rows, "s").ok());
    EXPECT_TRUE(rules::DeleteSourceTask(rows, "t").ok());
    return rules::CreateStudy(rows, StudyNamed("s"));
  });
  EXPECT_THAT(Read([](RowSnapshot& rows) { return rules::GetSourceChunks(rows, "t"); }).status(),
              HasCode(kNotFound));
}

TEST_F(SourceTaskRules, ANegativeLimitListsNothing) {
  Commit([](RowTransaction& rows) {
    return rules::RegisterSourceTask(rows, SourceTaskNamed("t"));
  });
  EXPECT_TRUE(
      Read([](RowSnapshot& rows) { return rules::ListSourceTasks(rows, {0, -1}); })->empty());
}

}  // namespace
}  // namespace slipstream
