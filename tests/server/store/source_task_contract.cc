#include <optional>
#include <string>
#include <vector>

#include "tests/server/store/recount.h"
#include "tests/server/store/store_contract.h"
#include "tests/server/store/write_ends.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(StoreContract, ASourceTaskComesBackAsItWasRegistered) {
  NewSourceTask task = SourceTaskNamed("t");
  task.chunks = {"first", std::string(200000, '\0'), "third"};
  const auto registered = RegisterSourceTask(store(), task);
  ASSERT_TRUE(registered.ok()) << registered.status;
  EXPECT_FALSE(registered->already_registered);
  Reopen();
  const auto found = store().GetSourceTask("t");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->key, registered->record.key);
  EXPECT_EQ(found->definition, "definition of t");
  EXPECT_EQ(found->observation_count, 7);
  EXPECT_EQ(found->measured_count, 5);
  EXPECT_EQ(found->create_ms, clock_.NowMs());
  EXPECT_EQ(found->study_count, 0);
  EXPECT_EQ(*store().GetSourceChunks("t"), task.chunks);
  EXPECT_EQ(*store().FindSourceChunk("t", 0), "first");
  EXPECT_EQ(*store().FindSourceChunk("t", 2), "third");
  EXPECT_EQ(*store().FindSourceChunk("t", 3), std::nullopt);
  EXPECT_EQ(*store().FindSourceChunk("t", -1), std::nullopt);
}

TEST_P(StoreContract, TheSameSourceTaskIsStoredOnce) {
  const auto first = RegisterSourceTask(store(), SourceTaskNamed("t"));
  clock_.Advance(absl::Minutes(1));
  const auto second = RegisterSourceTask(store(), SourceTaskNamed("t"));
  ASSERT_TRUE(second.ok()) << second.status;
  EXPECT_TRUE(second->already_registered);
  EXPECT_EQ(second->record.key, first->record.key);
  EXPECT_EQ(second->record.create_ms, first->record.create_ms);
  EXPECT_EQ(store().ListSourceTasks({0, 9})->size(), 1u);
  EXPECT_EQ(store().GetSourceChunks("t")->size(), 2u);
}

TEST_P(StoreContract, SourceTasksAreListedOldestFirstAndPageByPage) {
  for (const char* id : {"c", "a", "b"}) {
    ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed(id)).ok());
  }
  const auto first = store().ListSourceTasks({0, 2});
  ASSERT_EQ(first->size(), 2u);
  EXPECT_EQ((*first)[0].id, "c");
  EXPECT_EQ((*first)[0].definition, "") << "may be as large as a message";
  EXPECT_EQ((*first)[1].id, "a");
  const auto second = store().ListSourceTasks({(*first)[1].key, 2});
  ASSERT_EQ(second->size(), 1u);
  EXPECT_EQ((*second)[0].id, "b");
  EXPECT_THAT(*store().ListSourceTasks({(*second)[0].key, 2}), IsEmpty());
}

TEST_P(StoreContract, AnUnregisteredSourceTaskIsNotFound) {
  EXPECT_THAT(store().GetSourceTask("t").status(), IsRefusal(kNotFound, "sourceTasks/t"));
  EXPECT_THAT(store().GetSourceChunks("t").status(), IsRefusal(kNotFound, "sourceTasks/t"));
  EXPECT_THAT(store().FindSourceChunk("t", 0).status(), IsRefusal(kNotFound, "sourceTasks/t"));
  EXPECT_THAT(DeleteSourceTask(store(), "t").status, IsRefusal(kNotFound, "sourceTasks/t"));
}

TEST_P(StoreContract, ASourceTaskInUseStays) {
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("used")).ok());
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s", {"used"})).ok());
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("t", {"used", "used"})).ok());
  EXPECT_EQ(store().GetSourceTask("used")->study_count, 2);
  EXPECT_THAT(DeleteSourceTask(store(), "used").status,
              IsRefusal(kFailedPrecondition, "used by 2 studies: studies/s, studies/t"));
  EXPECT_EQ(store().GetSourceChunks("used")->size(), 2u);

  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  EXPECT_THAT(DeleteSourceTask(store(), "used").status,
              IsRefusal(kFailedPrecondition, "studies/t"));
  ASSERT_TRUE(DeleteStudy(store(), "t").ok());
  EXPECT_EQ(store().GetSourceTask("used")->study_count, 0);
  EXPECT_TRUE(DeleteSourceTask(store(), "used").ok());
  EXPECT_THAT(store().GetSourceTask("used").status(), HasCode(kNotFound));
}

TEST_P(StoreContract, ARefusalToDeleteASourceTaskNamesThreeOfItsStudies) {
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("t")).ok());
  for (const char* id : {"d", "b", "a", "c", "e"}) {
    ASSERT_TRUE(CreateStudy(store(), StudyNamed(id, {"t"})).ok());
  }
  EXPECT_THAT(DeleteSourceTask(store(), "t").status,
              IsRefusal(kFailedPrecondition,
                        "used by 5 studies: studies/d, studies/b, studies/a and 2 others"));
  ASSERT_TRUE(DeleteStudy(store(), "d").ok());
  EXPECT_THAT(DeleteSourceTask(store(), "t").status,
              IsRefusal(kFailedPrecondition,
                        "used by 4 studies: studies/b, studies/a, studies/c and 1 other"));
}

TEST_P(StoreContract, ARefusalToDeleteASourceTaskNamesNoStudyOfAnotherProject) {
  ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed("vision/t")).ok());
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("secret", {"vision/t"})).ok());
  EXPECT_THAT(
      DeleteSourceTask(store(), "vision/t").status,
      IsRefusal(kFailedPrecondition, "sourceTasks/t is used by 1 study of another project"));
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("nlp/secret", {"vision/t"})).ok());
  EXPECT_THAT(DeleteSourceTask(store(), "vision/t").status,
              IsRefusal(kFailedPrecondition, "is used by 2 studies of other projects"));
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("vision/s", {"vision/t"})).ok());
  EXPECT_THAT(
      DeleteSourceTask(store(), "vision/t").status,
      IsRefusal(kFailedPrecondition, "used by 3 studies: projects/vision/studies/s and 2 others"));
}

TEST_P(StoreContract, ADeletedSourceTaskCanBeRegisteredAnew) {
  const auto first = RegisterSourceTask(store(), SourceTaskNamed("t"));
  ASSERT_TRUE(DeleteSourceTask(store(), "t").ok());
  NewSourceTask task = SourceTaskNamed("t");
  task.chunks = {"only"};
  const auto second = RegisterSourceTask(store(), task);
  ASSERT_TRUE(second.ok()) << second.status;
  EXPECT_FALSE(second->already_registered);
  EXPECT_GT(second->record.key, first->record.key);
  EXPECT_THAT(*store().GetSourceChunks("t"), ElementsAre("only"));
}

TEST_P(StoreContract, ASourceTaskWithoutObservationsHasNoChunks) {
  NewSourceTask task = SourceTaskNamed("t");
  task.chunks = {};
  ASSERT_TRUE(RegisterSourceTask(store(), task).ok());
  EXPECT_THAT(*store().GetSourceChunks("t"), IsEmpty());
}

TEST_P(StoreContract, SourceTasksOfAProjectAreListedAlone) {
  for (const char* id : {"t", "vision/b", "vis/a", "vision-2/a", "vision/a"}) {
    ASSERT_TRUE(RegisterSourceTask(store(), SourceTaskNamed(id)).ok());
  }
  const auto list = [&](const std::string& project, int64_t after_key, int limit) {
    const auto tasks = store().ListSourceTasks({after_key, limit, project});
    EXPECT_TRUE(tasks.ok()) << tasks.status();
    std::vector<std::string> ids;
    for (const SourceTaskRecord& task : *tasks) ids.push_back(task.id);
    return ids;
  };
  EXPECT_THAT(list("vision", 0, 9), ElementsAre("vision/b", "vision/a"));
  EXPECT_THAT(list("vision", 0, 1), ElementsAre("vision/b"));
  EXPECT_THAT(list("vision", store().GetSourceTask("vision/b")->key, 9), ElementsAre("vision/a"));
  EXPECT_THAT(list("default", 0, 9), ElementsAre("t"));
  EXPECT_EQ(store().ListSourceTasks({})->size(), 5u);
}

// ---- Source tasks that take several transactions ----

NewSourceTask LargeTask(const std::string& id) {
  NewSourceTask task = SourceTaskNamed(id);
  task.chunks.clear();
  for (const char each : {'a', 'b', 'c'}) task.chunks.push_back(std::string(6 << 20, each));
  return task;
}

TEST_P(StoreContract, OtherWritesComeBetweenThePartsOfALargeSourceTask) {
  Create("s");
  Ends ends;
  SubmitTogether(store(), [&] {
    store().RegisterSourceTask(LargeTask("t"), ends.Noting<RegisteredSourceTask>("task"));
    store().AddTrials({"s", {NewSuggestion("x")}},
                      ends.Noting<std::vector<TrialRecord>>("addition"));
  });
  ends.all.get_future().wait();
  EXPECT_THAT(ends.ends, ElementsAre("addition OK", "task OK"));
}

TEST_P(StoreContract, ALargeSourceTaskIsStoredAsASmallOneIs) {
  const NewSourceTask task = LargeTask("t");
  Limit("default", {.source_tasks = 1});
  const auto registered = RegisterSourceTask(store(), task);
  ASSERT_TRUE(registered.ok()) << registered.status;
  EXPECT_FALSE(registered->already_registered);
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
  Reopen();
  EXPECT_EQ(store().GetSourceTask("t")->key, registered->record.key);
  EXPECT_TRUE(*store().GetSourceChunks("t") == task.chunks);
  EXPECT_TRUE(RegisterSourceTask(store(), task)->already_registered);
  EXPECT_THAT(RegisterSourceTask(store(), LargeTask("u")).status, HasCode(kResourceExhausted));
  ASSERT_TRUE(DeleteSourceTask(store(), "t").ok());
  EXPECT_THAT(store().GetSourceChunks("t").status(), HasCode(kNotFound));
  EXPECT_TRUE(RegisterSourceTask(store(), LargeTask("u")).ok());
}

TEST_P(StoreContract, ALargeSourceTaskThatIsOvertakenIsStoredOnce) {
  Ends ends;
  SubmitTogether(store(), [&] {
    for (const char* name : {"first", "second"}) {
      store().RegisterSourceTask(LargeTask("t"), ends.Noting<RegisteredSourceTask>(name));
    }
  });
  ends.all.get_future().wait();
  EXPECT_THAT(ends.ends, ElementsAre("first OK", "second OK"));
  EXPECT_EQ(store().ListSourceTasks({})->size(), 1u);
  EXPECT_EQ(store().GetSourceChunks("t")->size(), 3u);
  EXPECT_EQ(*store().ListUsage(), Recount(store()));
}

TEST_P(StoreContract, ALargeSourceTaskIsRegisteredOnceForItsRequestId) {
  const RequestGuard guard{"id", "fingerprint"};
  Ends ends;
  SubmitTogether(store(), [&] {
    for (const char* name : {"first", "second"}) {
      store().RegisterSourceTask(LargeTask("t"), ends.Noting<RegisteredSourceTask>(name, guard));
    }
  });
  ends.all.get_future().wait();
  EXPECT_THAT(ends.ends, ElementsAre("first OK", "second OK before"));
  ASSERT_TRUE(DeleteSourceTask(store(), "t").ok());
  EXPECT_EQ(RegisterSourceTask(store(), LargeTask("t"), guard).earlier, "first");
  EXPECT_TRUE(store().ListSourceTasks({})->empty());
}

}  // namespace
}  // namespace slipstream
