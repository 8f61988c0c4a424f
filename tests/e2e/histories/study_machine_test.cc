#include "tests/e2e/histories/study_machine.h"

#include <gtest/gtest.h>

#include "tests/e2e/histories/hand_made_history.h"

namespace slipstream::histories {
namespace {

class StudyMachineTest : public testing::Test {
 protected:
  Configurations configurations_;
  StudyMachine machine_{{1'000'000, 1}, &configurations_};
};

TEST_F(StudyMachineTest, AWorkerGetsItsOwnTrialsThenQueuedOnesThenNewOnes) {
  EXPECT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  EXPECT_TRUE(machine_.Do(AddFrom(0, 1, 2, "x")));
  EXPECT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1, 2, 3})));
  EXPECT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  EXPECT_TRUE(machine_.Do(SuggestFrom(0, 1, "b", {4})));
  EXPECT_FALSE(machine_.Do(SuggestFrom(0, 1, "c", {4})));
}

TEST_F(StudyMachineTest, ALateResultWithdrawsTheTrialThatWasQueuedInItsPlace) {
  ASSERT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  ASSERT_TRUE(machine_.Do(LeaseEndFrom(1000, 1001, 1)));
  Call late = ObserveFrom(1100, 1101, "a", 1, 7);
  late.trials.front().next = 2;
  EXPECT_TRUE(machine_.Do(late));
  TrialSight withdrawn = Queued(2);
  withdrawn.first = 1;
  withdrawn.state = v1::Trial::WITHDRAWN;
  EXPECT_TRUE(machine_.Do(GetFrom(1200, 1201, withdrawn)));
}

TEST_F(StudyMachineTest, AConfigurationIsQueuedAgainAsOftenAsThePolicyAllows) {
  ASSERT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  ASSERT_TRUE(machine_.Do(LeaseEndFrom(1000, 1001, 1)));
  Call again = SuggestFrom(1100, 1101, "b", {2});
  again.trials.front().first = 1;
  ASSERT_TRUE(machine_.Do(again));
  ASSERT_TRUE(machine_.Do(LeaseEndFrom(2100, 2101, 2)));
  EXPECT_TRUE(machine_.Do(SuggestFrom(2200, 2201, "c", {3})));
}

TEST_F(StudyMachineTest, ATrialHasATimeOfItsEndOnceItIsOver) {
  ASSERT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  TrialSight sight = Active(1, "a");
  sight.has_end = false;
  EXPECT_TRUE(machine_.Do(GetFrom(2, 3, sight)));
  ASSERT_TRUE(machine_.Do(LeaseEndFrom(1000, 1001, 1)));
  sight = Stale(1, "a");
  sight.next = 2;
  sight.has_end = true;
  EXPECT_TRUE(machine_.Do(GetFrom(1100, 1101, sight)));
  sight.has_end = false;
  EXPECT_FALSE(machine_.Do(GetFrom(1100, 1101, sight)));
}

TEST_F(StudyMachineTest, AReleaseDropsReports) {
  ASSERT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  ASSERT_TRUE(machine_.Do(ReportFrom(2, 3, 1, 4, 0.5, 1)));
  ASSERT_TRUE(machine_.Do(ReportFrom(2, 3, 1, 4, 0.7, 1)));
  ASSERT_TRUE(machine_.Do(ReportFrom(2, 3, 1, 2, 0.6, 2)));
  TrialSight reported = Active(1, "a");
  reported.report_count = 2;
  reported.last_step = 4;
  reported.last_value = 0.7;
  EXPECT_TRUE(machine_.Do(GetFrom(4, 5, reported)));
  EXPECT_TRUE(machine_.Do(ReleaseFrom(6, 7, "a", 1)));
  EXPECT_TRUE(machine_.Do(GetFrom(8, 9, Queued(1))));
  EXPECT_TRUE(machine_.Do(Refused(ReportFrom(8, 9, 1, 5, 0.5, 1))));
}

TEST_F(StudyMachineTest, OnlyWhatAWorkerHoldsIsRenewedOrReleased) {
  ASSERT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  EXPECT_TRUE(machine_.Do(HeartbeatFrom(2, 3, "b", 1, false)));
  EXPECT_FALSE(machine_.Do(HeartbeatFrom(2, 3, "b", 1, true)));
  EXPECT_TRUE(machine_.Do(HeartbeatFrom(2, 3, "a", 1, true)));
  EXPECT_TRUE(machine_.Do(Refused(ReleaseFrom(4, 5, "b", 1))));
  EXPECT_TRUE(machine_.Do(NotFound(ReleaseFrom(4, 5, "a", 2))));
  EXPECT_TRUE(machine_.Do(ReleaseFrom(4, 5, "", 1)));
  EXPECT_TRUE(machine_.Do(Refused(ObserveFrom(6, 7, "a", 1, 1))));
}

TEST_F(StudyMachineTest, KeysTellStatesApart) {
  StudyMachine other = machine_;
  ASSERT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  EXPECT_NE(machine_.Key(), other.Key());
  ASSERT_TRUE(other.Do(SuggestFrom(0, 1, "a", {1})));
  EXPECT_EQ(machine_.Key(), other.Key());
  ASSERT_TRUE(other.Do(ReportFrom(5, 6, 1, 0, 3, 1)));
  EXPECT_NE(machine_.Key(), other.Key());
}

TEST_F(StudyMachineTest, CallsThatChangeNothingAreTold) {
  ASSERT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  EXPECT_TRUE(machine_.changed());
  ASSERT_TRUE(machine_.Do(SuggestFrom(0, 1, "a", {1})));
  EXPECT_FALSE(machine_.changed());
  ASSERT_TRUE(machine_.Do(ReportFrom(2, 3, 1, 0, 3, 1)));
  EXPECT_TRUE(machine_.changed());
  ASSERT_TRUE(machine_.Do(ReportFrom(2, 3, 1, 0, 3, 1)));
  EXPECT_FALSE(machine_.changed());
  Call observe = ObserveFrom(4, 5, "a", 1, 2);
  observe.trials.front().report_count = 1;
  observe.trials.front().last_step = 0;
  observe.trials.front().last_value = 3;
  ASSERT_TRUE(machine_.Do(observe));
  EXPECT_TRUE(machine_.changed());
  ASSERT_TRUE(machine_.Do(observe));
  EXPECT_FALSE(machine_.changed());
  ASSERT_TRUE(machine_.Do(Refused(ReleaseFrom(6, 7, "a", 1))));
  EXPECT_FALSE(machine_.changed());
}

}  // namespace
}  // namespace slipstream::histories
