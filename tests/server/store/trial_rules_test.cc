// Adds to trial_contract.cc: verbs on trials next to other writes of their
// transaction, refusals, and arguments out of bounds.
#include "server/store/trial_rules.h"

#include <cmath>
#include <limits>

#include "server/store/study_rules.h"
#include "tests/server/store/rule_test.h"

namespace slipstream {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class TrialRules : public RuleTest {
 protected:
  TrialRules() {
    study_ =
        *Transact([](RowTransaction& rows) { return rules::CreateStudy(rows, StudyNamed("s")); });
  }

  // Adds ACTIVE trial 1.
  void Lease() {
    Commit([this](RowTransaction& rows) {
      StudyHead head = **rows.FindStudyHead(study_.key);
      head.trial_count = 1;
      TrialRecord trial;
      trial.number = 1;
      EXPECT_TRUE(rows.InsertTrial(study_.key, trial, "").ok());
      return rows.UpdateCounts(head);
    });
  }
  StudyRecord Study() {
    return *Read([](RowSnapshot& rows) { return rules::GetStudy(rows, "s"); });
  }

  StudyRecord study_;
};

TEST_F(TrialRules, TwoOutcomesOfOneTransactionEndATrialOnce) {
  Lease();
  Commit([](RowTransaction& rows) {
    EXPECT_TRUE(rules::ObserveTrial(rows, {"s", 1, Success(1)}).ok());
    EXPECT_TRUE(rules::ObserveTrial(rows, {"s", 1, Success(1)}).ok());
    EXPECT_THAT(rules::ObserveTrial(rows, {"s", 1, Success(2)}).status(),
                HasCode(kFailedPrecondition));
    return absl::OkStatus();
  });
  EXPECT_EQ(Study().succeeded_count, 1);
  EXPECT_EQ(Read([](RowSnapshot& rows) { return rules::GetTrial(rows, "s", 1); })->objective, 1);
}

TEST_F(TrialRules, NumbersGoOnWithinATransaction) {
  Commit([](RowTransaction& rows) {
    for (int64_t number = 1; number <= kMaxTrials; ++number) {
      EXPECT_EQ((*rules::AddTrials(rows, {"s", {NewSuggestion("x")}}, kMaxTrials))[0].number,
                number);
    }
    EXPECT_THAT(rules::AddTrials(rows, {"s", {NewSuggestion("x")}}, kMaxTrials).status(),
                HasCode(kResourceExhausted));
    return absl::OkStatus();
  });
  EXPECT_EQ(Study().trial_count, kMaxTrials);
}

TEST_F(TrialRules, OneBadOutcomeRefusesAllTrials) {
  NewTrial bad = FinishedTrial("x", std::nan(""));
  EXPECT_THAT(Transact([&](RowTransaction& rows) {
                return rules::AddTrials(rows, {"s", {NewSuggestion("y"), bad}}, kMaxTrials);
              }).status(),
              IsRefusal(kInvalidArgument, "objective"));
  EXPECT_EQ(Study().trial_count, 0);
  EXPECT_THAT(*Read([](RowSnapshot& rows) { return rules::ListTrials(rows, "s", {}); }), IsEmpty());
}

TEST_F(TrialRules, TheRoomForTrialsIsExact) {
  const StudyHead head = {.key = 1, .state = {}, .trial_count = 3};
  EXPECT_TRUE(rules::CheckRoomForTrials("s", head, 2, 5).ok());
  EXPECT_THAT(rules::CheckRoomForTrials("s", head, 3, 5),
              IsRefusal(kResourceExhausted,
                        "studies/s has 3 trials, 3 more would be above the limit of 5 "
                        "(--max-trials-per-study)"));
  EXPECT_THAT(rules::CheckRoomForTrials("s", {.key = 1, .state = {}, .trial_count = 1}, 1, 1),
              IsRefusal(kResourceExhausted, "studies/s has 1 trial, 1 more would be above"));
  // The limit may have been lowered since.
  EXPECT_TRUE(rules::CheckRoomForTrials("s", head, 0, 3).ok());
  EXPECT_THAT(rules::CheckRoomForTrials("s", head, 1, 2), HasCode(kResourceExhausted));
}

TEST_F(TrialRules, ListsTakeNumbersAndLimitsOutOfBounds) {
  Commit([](RowTransaction& rows) {
    return rules::AddTrials(rows, {"s", {NewSuggestion("x"), FinishedTrial("y", 1)}}, kMaxTrials);
  });
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  const absl::Status read = Read([](RowSnapshot& rows) {
    TrialFilter filter;
    filter.after_number = kLowest;
    EXPECT_THAT(*rules::ListTrials(rows, "s", filter), SizeIs(2));
    filter.limit = -1;
    EXPECT_THAT(*rules::ListTrials(rows, "s", filter), IsEmpty());
    EXPECT_THAT(*rules::BestTrials(rows, "s", true, -1), IsEmpty());
    EXPECT_THAT(*rules::ListProvenances(rows, "s", kLowest, kHighest), SizeIs(1));
    EXPECT_THAT(*rules::ListProvenances(rows, "s", 0, kLowest), IsEmpty());
    EXPECT_THAT(rules::GetTrial(rows, "s", kLowest).status(), HasCode(kNotFound));
    EXPECT_THAT(rules::GetExplainedTrial(rows, "s", kHighest).status(), HasCode(kNotFound));
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
}

}  // namespace
}  // namespace slipstream
