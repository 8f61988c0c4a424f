// Adds to lease_contract.cc: leases next to other writes of their transaction,
// and what a refused batch leaves behind.
#include "server/store/lease_rules.h"

#include <string>
#include <utility>
#include <vector>

#include "core/base/refusals.h"
#include "server/store/answer_rules.h"
#include "server/store/holding_rules.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"
#include "tests/server/store/rule_test.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LeaseRules : public RuleTest {
 protected:
  LeaseRules() {
    study_ =
        *Transact([](RowTransaction& rows) { return rules::CreateStudy(rows, StudyNamed("s")); });
  }

  LeaseBatch BatchOf(LeaseGrant grant, int64_t expected_trial_count = 0) const {
    LeaseBatch batch;
    batch.study_key = study_.key;
    batch.study_id = "s";
    batch.expected_trial_count = expected_trial_count;
    batch.grants = {std::move(grant)};
    return batch;
  }
  static LeaseGrant Fresh(const std::string& worker, int count) {
    LeaseGrant grant;
    grant.worker = worker;
    grant.fresh.assign(static_cast<size_t>(count), NewSuggestion("x"));
    return grant;
  }
  std::vector<std::string> ConfigurationsOf(const std::vector<int64_t>& numbers) {
    const auto trials = Read(
        [&](RowSnapshot& rows) { return rules::GetTrials(rows, StudyRef("s"), numbers); });
    std::vector<std::string> configurations;
    for (const TrialRecord& trial : *trials) configurations.push_back(trial.configuration);
    return configurations;
  }
  LeasePlan Plan(const std::vector<std::string>& workers) {
    return *Read(
        [&](RowSnapshot& rows) { return rules::PlanLeases(rows, study_.key, "s", workers, 9); });
  }

  StudyRecord study_;
};

TEST_F(LeaseRules, OfTwoBatchesFromOnePlanTheFirstWins) {
  Commit([this](RowTransaction& rows) {
    EXPECT_TRUE(rules::LeaseTrials(rows, BatchOf(Fresh("v", 1)), kMaxTrials).ok());
    EXPECT_THAT(rules::LeaseTrials(rows, BatchOf(Fresh("w", 1)), kMaxTrials),
                IsRefusal(kAborted, "it has 1 trials, not 0"));
    return absl::OkStatus();
  });
  EXPECT_THAT(Plan({"v", "w"}).active, ElementsAre(ElementsAre(1), IsEmpty()));
}

TEST_F(LeaseRules, AWriteBeforeTheBatchMakesItsPlanOutOfDate) {
  Commit([this](RowTransaction& rows) {
    return rules::LeaseTrials(rows, BatchOf(Fresh("w", 1)), kMaxTrials);
  });
  LeaseGrant again;
  again.worker = "w";
  again.again = {1};
  Commit([&](RowTransaction& rows) {
    EXPECT_TRUE(rules::ObserveTrial(rows, {"s", 1, Success(1)}).ok());
    EXPECT_THAT(rules::LeaseTrials(rows, BatchOf(again, 1), kMaxTrials),
                IsRefusal(kAborted, "trial 1 has changed"));
    return absl::OkStatus();
  });
}

// Nothing but the queue tells that the plan is out of date: the number of trials is the same.
TEST_F(LeaseRules, ATrialThatWasReleasedSinceIsNotPassedOver) {
  Commit([this](RowTransaction& rows) {
    EXPECT_TRUE(rules::AddTrials(rows, {"s", {NewSuggestion("q")}}, kMaxTrials).ok());
    LeaseGrant queued;
    queued.worker = "v";
    queued.queued = {1};
    EXPECT_TRUE(rules::LeaseTrials(rows, BatchOf(queued, 1), kMaxTrials).ok());
    EXPECT_TRUE(rules::AddTrials(rows, {"s", {NewSuggestion("r")}}, kMaxTrials).ok());
    EXPECT_TRUE(rules::ReleaseTrials(rows, {"s", "v", {1}}).ok());
    LeaseGrant later;
    later.worker = "w";
    later.queued = {2};
    LeaseGrant both = Fresh("w", 1);
    both.queued = {1};
    for (const LeaseGrant& grant : {later, both, Fresh("w", 1)}) {
      LeaseBatch batch = BatchOf(grant, 2);
      batch.passes_over_none = true;
      EXPECT_THAT(rules::LeaseTrials(rows, batch, kMaxTrials),
                  IsRefusal(kAborted, "other trials are queued"));
    }
    both.queued = {1, 2};
    LeaseBatch batch = BatchOf(both, 2);
    batch.passes_over_none = true;
    EXPECT_TRUE(rules::LeaseTrials(rows, batch, kMaxTrials).ok());
    return absl::OkStatus();
  });
}

// Calls that were planned together do not fail for the one that asks for too much, and that one
// gets what is left.
TEST_F(LeaseRules, GrantsGetWhatThereIsRoomForAndAreRefusedOneByOneIfTheyCanBe) {
  Quotas quotas("/etc/quotas");
  quotas.Replace({.others = {.trials = 3}});
  std::vector<absl::Status> refusals(4);
  LeaseBatch batch = BatchOf(Fresh("a", 1));
  batch.grants.push_back(Fresh("b", 9));
  batch.grants.push_back(Fresh("c", 2));
  batch.grants.push_back(Fresh("d", 1));
  int made = 0;
  for (size_t i = 0; i < refusals.size(); ++i) {
    for (NewTrial& fresh : batch.grants[i].fresh) fresh.configuration = absl::StrCat(++made);
    batch.grants[i].refuse = [&refusals, i](const absl::Status& status) { refusals[i] = status; };
  }
  Commit(
      [&](RowTransaction& rows) { return rules::LeaseTrials(rows, batch, kMaxTrials, &quotas); });
  EXPECT_TRUE(refusals[0].ok());
  EXPECT_TRUE(refusals[1].ok()) << refusals[1];
  for (const size_t i : {2, 3}) {
    EXPECT_THAT(refusals[i], IsRefusal(kResourceExhausted, "above its quota of 3"));
    EXPECT_FALSE(HasMark(refusals[i], kTrialLimitReached));
  }
  EXPECT_THAT(Plan({"a", "b", "c", "d"}).active,
              ElementsAre(ElementsAre(1), ElementsAre(2, 3), IsEmpty(), IsEmpty()));
  EXPECT_THAT(ConfigurationsOf({1, 2, 3}), ElementsAre("1", "2", "3"));
  batch.grants.erase(batch.grants.begin(), batch.grants.begin() + 3);
  batch.grants[0].refuse = nullptr;
  batch.expected_trial_count = 3;
  EXPECT_THAT(Transact([&](RowTransaction& rows) {
                return rules::LeaseTrials(rows, batch, kMaxTrials, &quotas);
              }),
              IsRefusal(kResourceExhausted, "project default has 3 trials"));
}

TEST_F(LeaseRules, AStudyThatIsAlmostFullGivesTheTrialsThatItMayStillHave) {
  Commit([this](RowTransaction& rows) {
    return rules::LeaseTrials(rows, BatchOf(Fresh("a", 9)), kMaxTrials);
  });
  EXPECT_THAT(Plan({"a"}).active, ElementsAre(ElementsAre(1, 2, 3, 4, 5)));
  const absl::Status full = Transact([this](RowTransaction& rows) {
    return rules::LeaseTrials(rows, BatchOf(Fresh("b", 2), 5), kMaxTrials);
  });
  EXPECT_THAT(full, IsRefusal(kResourceExhausted, "1 more would be above the limit of 5"));
  EXPECT_TRUE(HasMark(full, kTrialLimitReached));
}

// Otherwise a restarted worker that asks for several would lose those that it has.
TEST_F(LeaseRules, AWorkerFindsItsTrialsWhereThereIsNoRoomForMore) {
  Commit([this](RowTransaction& rows) {
    return rules::LeaseTrials(rows, BatchOf(Fresh("a", 3)), kMaxTrials);
  });
  std::vector<absl::Status> refusals(3);
  std::vector<size_t> rendered(3);
  LeaseBatch batch = BatchOf(Fresh("b", 2), 3);
  batch.grants.push_back(Fresh("a", 4));
  batch.grants[1].again = {1, 2, 3};
  batch.grants.push_back(Fresh("c", 1));
  int made = 0;
  for (size_t i = 0; i < refusals.size(); ++i) {
    for (NewTrial& fresh : batch.grants[i].fresh) fresh.configuration = absl::StrCat(++made);
    batch.grants[i].refuse = [&refusals, i](const absl::Status& status) { refusals[i] = status; };
    batch.grants[i].render = [&rendered, i](const std::vector<TrialRecord>& trials) {
      rendered[i] = trials.size();
      return std::string();
    };
  }
  Commit([&](RowTransaction& rows) { return rules::LeaseTrials(rows, batch, kMaxTrials); });
  EXPECT_TRUE(refusals[0].ok()) << refusals[0];
  EXPECT_TRUE(refusals[1].ok()) << refusals[1];
  EXPECT_THAT(refusals[2], IsRefusal(kResourceExhausted, "--max-trials-per-study"));
  EXPECT_THAT(rendered, ElementsAre(2, 3, 0));
  EXPECT_THAT(Plan({"a", "b", "c"}).active,
              ElementsAre(ElementsAre(1, 2, 3), ElementsAre(4, 5), IsEmpty()));
  EXPECT_THAT(ConfigurationsOf({4, 5}), ElementsAre("1", "2")) << "the first that were made";
}

TEST_F(LeaseRules, GrantsThatNobodyWaitsForAreRefusedInTheTransaction) {
  std::vector<absl::Status> refusals(2);
  LeaseBatch batch = BatchOf(Fresh("a", 1));
  batch.grants.push_back(Fresh("b", 1));
  for (size_t i = 0; i < refusals.size(); ++i) {
    batch.grants[i].fresh[0].configuration = absl::StrCat(i);
    batch.grants[i].refuse = [&refusals, i](const absl::Status& status) { refusals[i] = status; };
  }
  batch.grants[0].is_cancelled = [] { return true; };
  Commit([&](RowTransaction& rows) { return rules::LeaseTrials(rows, batch, kMaxTrials); });
  EXPECT_THAT(refusals[0], IsRefusal(kCancelled, "no longer waits"));
  EXPECT_TRUE(refusals[1].ok());
  EXPECT_THAT(Plan({"a", "b"}).active, ElementsAre(IsEmpty(), ElementsAre(1)));
  EXPECT_THAT(ConfigurationsOf({1}), ElementsAre("0")) << "the first that was made";
}

// Otherwise the others would get fresh trials while theirs stays queued.
TEST_F(LeaseRules, TheNextGrantsGetTheQueuedTrialsOfRefusedOnes) {
  Commit([](RowTransaction& rows) {
    return rules::AddTrials(rows, {"s", std::vector<NewTrial>(3, NewSuggestion("q"))}, kMaxTrials);
  });
  std::vector<absl::Status> refusals(4);
  LeaseBatch batch = BatchOf(Fresh("cancelled", 0), 3);
  batch.passes_over_none = true;
  batch.grants.push_back(Fresh("as well", 9));
  batch.grants.push_back(Fresh("c", 1));
  batch.grants.push_back(Fresh("d", 2));
  batch.grants[0].queued = {1, 2};
  batch.grants[1].queued = {3};
  for (const size_t i : {0, 1}) batch.grants[i].is_cancelled = [] { return true; };
  int made = 0;
  for (size_t i = 0; i < refusals.size(); ++i) {
    for (NewTrial& fresh : batch.grants[i].fresh) fresh.configuration = absl::StrCat(++made);
    batch.grants[i].refuse = [&refusals, i](const absl::Status& status) { refusals[i] = status; };
  }
  batch.grants[3].fresh.push_back(NewSuggestion("last"));
  Commit([&](RowTransaction& rows) { return rules::LeaseTrials(rows, batch, kMaxTrials); });
  for (const size_t i : {0, 1}) EXPECT_THAT(refusals[i], IsRefusal(kCancelled, "no longer waits"));
  EXPECT_TRUE(refusals[2].ok());
  EXPECT_TRUE(refusals[3].ok());
  const LeasePlan plan = Plan({"cancelled", "as well", "c", "d"});
  EXPECT_THAT(plan.active, ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(1), ElementsAre(2, 3, 4)));
  EXPECT_THAT(plan.queued, IsEmpty());
  EXPECT_EQ(plan.study.suggested_count, 1);
  EXPECT_THAT(ConfigurationsOf({4}), ElementsAre("1")) << "the first that was made";
}

TEST_F(LeaseRules, ARefusedBatchHasWrittenNothing) {
  Commit([](RowTransaction& rows) {
    return rules::AddTrials(rows, {"s", {NewSuggestion("q")}}, kMaxTrials);
  });
  LeaseGrant queued = Fresh("v", 2);
  queued.queued = {1};
  queued.guard = {"r", "f"};
  LeaseBatch batch = BatchOf(queued, 1);
  batch.grants.push_back(queued);
  batch.grants[1].guard = {};
  EXPECT_THAT(
      Transact([&](RowTransaction& rows) { return rules::LeaseTrials(rows, batch, kMaxTrials); }),
      IsRefusal(kAborted, "trial 1 has changed"));
  const LeasePlan plan = Plan({"v"});
  EXPECT_EQ(plan.study.trial_count, 1);
  EXPECT_THAT(plan.active, ElementsAre(IsEmpty()));
  EXPECT_THAT(plan.queued, ElementsAre(1));
  EXPECT_EQ(*Read([](RowSnapshot& rows) {
    return rules::FindAnswer(rows, {"r", "f"});
  }),
            std::nullopt);
}

TEST_F(LeaseRules, QueuedTrialsCountOnceAndFreshOnesNeedRoom) {
  Commit([](RowTransaction& rows) {
    return rules::AddTrials(rows, {"s", std::vector<NewTrial>(4, NewSuggestion("q"))}, kMaxTrials);
  });
  LeaseGrant grant = Fresh("w", 2);
  grant.queued = {1, 2, 3, 4};
  Commit([&](RowTransaction& rows) {
    return rules::LeaseTrials(rows, BatchOf(grant, 4), kMaxTrials);
  });
  const LeasePlan plan = Plan({"w"});
  EXPECT_THAT(plan.active, ElementsAre(ElementsAre(1, 2, 3, 4, 5)));
  EXPECT_EQ(plan.study.suggested_count, 1);
}

TEST_F(LeaseRules, ANegativeNumberOfQueuedTrialsIsNone) {
  Commit([](RowTransaction& rows) {
    return rules::AddTrials(rows, {"s", {NewSuggestion("q")}}, kMaxTrials);
  });
  EXPECT_THAT(Read([this](RowSnapshot& rows) {
                return rules::PlanLeases(rows, study_.key, "s", {}, -1);
              })->queued,
              IsEmpty());
}

}  // namespace
}  // namespace slipstream
