#include "server/service/history.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "server/convert/space_conversion.h"
#include "server/convert/study_conversion.h"
#include "server/convert/trial_conversion.h"
#include "tests/server/service/service_fixture.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

// Starts a write and waits for it.
template <typename Record>
class Waiting {
 public:
  Write<Record> write() {
    Write<Record> result;
    result.render = [this](const Record& record) {
      record_ = record;
      return std::string();
    };
    result.done = [this](absl::Status status, std::optional<std::string>) {
      done_.set_value(std::move(status));
    };
    return result;
  }
  Record Get() {
    const absl::Status status = done_.get_future().get();
    EXPECT_TRUE(status.ok()) << status;
    return record_;
  }

 private:
  Record record_;
  std::promise<absl::Status> done_;
};

class HistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    definition_ = *StudyDefinitionFromProto(ExampleStudy());
    study_.key = Create(ExampleStudy());
    study_.id = "s";
    study_.definition = definition_;
    study_.strategy = MakeStrategy(*FindPreset("gp_log_ei"));
  }
  // Creates study "s"; returns its key.
  int64_t Create(const v1::Study& study) {
    Waiting<StudyRecord> created;
    store_->CreateStudy(NewStudyOf(study, *StudyDefinitionFromProto(study), "s"), created.write());
    return created.Get().key;
  }
  // Adds `count` trials, measured or still to be tried.
  void Add(int count, bool measured) {
    std::vector<NewTrial> trials;
    for (int i = 0; i < count; ++i) {
      v1::Observation observation = MeasuredObservation(ExampleConfiguration(), i);
      if (!measured) observation.clear_outcome();
      trials.push_back(*AddedTrial(*definition_.space, "loss", observation));
    }
    Waiting<std::vector<TrialRecord>> added;
    store_->AddTrials({"s", trials}, added.write());
    added.Get();
  }
  void Lease(int64_t number, int64_t trial_count) {
    LeaseBatch batch;
    batch.study_key = study_.key;
    batch.study_id = "s";
    batch.expected_trial_count = trial_count;
    batch.grants.resize(1);
    batch.grants[0].worker = "w";
    batch.grants[0].queued = {number};
    batch.grants[0].render = [](const std::vector<TrialRecord>&) { return std::string(); };
    std::promise<absl::Status> done;
    batch.done = [&done](absl::Status status) { done.set_value(std::move(status)); };
    store_->LeaseTrials(std::move(batch));
    const absl::Status status = done.get_future().get();
    ASSERT_TRUE(status.ok()) << status;
  }
  void End(int64_t number, double loss) {
    Waiting<TrialRecord> told;
    store_->ObserveTrial({"s", number, *OutcomeOf(loss)}, told.write());
    told.Get();
  }
  static absl::StatusOr<TrialOutcome> OutcomeOf(double loss) {
    TrialOutcome outcome;
    outcome.objective = loss;
    outcome.measurement = LossOutcome(loss).measurement().SerializeAsString();
    return outcome;
  }

  int reads_ = 0;  // Snapshots of the histories.
  const std::shared_ptr<Store> store_ = MakeTestStore();
  ObservedStore counted_store_{store_.get(), [this](const std::string&) { ++reads_; }};
  StudyDefinition definition_;
  CatalogStudy study_;
};

TEST_F(HistoryTest, FollowsTheStoreAcrossPagesAndEndings) {
  HistoryCache cache(&counted_store_, size_t{1} << 20);
  Add(2500, true);
  Add(3, false);
  auto history = *cache.Get(study_, 0);
  ASSERT_EQ(history->ended().size(), 2500u);
  ASSERT_EQ(history->open().size(), 3u);
  EXPECT_EQ(history->open()[0].number, 2501);
  Lease(2502, 2503);
  End(2502, 77);
  Add(1, true);
  history = *cache.Get(study_, 0);
  ASSERT_EQ(history->ended().size(), 2502u);
  EXPECT_EQ(history->ended()[2500].number, 2502) << "in the order of their numbers";
  EXPECT_EQ(history->ended()[2500].value, 77);
  EXPECT_EQ(history->ended()[2501].number, 2504);
  ASSERT_EQ(history->open().size(), 2u);
  EXPECT_EQ(history->open()[1].number, 2503);
}

TEST_F(HistoryTest, TrialsHaveTheirNotesIfTheStrategyReadsThem) {
  Suggestion suggestion;
  suggestion.configuration = *ConfigurationFromProto(*definition_.space, ExampleConfiguration());
  suggestion.provenance.notes = {{"block", {1, 2, 0, 0.5}}, {"empty", {}}};
  Waiting<std::vector<TrialRecord>> added;
  store_->AddTrials({"s",
                     {SuggestedTrial(*definition_.space, suggestion, "v"),
                      SuggestedTrial(*definition_.space, suggestion, "v")}},
                    added.write());
  added.Get();
  Add(1, true);  // Added by a person, so without provenance.
  {
    HistoryCache without(&counted_store_, size_t{1} << 20);
    EXPECT_TRUE((*without.Get(study_, 0))->open()[0].notes.empty());
  }
  study_.strategy = MakeStrategy(*FindPreset("random_exp3"));
  HistoryCache cache(&counted_store_, size_t{1} << 20);
  auto history = *cache.Get(study_, 0);
  EXPECT_EQ(history->open()[0].notes, suggestion.provenance.notes);
  EXPECT_TRUE(history->ended()[0].notes.empty());
  Lease(1, 3);
  End(1, 5);
  history = *cache.Get(study_, 0);
  ASSERT_EQ(history->ended().size(), 2u);
  EXPECT_EQ(history->ended()[0].notes, suggestion.provenance.notes);
  EXPECT_EQ(history->open()[0].notes, suggestion.provenance.notes);
}

// A study whose leases last a second, in a store with a clock of its own.
class LeasedHistoryTest : public HistoryTest {
 protected:
  // Leases these trials in a new study.
  void LeaseFresh(std::vector<NewTrial> trials, int max_requeues) {
    NewStudy study = NewStudyOf(ExampleStudy(), definition_, "s");
    study.lease = {.duration_ms = 1'000, .max_requeues = max_requeues};
    Waiting<StudyRecord> created;
    store->CreateStudy(study, created.write());
    study_.key = created.Get().key;
    LeaseBatch batch;
    batch.study_key = study_.key;
    batch.study_id = "s";
    batch.grants.resize(1);
    batch.grants[0].fresh = std::move(trials);
    std::promise<absl::Status> leased;
    batch.done = [&leased](absl::Status status) { leased.set_value(std::move(status)); };
    store->LeaseTrials(std::move(batch));
    ASSERT_TRUE(leased.get_future().get().ok());
  }
  // How many leases have run out two seconds later.
  int64_t Sweep() {
    clock.Advance(absl::Seconds(2));
    Waiting<LeaseSweep> swept;
    store->SweepLeases(swept.write());
    return swept.Get().stale;
  }

  FakeClock clock;
  const StoreOptions options = [this] {
    StoreOptions made;
    made.now_ms = clock.Function();
    return made;
  }();
  const std::unique_ptr<Store> store = MakeMemoryStore(options, MakeMemoryTables());
};

TEST_F(LeasedHistoryTest, ARepeatComesFromWhereWhatItRepeatsCameFrom) {
  study_.strategy = MakeStrategy(*FindPreset("random_exp3"));
  Suggestion suggestion;
  suggestion.configuration = *ConfigurationFromProto(*definition_.space, ExampleConfiguration());
  suggestion.provenance.notes = {{"block", {1, 2}}};
  LeaseFresh({SuggestedTrial(*definition_.space, suggestion, "v")}, /*max_requeues=*/3);
  HistoryCache cache(store.get(), size_t{1} << 20);
  EXPECT_EQ((*cache.Get(study_, 0))->open().size(), 1u);
  for (const int64_t repeat : {2, 3}) {
    EXPECT_EQ(Sweep(), 1);
    HistoryCache fresh(store.get(), size_t{1} << 20);
    for (HistoryCache* each : {&cache, &fresh}) {
      const auto history = *each->Get(study_, 0);
      ASSERT_EQ(history->open().size(), 1u);
      EXPECT_EQ(history->open()[0].number, repeat);
      EXPECT_EQ(history->open()[0].notes, suggestion.provenance.notes);
      EXPECT_TRUE(history->open()[0].suggested);
    }
    LeaseBatch batch;
    batch.study_key = study_.key;
    batch.study_id = "s";
    batch.expected_trial_count = repeat;
    batch.grants.resize(1);
    batch.grants[0].queued = {repeat};
    std::promise<absl::Status> leased;
    batch.done = [&leased](absl::Status status) { leased.set_value(std::move(status)); };
    store->LeaseTrials(std::move(batch));
    ASSERT_TRUE(leased.get_future().get().ok());
  }
}

TEST_F(LeasedHistoryTest, AStaleTrialLeavesTheHistoryUntilItsLateResult) {
  std::vector<NewTrial> trials;
  for (int i = 0; i < 2; ++i) {
    v1::Observation observation = MeasuredObservation(ExampleConfiguration(), i);
    observation.clear_outcome();
    trials.push_back(*AddedTrial(*definition_.space, "loss", observation));
  }
  LeaseFresh(std::move(trials), /*max_requeues=*/0);
  HistoryCache cache(store.get(), size_t{1} << 20);
  EXPECT_EQ((*cache.Get(study_, 0))->open().size(), 2u);
  EXPECT_EQ(Sweep(), 2);
  auto history = *cache.Get(study_, 0);
  EXPECT_TRUE(history->open().empty());
  EXPECT_TRUE(history->ended().empty());
  Waiting<TrialRecord> told;
  store->ObserveTrial({"s", 1, *OutcomeOf(7)}, told.write());
  told.Get();
  history = *cache.Get(study_, (*store->GetStudy("s")).late_count);
  ASSERT_EQ(history->ended().size(), 1u);
  EXPECT_EQ(history->ended()[0].value, 7);
  // A history that is read anew is the same.
  HistoryCache fresh(store.get(), size_t{1} << 20);
  EXPECT_EQ((*fresh.Get(study_, 1))->ended().size(), 1u);
  EXPECT_TRUE((*fresh.Get(study_, 1))->open().empty());
}

TEST_F(HistoryTest, OneSnapshotBringsAHistoryUpToDateHoweverManyTrialsAreOpen) {
  HistoryCache cache(&counted_store_, size_t{1} << 20);
  Add(40, false);
  ASSERT_TRUE(cache.Get(study_, 0).ok());
  EXPECT_EQ(reads_, 1);
  EXPECT_FALSE((*cache.Get(study_, 0))->open()[0].suggested) << "it was added";
  for (const int64_t number : {7, 8, 23}) {
    Lease(number, 40);
    End(number, static_cast<double>(number));
  }
  Add(2, true);
  reads_ = 0;
  const auto history = *cache.Get(study_, 0);
  EXPECT_EQ(reads_, 1);
  EXPECT_EQ(history->open().size(), 37u);
  std::vector<int64_t> ended;
  for (const EndedTrial& trial : history->ended()) ended.push_back(trial.number);
  EXPECT_EQ(ended, (std::vector<int64_t>{7, 8, 23, 41, 42}));
}

TEST_F(HistoryTest, AnAbandonedTrialDoesNotMakeAllLaterTrialsBeReadAgain) {
  HistoryCache cache(&counted_store_, size_t{1} << 20);
  Add(1, false);
  Add(3000, true);
  Add(1, false);
  ASSERT_TRUE(cache.Get(study_, 0).ok());
  reads_ = 0;
  ASSERT_TRUE(cache.Get(study_, 0).ok());
  EXPECT_EQ(reads_, 2) << "one for each open trial, as all between them have ended";
  Lease(1, 3002);
  End(1, 5);
  const auto history = *cache.Get(study_, 0);
  EXPECT_EQ(history->ended().front().number, 1);
  EXPECT_EQ(history->open().size(), 1u);
}

TEST_F(HistoryTest, AReadThatFailsIsCompletedByTheNext) {
  int failures = 1;
  class FailingStore : public ObservedStore {
   public:
    FailingStore(Store* store, int* failures)
        : ObservedStore(store, [](const std::string&) {}), failures_(*failures) {}
    absl::StatusOr<std::vector<TrialRecord>> ListTrials(const StudyRef& study,
                                                        const TrialFilter& filter) override {
      if (filter.after_number >= 1000 && failures_-- > 0) return absl::UnavailableError("busy");
      return ObservedStore::ListTrials(study, filter);
    }

   private:
    int& failures_;
  };
  FailingStore failing(store_.get(), &failures);
  StudyHistory history;
  Add(1500, true);
  EXPECT_TRUE(absl::IsUnavailable(history.Refresh(failing, study_, 0)));
  EXPECT_TRUE(history.Refresh(failing, study_, 0).ok());
  ASSERT_EQ(history.ended().size(), 1500u);
  EXPECT_EQ(history.ended()[1499].number, 1500);
}

// Its trials could not be read with the definition of the study that was.
TEST_F(HistoryTest, AStudyMadeAnewIsNotTakenForTheOneThatWas) {
  HistoryCache cache(&counted_store_, size_t{1} << 20);
  Add(1, true);
  ASSERT_TRUE(cache.Get(study_, 0).ok());
  Waiting<Unit> deleted;
  store_->DeleteStudy("s", deleted.write());
  deleted.Get();
  Create(CandidateStudy(3));
  NewTrial trial;
  trial.candidate = 1;
  Waiting<std::vector<TrialRecord>> added;
  store_->AddTrials({"s", {trial, trial}}, added.write());
  added.Get();
  const absl::Status status = cache.Get(study_, 0).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
}

TEST_F(HistoryTest, WithoutMemoryItIsAnErrorAndLaterComplete) {
  Add(2500, true);
  int reads = 0;
  ObservedStore cramped(store_.get(), [&](const std::string&) {
    if (++reads == 2) throw std::bad_alloc();
  });
  HistoryCache cache(&cramped, size_t{1} << 20);
  const absl::Status refused = cache.Get(study_, 0).status();
  EXPECT_TRUE(IsOverload(refused)) << refused;
  EXPECT_EQ((*cache.Get(study_, 0))->ended().size(), 2500u);
}

TEST_F(HistoryTest, AHistoryTooLargeForTheCacheIsStillComplete) {
  HistoryCache cache(&counted_store_, 1);
  Add(5, true);
  EXPECT_EQ((*cache.Get(study_, 0))->ended().size(), 5u);
  Add(5, true);
  EXPECT_EQ((*cache.Get(study_, 0))->ended().size(), 10u);
}

}  // namespace
}  // namespace slipstream
