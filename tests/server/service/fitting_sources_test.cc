#include "server/service/fitting_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/convert/source_conversion.h"
#include "server/service/call_limits.h"
#include "tests/server/service/service_fixture.h"
#include "tests/server/store/store_calls.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FittingSourcesTest : public ServiceFixture {
 protected:
  // Registers as many observations, different for each task, of ExampleStudy's space and metric.
  std::string Registered(int task, int count, const std::string& origin = "",
                         const std::string& parent = "") {
    v1::RegisterSourceTaskRequest::Header header;
    header.mutable_source_task()->set_origin(origin);
    header.set_parent(parent);
    return NameOf(ExampleObservations(count, task), std::move(header));
  }

  std::string NameOf(const std::vector<v1::Observation>& observations,
                     v1::RegisterSourceTaskRequest::Header header = {}) {
    v1::RegisterSourceTaskResponse response;
    const absl::Status status = Register(observations, &response, std::move(header));
    EXPECT_TRUE(status.ok()) << status;
    return response.source_task().name();
  }

  static std::string IdOf(const std::string& name) { return name.substr(name.rfind('/') + 1); }

  // The names that a study gets which asks for `wanted`.
  std::vector<std::string> SourcesOf(const std::string& wanted, v1::Study study = ExampleStudy()) {
    study.add_source_tasks(wanted);
    v1::Study created;
    const std::string id = "s" + std::to_string(++studies_);
    const absl::Status status =
        Call(&StudyService::CreateStudy, CreateRequest(study, id), &created);
    EXPECT_TRUE(status.ok()) << status;
    return {created.source_tasks().begin(), created.source_tasks().end()};
  }

  int studies_ = 0;
};

TEST_F(FittingSourcesTest, AStudyMayAskForAllOfAProject) {
  EXPECT_THAT(SourcesOf("sourceTasks/-"), IsEmpty());
  const std::string first = Registered(0, 4);
  const std::string second = Registered(1, 3);
  const std::string of_vision = Registered(2, 3, "", "projects/vision");
  EXPECT_THAT(SourcesOf("sourceTasks/-"), ElementsAre(first, second));
  EXPECT_THAT(SourcesOf("projects/default/sourceTasks/-"), ElementsAre(first, second));
  EXPECT_THAT(SourcesOf("projects/vision/sourceTasks/-"), ElementsAre(of_vision));
  EXPECT_THAT(SourcesOf("projects/nobody/sourceTasks/-"), IsEmpty());
}

TEST_F(FittingSourcesTest, WhatMeasuresSomethingElseOrSharesNothingIsLeftOut) {
  Registered(0, 4);
  v1::Study other_metric = ExampleStudy();
  other_metric.mutable_metrics(0)->set_name("accuracy");
  EXPECT_THAT(SourcesOf("sourceTasks/-", other_metric), IsEmpty());
  v1::Study other_space = ExampleStudy();
  other_space.mutable_space()->clear_parameters();
  v1::Parameter* depth = other_space.mutable_space()->add_parameters();
  depth->set_name("depth");
  depth->mutable_integer_domain()->set_min(1);
  depth->mutable_integer_domain()->set_max(9);
  EXPECT_THAT(SourcesOf("sourceTasks/-", other_space), IsEmpty());
  v1::Study opposite = ExampleStudy();
  opposite.mutable_metrics(0)->set_goal(v1::Metric::MAXIMIZE);
  EXPECT_THAT(SourcesOf("sourceTasks/-", opposite), IsEmpty());
}

TEST_F(FittingSourcesTest, WhatHasNoResultIsLeftOut) {
  std::vector<v1::Observation> failed = ExampleObservations(2);
  for (v1::Observation& one : failed) one.mutable_outcome()->mutable_failure()->set_reason("oom");
  NameOf(failed);
  EXPECT_THAT(SourcesOf("sourceTasks/-"), IsEmpty());
}

TEST_F(FittingSourcesTest, OfTheStatesOfAStudyTheLatestCounts) {
  Registered(0, 6, "studies/last-year");
  const std::string other = Registered(1, 2, "studies/other");
  Registered(0, 3, "studies/last-year");
  const std::string later = Registered(2, 4, "projects/default/studies/last-year");
  const std::string from_elsewhere = Registered(3, 1, "https://example.org/studies/last-year");
  const std::string again = Registered(4, 1, "https://example.org/studies/last-year");
  EXPECT_THAT(SourcesOf("sourceTasks/-"), ElementsAre(other, later, from_elsewhere, again));
}

TEST_F(FittingSourcesTest, ADeletedStudyIsNoEarlierStateOfOneWithItsName) {
  Registered(0, 3, "studies/digits");
  const std::string of_deleted = Registered(0, 6, "studies/digits");
  const int64_t registered = absl::ToUnixMillis(absl::Now());
  while (absl::ToUnixMillis(absl::Now()) <= registered) {
  }
  Create(ExampleStudy(), "digits");
  EXPECT_THAT(SourcesOf("sourceTasks/-"), ElementsAre(of_deleted));
  Registered(2, 2, "studies/digits");
  const std::string later = Registered(2, 4, "studies/digits");
  EXPECT_THAT(SourcesOf("sourceTasks/-"), ElementsAre(of_deleted, later));
}

TEST_F(FittingSourcesTest, AStateIsTheLatestAlsoIfTheClockWasSetBackBefore) {
  FakeClock clock;
  const auto store = MakeMemoryStore({.now_ms = clock.Function()});
  ASSERT_TRUE(CreateStudy(*store, StudyNamed("digits")).ok());
  std::string id;
  for (const int count : {3, 6}) {
    id = IdOf(Registered(0, count, "studies/digits"));
    const SourceTaskRecord record = *store_->GetSourceTask(id);
    ASSERT_TRUE(RegisterSourceTask(*store, {id, record.definition, *store_->GetSourceChunks(id),
                                            record.observation_count, record.measured_count})
                    .ok());
    clock.Advance(-absl::Hours(24));
  }
  const StudyDefinition definition = *StudyDefinitionFromProto(ExampleStudy());
  const auto ids = FittingSources(*store, "default", definition, 1000, kMaxSourceBytes);
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_THAT(*ids, ElementsAre(id));
}

// Else a caller would learn when a study was created that it may not see.
TEST_F(FittingSourcesTest, OtherProjectsAreNotAskedForTheirStudies) {
  Registered(0, 3, "studies/digits", "projects/vision");
  const int64_t registered = absl::ToUnixMillis(absl::Now());
  while (absl::ToUnixMillis(absl::Now()) <= registered) {
  }
  Create(ExampleStudy(), "digits");
  const std::string later = Registered(0, 6, "studies/digits", "projects/vision");
  EXPECT_THAT(SourcesOf("projects/vision/sourceTasks/-"), ElementsAre(later));
}

TEST_F(FittingSourcesTest, OfTooManyTheLatestCount) {
  std::vector<std::string> names;
  for (int task = 0; task < 5; ++task) names.push_back(Registered(task, 1));
  v1::Study study = ExampleStudy();
  const StudyDefinition definition = *StudyDefinitionFromProto(study);
  const auto ids = FittingSources(*store_, "default", definition, 2, kMaxSourceBytes);
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_THAT(*ids, ElementsAre(names[3].substr(12), names[4].substr(12)));
}

TEST_F(FittingSourcesTest, OfThoseThatAreTooLargeTogetherTheLatestCount) {
  std::vector<std::string> names;
  for (int task = 0; task < 4; ++task) names.push_back(Registered(task, 1));
  const StudyDefinition definition = *StudyDefinitionFromProto(ExampleStudy());
  const auto record = store_->GetSourceTask(names[0].substr(12));
  ASSERT_TRUE(record.ok()) << record.status();
  const int64_t bytes = ObservationBytes(*record, *StoredSourceTaskHeader(*record));
  const auto ids = FittingSources(*store_, "default", definition, 1000, 3 * bytes - 1);
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_THAT(*ids, ElementsAre(names[2].substr(12), names[3].substr(12)));
}

TEST_F(FittingSourcesTest, AllPagesAreLookedAt) {
  constexpr int kMoreThanAPage = 205;
  for (int i = 0; i < kMoreThanAPage; ++i) Registered(i % 7, 1 + i / 7);
  EXPECT_EQ(SourcesOf("sourceTasks/-").size(), static_cast<size_t>(kMoreThanAPage));
}

TEST_F(FittingSourcesTest, ARepeatedCreationGetsWhatTheFirstGot) {
  Registered(0, 4);
  v1::Study study = ExampleStudy();
  study.add_source_tasks("sourceTasks/-");
  v1::CreateStudyRequest request = CreateRequest(study, "s");
  request.set_request_id("once");
  v1::Study first;
  ASSERT_TRUE(Call(&StudyService::CreateStudy, request, &first).ok());
  Registered(1, 4);
  v1::Study repeated;
  ASSERT_TRUE(Call(&StudyService::CreateStudy, request, &repeated).ok());
  EXPECT_EQ(repeated.source_tasks_size(), 1);
  EXPECT_EQ(repeated.SerializeAsString(), first.SerializeAsString());
}

TEST_F(FittingSourcesTest, AllStandsAlone) {
  v1::Study study = ExampleStudy();
  study.add_source_tasks("sourceTasks/-");
  study.add_source_tasks(Registered(0, 4));
  ExpectViolation(Call(&StudyService::CreateStudy, CreateRequest(study, "s")),
                  "study.source_tasks[0]");
}

}  // namespace
}  // namespace slipstream
