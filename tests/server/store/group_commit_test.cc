#include "server/store/group_commit.h"

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"
#include "tests/server/store/rule_test.h"

namespace slipstream {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr size_t kMostBytes = 100;

// Adds one trial to study "s".
class AddingWrite : public PendingWrite {
 public:
  explicit AddingWrite(std::string configuration) : configuration_(std::move(configuration)) {}
  absl::Status Apply(RowTransaction& rows) override {
    ++applied;
    return rules::AddTrials(rows, {"s", {NewSuggestion(configuration_)}}, 10).status();
  }
  void Answer(absl::Status) override {}

  int applied = 0;

 private:
  const std::string configuration_;
};

// Adds a trial, and takes no notice if that fails.
class CarelessWrite : public AddingWrite {
 public:
  using AddingWrite::AddingWrite;
  absl::Status Apply(RowTransaction& rows) override {
    AddingWrite::Apply(rows).IgnoreError();
    return absl::OkStatus();
  }
};

// Adds a trial, for whose answer there is no memory.
class LargeWrite : public AddingWrite {
 public:
  using AddingWrite::AddingWrite;
  absl::Status Apply(RowTransaction& rows) override {
    AddingWrite::Apply(rows).IgnoreError();
    throw std::bad_alloc();
  }
};

// Counts transactions; from the given one on they end as told.
class EndingDatabase : public Database {
 public:
  TransactionEnd Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) override {
    ++transactions;
    TransactionEnd done = memory_->Transact(body);
    return end.status.ok() ? done : end;
  }
  absl::Status Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) override {
    return memory_->Read(body);
  }

  int transactions = 0;
  TransactionEnd end;

 private:
  const std::unique_ptr<Database> memory_ = MakeMemoryDatabase({}, MakeMemoryTables(kMostBytes));
};

class GroupCommit : public testing::Test {
 protected:
  GroupCommit() {
    const TransactionEnd end = database_.Transact(
        [](RowTransaction& rows) { return rules::CreateStudy(rows, StudyNamed("s")).status(); });
    EXPECT_TRUE(end.status.ok()) << end.status;
    database_.transactions = 0;
  }

  // The codes of writes that add trials with configurations of these sizes.
  std::vector<absl::StatusCode> Commit(const std::vector<size_t>& sizes) {
    WriteBatch batch;
    for (const size_t size : sizes) {
      batch.push_back({std::make_unique<AddingWrite>(std::string(size, 'x')), {}});
    }
    CommitTogether(database_, batch);
    std::vector<absl::StatusCode> codes;
    applied_.clear();
    for (const SubmittedWrite& each : batch) {
      codes.push_back(each.status.code());
      applied_.push_back(static_cast<const AddingWrite&>(*each.write).applied);
    }
    return codes;
  }
  // The statuses of a write of this kind between two others.
  template <typename Odd>
  std::vector<absl::Status> CommitAmongOthers(std::string configuration) {
    WriteBatch batch;
    batch.push_back({std::make_unique<AddingWrite>("x"), {}});
    batch.push_back({std::make_unique<Odd>(std::move(configuration)), {}});
    batch.push_back({std::make_unique<AddingWrite>("x"), {}});
    CommitTogether(database_, batch);
    std::vector<absl::Status> statuses;
    for (const SubmittedWrite& each : batch) statuses.push_back(each.status);
    return statuses;
  }
  int64_t TrialCount() {
    int64_t count = 0;
    EXPECT_TRUE(database_
                    .Read([&](RowSnapshot& rows) {
                      count = (*rows.FindStudy("s"))->trial_count;
                      return absl::OkStatus();
                    })
                    .ok());
    return count;
  }

  EndingDatabase database_;
  std::vector<int> applied_;  // How often each write of the last batch was applied.
};

TEST_F(GroupCommit, WritesShareOneTransaction) {
  EXPECT_THAT(Commit({1, 2, 3}), Each(kOk));
  EXPECT_EQ(database_.transactions, 1);
  EXPECT_EQ(TrialCount(), 3);
}

TEST_F(GroupCommit, ARefusedWriteDoesNotEndTheTransaction) {
  EXPECT_THAT(Commit(std::vector<size_t>(9, 1)), Each(kOk));
  EXPECT_THAT(Commit({1, 1, 1}), ElementsAre(kOk, kResourceExhausted, kResourceExhausted));
  EXPECT_EQ(database_.transactions, 2);
  EXPECT_EQ(TrialCount(), 10);
}

TEST_F(GroupCommit, AWriteThatTheDatabaseCannotCarryOutDoesNotFailTheOthers) {
  EXPECT_THAT(Commit({1, kMostBytes + 1, 2}), ElementsAre(kOk, kResourceExhausted, kOk));
  EXPECT_EQ(database_.transactions, 4);
  EXPECT_THAT(applied_, ElementsAre(2, 2, 1));
  EXPECT_EQ(TrialCount(), 2);
}

TEST_F(GroupCommit, AFailureThatAWriteTakesNoNoticeOfIsNotCommitted) {
  const std::vector<absl::Status> statuses =
      CommitAmongOthers<CarelessWrite>(std::string(kMostBytes + 1, 'x'));
  EXPECT_TRUE(statuses[0].ok()) << statuses[0];
  EXPECT_THAT(statuses[1], HasCode(kInternal));
  EXPECT_TRUE(statuses[2].ok()) << statuses[2];
  EXPECT_EQ(TrialCount(), 2);
}

TEST_F(GroupCommit, AWriteWithoutMemoryIsUndoneAndDoesNotFailTheOthers) {
  const std::vector<absl::Status> statuses = CommitAmongOthers<LargeWrite>("x");
  EXPECT_TRUE(statuses[0].ok()) << statuses[0];
  EXPECT_TRUE(IsOverload(statuses[1])) << statuses[1];
  EXPECT_TRUE(statuses[2].ok()) << statuses[2];
  EXPECT_EQ(TrialCount(), 2);
}

TEST_F(GroupCommit, ASingleWriteIsNotTriedTwice) {
  EXPECT_THAT(Commit({kMostBytes + 1}), ElementsAre(kResourceExhausted));
  EXPECT_THAT(applied_, ElementsAre(1));
  EXPECT_EQ(TrialCount(), 0);
}

TEST_F(GroupCommit, ACommitOfUnknownEndIsNotRepeated) {
  database_.end = {absl::InternalError("the disk failed"), /*rolled_back=*/false};
  EXPECT_THAT(Commit({1, 2}), Each(kInternal));
  EXPECT_EQ(database_.transactions, 1);
  EXPECT_THAT(applied_, Each(1));
}

TEST_F(GroupCommit, WritesThatFailOneByOneGetTheirOwnEnds) {
  database_.end = {absl::UnavailableError("busy"), /*rolled_back=*/true};
  EXPECT_THAT(Commit({1, 2}), Each(kUnavailable));
  EXPECT_EQ(database_.transactions, 3);
}

}  // namespace
}  // namespace slipstream
