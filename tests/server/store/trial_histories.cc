#include "tests/server/store/trial_histories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/store/recount.h"
#include "tests/server/store/store_calls.h"
#include "tests/server/store/trial_machine.h"
#include "tests/testing/fake_clock.h"

namespace slipstream {
namespace {

constexpr int kSteps = 60;
constexpr int64_t kMostTrials = 25;
// A crash or a jump loses the time since the lease clock's row was last written. A sweep writes it
// as soon as it is five seconds old.
constexpr int64_t kLostPerDisturbanceMs = 6'000;

std::string TextOf(const TrialRecord& record, const std::vector<ReportRecord>& reports) {
  TrialMachine::Trial trial;
  trial.state = record.state;
  trial.worker = record.worker;
  trial.configuration = record.configuration;
  trial.objective = record.objective;
  trial.first = record.requeue_of > 0 ? record.requeue_of : record.number;
  trial.next = record.requeued_as;
  for (const ReportRecord& each : reports) {
    if (each.number == record.number) trial.reports[each.report.step] = each.report.value;
  }
  return trial.Text();
}

// One history. Every step is done to both sides and its answers are compared.
class TrialHistory {
 public:
  TrialHistory(unsigned seed, OpenStore open)
      : random_(seed), machine_(RandomPolicy(), kMostTrials), open_(std::move(open)) {
    options_.now_ms = clock_.Function();
    options_.max_trials_per_study = kMostTrials;
    options_.max_leases_per_sweep = Below(2) == 0 ? 1 : 500;
    store_ = open_(options_);
    NewStudy study = StudyNamed("s");
    study.lease = machine_.policy();
    study_ = *CreateStudy(*store_, study);
  }

  void Run() {
    for (int i = 0; i < kSteps && !testing::Test::HasFailure(); ++i) {
      log_.push_back("");
      Step();
      Sweep();
      Compare();
    }
    EXPECT_EQ(*store_->ListUsage(), Recount(*store_));
    std::string log;
    for (const std::string& line : log_) absl::StrAppend(&log, line, "\n");
    EXPECT_FALSE(testing::Test::HasFailure()) << log;
  }

  bool saw_requeue() const {
    for (const TrialMachine::Trial& trial : machine_.trials()) {
      if (trial.place > 0) return true;
    }
    return false;
  }
  int64_t aborted() const { return aborted_; }
  int64_t without_plan() const { return without_plan_; }
  bool saw_withdrawal() const {
    const auto withdrawn =
        std::count_if(machine_.trials().begin(), machine_.trials().end(),
                      [](const auto& trial) { return trial.state == TrialState::kWithdrawn; });
    return withdrawn > machine_.given_back_completed();
  }
  bool saw_completed_give_back() const { return machine_.given_back_completed() > 0; }

 private:
  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  LeasePolicy RandomPolicy() {
    const int64_t durations[] = {0, 1'000, 20'000, 60'000, 60'000, 600'000};
    return {durations[Below(6)], Below(4)};
  }
  std::string RandomWorker() { return absl::StrCat("w", Below(3)); }
  int64_t RandomNumber() { return Below(static_cast<int>(machine_.trials().size()) + 2); }

  template <typename... Parts>
  void Log(const Parts&... parts) {
    absl::StrAppend(&log_.back(), parts..., "; ");
  }

  void Step() {
    switch (Below(16)) {
      case 0:
        return Queue();
      case 1:
      case 2:
      case 3:
      case 4:
        return Suggest();
      case 5:
      case 6:
      case 7:
        return Observe();
      case 8:
        return Heartbeat();
      case 9:
        return Release();
      case 10:
        return Report();
      case 11:
      case 12:
        return Pass(1 + Below(30'000));
      case 13:
        return Crash();
      case 14:
        return Jump();
      default:
        return Change();
    }
  }

  void Queue() {
    const std::string configuration = absl::StrCat("queued ", log_.size());
    Log("queue ", configuration);
    const auto added = AddTrials(*store_, "s", {NewSuggestion(configuration)});
    EXPECT_EQ(added.status.code(), machine_.Queue(configuration)) << added.status;
  }

  // As the service does: plan, perhaps with the plan overtaken, then lease; or without a plan, with
  // what was prepared, which may not hold any more.
  void Suggest() {
    const std::string worker = RandomWorker();
    const int count = 1 + Below(2);
    Log("suggest ", count, " for ", worker);
    if (Below(2) == 0 && SuggestPrepared(worker, count)) return;
    auto plan = store_->PlanLeases(study_.key, "s", {worker}, count);
    ASSERT_TRUE(plan.ok()) << plan.status();
    if (Below(4) == 0) Overtake();
    absl::StatusOr<std::vector<std::vector<TrialRecord>>> leased = Lease(*plan, worker, count);
    if (absl::IsAborted(leased.status())) {
      ++aborted_;
      plan = store_->PlanLeases(study_.key, "s", {worker}, count);
      leased = Lease(*plan, worker, count);
    }
    const std::vector<int64_t> expected = machine_.Suggest(worker, static_cast<size_t>(count));
    if (absl::IsResourceExhausted(leased.status())) return ExpectNone(expected);
    ASSERT_TRUE(leased.ok()) << leased.status();
    std::set<int64_t> given;
    for (const TrialRecord& trial : leased->front()) given.insert(trial.number);
    EXPECT_EQ(std::vector<int64_t>(given.begin(), given.end()), expected);
  }

  static void ExpectNone(const std::vector<int64_t>& expected) {
    EXPECT_TRUE(expected.empty()) << "it is full, and nothing is left for the worker";
  }

  // Whether no plan is needed.
  bool SuggestPrepared(const std::string& worker, int count) {
    PreparedLease lease;
    lease.study_key = study_.key;
    lease.study_id = "s";
    lease.worker = worker;
    lease.count = count;
    const bool is_short = Below(8) == 0;
    std::vector<int64_t> open;
    if (Below(4) == 0) open.push_back(RandomNumber());
    int missing = 0;
    lease.prepared = [&](const TrialCounts& counts, int wanted) {
      EXPECT_EQ(counts.trials, static_cast<int64_t>(machine_.trials().size()));
      EXPECT_EQ(counts.late, machine_.late());
      missing = wanted;
      PreparedTrials prepared{{}, open};
      for (int i = 1; i <= wanted - (is_short ? 1 : 0); ++i) {
        prepared.trials.push_back(NewSuggestion(absl::StrCat("fresh ", counts.trials + i)));
      }
      return prepared;
    };
    Log("prepared", is_short ? " too little" : "", open.empty() ? "" : ", if open: ",
        open.empty() ? 0 : open.front());
    const RequestGuard guard{absl::StrCat("suggest ", log_.size()), "f"};
    const auto leased = LeasePrepared(*store_, lease, guard);
    const auto still_open = [this](int64_t number) {
      return number >= 1 && number <= static_cast<int64_t>(machine_.trials().size()) &&
             IsOpen(machine_.trials()[static_cast<size_t>(number - 1)].state);
    };
    const bool holds = !is_short && std::all_of(open.begin(), open.end(), still_open);
    const bool needs_plan = machine_.state() != StudyState::kActive || (missing > 0 && !holds);
    EXPECT_EQ(absl::IsAborted(leased.status), needs_plan) << leased.status;
    if (absl::IsAborted(leased.status)) return false;
    if (absl::IsResourceExhausted(leased.status)) {
      ExpectNone(machine_.Suggest(worker, static_cast<size_t>(count)));
      return true;
    }
    EXPECT_TRUE(leased.ok()) << leased.status;
    if (!leased.ok()) return true;
    ++without_plan_;
    const std::set<int64_t> given = NumbersOf(*leased);
    EXPECT_EQ(std::vector<int64_t>(given.begin(), given.end()),
              machine_.Suggest(worker, static_cast<size_t>(count)));
    if (Below(4) > 0) return true;
    if (Below(2) == 0) Crash();
    EXPECT_TRUE(LeasePrepared(*store_, lease, guard).earlier.has_value());
    return true;
  }

  // What makes a plan out of date: trials are queued that it does not know.
  void Overtake() {
    if (Below(2) == 0) return Queue();
    Release();
  }

  absl::StatusOr<std::vector<std::vector<TrialRecord>>> Lease(const LeasePlan& plan,
                                                              const std::string& worker,
                                                              int count) {
    LeaseBatch batch;
    batch.study_key = study_.key;
    batch.study_id = "s";
    batch.expected_trial_count = plan.study.trial_count;
    batch.passes_over_none = true;
    LeaseGrant grant;
    grant.worker = worker;
    grant.again = plan.active.front();
    const bool is_active = plan.study.state == StudyState::kActive;
    auto wanted = static_cast<size_t>(count);
    if (grant.again.size() > wanted || !is_active) {
      wanted = std::min(wanted, grant.again.size());
      grant.again.resize(wanted);
    }
    for (const int64_t number : plan.queued) {
      if (grant.again.size() + grant.queued.size() < wanted) grant.queued.push_back(number);
    }
    int64_t number = plan.study.trial_count;
    while (grant.again.size() + grant.queued.size() + grant.fresh.size() < wanted) {
      grant.fresh.push_back(NewSuggestion(absl::StrCat("fresh ", ++number)));
    }
    batch.grants.push_back(std::move(grant));
    return LeaseTrials(*store_, std::move(batch));
  }

  void Observe() {
    const int64_t number = RandomNumber();
    const TrialState states[] = {TrialState::kSucceeded,  TrialState::kSucceeded,
                                 TrialState::kSucceeded,  TrialState::kFailed,
                                 TrialState::kInfeasible, TrialState::kStopped};
    const TrialState state = states[Below(6)];
    const double objective = Below(2);
    Log("observe ", number, " state ", static_cast<int>(state));
    const TrialOutcome outcome =
        state == TrialState::kSucceeded ? Success(objective, "m") : Ending(state);
    const RequestGuard guard{absl::StrCat("observe ", log_.size()), "f"};
    const auto observed = ObserveTrial(*store_, {"s", number, outcome}, guard);
    EXPECT_EQ(observed.status.code(), machine_.Observe(number, state, objective))
        << observed.status;
    if (!observed.ok() || Below(3) > 0) return;
    Log("again");
    if (Below(2) == 0) Crash();
    const auto again = ObserveTrial(*store_, {"s", number, outcome}, guard);
    EXPECT_TRUE(again.earlier.has_value()) << again.status;
  }

  void Heartbeat() {
    const std::string worker = RandomWorker();
    Log("heartbeat of ", worker);
    const auto beaten = slipstream::Heartbeat(*store_, {"s", worker, {}});
    ASSERT_TRUE(beaten.ok()) << beaten.status;
    machine_.Heartbeat(worker);
  }

  void Release() {
    const std::string worker = Below(4) == 0 ? "" : RandomWorker();
    std::vector<int64_t> numbers;
    if (worker.empty() || Below(2) == 0) numbers.push_back(RandomNumber());
    Log("release of '", worker, "' ", numbers.empty() ? 0 : numbers.front());
    const RequestGuard guard{absl::StrCat("release ", log_.size()), "f"};
    const auto released = ReleaseTrials(*store_, {"s", worker, numbers}, guard);
    EXPECT_EQ(released.status.code(), machine_.Release(worker, numbers)) << released.status;
    if (!released.ok() || Below(2) > 0) return;
    const auto again = ReleaseTrials(*store_, {"s", worker, numbers}, guard);
    EXPECT_TRUE(again.earlier.has_value()) << again.status;
  }

  void Report() {
    const int64_t number = RandomNumber();
    const int64_t step = Below(3);
    const double value = Below(5);
    Log("report ", number, " step ", step);
    const auto reported = ReportSteps(*store_, {"s", number, {{step, value}}});
    EXPECT_EQ(reported.status.code(), machine_.Report(number, step, value)) << reported.status;
  }

  void Change() {
    StudyChange change;
    if (Below(3) == 0) {
      change.state = static_cast<StudyState>(1 + Below(20) / 9);
      Log("state ", static_cast<int>(*change.state));
      EXPECT_EQ(UpdateStudy(*store_, "s", change).status.code(), machine_.SetState(*change.state));
    } else {
      change.lease = RandomPolicy();
      Log("policy ", change.lease->duration_ms, " ms, ", change.lease->max_requeues);
      EXPECT_EQ(UpdateStudy(*store_, "s", change).status.code(), machine_.SetPolicy(*change.lease));
    }
  }

  void Pass(int64_t ms) {
    Log("pass ", ms);
    clock_.Advance(absl::Milliseconds(ms));
    machine_.Pass(ms);
  }

  // The store ends, time passes, and another one opens what the first one left.
  void Crash() {
    store_.reset();
    const int64_t ms = Below(2) == 0 ? Below(10'000) : int64_t{Below(1'000'000)};
    Log("down for ", ms);
    clock_.Advance(absl::Milliseconds(ms));
    store_ = open_(options_);
    // Waits until the store has noticed that it is open: the clock moves at once in this test.
    EXPECT_TRUE(UpdateStudy(*store_, "s", {}).ok());
    ++disturbances_;
  }

  // By more than the wall clocks of several servers may differ.
  void Jump() {
    const int64_t distance = 61'000 + Below(10'000'000);
    const int64_t ms = Below(2) == 0 ? -distance : distance;
    Log("jump by ", ms);
    clock_.Advance(absl::Milliseconds(ms));
    ++disturbances_;
  }

  void Sweep() {
    std::vector<int64_t> ended;
    absl::StatusOr<bool> needed = store_->LeasesNeedSweep();
    ASSERT_TRUE(needed.ok()) << needed.status();
    while (*needed) {
      const std::set<int64_t> before = NumbersOf(Stale());
      const auto swept = SweepLeases(*store_);
      ASSERT_TRUE(swept.ok()) << swept.status;
      for (const TrialRecord& trial : InOrderOfEnds(Stale())) {
        if (before.count(trial.number) > 0) continue;
        EXPECT_EQ(trial.end_ms, clock_.NowMs());
        ended.push_back(trial.number);
      }
      if (!swept->more) break;
      needed = store_->LeasesNeedSweep();
    }
    EXPECT_EQ(machine_.EndLeases(ended, disturbances_ * kLostPerDisturbanceMs + 1), "");
  }

  // A sweep may end leases in any order, which shows in the trials that it queues. When the study
  // is full, those that are not queued again came last.
  static std::vector<TrialRecord> InOrderOfEnds(std::vector<TrialRecord> trials) {
    std::stable_sort(trials.begin(), trials.end(), [](const TrialRecord& a, const TrialRecord& b) {
      if (a.requeued_as == 0 || b.requeued_as == 0) return a.requeued_as > b.requeued_as;
      return a.requeued_as < b.requeued_as;
    });
    return trials;
  }

  static std::set<int64_t> NumbersOf(const std::vector<TrialRecord>& trials) {
    std::set<int64_t> numbers;
    for (const TrialRecord& trial : trials) numbers.insert(trial.number);
    return numbers;
  }

  std::vector<TrialRecord> Stale() {
    TrialFilter filter;
    filter.states = {TrialState::kStale};
    const auto trials = store_->ListTrials("s", filter);
    EXPECT_TRUE(trials.ok()) << trials.status();
    return trials.value();
  }

  void Compare() {
    const auto study = store_->GetStudy("s");
    const auto trials = store_->ListTrials("s", {});
    const auto reports = store_->ListReports("s", 0, 1000, 1000);
    ASSERT_TRUE(study.ok() && trials.ok() && reports.ok());
    EXPECT_EQ(study->state, machine_.state());
    EXPECT_EQ(study->succeeded_count, machine_.succeeded());
    EXPECT_EQ(study->late_count, machine_.late());
    ASSERT_EQ(trials->size(), machine_.trials().size());
    EXPECT_EQ(study->trial_count, static_cast<int64_t>(trials->size()));
    for (size_t i = 0; i < trials->size(); ++i) {
      const TrialMachine::Trial& expected = machine_.trials()[i];
      EXPECT_EQ(TextOf((*trials)[i], *reports), expected.Text()) << "trial " << i + 1;
      EXPECT_EQ((*trials)[i].lease_end_ms.has_value(), expected.lease_left_ms.has_value());
      EXPECT_EQ((*trials)[i].end_ms.has_value(), expected.has_end) << "trial " << i + 1;
    }
  }

  std::mt19937 random_;
  FakeClock clock_;
  StoreOptions options_;
  TrialMachine machine_;
  const OpenStore open_;
  std::unique_ptr<Store> store_;
  StudyRecord study_;
  int64_t disturbances_ = 0;
  int64_t aborted_ = 0;       // Leases by plans that were out of date.
  int64_t without_plan_ = 0;  // Leases of what was prepared.
  std::vector<std::string> log_;
};

}  // namespace

HistoryCounts RunTrialHistories(int histories, const std::function<OpenStore()>& new_backend) {
  HistoryCounts counts;
  for (int seed = 1; seed <= histories && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("history ", seed));
    TrialHistory history(static_cast<unsigned>(seed), new_backend());
    history.Run();
    ++counts.histories;
    counts.requeues += history.saw_requeue() ? 1 : 0;
    counts.withdrawals += history.saw_withdrawal() ? 1 : 0;
    counts.completed_give_backs += history.saw_completed_give_back() ? 1 : 0;
    counts.aborted += history.aborted();
    counts.without_plan += history.without_plan();
  }
  return counts;
}

}  // namespace slipstream
