#include "server/service/study_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "server/service/page.h"
#include "tests/server/service/service_fixture.h"
#include "tests/testing/allocation_limit.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StudyServiceTest : public ServiceFixture {
 protected:
  v1::Study Get(const std::string& id) {
    v1::GetStudyRequest request;
    request.set_name("studies/" + id);
    v1::Study study;
    const absl::Status status = Call(&StudyService::GetStudy, request, &study);
    EXPECT_TRUE(status.ok()) << status;
    return study;
  }

  // Creates the study "s", whose sources are prepared for when this returns, and others.
  void CreatePrepared(const v1::Study& study) {
    // One thread prepares studies in their order, and begins by reading them and asking for fits:
    // when it reads the second one, the rest of the first one's turn is in the queue, and when it
    // reads one that is created after that, the first one is prepared.
    std::counting_semaphore<> begun(0);
    before_read_ = [&](const std::string& verb) {
      if (verb == "GetStudy") begun.release();
    };
    for (const char* id : {"s", "second", "third"}) {
      Create(study, id);
      ASSERT_TRUE(begun.try_acquire_for(std::chrono::seconds(30))) << id;
    }
    before_read_ = [](const std::string&) {};
  }
};

// As an import does that replaces it.
TEST_F(StudyServiceTest, AStudyThatIsReplacedWhileItIsReadIsReadAgain) {
  Create(ExampleStudy());
  std::atomic<bool> is_replaced = false;
  before_read_ = [&](const std::string& verb) {
    if (verb != "GetCandidates" || is_replaced.exchange(true)) return;
    Delete("s");
    Create(CandidateStudy(3));
  };
  v1::GetStudyRequest request;
  request.set_name("studies/s");
  v1::Study study;
  const absl::Status status = Call(&StudyService::GetStudy, request, &study);
  before_read_ = nullptr;
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(study.space().candidates().configurations_size(), 3);
}

TEST_F(StudyServiceTest, AnAnswerHasTheCandidatesAndWhatIsRememberedOfItHasNot) {
  v1::CreateStudyRequest request = CreateRequest(CandidateStudy(50), "s");
  request.set_request_id("r");
  v1::Study first;
  ASSERT_TRUE(Call(&StudyService::CreateStudy, request, &first).ok());
  EXPECT_EQ(first.space().DebugString(), request.study().space().DebugString());
  v1::Study repeat;
  ASSERT_TRUE(Call(&StudyService::CreateStudy, request, &repeat).ok());
  EXPECT_EQ(repeat.DebugString(), first.DebugString());
  const auto remembered = store_->FindAnswer(GuardOf("CreateStudy", request));
  ASSERT_TRUE(remembered.ok() && remembered->has_value()) << remembered.status();
  v1::Study answer;
  ASSERT_TRUE(answer.ParseFromString(**remembered));
  EXPECT_EQ(answer.name(), "studies/s");
  EXPECT_FALSE(answer.space().has_candidates());
}

// They may take long, and few threads read.
TEST_F(StudyServiceTest, OthersGoOnWhileStudiesAreBeingChecked) {
  Create(ExampleStudy());
  std::counting_semaphore<> held(0);
  std::promise<void> gate;
  const std::shared_future<void> opened = gate.get_future().share();
  before_read_ = [&held, opened](const std::string& verb) {
    if (verb != "ListSourceTasks") return;
    held.release();
    opened.wait();
  };
  v1::Study study = ExampleStudy();
  study.add_source_tasks("sourceTasks/-");
  const v1::CreateStudyRequest requests[] = {CreateRequest(study, "t"), CreateRequest(study, "u")};
  v1::Study responses[2];
  std::promise<absl::Status> created[2];
  for (size_t i = 0; i < 2; ++i) {
    const Done done = [&created, i](absl::Status end) { created[i].set_value(std::move(end)); };
    service_->studies().CreateStudy(&requests[i], &responses[i], done);
    ASSERT_TRUE(held.try_acquire_for(std::chrono::seconds(30)));
  }
  std::future<v1::Study> read = std::async(std::launch::async, [this] { return Get("s"); });
  EXPECT_EQ(read.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  // So does the creation of a study that is quickly checked.
  std::future<absl::Status> quick = std::async(std::launch::async, [this] {
    return Call(&StudyService::CreateStudy, CreateRequest(ExampleStudy(), "v"));
  });
  EXPECT_EQ(quick.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  gate.set_value();
  for (auto& each : created) EXPECT_TRUE(each.get_future().get().ok());
  EXPECT_TRUE(quick.get().ok());
}

TEST_F(StudyServiceTest, AStudyForWhichThereIsTooLittleMemoryIsRefused) {
  RunOutOfMemoryIn("FindAnswer");
  v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), "s");
  request.set_request_id("r");
  const absl::Status refused = Call(&StudyService::CreateStudy, request);
  EXPECT_TRUE(IsOverload(refused)) << refused;
  before_read_ = nullptr;
  Create(ExampleStudy());
}

// Has no memory while it tells that a study was created.
class StoreWithoutMemoryForAnswers : public ObservedStore {
 public:
  using ObservedStore::ObservedStore;
  void CreateStudy(NewStudy study, Write<StudyRecord> write) override {
    write.done = [done = std::move(write.done)](absl::Status status,
                                                std::optional<std::string> earlier) {
      const AllocationLimit limit(0);
      done(std::move(status), std::move(earlier));
    };
    ObservedStore::CreateStudy(std::move(study), std::move(write));
  }
};

TEST_F(StudyServiceTest, CandidatesForWhoseAnswerThereIsTooLittleMemoryCanBeAskedForAgain) {
  v1::CreateStudyRequest request = CreateRequest(CandidateStudy(2), "s");
  request.set_request_id("r");
  StoreWithoutMemoryForAnswers store(store_.get(), [](const std::string&) {});
  service_.emplace(&store, ServiceOptions{.version = "test",
                                          .lease_sweep_period = absl::InfiniteDuration(),
                                          .prepare_ahead = false});
  const absl::Status refused = Call(&StudyService::CreateStudy, request);
  EXPECT_TRUE(IsOverload(refused)) << refused;
  Restart();
  v1::Study repeat;
  ASSERT_TRUE(Call(&StudyService::CreateStudy, request, &repeat).ok());
  EXPECT_EQ(repeat.space().candidates().configurations_size(), 2);
}

TEST_F(StudyServiceTest, CreateFillsInTheSeedAndAPresetThatSuitsTheSources) {
  v1::Study study = ExampleStudy("");
  study.clear_seed();
  Create(study, "without");
  study.add_source_tasks(RegisterExample(3));
  Create(study, "with");
  EXPECT_TRUE(Get("without").has_seed());
  EXPECT_NE(Get("without").seed(), Get("with").seed());
  EXPECT_EQ(Get("without").algorithm().preset(), "auto");
  EXPECT_EQ(Get("with").algorithm().preset(), "auto");
}

TEST_F(StudyServiceTest, ARepeatedCreateGetsTheFirstAnswerAlsoForAnIdThatTheServerChose) {
  const v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), "", "the-id");
  v1::Study first;
  v1::Study repeat;
  ASSERT_TRUE(Call(&StudyService::CreateStudy, request, &first).ok());
  Restart();
  ASSERT_TRUE(Call(&StudyService::CreateStudy, request, &repeat).ok());
  EXPECT_EQ(repeat.DebugString(), first.DebugString());
  ExpectViolation(Call(&StudyService::CreateStudy, CreateRequest(ExampleStudy(), "s", "the-id")),
                  "request_id");
}

TEST_F(StudyServiceTest, ASourceMustExistAndShareAParameter) {
  v1::Study study = CandidateStudy(3);
  study.add_source_tasks(RegisterExample(3));
  const absl::Status apart = Call(&StudyService::CreateStudy, CreateRequest(study, "s"));
  ExpectViolation(apart, "study.source_tasks[0]");
  EXPECT_THAT(std::string(apart.message()),
              HasSubstr("must be a source task that shares a parameter with the study: it has "));
  study.set_source_tasks(0, "sourceTasks/" + std::string(32, 'a'));
  EXPECT_TRUE(absl::IsNotFound(Call(&StudyService::CreateStudy, CreateRequest(study, "s"))));
}

TEST_F(StudyServiceTest, AMetricWithAParametersNameIsRefused) {
  v1::Study study = ExampleStudy();
  study.mutable_metrics(0)->set_name(study.space().parameters(0).name());
  ExpectViolation(Call(&StudyService::CreateStudy, CreateRequest(study, "s")),
                  "study.metrics[0].name");
}

TEST_F(StudyServiceTest, TellsAtOnceWhereRecipeAndSourcesDoNotGoTogether) {
  v1::Study study = ExampleStudy("");
  study.mutable_algorithm()->set_preset("scaml");
  const std::string lacks = "the recipe of scaml uses source tasks, and the study has none";
  v1::Study created;
  ASSERT_TRUE(Call(&StudyService::CreateStudy, CreateRequest(study, "lacks"), &created).ok());
  EXPECT_EQ(created.transfer().unused_because(), lacks);
  EXPECT_EQ(Get("lacks").transfer().unused_because(), lacks);
  study.add_source_tasks(RegisterExample(20));
  ASSERT_TRUE(Call(&StudyService::CreateStudy, CreateRequest(study, "uses"), &created).ok());
  EXPECT_FALSE(created.has_transfer());
  study.mutable_algorithm()->set_preset("gp_ei");
  ASSERT_TRUE(Call(&StudyService::CreateStudy, CreateRequest(study, "ignores"), &created).ok());
  const std::string ignores = "the recipe of gp_ei makes no use of source tasks";
  EXPECT_EQ(created.transfer().unused_because(), ignores);
  EXPECT_EQ(Get("ignores").transfer().unused_because(), ignores);
}

TEST_F(StudyServiceTest, TellsHowItsSourcesServeOnceTheyAreWeighed) {
  v1::Study study = ExampleStudy("");
  study.add_source_tasks(RegisterExample(20));
  CreatePrepared(study);
  EXPECT_FALSE(Get("s").has_transfer());
  AddResults({0.3, 0.1, 0.2, 0.4});
  const std::string trial = Suggest("w").name();
  EXPECT_EQ(Explain(trial).provenance().rung(), v1::Provenance::RECIPE);
  const v1::TransferSummary transfer = Get("s").transfer();
  EXPECT_EQ(transfer.state(), v1::TransferSummary::UNKNOWN);
  EXPECT_GT(transfer.share(), 0);
  EXPECT_LT(transfer.share(), 1);
  ASSERT_EQ(transfer.shares_size(), 1);
  EXPECT_EQ(transfer.shares(0).trial(), 5);
  EXPECT_EQ(transfer.shares(0).share(), transfer.share());
  // A list has the state and not what it was over time.
  v1::ListStudiesResponse listed;
  ASSERT_TRUE(Call(&StudyService::ListStudies, v1::ListStudiesRequest(), &listed).ok());
  EXPECT_EQ(listed.studies(0).transfer().state(), v1::TransferSummary::UNKNOWN);
  EXPECT_FALSE(listed.studies(1).has_transfer());
  EXPECT_TRUE(listed.studies(0).transfer().shares().empty());
  // Nor is it lost by a restart.
  Restart();
  EXPECT_EQ(Get("s").transfer().DebugString(), transfer.DebugString());
}

TEST_F(StudyServiceTest, ReadsTheTransferWhereTheMaskAsksForItAlone) {
  v1::Study study = ExampleStudy("");
  study.add_source_tasks(RegisterExample(20));
  CreatePrepared(study);
  AddResults({0.3, 0.1, 0.2, 0.4});
  Suggest("w");
  Restart();  // Nothing is being precomputed, which reads them too.
  std::atomic<int> reads = 0;
  before_read_ = [&](const std::string& verb) { reads += verb == "ListProvenances" ? 1 : 0; };
  const auto reads_for = [&](const std::vector<std::string>& paths) {
    reads = 0;
    const bool asked = paths.empty() || paths.back() == "transfer.state";
    v1::ListStudiesRequest list;
    list.set_page_size(1);
    v1::GetStudyRequest get;
    get.set_name("studies/s");
    for (const std::string& path : paths) {
      list.mutable_read_mask()->add_paths(path);
      get.mutable_read_mask()->add_paths(path);
    }
    v1::ListStudiesResponse listed;
    v1::Study got;
    EXPECT_TRUE(Call(&StudyService::ListStudies, list, &listed).ok());
    EXPECT_TRUE(Call(&StudyService::GetStudy, get, &got).ok());
    for (const v1::Study& each : {listed.studies(0), got}) {
      EXPECT_EQ(each.transfer().state() == v1::TransferSummary::UNKNOWN, asked);
    }
    return reads.load();
  };
  EXPECT_EQ(reads_for({}), 2);
  EXPECT_EQ(reads_for({"state", "transfer.state"}), 2);
  EXPECT_EQ(reads_for({"state", "source_tasks"}), 0);
}

TEST_F(StudyServiceTest, CreatingAStudyPreparesItsSourcesForItsFirstSuggestion) {
  v1::Study study = ExampleStudy("cmbo_wss_wss");
  for (int task = 0; task < 3; ++task) study.add_source_tasks(RegisterExample(20, task));
  CreatePrepared(study);
  AddResults({0, 1, 2, 3, 4, 5});
  const std::string first = Suggest("w").name();
  EXPECT_EQ(Explain(first).provenance().rung(), v1::Provenance::RECIPE);
}

TEST_F(StudyServiceTest, AnUpdateChangesOnlyWhatItsMaskNames) {
  v1::Study study = ExampleStudy();
  study.set_display_name("old");
  (*study.mutable_labels())["team"] = "vision";
  Create(study);
  v1::UpdateStudyRequest request;
  request.mutable_study()->set_name("studies/s");
  request.mutable_study()->set_display_name("new");
  request.mutable_update_mask()->add_paths("display_name");
  v1::Study updated;
  ASSERT_TRUE(Call(&StudyService::UpdateStudy, request, &updated).ok());
  EXPECT_EQ(updated.DebugString(), Get("s").DebugString());
  EXPECT_EQ(updated.display_name(), "new");
  EXPECT_EQ(updated.labels().at("team"), "vision");
  request.mutable_update_mask()->add_paths("seed");
  ExpectViolation(Call(&StudyService::UpdateStudy, request), "update_mask");
  request.clear_update_mask();
  ExpectViolation(Call(&StudyService::UpdateStudy, request), "update_mask");
}

TEST_F(StudyServiceTest, ADeletedStudyIsNotUsedForAnotherOneOfItsName) {
  Create(ExampleStudy());
  EXPECT_TRUE(Suggest("w").configuration().values().contains("lr"));
  Delete("s");
  Create(CandidateStudy(2));
  EXPECT_TRUE(Suggest("w").configuration().values().contains("x"));
}

TEST_F(StudyServiceTest, ADeletionReachesNoOtherStudyOfTheName) {
  Create(ExampleStudy());
  v1::DeleteStudyRequest request;
  request.set_name("studies/s");
  *request.mutable_study_create_time() = Get("s").create_time();
  request.mutable_study_create_time()->set_seconds(Get("s").create_time().seconds() - 1);
  EXPECT_TRUE(absl::IsNotFound(Call(&StudyService::DeleteStudy, request)));
  *request.mutable_study_create_time() = Get("s").create_time();
  EXPECT_TRUE(Call(&StudyService::DeleteStudy, request).ok());
  request.mutable_study_create_time()->set_nanos(-1);
  ExpectViolation(Call(&StudyService::DeleteStudy, request), "study_create_time");
}

// A page is full before an entry that does not fit, and may have one that is larger alone.
TEST_F(StudyServiceTest, LargeStudiesHavePagesOfTheirOwn) {
  v1::Study study = ExampleStudy();
  for (int i = 0; i < 3; ++i) {
    if (i < 2) {
      v1::Parameter* const parameter = study.mutable_space()->add_parameters();
      parameter->set_name("choice" + std::to_string(i));
      for (int k = 0; k < 1000; ++k) {
        parameter->mutable_categorical_domain()->add_values(std::to_string(k) +
                                                            std::string(200, 'x'));
      }
    }
    for (int copy = 0; copy < 10; ++copy) {
      Create(study, "s" + std::to_string(i) + "-" + std::to_string(copy));
    }
  }
  v1::ListStudiesRequest request;
  request.set_page_size(1000);
  std::vector<std::string> names;
  int pages = 0;
  do {
    v1::ListStudiesResponse page;
    ASSERT_TRUE(Call(&StudyService::ListStudies, request, &page).ok());
    EXPECT_LE(page.ByteSizeLong(), kFullPageBytes + 1000);
    for (const v1::Study& each : page.studies()) names.push_back(each.name());
    request.set_page_token(page.next_page_token());
    ++pages;
  } while (!request.page_token().empty());
  EXPECT_EQ(names.size(), 30u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 30u);
  EXPECT_GE(pages, 4);
}

TEST_F(StudyServiceTest, PagesListEveryStudyOnceAndLeaveOutCandidatesUnlessAskedFor) {
  for (const char* id : {"a", "b", "c"}) Create(CandidateStudy(4), id);
  v1::ListStudiesRequest request;
  request.set_page_size(2);
  std::vector<std::string> names;
  do {
    v1::ListStudiesResponse page;
    ASSERT_TRUE(Call(&StudyService::ListStudies, request, &page).ok());
    for (const v1::Study& study : page.studies()) {
      names.push_back(study.name());
      EXPECT_FALSE(study.space().has_candidates());
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(names, ElementsAre("studies/a", "studies/b", "studies/c"));
  request.mutable_read_mask()->add_paths("space.candidates");
  v1::ListStudiesResponse page;
  ASSERT_TRUE(Call(&StudyService::ListStudies, request, &page).ok());
  EXPECT_EQ(page.studies(0).space().candidates().configurations_size(), 4);
  EXPECT_TRUE(page.studies(0).name().empty());
}

TEST_F(StudyServiceTest, AStudyBelongsToItsProjectAndIsListedThere) {
  const auto create = [&](const std::string& parent, const std::string& id) {
    v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), id);
    request.set_parent(parent);
    v1::Study study;
    EXPECT_TRUE(Call(&StudyService::CreateStudy, request, &study).ok());
    return study.name();
  };
  const auto list = [&](const std::string& parent, int page_size) {
    v1::ListStudiesRequest request;
    request.set_parent(parent);
    request.set_page_size(page_size);
    std::vector<std::string> names;
    do {
      v1::ListStudiesResponse page;
      EXPECT_TRUE(Call(&StudyService::ListStudies, request, &page).ok());
      EXPECT_LE(page.studies_size(), page_size);
      for (const v1::Study& study : page.studies()) names.push_back(study.name());
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());
    return names;
  };
  EXPECT_EQ(create("", "s"), "studies/s");
  EXPECT_EQ(create("projects/vision", "s"), "projects/vision/studies/s");
  EXPECT_EQ(create("projects/vision", "t"), "projects/vision/studies/t");
  EXPECT_EQ(create("projects/vis", "s"), "projects/vis/studies/s");
  EXPECT_EQ(create("projects/default", "u"), "studies/u");
  for (const int page_size : {1, 2, 50}) {
    EXPECT_THAT(list("", page_size), ElementsAre("studies/s", "studies/u"));
    EXPECT_THAT(list("projects/vision", page_size),
                ElementsAre("projects/vision/studies/s", "projects/vision/studies/t"));
    EXPECT_EQ(list("projects/-", page_size).size(), 5u);
    EXPECT_TRUE(list("projects/none", page_size).empty());
  }
  v1::ListStudiesRequest request;
  request.set_parent("vision");
  ExpectViolation(Call(&StudyService::ListStudies, request), "parent");
  const v1::Trial trial = Suggest("w", "projects/vision/studies/s");
  EXPECT_EQ(trial.name(), "projects/vision/studies/s/trials/1");
  EXPECT_EQ(Observe(trial.name(), 1).state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(Suggest("w").name(), "studies/s/trials/1") << "another study of that id";
}

TEST_F(StudyServiceTest, PresetsAreListedWithTheirIngredientsOptionsAndOneDefault) {
  v1::ListPresetsResponse presets;
  ASSERT_TRUE(Call(&StudyService::ListPresets, v1::ListPresetsRequest(), &presets).ok());
  std::vector<std::string> defaults;
  for (const auto& preset : presets.presets()) {
    if (preset.is_default()) defaults.push_back(preset.name());
    if (preset.name() == "gp_ucb") {
      EXPECT_EQ(preset.recipe().acquisition(), "ucb");
    }
  }
  EXPECT_THAT(defaults, ElementsAre("auto"));
  EXPECT_GT(presets.options_size(), 0);
  EXPECT_LT(presets.options(0).min(), presets.options(0).max());
}

TEST_F(StudyServiceTest, CallsBeyondTheBoundAreRefusedNamingIt) {
  ServiceOptions options;
  options.max_waiting_reads = 0;
  service_.reset();
  service_.emplace(&observed_store_, options);
  const absl::Status refused = Call(&StudyService::ListStudies, v1::ListStudiesRequest());
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("0 reads"));
}

}  // namespace
}  // namespace slipstream
