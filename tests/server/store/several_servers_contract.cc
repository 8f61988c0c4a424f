// Each server's rules see what the other one has written, whatever comes between.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/store/rule_store.h"
#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

using testing::Each;

// Of one grant.
LeaseBatch BatchOf(const StudyRecord& study, LeaseGrant grant, int64_t expected_trial_count) {
  LeaseBatch batch;
  batch.study_key = study.key;
  batch.study_id = study.id;
  batch.expected_trial_count = expected_trial_count;
  batch.grants = {std::move(grant)};
  return batch;
}

TEST_P(SeveralServers, ARepeatAtAnotherServerGetsTheFirstAnswer) {
  const RequestGuard guard = {"r", "f"};
  ASSERT_TRUE(AddTrials(*one_, "s", {NewSuggestion("x")}, guard, "first").ok());
  EXPECT_EQ(AddTrials(*two_, "s", {NewSuggestion("x")}, guard).earlier, "first");
  EXPECT_THAT(AddTrials(*two_, "s", {NewSuggestion("x")}, {"r", "g"}).status,
              IsRefusal(kInvalidArgument, "request_id"));
  EXPECT_EQ(one_->GetStudy("s")->trial_count, 1);
}

TEST_P(SeveralServers, ALeaseOfOneServerMakesTheOthersPlanOutOfDate) {
  ASSERT_TRUE(AddTrials(*one_, "s", {NewSuggestion("q")}).ok());
  LeaseGrant grant;
  grant.worker = "w";
  grant.queued = {1};
  ASSERT_TRUE(LeaseTrials(*one_, BatchOf(study_, grant, 1)).ok());
  EXPECT_THAT(LeaseTrials(*two_, BatchOf(study_, grant, 1)).status(), HasCode(kAborted));
  ASSERT_TRUE(LeaseFresh(*two_, study_, "w", 1).ok());
  LeaseGrant fresh;
  fresh.fresh = {NewSuggestion("x")};
  EXPECT_THAT(LeaseTrials(*one_, BatchOf(study_, fresh, 1)).status(), HasCode(kAborted));
}

TEST_P(SeveralServers, AStudyThatOneServerMadeAnewIsAnotherOneForTheOther) {
  ASSERT_TRUE(AddTrials(*two_, "s", {FinishedTrial("x", 1)}).ok());
  ASSERT_TRUE(DeleteStudy(*one_, "s").ok());
  EXPECT_THAT(AddTrials(*two_, "s", {NewSuggestion("x")}).status, HasCode(kNotFound));
  ASSERT_TRUE(CreateStudy(*one_, StudyNamed("s")).ok());
  EXPECT_EQ((*AddTrials(*two_, "s", {NewSuggestion("x")}))[0].number, 1);
  EXPECT_THAT(LeaseTrials(*two_, BatchOf(study_, {}, 1)).status(), HasCode(kNotFound));
}

// The caller has checked its trial or outcome against the study that was.
TEST_P(SeveralServers, AWriteForAStudyThatAnotherServerMadeAnewIsRefused) {
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

TEST_P(SeveralServers, AStateThatOneServerSetHoldsAtTheOther) {
  StudyChange complete;
  complete.state = StudyState::kCompleted;
  ASSERT_TRUE(LeaseFresh(*two_, study_, "w", 1).ok());
  ASSERT_TRUE(UpdateStudy(*one_, "s", complete).ok());
  EXPECT_THAT(LeaseFresh(*two_, study_, "w", 1), HasCode(kAborted));
}

// Every trial is observed at both servers at once, by writers with other results.
TEST_P(SeveralServers, OneOutcomeOfEachTrialIsTakenAndCountedOnce) {
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
  AtBoth([&](Store& store) { observe_all(store, &store == one_.get() ? 1 : 2); });
  EXPECT_EQ(taken, kTrials);
  EXPECT_EQ(refused, kTrials);
  EXPECT_EQ(one_->GetStudy("s")->succeeded_count, kTrials);
}

TEST_P(SeveralServers, OneOfTwoEqualRequestsIsCarriedOut) {
  constexpr int kRequests = 100;
  std::atomic<int> written{0};
  std::atomic<int> repeated{0};
  const auto add_all = [&](Store& store) {
    for (int i = 0; i < kRequests; ++i) {
      const auto added =
          AddTrials(store, "s", {NewSuggestion("x")}, {"r" + std::to_string(i), "f"});
      if (added.ok()) ++(added.earlier.has_value() ? repeated : written);
    }
  };
  AtBoth(add_all);
  EXPECT_EQ(written, kRequests);
  EXPECT_EQ(repeated, kRequests);
  EXPECT_EQ(one_->GetStudy("s")->trial_count, kRequests);
}

TEST_P(SeveralServers, AQuotaHoldsForAllOfThem) {
  constexpr int kMost = 100;
  Limit("default", {.trials = kMost});
  std::atomic<int> added{0};
  const auto add_all = [&](Store& store) {
    for (int i = 0; i < kMost; ++i) {
      if (AddTrials(store, "s", {NewSuggestion("x")}).ok()) ++added;
    }
  };
  AtBoth(add_all);
  EXPECT_EQ(added, kMost);
  EXPECT_EQ((*two_->ListUsage())["default"].trials, kMost);
}

// What is listed from a number on is listed once and for all.
TEST_P(SeveralServers, NothingAppearsBeforeWhatHasBeenListed) {
  constexpr int kStudies = 150;
  std::atomic<int> done{0};
  const auto create_all = [&](Store& store, const std::string& name) {
    for (int i = 0; i < kStudies; ++i) {
      EXPECT_TRUE(CreateStudy(store, StudyNamed(name + std::to_string(i))).ok());
    }
    ++done;
  };
  int64_t last_event = one_->ListEvents(0, 1)->last_sequence;
  int64_t last_key = study_.key;
  std::thread first([&] { create_all(*one_, "a"); });
  std::thread second([&] { create_all(*two_, "b"); });
  int events = 0;
  int studies = 0;
  for (bool are_done = false, is_more = true; is_more || !are_done;) {
    are_done = done == 2;
    is_more = false;
    for (Store* const store : {one_.get(), two_.get()}) {
      const auto page = store->ListEvents(last_event, 10);
      const auto listed = store->ListStudies({last_key, 10});
      for (const EventRecord& event : page.value().events) {
        last_event = event.sequence;
        ++events;
        is_more = true;
      }
      for (const StudyRecord& study : listed.value()) {
        last_key = study.key;
        ++studies;
        is_more = true;
      }
    }
  }
  first.join();
  second.join();
  EXPECT_EQ(events, 2 * kStudies);
  EXPECT_EQ(studies, 2 * kStudies);
}

// By how much the servers' wall clocks differ.
constexpr int kSkewsInSeconds[] = {0, 1, 4, 7, 30, 59};

TEST_P(SeveralServers, ALeaseLastsAboutAsLongAsItsPolicySaysWhereClocksDiffer) {
  for (const int skew : kSkewsInSeconds) {
    LeaseWithClocksApart(absl::Seconds(skew));
    PassTime(53);
    EXPECT_THAT(StatesOfBoth(), Each(TrialState::kActive)) << skew;
    PassTime(14);
    EXPECT_THAT(StatesOfBoth(), Each(TrialState::kStale)) << skew;
  }
}

TEST_P(SeveralServers, SweepsTellOfClocksThatDifferByMoreThanAMinute) {
  const auto uncounted = [](Store& store) {
    return *store.LeasesNeedSweep() ? SweepLeases(store)->uncounted_ms : 0;
  };
  for (const int skew : {59, 120}) {
    LeaseWithClocksApart(absl::Seconds(skew));
    for (int second = 0; second < 90; ++second) {
      clock_.Advance(absl::Seconds(1));
      ahead_.Advance(absl::Seconds(1));
      EXPECT_EQ(uncounted(*one_) < -60'000, skew > 60) << skew;
      EXPECT_EQ(uncounted(*two_) > 60'000, skew > 60) << skew;
    }
    EXPECT_THAT(StatesOfBoth(), Each(skew > 60 ? TrialState::kActive : TrialState::kStale));
  }
}

TEST_P(SeveralServers, AServerThatStartsTakesNoTimeFromLeases) {
  for (const int skew : kSkewsInSeconds) {
    LeaseWithClocksApart(absl::Seconds(skew));
    for (int start = 0; start < 10; ++start) {
      OpenStore(clock_);
      OpenStore(ahead_);
      PassTime(5);
    }
    EXPECT_THAT(StatesOfBoth(), Each(TrialState::kActive)) << skew;
  }
}

}  // namespace

SeveralServers::SeveralServers() : one_(OpenStore(clock_)), two_(OpenStore(clock_)) {
  study_ = *CreateStudy(*one_, StudyNamed("s"));
}

std::unique_ptr<Store> SeveralServers::OpenStore(FakeClock& clock) {
  StoreOptions options = options_;
  options.now_ms = clock.Function();
  return MakeStore(Open(clock), options);
}

void SeveralServers::LeaseWithClocksApart(absl::Duration skew) {
  ahead_.Advance(clock_.Now() + skew - ahead_.Now());
  one_ = OpenStore(clock_);
  two_ = OpenStore(ahead_);
  ASSERT_TRUE(DeleteStudy(*one_, "s").ok());
  NewStudy study = StudyNamed("s");
  study.lease = {.duration_ms = 60'000};
  study_ = *CreateStudy(*one_, study);
  PassTime(20);
  ASSERT_TRUE(LeaseFresh(*one_, study_, "v", 1).ok());
  ASSERT_TRUE(LeaseFresh(*two_, study_, "w", 1).ok());
}

void SeveralServers::AtBoth(const std::function<void(Store&)>& deed) {
  std::thread other([&] { deed(*two_); });
  deed(*one_);
  other.join();
}

void SeveralServers::PassTime(int seconds) {
  for (; seconds > 0; --seconds) {
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

std::vector<TrialState> SeveralServers::StatesOfBoth() {
  return {one_->GetTrial("s", 1)->state, two_->GetTrial("s", 2)->state};
}

}  // namespace slipstream
