// The store on a disk that fails.
#include <atomic>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/fault_vfs.h"

namespace slipstream {
namespace {

constexpr auto kResourceExhausted = absl::StatusCode::kResourceExhausted;
constexpr auto kUnavailable = absl::StatusCode::kUnavailable;

class FailingDiskTest : public SqliteStoreTest {
 protected:
  void SetUp() override { Reopen(); }

  virtual SqliteStoreOptions FaultyOptions() {
    SqliteStoreOptions options = Options();
    options.vfs = disk_.name();
    return options;
  }
  void Reopen() {
    store_.reset();
    auto opened = OpenSqliteStore(FaultyOptions());
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }
  Store& store() { return *store_; }

  // Adds `count` trials, each by a write of its own, all submitted at once, and
  // returns their statuses.
  std::vector<absl::Status> AddAtOnce(const std::string& study, int count,
                                      const std::string& configuration = "x") {
    std::vector<absl::Status> statuses;
    std::promise<void> all;
    for (int i = 0; i < count; ++i) {
      Write<std::vector<TrialRecord>> write;
      write.done = [&](absl::Status status, std::optional<std::string>) {
        statuses.push_back(std::move(status));
        if (static_cast<int>(statuses.size()) == count) all.set_value();
      };
      store().AddTrials({study, {NewSuggestion(configuration)}}, std::move(write));
    }
    all.get_future().wait();
    return statuses;
  }

  FaultVfs disk_;
  std::unique_ptr<Store> store_;
};

TEST_F(FailingDiskTest, ConcurrentWritesShareCommits) {
  constexpr int kWrites = 500;
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  const int64_t before = disk_.log_syncs();
  for (const absl::Status& status : AddAtOnce("s", kWrites)) EXPECT_TRUE(status.ok()) << status;
  // How many writes wait for the first commit depends on the scheduler; most do.
  EXPECT_LT(disk_.log_syncs() - before, kWrites / 4);
  EXPECT_EQ(store().GetStudy("s")->trial_count, kWrites);
}

TEST_F(FailingDiskTest, EveryCommitIsSynced) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  for (int i = 0; i < 5; ++i) {
    const int64_t before = disk_.log_syncs();
    ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}).ok());
    EXPECT_GT(disk_.log_syncs(), before);
  }
}

TEST_F(FailingDiskTest, ARefusalCostsNoSync) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  const int64_t before = disk_.log_syncs();
  EXPECT_TRUE(absl::IsNotFound(ObserveTrial(store(), {"s", 1, Success(1)}).status));
  EXPECT_EQ(disk_.log_syncs(), before);
}

TEST_F(FailingDiskTest, AFullDiskRefusesWritesUntilThereIsRoom) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  disk_.FillUpAfter(200000);
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    const auto written =
        AddTrials(store(), "s", {NewSuggestion("x")}, {"r" + std::to_string(i), "f"});
    if (written.ok()) continue;
    ++refused;
    EXPECT_THAT(written.status, IsRefused(kResourceExhausted, path()));
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 20);
  EXPECT_EQ(store().Figures().database.failed_commits, refused);
  EXPECT_EQ(store().GetStudy("s")->trial_count, 20 - refused);
  disk_.Repair();
  // A refused write has not happened and can be repeated.
  const auto again = AddTrials(store(), "s", {NewSuggestion("x")}, {"r19", "f"});
  EXPECT_TRUE(again.ok()) << again.status;
  EXPECT_FALSE(again.earlier.has_value());
  Reopen();
  EXPECT_EQ(store().GetStudy("s")->trial_count, 20 - refused + 1);
}

TEST_F(FailingDiskTest, OneWriteTooLargeForTheDiskDoesNotFailTheOthers) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("large")).ok());
  disk_.FillUpAfter(4000000);
  std::atomic<int> left{41};
  std::promise<void> all;
  std::atomic<int> added{0};
  std::atomic<int> refused{0};
  for (int i = 0; i <= 40; ++i) {
    const bool large = i == 20;
    Write<std::vector<TrialRecord>> write;
    write.done = [&, large](absl::Status status, std::optional<std::string>) {
      if (!large && status.ok()) ++added;
      if (large && absl::IsResourceExhausted(status)) ++refused;
      if (--left == 0) all.set_value();
    };
    store().AddTrials(
        {large ? "large" : "s", {NewSuggestion(std::string(large ? 30000000 : 10, 'x'))}},
        std::move(write));
  }
  all.get_future().wait();
  EXPECT_EQ(refused, 1);
  // Writes that share its commit may have filled the disk before it was tried.
  EXPECT_GE(added, 20);
  disk_.Repair();
  EXPECT_EQ(store().GetStudy("s")->trial_count, added);
  EXPECT_EQ(store().GetStudy("large")->trial_count, 0);
  EXPECT_TRUE(AddTrials(store(), "large", {NewSuggestion("x")}).ok());
}

TEST_F(FailingDiskTest, AfterAFailedSyncNothingIsWrittenUntilReopened) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}).ok());
  disk_.FailSyncs();
  // Whoever has a result to tell tells it again.
  EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion("x")}).status,
              IsRefused(kUnavailable, "repeat the call then"));
  disk_.Repair();
  EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion("x")}).status,
              IsRefused(kUnavailable, path()));
  EXPECT_THAT(DeleteStudy(store(), "s").status, IsRefused(kUnavailable, path()));
  EXPECT_TRUE(store().GetStudy("s").ok());
  Reopen();
  // It was unknown whether the write had happened; now it is known.
  const int64_t count = store().GetStudy("s")->trial_count;
  EXPECT_TRUE(count == 1 || count == 2) << count;
  EXPECT_EQ(store().ListTrials("s", {})->size(), static_cast<size_t>(count));
  EXPECT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}).ok());
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
}

TEST_F(FailingDiskTest, AllWritesOfAFailedCommitFail) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  disk_.FailSyncs();
  int unknown = 0;
  for (const absl::Status& status : AddAtOnce("s", 100)) {
    EXPECT_EQ(status.code(), kUnavailable) << status;
    unknown += absl::StrContains(status.message(), "whether the change was made") ? 1 : 0;
  }
  EXPECT_GT(unknown, 0);
}

TEST_F(FailingDiskTest, AfterAFailedWriteNothingIsWrittenUntilReopened) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  disk_.FailWrites();
  EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion("x")}).status,
              IsRefused(kUnavailable, "whether the change was made"));
  disk_.Repair();
  EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion("x")}).status,
              IsRefused(kUnavailable, path()));
  Reopen();
  EXPECT_EQ(store().GetStudy("s")->trial_count, 0);
  EXPECT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}).ok());
}

// As SQLite's own file systems tell of it.
TEST_F(FailingDiskTest, ADiskThatTurnsReadOnlyEndsWritingSaysWhyAndLosesNothing) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x"), NewSuggestion("y")}).ok());
  disk_.FailWrites();
  EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion("x")}).status,
              IsRefused(kUnavailable, "Read-only file system"));
  EXPECT_THAT(ObserveTrial(store(), {"s", 1, Success(1)}).status,
              IsRefused(kUnavailable, "Read-only file system"));
  EXPECT_THAT(store().Figures().database.refusal, testing::HasSubstr("Read-only file system"));
  EXPECT_EQ(store().ListTrials("s", {})->size(), 2u) << "reads go on";
  store_.reset();
  disk_.Repair();
  Reopen();
  EXPECT_EQ(store().ListTrials("s", {})->size(), 2u);
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kRequested);
  EXPECT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}).ok());
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
}

// As other file systems may.
TEST_F(FailingDiskTest, WritesRefusedAsReadOnlyAreTakenAgainOnceTheyCanBe) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}).ok());
  disk_.FailWrites(SQLITE_READONLY);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion("x")}, {"r", "f"}).status,
                IsRefused(kUnavailable, "readonly"));
    EXPECT_THAT(store().Figures().database.refusal, testing::HasSubstr("readonly"));
  }
  EXPECT_EQ(store().GetStudy("s")->trial_count, 1);
  disk_.Repair();
  const auto again = AddTrials(store(), "s", {NewSuggestion("x")}, {"r", "f"});
  EXPECT_TRUE(again.ok()) << again.status;
  EXPECT_FALSE(again.earlier.has_value());
  EXPECT_EQ(store().Figures().database.refusal, "");
  Reopen();
  EXPECT_EQ(store().GetStudy("s")->trial_count, 2);
}

// The log has all commits; the failure is in moving them to the file.
TEST_F(FailingDiskTest, ADiskThatFailsWhileClosingLosesNothing) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x"), NewSuggestion("y")}).ok());
  disk_.FailWrites();
  disk_.FailSyncs();
  store_.reset();
  disk_.Repair();
  Reopen();
  EXPECT_EQ(store().ListTrials("s", {})->size(), 2u);
}

// Whoever has a result to tell, which begins with a read of the study, tells it again.
TEST_F(FailingDiskTest, AFailedReadIsAnErrorOfThatReadAndMayBeRepeated) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  NewSourceTask task = SourceTaskNamed("t");
  task.chunks.assign(50, std::string(100000, 'x'));
  ASSERT_TRUE(RegisterSourceTask(store(), task).ok());
  disk_.FailReads();
  EXPECT_THAT(store().GetSourceChunks("t").status(),
              testing::AllOf(IsRefused(kUnavailable, path()),
                             IsRefused(kUnavailable, "repeat the call")));
  disk_.Repair();
  EXPECT_EQ(store().GetSourceChunks("t")->size(), 50u);
}

// What is written beside damage may be lost with it.
TEST_F(FailingDiskTest, AChangeThatCannotReadIsNoFailedCommit) {
  store_.reset();
  MakeFile(3000);
  Reopen();
  disk_.FailReads();
  // What the store does while it is idle may have met the failure before.
  EXPECT_FALSE(UpdateTrial(store(), "s", 1500, TrialChange()).ok());
  EXPECT_EQ(store().Figures().database.failed_commits, 0);
}

TEST_F(FailingDiskTest, DamageFailsTheReadsThatMeetItAndEndsAllWriting) {
  store_.reset();
  MakeFile(3000);
  const std::string file = ReadBytes(path());
  ASSERT_TRUE(OpenStatus().ok());
  Reopen();
  // In place: a thread of the store may be reading the rest of the file.
  const size_t page = file.size() / 4096 / 2;
  const auto overwrite = [&](const std::string& bytes) {
    std::fstream stream(path(), std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>(page * 4096));
    stream << bytes;
  };
  overwrite(std::string(4096, '\xa5'));
  EXPECT_TRUE(CreateStudy(store(), StudyNamed("another")).ok());
  TrialFilter filter;
  filter.limit = 3000;
  EXPECT_EQ(store().ListTrials("s", filter).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(CreateStudy(store(), StudyNamed("late")).status,
              IsRefused(absl::StatusCode::kUnavailable, "until it is opened again"));
  EXPECT_TRUE(store().GetTrial("s", 1).ok());
  EXPECT_TRUE(store().GetStudy("another").ok());
  overwrite(file.substr(page * 4096, 4096));
}

class WaitingWritesTest : public FailingDiskTest {
 protected:
  SqliteStoreOptions FaultyOptions() override {
    SqliteStoreOptions options = FailingDiskTest::FaultyOptions();
    options.max_waiting_writes = 10;
    return options;
  }
};

TEST_F(WaitingWritesTest, TooManyWaitingWritesAreRefusedAndNamed) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s")).ok());
  int refused = 0;
  for (const absl::Status& status : AddAtOnce("s", 2000)) {
    if (status.ok()) continue;
    ++refused;
    EXPECT_THAT(status, IsRefused(kResourceExhausted, "the limit of 10 changes that wait"));
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(store().GetStudy("s")->trial_count, 2000 - refused);
}

}  // namespace
}  // namespace slipstream
