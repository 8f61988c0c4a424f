// Two stores over the same tables, like two servers on one database: each one's
// rules see what the other has written. Only one server at a time can open a
// SQLite file, so this runs in memory.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/store/store_calls.h"
#include "tests/server/store/store_contract.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

class SeveralServers : public testing::Test {
 protected:
  SeveralServers() { study_ = *CreateStudy(*one_, StudyNamed("s")); }

  LeaseBatch BatchOf(LeaseGrant grant, int64_t expected_trial_count) const {
    LeaseBatch batch;
    batch.study_key = study_.key;
    batch.study_id = "s";
    batch.expected_trial_count = expected_trial_count;
    batch.grants = {std::move(grant)};
    return batch;
  }

  const std::shared_ptr<MemoryTables> tables_ = MakeMemoryTables();
  const std::unique_ptr<Store> one_ = MakeMemoryStore({}, tables_);
  const std::unique_ptr<Store> two_ = MakeMemoryStore({}, tables_);
  StudyRecord study_;
};

TEST_F(SeveralServers, ARepeatAtAnotherServerGetsTheFirstAnswer) {
  const RequestGuard guard = {"r", "f"};
  ASSERT_TRUE(AddTrials(*one_, "s", {NewSuggestion("x")}, guard, "first").ok());
  EXPECT_EQ(AddTrials(*two_, "s", {NewSuggestion("x")}, guard).earlier, "first");
  EXPECT_THAT(AddTrials(*two_, "s", {NewSuggestion("x")}, {"r", "g"}).status,
              IsRefusal(kInvalidArgument, "request_id"));
  EXPECT_EQ(one_->GetStudy("s")->trial_count, 1);
}

TEST_F(SeveralServers, ALeaseOfOneServerMakesTheOthersPlanOutOfDate) {
  ASSERT_TRUE(AddTrials(*one_, "s", {NewSuggestion("q")}).ok());
  LeaseGrant grant;
  grant.worker = "w";
  grant.queued = {1};
  ASSERT_TRUE(LeaseTrials(*one_, BatchOf(grant, 1)).ok());
  EXPECT_THAT(LeaseTrials(*two_, BatchOf(grant, 1)).status(), HasCode(kAborted));
  ASSERT_TRUE(LeaseFresh(*two_, study_, "w", 1).ok());
  LeaseGrant fresh;
  fresh.fresh = {NewSuggestion("x")};
  EXPECT_THAT(LeaseTrials(*one_, BatchOf(fresh, 1)).status(), HasCode(kAborted));
}

TEST_F(SeveralServers, AStudyThatOneServerMadeAnewIsAnotherOneForTheOther) {
  ASSERT_TRUE(AddTrials(*two_, "s", {FinishedTrial("x", 1)}).ok());
  ASSERT_TRUE(DeleteStudy(*one_, "s").ok());
  EXPECT_THAT(AddTrials(*two_, "s", {NewSuggestion("x")}).status, HasCode(kNotFound));
  ASSERT_TRUE(CreateStudy(*one_, StudyNamed("s")).ok());
  EXPECT_EQ((*AddTrials(*two_, "s", {NewSuggestion("x")}))[0].number, 1);
  EXPECT_THAT(LeaseTrials(*two_, BatchOf({}, 1)).status(), HasCode(kNotFound));
}

// The caller has checked its trial or outcome against the study that was.
TEST_F(SeveralServers, AWriteForAStudyThatAnotherServerMadeAnewIsRefused) {
  const StudyRef old(study_.id, study_.key);
  ASSERT_TRUE(LeaseFresh(*two_, study_, "w", 1).ok());
  ASSERT_TRUE(DeleteStudy(*one_, "s").ok());
  const StudyRecord anew = *CreateStudy(*one_, StudyNamed("s"));
  ASSERT_TRUE(LeaseFresh(*one_, anew, "w", 1).ok());
  EXPECT_THAT(ObserveTrial(*two_, {old, 1, Success(1)}).status, HasCode(kNotFound));
  EXPECT_THAT(AddTrials(*two_, old, {FinishedTrial("x", 1)}).status, HasCode(kNotFound));
  EXPECT_THAT(two_->GetTrials(old, {1}).status(), HasCode(kNotFound));
  EXPECT_THAT(two_->ListTrials(old, {}).status(), HasCode(kNotFound));
  EXPECT_THAT(two_->ListProvenances(old, 0, 9).status(), HasCode(kNotFound));
  EXPECT_EQ(one_->GetStudy("s")->trial_count, 1);
  EXPECT_EQ(one_->GetStudy("s")->succeeded_count, 0);
  const StudyRef current(anew.id, anew.key);
  EXPECT_TRUE(ObserveTrial(*two_, {current, 1, Success(1)}).ok());
  EXPECT_TRUE(AddTrials(*two_, current, {FinishedTrial("x", 1)}).ok());
}

TEST_F(SeveralServers, AStateThatOneServerSetHoldsAtTheOther) {
  StudyChange complete;
  complete.state = StudyState::kCompleted;
  ASSERT_TRUE(LeaseFresh(*two_, study_, "w", 1).ok());
  ASSERT_TRUE(UpdateStudy(*one_, "s", complete).ok());
  EXPECT_THAT(LeaseFresh(*two_, study_, "w", 1), HasCode(kAborted));
}

// Every trial is observed at both servers at once, by writers with other results.
TEST_F(SeveralServers, OneOutcomeOfEachTrialIsTakenAndCountedOnce) {
  constexpr int kTrials = 300;
  ASSERT_TRUE(LeaseFresh(*one_, study_, "w", kTrials).ok());
  std::atomic<int> taken{0};
  std::atomic<int> refused{0};
  const auto observe_all = [&](Store& store, double objective) {
    for (int64_t number = 1; number <= kTrials; ++number) {
      const absl::Status status = ObserveTrial(store, {"s", number, Success(objective)}).status;
      if (status.ok()) ++taken;
      if (absl::IsFailedPrecondition(status)) ++refused;
    }
  };
  std::thread other([&] { observe_all(*two_, 2); });
  observe_all(*one_, 1);
  other.join();
  EXPECT_EQ(taken, kTrials);
  EXPECT_EQ(refused, kTrials);
  EXPECT_EQ(one_->GetStudy("s")->succeeded_count, kTrials);
}

// The servers' wall clocks differ by this many seconds.
class SkewedServers : public testing::TestWithParam<int> {
 protected:
  SkewedServers() {
    ahead_.Advance(absl::Seconds(GetParam()));
    NewStudy study = StudyNamed("s");
    study.lease = {.duration_ms = 60'000};
    study_ = *CreateStudy(*one_, study);
  }

  static std::unique_ptr<Store> StoreOf(const std::shared_ptr<MemoryTables>& tables,
                                        FakeClock& clock) {
    StoreOptions options;
    options.now_ms = clock.Function();
    return MakeMemoryStore(options, tables);
  }
  // As servers do that are up.
  void PassTime(absl::Duration duration) {
    for (; duration > absl::ZeroDuration(); duration -= absl::Seconds(1)) {
      clock_.Advance(absl::Seconds(1));
      ahead_.Advance(absl::Seconds(1));
      for (Store* const store : {one_.get(), two_.get()}) {
        if (*store->LeasesNeedSweep()) {
          ASSERT_TRUE(SweepLeases(*store).ok());
        }
        // Every transaction may write the lease clock.
        ASSERT_TRUE(Heartbeat(*store, {"s", "nobody", {}}).ok());
      }
    }
  }

  FakeClock clock_;
  FakeClock ahead_;
  const std::shared_ptr<MemoryTables> tables_ = MakeMemoryTables();
  const std::unique_ptr<Store> one_ = StoreOf(tables_, clock_);
  const std::unique_ptr<Store> two_ = StoreOf(tables_, ahead_);
  StudyRecord study_;
};

TEST_P(SkewedServers, ALeaseLastsAboutAsLongAsItsPolicySays) {
  PassTime(absl::Seconds(20));
  ASSERT_TRUE(LeaseFresh(*one_, study_, "v", 1).ok());
  ASSERT_TRUE(LeaseFresh(*two_, study_, "w", 1).ok());
  PassTime(absl::Seconds(53));
  EXPECT_EQ(one_->GetTrial("s", 1)->state, TrialState::kActive);
  EXPECT_EQ(one_->GetTrial("s", 2)->state, TrialState::kActive);
  PassTime(absl::Seconds(14));
  EXPECT_EQ(one_->GetTrial("s", 1)->state, TrialState::kStale);
  EXPECT_EQ(one_->GetTrial("s", 2)->state, TrialState::kStale);
}

TEST_P(SkewedServers, AServerThatStartsTakesNoTimeFromLeases) {
  PassTime(absl::Seconds(20));
  ASSERT_TRUE(LeaseFresh(*one_, study_, "v", 1).ok());
  ASSERT_TRUE(LeaseFresh(*two_, study_, "w", 1).ok());
  for (int start = 0; start < 10; ++start) {
    StoreOf(tables_, clock_);
    StoreOf(tables_, ahead_);
    PassTime(absl::Seconds(5));
  }
  EXPECT_EQ(one_->GetTrial("s", 1)->state, TrialState::kActive);
  EXPECT_EQ(one_->GetTrial("s", 2)->state, TrialState::kActive);
}

INSTANTIATE_TEST_SUITE_P(BySeconds, SkewedServers, testing::Values(0, 1, 4, 7, 30, 59));

}  // namespace
}  // namespace slipstream
