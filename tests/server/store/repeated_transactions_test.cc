// A write whose transaction another server's came before is done as that one left things, and
// answered so.
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "server/store/rule_store.h"
#include "tests/server/store/store_calls.h"
#include "tests/server/store/store_contract.h"
#include "tests/testing/conflicting_database.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

class RepeatedTransactions : public testing::Test {
 protected:
  RepeatedTransactions() {
    study_ = *CreateStudy(*other_, StudyNamed("s"));
    // Waits until the store is open, which takes a transaction of its own.
    EXPECT_TRUE(Heartbeat(*store_, {"s", "nobody", {}}).ok());
  }

  // Before the second attempt of the next transaction.
  void Between(std::function<void()> change) { between_ = std::move(change); }

  const std::shared_ptr<MemoryTables> tables_ = MakeMemoryTables();
  std::function<void()> between_;
  const std::unique_ptr<Store> other_ = MakeMemoryStore({}, tables_);
  const std::unique_ptr<Store> store_ = MakeStore(
      MakeConflictingDatabase(MakeMemoryDatabase({}, tables_),
                              [this] {
                                if (between_) std::exchange(between_, nullptr)();
                              }),
      {});
  StudyRecord study_;
};

TEST_F(RepeatedTransactions, AnOutcomeThatCameBetweenIsKept) {
  ASSERT_TRUE(LeaseFresh(*store_, study_, "w", 1).ok());
  Between([this] { EXPECT_TRUE(ObserveTrial(*other_, {"s", 1, Success(1)}).ok()); });
  EXPECT_THAT(ObserveTrial(*store_, {"s", 1, Success(2)}).status,
              IsRefusal(kFailedPrecondition, "another outcome"));
  EXPECT_EQ(store_->GetTrial("s", 1)->objective, 1);
}

TEST_F(RepeatedTransactions, ARequestThatWasAnsweredBetweenGetsThatAnswer) {
  const auto add = [this](Store& store, const std::string& answer) {
    return AddTrials(store, "s", {NewSuggestion("x")}, {"r", "f"}, answer);
  };
  Between([&] { EXPECT_FALSE(add(*other_, "first").earlier.has_value()); });
  EXPECT_EQ(add(*store_, "second").earlier, "first");
  EXPECT_EQ(store_->GetStudy("s")->trial_count, 1);
}

TEST_F(RepeatedTransactions, AnAnswerWhoseStudyWasMadeAnewIsNotGiven) {
  ASSERT_TRUE(LeaseFresh(*store_, study_, "w", 1).ok());
  Between([this] {
    EXPECT_TRUE(DeleteStudy(*other_, "s").ok());
    EXPECT_TRUE(CreateStudy(*other_, StudyNamed("s")).ok());
  });
  EXPECT_THAT(ObserveTrial(*store_, {StudyRef("s", study_.key), 1, Success(1)}).status,
              HasCode(kNotFound));
}

TEST_F(RepeatedTransactions, TrialsAreLeasedOnce) {
  ASSERT_TRUE(AddTrials(*other_, "s", {NewSuggestion("x")}).ok());
  const auto lease = [this](Store& store, const std::string& worker) {
    LeaseBatch batch;
    batch.study_key = study_.key;
    batch.study_id = "s";
    batch.expected_trial_count = 1;
    batch.grants.emplace_back().worker = worker;
    batch.grants.back().queued = {1};
    return LeaseTrials(store, std::move(batch)).status();
  };
  Between([&] { EXPECT_TRUE(lease(*other_, "v").ok()); });
  EXPECT_THAT(lease(*store_, "w"), HasCode(kAborted));
  EXPECT_EQ(store_->GetTrial("s", 1)->worker, "v");
}

TEST_F(RepeatedTransactions, PreparedSuggestionsAreTakenForTheStudyAsItIs) {
  PreparedLease lease;
  lease.study_key = study_.key;
  lease.study_id = "s";
  lease.worker = "w";
  lease.prepared = [](const TrialCounts& counts, int) {
    return PreparedTrials{{NewSuggestion("x" + std::to_string(counts.trials + 1))}};
  };
  Between([this] { EXPECT_TRUE(LeaseFresh(*other_, study_, "v", 1).ok()); });
  const auto leased = LeasePrepared(*store_, std::move(lease));
  ASSERT_TRUE(leased.ok()) << leased.status;
  ASSERT_EQ(leased->size(), 1u);
  EXPECT_EQ(leased->front().number, 2);
  EXPECT_EQ(leased->front().configuration, "x2");
}

}  // namespace
}  // namespace slipstream
