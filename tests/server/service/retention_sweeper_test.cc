#include "server/service/retention_sweeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/observed_store.h"
#include "tests/server/store/store_calls.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RetentionSweeperTest : public ::testing::Test {
 protected:
  RetentionSweeperTest() {
    StoreOptions options;
    options.now_ms = clock_.Function();
    store_ = MakeMemoryStore(options);
  }
  RetentionOptions Options(int studies_per_turn = 100) {
    return {.delete_completed_after = absl::Hours(24),
            .period = absl::InfiniteDuration(),
            .studies_per_turn = studies_per_turn,
            .now_ms = clock_.Function(),
            .steady_now =
                [this] {
                  return std::chrono::steady_clock::time_point(
                      std::chrono::milliseconds(clock_.NowMs() - set_by_ms_));
                },
            .on_deletion = [this](const std::string& id) { deleted_.push_back(id); }};
  }
  void Complete(const std::string& id) {
    StudyChange change;
    change.state = StudyState::kCompleted;
    ASSERT_TRUE(UpdateStudy(*store_, id, change).ok());
  }
  void Make(const std::string& id, bool completed) {
    ASSERT_TRUE(CreateStudy(*store_, StudyNamed(id)).ok());
    if (completed) Complete(id);
  }
  std::vector<std::string> Studies() {
    std::vector<std::string> ids;
    const absl::StatusOr<std::vector<StudyRecord>> studies = store_->ListStudies({0, 1000});
    for (const StudyRecord& study : *studies) ids.push_back(study.id);
    return ids;
  }

  FakeClock clock_;
  int64_t set_by_ms_ = 0;  // So much of the clock's time has not passed.
  std::unique_ptr<Store> store_;
  std::vector<std::string> deleted_;
  std::vector<std::string> forgotten_;
};

TEST_F(RetentionSweeperTest, StudiesThatHaveLongBeenCompletedAreDeletedAndNoOthers) {
  Make("old", true);
  Make("running", false);
  clock_.Advance(absl::Hours(23));
  Make("new", true);
  RetentionSweeper sweeper(store_.get(), Options(),
                           [this](const std::string& id) { forgotten_.push_back(id); });
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(deleted_, IsEmpty());
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(deleted_, ElementsAre("old"));
  EXPECT_THAT(forgotten_, ElementsAre("old"));
  EXPECT_THAT(Studies(), ElementsAre("running", "new"));
  EXPECT_EQ(sweeper.deleted(), 1);
}

TEST_F(RetentionSweeperTest, AStudyThatWasChangedSinceStays) {
  Make("s", true);
  clock_.Advance(absl::Hours(23));
  StudyChange rename;
  rename.display_name = "still looked at";
  ASSERT_TRUE(UpdateStudy(*store_, "s", rename).ok());
  RetentionSweeper sweeper(store_.get(), Options(), [](const std::string&) {});
  clock_.Advance(absl::Hours(23));
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(Studies(), ElementsAre("s"));
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(Studies(), IsEmpty());
}

TEST_F(RetentionSweeperTest, ATurnLooksAtSomeStudiesAndTheNextOneAtThoseAfter) {
  for (const char* id : {"a", "b", "c", "d", "e"}) Make(id, true);
  RetentionSweeper sweeper(store_.get(), Options(2), [](const std::string&) {});
  ASSERT_TRUE(sweeper.Turn().ok()) << "it sees the clock for the first time";
  clock_.Advance(absl::Hours(24));
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(Studies(), ElementsAre("c", "d", "e"));
  ASSERT_TRUE(sweeper.Turn().ok());
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(Studies(), IsEmpty());
  // It begins anew with those that were made meanwhile.
  Make("f", true);
  clock_.Advance(absl::Hours(24));
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(Studies(), IsEmpty());
}

// One of whose studies cannot be deleted.
class StoreThatKeeps : public ObservedStore {
 public:
  StoreThatKeeps(Store* store, std::string id)
      : ObservedStore(store, [](const std::string&) {}), store_(*store), id_(std::move(id)) {}
  void ExpireStudy(StudyRef study, int64_t age_ms, Write<Unit> write) override {
    if (study.id == id_) return write.done(absl::InternalError("it resists"), std::nullopt);
    store_.ExpireStudy(std::move(study), age_ms, std::move(write));
  }

 private:
  Store& store_;
  const std::string id_;
};

TEST_F(RetentionSweeperTest, AStudyThatCannotBeDeletedHoldsUpNoOther) {
  for (const char* id : {"a", "b", "c"}) Make(id, true);
  StoreThatKeeps store(store_.get(), "a");
  std::vector<std::string> failed;
  RetentionOptions options = Options(2);
  options.on_failure = [&](const std::string& id, const absl::Status& status) {
    failed.push_back(absl::StrCat(id, ": ", status.message()));
  };
  RetentionSweeper sweeper(&store, options, [](const std::string&) {});
  ASSERT_TRUE(sweeper.Turn().ok()) << "it sees the clock for the first time";
  clock_.Advance(absl::Hours(24));
  EXPECT_EQ(sweeper.Turn().message(), "it resists");
  EXPECT_THAT(failed, ElementsAre("a: it resists"));
  EXPECT_EQ(sweeper.failures(), 1);
  EXPECT_THAT(Studies(), ElementsAre("a", "c"));
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(Studies(), ElementsAre("a"));
}

// Whose studies cannot be listed.
class StoreThatIsDamaged : public ObservedStore {
 public:
  explicit StoreThatIsDamaged(Store* store) : ObservedStore(store, [](const std::string&) {}) {}
  absl::StatusOr<std::vector<StudyRecord>> ListStudies(const ListFilter&) override {
    return absl::DataLossError("it is damaged");
  }
};

TEST_F(RetentionSweeperTest, StudiesThatCannotBeListedAreReportedAndCounted) {
  StoreThatIsDamaged store(store_.get());
  std::vector<std::string> failed;
  RetentionOptions options = Options();
  options.on_failure = [&](const std::string& id, const absl::Status& status) {
    failed.push_back(absl::StrCat(id, ": ", status.message()));
  };
  RetentionSweeper sweeper(&store, options, [](const std::string&) {});
  ASSERT_TRUE(sweeper.Turn().ok()) << "it sees the clock for the first time";
  clock_.Advance(absl::Hours(24));
  EXPECT_EQ(sweeper.Turn().message(), "it is damaged");
  EXPECT_THAT(failed, ElementsAre(": it is damaged"));
  EXPECT_EQ(sweeper.failures(), 1);
}

// Whose reads want more memory than there is.
class StoreWithoutMemoryForStudies : public ObservedStore {
 public:
  explicit StoreWithoutMemoryForStudies(Store* store)
      : ObservedStore(store, [](const std::string&) {}) {}
  absl::StatusOr<std::vector<StudyRecord>> ListStudies(const ListFilter&) override {
    throw std::bad_alloc();
  }
};

TEST_F(RetentionSweeperTest, WithoutMemoryATurnFailsAndNotTheServer) {
  StoreWithoutMemoryForStudies store(store_.get());
  RetentionSweeper sweeper(&store, Options(), [](const std::string&) {});
  ASSERT_TRUE(sweeper.Turn().ok()) << "it sees the clock for the first time";
  clock_.Advance(absl::Hours(24));
  EXPECT_TRUE(absl::IsResourceExhausted(sweeper.Turn()));
  EXPECT_EQ(sweeper.failures(), 1);
}

TEST_F(RetentionSweeperTest, NothingIsDeletedWhileAClockIsWrong) {
  Make("s", true);
  RetentionSweeper sweeper(store_.get(), Options(), [](const std::string&) {});
  ASSERT_TRUE(sweeper.Turn().ok());
  clock_.Advance(absl::Hours(2));
  ASSERT_TRUE(sweeper.Turn().ok());
  const auto set = [this](absl::Duration by) {
    clock_.Advance(by);
    set_by_ms_ += absl::ToInt64Milliseconds(by);
  };
  set(absl::Hours(24 * 400));
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(sweeper.Turn().ok());
    clock_.Advance(absl::Seconds(1));
  }
  EXPECT_THAT(Studies(), ElementsAre("s"));
  set(-absl::Hours(24 * 400));
  for (int hour = 0; hour < 3; ++hour) {
    ASSERT_TRUE(sweeper.Turn().ok());
    clock_.Advance(absl::Hours(1));
  }
  EXPECT_THAT(Studies(), ElementsAre("s")) << "which is five hours old";
  set(absl::Hours(24));
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(Studies(), ElementsAre("s"));
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(Studies(), IsEmpty()) << "the clock stays as it was set";
}

TEST_F(RetentionSweeperTest, NothingIsDeletedUnlessThatIsWanted) {
  Make("old", true);
  clock_.Advance(absl::Hours(1e6));
  RetentionSweeper sweeper(store_.get(), {.now_ms = clock_.Function()}, [](const std::string&) {});
  ASSERT_TRUE(sweeper.Turn().ok());
  EXPECT_THAT(Studies(), ElementsAre("old"));
}

TEST_F(RetentionSweeperTest, ItsThreadTakesTurnsByItself) {
  Make("old", true);
  clock_.Advance(absl::Hours(24));
  std::promise<void> done;
  std::future<void> deleted = done.get_future();
  RetentionOptions options = Options();
  options.period = absl::Milliseconds(1);
  options.on_deletion = [&](const std::string&) { done.set_value(); };
  const RetentionSweeper sweeper(store_.get(), options, [](const std::string&) {});
  // Its clock is trusted after an hour.
  while (deleted.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    clock_.Advance(absl::Minutes(1));
  }
  EXPECT_THAT(Studies(), IsEmpty());
}

}  // namespace
}  // namespace slipstream
