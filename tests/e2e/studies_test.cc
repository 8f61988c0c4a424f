// Studies over a real socket: create, read, list, change, delete.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;

class Studies : public ::testing::Test {
 protected:
  grpc::Status Create(const v1::Study& study, const std::string& id, v1::Study* answer = nullptr) {
    return Call(server_.stub(), &Stub::CreateStudy, CreateRequest(study, id), answer);
  }
  grpc::Status Get(const std::string& name, v1::Study* answer = nullptr,
                   const std::string& path = "") {
    v1::GetStudyRequest request;
    request.set_name(name);
    if (!path.empty()) request.mutable_read_mask()->add_paths(path);
    return Call(server_.stub(), &Stub::GetStudy, request, answer);
  }
  void ExpectRefused(const grpc::Status& status, const std::string& field, const std::string& value,
                     const std::string& bound) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    EXPECT_EQ(ViolationIn(status).field(), field);
    EXPECT_THAT(ViolationIn(status).value(), HasSubstr(value));
    EXPECT_THAT(ViolationIn(status).bound(), HasSubstr(bound));
    EXPECT_THAT(status.error_message(), HasSubstr(field));
  }

  TemporaryFolder data_;
  ServerProcess server_{data_.path()};
};

TEST_F(Studies, ACreatedStudyReadsBackWhole) {
  v1::Study study = ExampleStudy();
  study.set_display_name("An example");
  (*study.mutable_labels())["team"] = "vision";
  v1::Study created;
  ASSERT_TRUE(Create(study, "example", &created).ok());
  v1::Study read;
  ASSERT_TRUE(Get("studies/example", &read).ok());
  EXPECT_EQ(read.DebugString(), created.DebugString());
  EXPECT_EQ(read.name(), "studies/example");
  EXPECT_EQ(read.display_name(), "An example");
  EXPECT_EQ(read.labels().at("team"), "vision");
  EXPECT_EQ(read.space().DebugString(), study.space().DebugString());
  EXPECT_EQ(read.state(), v1::Study::ACTIVE);
  EXPECT_EQ(read.seed(), 7u);
  EXPECT_EQ(read.trial_count(), 0);
  EXPECT_GT(read.create_time().seconds(), 1700000000);
}

TEST_F(Studies, FieldsThatTheCreatorLeavesUnsetAreFilledIn) {
  v1::Study study = ExampleStudy("");
  study.clear_seed();
  v1::Study first;
  v1::Study second;
  ASSERT_TRUE(Create(study, "", &first).ok());
  ASSERT_TRUE(Create(study, "", &second).ok());
  EXPECT_THAT(first.name(), ::testing::StartsWith("studies/study-"));
  EXPECT_NE(first.name(), second.name());
  EXPECT_TRUE(first.has_seed());
  EXPECT_NE(first.seed(), second.seed());
  EXPECT_EQ(first.algorithm().preset(), "auto");
}

TEST_F(Studies, ATakenIdIsRefused) {
  ASSERT_TRUE(Create(ExampleStudy(), "example").ok());
  const grpc::Status status = Create(ExampleStudy(), "example");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_THAT(status.error_message(), HasSubstr("example"));
}

TEST_F(Studies, BadStudiesAreRefusedNamingFieldValueAndBound) {
  v1::Study study = ExampleStudy();
  ExpectRefused(Create(study, "Upper"), "study_id", "Upper", "a-z");
  study.mutable_space()->mutable_parameters(0)->mutable_double_domain()->set_min(-1);
  ExpectRefused(Create(study, "s"), "study.space.parameters[0].double_domain.min", "-1", "above 0");
  study = ExampleStudy();
  study.mutable_space()->mutable_parameters(1)->set_name("lr");
  ExpectRefused(Create(study, "s"), "study.space.parameters[1].name", "lr", "");
  study = ExampleStudy();
  study.clear_metrics();
  ExpectRefused(Create(study, "s"), "study.metrics", "0 metrics", "exactly one");
  study = ExampleStudy();
  *study.add_metrics() = study.metrics(0);
  ExpectRefused(Create(study, "s"), "study.metrics", "2 metrics", "exactly one");
  study = ExampleStudy();
  study.mutable_metrics(0)->clear_goal();
  ExpectRefused(Create(study, "s"), "study.metrics[0].goal", "0", "MAXIMIZE");
  study = ExampleStudy("no_such_method");
  ExpectRefused(Create(study, "s"), "study.algorithm.preset", "no_such_method", "gp_log_ei");
  study = ExampleStudy();
  study.set_display_name(std::string(257, 'x'));
  ExpectRefused(Create(study, "s"), "study.display_name", "257 bytes", "256");
  study = ExampleStudy();
  study.add_source_tasks("nonsense");
  ExpectRefused(Create(study, "s"), "study.source_tasks[0]", "nonsense", "sourceTasks/");
  study = ExampleStudy();
  study.mutable_space()->mutable_parameters(0)->mutable_double_domain()->set_max(
      std::numeric_limits<double>::infinity());
  ExpectRefused(Create(study, "s"), "study.space.parameters[0].double_domain.max", "inf", "finite");
}

TEST_F(Studies, ASourceTaskThatDoesNotExistIsNotFound) {
  v1::Study study = ExampleStudy();
  study.add_source_tasks("sourceTasks/" + std::string(32, 'a'));
  EXPECT_EQ(Create(study, "s").error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(Studies, AStudyThatDoesNotExistIsNotFoundByEveryCall) {
  Stub& stub = server_.stub();
  const std::string name = "studies/nowhere";
  const std::string trial = name + "/trials/1";
  EXPECT_EQ(Get(name).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(Get(name).error_message(), HasSubstr("nowhere"));
  v1::UpdateStudyRequest update;
  update.mutable_study()->set_name(name);
  update.mutable_update_mask()->add_paths("display_name");
  v1::DeleteStudyRequest remove;
  remove.set_name(name);
  v1::AddTrialsRequest add;
  add.set_study(name);
  *add.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  v1::GetTrialRequest get;
  get.set_name(trial);
  v1::ListTrialsRequest list;
  list.set_study(name);
  v1::BestTrialsRequest best;
  best.set_study(name);
  v1::ExplainRequest explain;
  explain.set_trial(trial);
  const auto not_found = grpc::StatusCode::NOT_FOUND;
  EXPECT_EQ(Call(stub, &Stub::UpdateStudy, update).error_code(), not_found);
  EXPECT_EQ(Call(stub, &Stub::DeleteStudy, remove).error_code(), not_found);
  EXPECT_EQ(Call(stub, &Stub::Suggest, AskRequest(name, "w")).error_code(), not_found);
  EXPECT_EQ(Call(stub, &Stub::Observe, TellRequest(trial, LossOutcome(1))).error_code(), not_found);
  EXPECT_EQ(Call(stub, &Stub::AddTrials, add).error_code(), not_found);
  EXPECT_EQ(Call(stub, &Stub::GetTrial, get).error_code(), not_found);
  EXPECT_EQ(Call(stub, &Stub::ListTrials, list).error_code(), not_found);
  EXPECT_EQ(Call(stub, &Stub::BestTrials, best).error_code(), not_found);
  EXPECT_EQ(Call(stub, &Stub::Explain, explain).error_code(), not_found);
}

TEST_F(Studies, PagesListEveryStudyOnceOldestFirst) {
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(Create(ExampleStudy(), "s" + std::to_string(i)).ok());
  v1::ListStudiesRequest request;
  request.set_page_size(3);
  std::vector<std::string> names;
  do {
    v1::ListStudiesResponse page;
    ASSERT_TRUE(Call(server_.stub(), &Stub::ListStudies, request, &page).ok());
    EXPECT_LE(page.studies_size(), 3);
    for (const v1::Study& study : page.studies()) names.push_back(study.name());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(names, ::testing::ElementsAre("studies/s0", "studies/s1", "studies/s2", "studies/s3",
                                            "studies/s4", "studies/s5", "studies/s6"));
}

TEST_F(Studies, APageTokenOfAnotherListingIsRefused) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Create(ExampleStudy(), "s" + std::to_string(i)).ok());
  v1::ListStudiesRequest request;
  request.set_page_size(1);
  v1::ListStudiesResponse page;
  ASSERT_TRUE(Call(server_.stub(), &Stub::ListStudies, request, &page).ok());
  request.set_page_token(page.next_page_token());
  request.mutable_read_mask()->add_paths("name");
  ExpectRefused(Call(server_.stub(), &Stub::ListStudies, request, &page), "page_token", "",
                "next_page_token");
  request.clear_read_mask();
  request.set_page_size(1001);
  ExpectRefused(Call(server_.stub(), &Stub::ListStudies, request, &page), "page_size", "1001",
                "1 to 1000");
}

TEST_F(Studies, AReadMaskTrimsTheAnswer) {
  ASSERT_TRUE(Create(CandidateStudy(20), "list").ok());
  v1::Study study;
  ASSERT_TRUE(Get("studies/list", &study, "display_name").ok());
  EXPECT_FALSE(study.has_space());
  EXPECT_TRUE(study.name().empty());
  ASSERT_TRUE(Get("studies/list", &study, "space.candidates").ok());
  EXPECT_EQ(study.space().candidates().configurations_size(), 20);
  EXPECT_EQ(study.space().parameters_size(), 0);
  ExpectRefused(Get("studies/list", &study, "no_field"), "read_mask", "no_field", "Study");
}

TEST_F(Studies, ListingLeavesOutCandidatesUnlessTheMaskNamesThem) {
  ASSERT_TRUE(Create(CandidateStudy(20), "list").ok());
  v1::ListStudiesRequest request;
  v1::ListStudiesResponse page;
  ASSERT_TRUE(Call(server_.stub(), &Stub::ListStudies, request, &page).ok());
  ASSERT_EQ(page.studies_size(), 1);
  EXPECT_FALSE(page.studies(0).space().has_candidates());
  request.mutable_read_mask()->add_paths("space");
  ASSERT_TRUE(Call(server_.stub(), &Stub::ListStudies, request, &page).ok());
  EXPECT_EQ(page.studies(0).space().candidates().configurations_size(), 20);
}

TEST_F(Studies, AnUpdateChangesOnlyWhatItsMaskNames) {
  v1::Study study = ExampleStudy();
  study.set_display_name("old");
  (*study.mutable_labels())["a"] = "b";
  ASSERT_TRUE(Create(study, "s").ok());
  v1::UpdateStudyRequest request;
  request.mutable_study()->set_name("studies/s");
  request.mutable_study()->set_display_name("new");
  request.mutable_update_mask()->add_paths("display_name");
  v1::Study updated;
  ASSERT_TRUE(Call(server_.stub(), &Stub::UpdateStudy, request, &updated).ok());
  EXPECT_EQ(updated.display_name(), "new");
  EXPECT_EQ(updated.labels().at("a"), "b");
  request.clear_update_mask();
  ExpectRefused(Call(server_.stub(), &Stub::UpdateStudy, request, &updated), "update_mask", "empty",
                "at least one");
  request.mutable_update_mask()->add_paths("space");
  ExpectRefused(Call(server_.stub(), &Stub::UpdateStudy, request, &updated), "update_mask", "space",
                "display_name, labels, state or lease_policy");
}

TEST_F(Studies, APausedStudyMakesNoSuggestionsButAWorkerFindsItsTrials) {
  Stub& stub = server_.stub();
  ASSERT_TRUE(Create(ExampleStudy(), "s").ok());
  v1::SuggestResponse before;
  ASSERT_TRUE(Call(stub, &Stub::Suggest, AskRequest("studies/s", "w"), &before).ok());
  v1::UpdateStudyRequest pause;
  pause.mutable_study()->set_name("studies/s");
  pause.mutable_study()->set_state(v1::Study::PAUSED);
  pause.mutable_update_mask()->add_paths("state");
  ASSERT_TRUE(Call(stub, &Stub::UpdateStudy, pause).ok());
  const grpc::Status other = Call(stub, &Stub::Suggest, AskRequest("studies/s", "other"));
  EXPECT_EQ(other.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(other.error_message(), HasSubstr("PAUSED"));
  v1::SuggestResponse again;
  ASSERT_TRUE(Call(stub, &Stub::Suggest, AskRequest("studies/s", "w"), &again).ok());
  ASSERT_EQ(again.trials_size(), 1);
  EXPECT_EQ(again.trials(0).name(), before.trials(0).name());
  EXPECT_TRUE(
      Call(stub, &Stub::Observe, TellRequest(before.trials(0).name(), LossOutcome(1))).ok());
}

TEST_F(Studies, ACompletedStudyStaysCompleted) {
  ASSERT_TRUE(Create(ExampleStudy(), "s").ok());
  v1::UpdateStudyRequest request;
  request.mutable_study()->set_name("studies/s");
  request.mutable_study()->set_state(v1::Study::COMPLETED);
  request.mutable_update_mask()->add_paths("state");
  ASSERT_TRUE(Call(server_.stub(), &Stub::UpdateStudy, request).ok());
  request.mutable_study()->set_state(v1::Study::ACTIVE);
  EXPECT_EQ(Call(server_.stub(), &Stub::UpdateStudy, request).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(Studies, ADeletedStudyIsGoneAndItsIdIsFreeForAnotherSpace) {
  Stub& stub = server_.stub();
  ASSERT_TRUE(Create(ExampleStudy(), "s").ok());
  ASSERT_TRUE(Call(stub, &Stub::Suggest, AskRequest("studies/s", "w")).ok());
  v1::DeleteStudyRequest request;
  request.set_name("studies/s");
  ASSERT_TRUE(Call(stub, &Stub::DeleteStudy, request).ok());
  EXPECT_EQ(Get("studies/s").error_code(), grpc::StatusCode::NOT_FOUND);
  ASSERT_TRUE(Create(CandidateStudy(2), "s").ok());
  v1::SuggestResponse fresh;
  ASSERT_TRUE(Call(stub, &Stub::Suggest, AskRequest("studies/s", "w"), &fresh).ok());
  ASSERT_EQ(fresh.trials_size(), 1);
  EXPECT_EQ(fresh.trials(0).name(), "studies/s/trials/1");
  EXPECT_TRUE(fresh.trials(0).configuration().values().contains("x"));
}

TEST_F(Studies, PresetsAreListedWithOneDefault) {
  v1::ListPresetsResponse presets;
  ASSERT_TRUE(Call(server_.stub(), &Stub::ListPresets, v1::ListPresetsRequest(), &presets).ok());
  std::set<std::string> names;
  int defaults = 0;
  for (const auto& preset : presets.presets()) {
    names.insert(preset.name());
    defaults += preset.is_default() ? 1 : 0;
    EXPECT_FALSE(preset.summary().empty()) << preset.name();
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"random", "quasi_random", "source_portfolio"}));
  EXPECT_EQ(defaults, 1);
}

}  // namespace
}  // namespace slipstream
