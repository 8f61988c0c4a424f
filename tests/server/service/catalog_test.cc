#include "server/service/catalog.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "server/convert/study_conversion.h"
#include "server/store/resource_message.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

class CatalogTest : public ServiceFixture {
 protected:
  void SetUp() override { Create(ExampleStudy()); }

  std::map<std::string, int> reads_;  // By verb, of catalog_.
  std::function<void()> before_candidates_ = [] {};
  ObservedStore counted_store_{store_.get(), [this](const std::string& verb) {
                                 ++reads_[verb];
                                 if (verb == "GetCandidates") before_candidates_();
                               }};
  Catalog catalog_{&counted_store_, size_t{1} << 20, size_t{1} << 20};
};

TEST_F(CatalogTest, AStudyIsReadFromTheStoreOnceUntilItIsForgotten) {
  EXPECT_EQ(catalog_.FindStudy("s"), nullptr);
  const auto study = catalog_.GetStudy("s");
  ASSERT_TRUE(study.ok()) << study.status();
  EXPECT_EQ((*study)->definition.metric, "loss");
  EXPECT_GT((*study)->most_trial_bytes, 0u);
  EXPECT_EQ(*catalog_.GetStudy("s"), *study);
  EXPECT_EQ(catalog_.FindStudy("s"), *study);
  EXPECT_EQ(reads_["GetStudy"], 1);
  catalog_.ForgetStudy("s");
  EXPECT_EQ(catalog_.FindStudy("s"), nullptr);
  EXPECT_EQ((*study)->id, "s") << "those who use it keep it";
  EXPECT_TRUE(absl::IsNotFound(catalog_.GetStudy("nowhere").status()));
}

TEST_F(CatalogTest, AStudyThatIsForgottenWhileItIsReadIsNotCached) {
  before_candidates_ = [this] { catalog_.ForgetStudy("s"); };
  EXPECT_TRUE(catalog_.GetStudy("s").ok());
  EXPECT_EQ(catalog_.FindStudy("s"), nullptr);
}

// As an import does that replaces it.
TEST_F(CatalogTest, AStudyThatIsReplacedWhileItIsReadIsReadAgain) {
  bool is_replaced = false;
  before_candidates_ = [&] {
    if (std::exchange(is_replaced, true)) return;
    Delete("s");
    Create(CandidateStudy(3));
  };
  const auto study = catalog_.GetStudy("s");
  ASSERT_TRUE(study.ok()) << study.status();
  EXPECT_EQ((*study)->key, store_->GetStudy("s")->key);
  EXPECT_TRUE((*study)->definition.space->has_candidates());
}

TEST_F(CatalogTest, AStudyThatIsDeletedWhileItIsReadIsNotFoundByItsName) {
  before_candidates_ = [this] { Delete("s"); };
  const absl::Status status = catalog_.GetStudy("s").status();
  EXPECT_EQ(status, StudyNotFound("s"));
}

TEST_F(CatalogTest, WithoutMemoryForWhatIsReadTheReadIsRefusedAndTheServerLives) {
  before_candidates_ = [] { throw std::bad_alloc(); };
  EXPECT_TRUE(IsOverload(catalog_.GetStudy("s").status()));
  before_candidates_ = [] {};
  EXPECT_TRUE(catalog_.GetStudy("s").ok());
  bool is_short = true;
  ObservedStore cramped(store_.get(), [&](const std::string& verb) {
    if (is_short && verb == "GetSourceChunks") throw std::bad_alloc();
  });
  Catalog catalog(&cramped, size_t{1} << 20, size_t{1} << 20);
  const std::string source = RegisterExample(4);
  EXPECT_TRUE(IsOverload(catalog.GetSourceNamed(source).status()));
  is_short = false;
  EXPECT_TRUE(catalog.GetSourceNamed(source).ok());
}

TEST_F(CatalogTest, SourcesComeInTheOrderOfTheStudyAndAreCached) {
  v1::Study study = ExampleStudy();
  for (int task = 0; task < 2; ++task) study.add_source_tasks(RegisterExample(4 + task));
  study.mutable_source_tasks()->SwapElements(0, 1);
  Create(study, "with");
  const auto entry = *catalog_.GetStudy("with");
  for (int i = 0; i < 2; ++i) {
    const auto sources = catalog_.GetSourcesOf(*entry);
    ASSERT_TRUE(sources.ok()) << sources.status();
    ASSERT_EQ(sources->size(), 2u);
    EXPECT_EQ((*sources)[0]->points.size(), 5u);
    EXPECT_EQ((*sources)[1]->points.size(), 4u);
  }
  EXPECT_EQ(reads_["GetSourceChunks"], 2);
  EXPECT_TRUE(absl::IsNotFound(catalog_.GetSource(std::string(32, 'a')).status()));
}

TEST_F(CatalogTest, SourcesThatTakeTooMuchMemoryTogetherAreRefusedWithoutReadingThem) {
  v1::Study study = ExampleStudy();
  study.add_source_tasks(RegisterExample(4));
  EXPECT_TRUE(catalog_.CheckSources(*StudyDefinitionFromProto(study)).ok());
  const SourceTaskRecord small = *store_->GetSourceTask(study.source_tasks(0).substr(12));
  const NewSourceTask large = {std::string(32, 'b'), small.definition, {}, int64_t{1} << 23, 1};
  std::promise<absl::Status> stored;
  Write<RegisteredSourceTask> write;
  write.render = [](const RegisteredSourceTask&) { return std::string(); };
  write.done = [&](const absl::Status& status, const auto&) { stored.set_value(status); };
  store_->RegisterSourceTask(large, std::move(write));
  ASSERT_TRUE(stored.get_future().get().ok());
  study.add_source_tasks("sourceTasks/" + large.id);
  ExpectViolation(catalog_.CheckSources(*StudyDefinitionFromProto(study)), "study.source_tasks");
  EXPECT_EQ(reads_["GetSourceChunks"], 0);
}

TEST_F(CatalogTest, AllSourcesThatAreMissingAreNamedAndManyAreCounted) {
  StudyDefinition definition = *StudyDefinitionFromProto(ExampleStudy());
  const auto missing_of = [&](const std::vector<std::string>& ids) {
    definition.source_ids = ids;
    const absl::Status status = catalog_.CheckSources(definition);
    EXPECT_TRUE(ids.size() == 1 || absl::IsNotFound(status)) << status;
    return std::string(status.message());
  };
  const std::string there = RegisterExample(4).substr(12);
  EXPECT_EQ(missing_of({there}), "");
  EXPECT_EQ(missing_of({"b", there, "vision/a"}),
            "there is no sourceTasks/b, projects/vision/sourceTasks/a");
  std::vector<std::string> many = {there};
  std::string names = "there is no sourceTasks/0";
  for (int i = 0; i < 10; ++i) {
    many.push_back(std::to_string(i));
    if (i > 0) names += ", sourceTasks/" + many.back();
  }
  EXPECT_EQ(missing_of(many), names);
  many.push_back("10");
  EXPECT_EQ(missing_of(many), names + " and 1 other");
  many.push_back("11");
  EXPECT_EQ(missing_of(many), names + " and 2 others");
}

TEST_F(CatalogTest, AViewIsTheStudyWithoutItsTrials) {
  v1::Study study = ExampleStudy();
  study.mutable_metrics(0)->set_noise(v1::Metric::EXACT);
  Create(study, "exact");
  const auto entry = *catalog_.GetStudy("exact");
  const SourceTasks sources = {nullptr};
  const StudyView view = entry->View(sources, nullptr);
  EXPECT_EQ(view.space, entry->definition.space.get());
  EXPECT_EQ(view.goal, Goal::kMinimize);
  EXPECT_TRUE(view.noiseless);
  EXPECT_EQ(view.sources.size(), 1u);
  EXPECT_TRUE(view.ended.empty());
  EXPECT_TRUE(view.open.empty());
}

}  // namespace
}  // namespace slipstream
