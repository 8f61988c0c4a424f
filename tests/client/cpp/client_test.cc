#include "slipstream/messages/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stop_token>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream {
namespace {

using testing::HasSubstr;

class ClientTest : public testing::Test {
 protected:
  ClientTest() {
    ClientOptions options;
    options.address = server_.address();
    options.clock = std::make_shared<FakeClientClock>();
    client_ = *Client::Connect(options);
  }

  FakeService& service() { return server_.service(); }

  // A study with `count` trials.
  void FillStudy(int count) {
    service().AddStudy(SmallStudy());
    for (int i = 0; i < count; ++i) service().AddTrial("studies/s1", {});
  }

  FakeServer server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, CreatesReadsChangesAndDeletesAStudy) {
  ASSERT_TRUE(client_->CreateStudy(SmallStudy(), "digits").ok());
  EXPECT_EQ(client_->GetStudy("studies/digits")->metrics(0).name(), "accuracy");
  EXPECT_EQ(client_->SetStudyState("studies/digits", v1::Study::PAUSED)->state(),
            v1::Study::PAUSED);
  EXPECT_TRUE(client_->DeleteStudy("studies/digits").ok());
  EXPECT_EQ(client_->GetStudy("studies/digits").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ClientTest, CreatesAStudyInAFewWords) {
  const auto study = client_->CreateStudy(client::NewStudy{
      .id = "digits", .space = {{"lr", client::Log(1e-5, 1)}}, .maximize = "accuracy"});
  ASSERT_TRUE(study.ok()) << study.status();
  EXPECT_EQ(study->name(), "studies/digits");
  EXPECT_EQ(client_->GetStudy("studies/digits")->space().parameters(0).name(), "lr");
}

TEST_F(ClientTest, AWatchGoesOnWhereTheConnectionBroke) {
  FillStudy(5);
  std::vector<double> values;
  std::string token;
  const auto visit = [&](const v1::StudyEvent& event) {
    values.push_back(event.value());
    return true;
  };
  ASSERT_TRUE(client_->WatchStudy("studies/s1", visit, &token).ok());
  EXPECT_THAT(values, testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(token, "5");
  EXPECT_EQ(service().calls().size(), 3u);
  service().FailAlways({grpc::StatusCode::NOT_FOUND, "gone"});
  EXPECT_TRUE(absl::IsNotFound(client_->WatchStudy("studies/s1", visit)));
}

TEST_F(ClientTest, AWatchEndsWhenItsVisitorHasEnough) {
  FillStudy(5);
  int seen = 0;
  ASSERT_TRUE(
      client_->WatchStudy("studies/s1", [&seen](const v1::StudyEvent&) { return ++seen < 3; })
          .ok());
  EXPECT_EQ(seen, 3);
}

TEST_F(ClientTest, AWatchTellsOnceThatItHasBegun) {
  FillStudy(5);
  int seen = 0;
  int begun = 0;
  const auto visit = [&seen](const v1::StudyEvent&) { return ++seen > 0; };
  const auto count = [&] {
    EXPECT_EQ(seen, 2) << "the first message tells two";
    return ++begun > 0;
  };
  ASSERT_TRUE(client_->WatchStudy("studies/s1", visit, nullptr, {}, count).ok());
  EXPECT_EQ(seen, 5);
  EXPECT_EQ(begun, 1);
  seen = 0;
  const auto refuse = [] { return false; };
  ASSERT_TRUE(client_->WatchStudy("studies/s1", visit, nullptr, {}, refuse).ok());
  EXPECT_EQ(seen, 2);
}

TEST_F(ClientTest, AWatchEndsWhenItIsToldToStop) {
  std::stop_source stop;
  service().FailNext(1, {.hold = true});
  std::thread stopper([&] {
    while (service().calls().empty()) std::this_thread::yield();
    stop.request_stop();
  });
  const auto visit = [](const v1::StudyEvent&) { return true; };
  const absl::Status status =
      client_->WatchStudy("studies/s1", visit, /*resume_token=*/nullptr, stop.get_token());
  stopper.join();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(service().calls().size(), 1u);
}

TEST_F(ClientTest, AWatchGoesOnBehindTheLastEventThatWasVisited) {
  FillStudy(5);
  std::string token;
  const auto visit_until = [&](double last) {
    return client_->WatchStudy(
        "studies/s1", [last](const v1::StudyEvent& event) { return event.value() < last; },
        &token);
  };
  ASSERT_TRUE(visit_until(2).ok());
  EXPECT_EQ(token, "3") << "the second message also tells of event 3";
  ASSERT_TRUE(visit_until(3).ok());
  EXPECT_EQ(token, "4");
}

TEST_F(ClientTest, SuggestsAndTakesEveryKindOfOutcome) {
  ASSERT_TRUE(client_->CreateStudy(SmallStudy(), "digits").ok());
  const auto trials = client_->Suggest("studies/digits", "gpu-3", 4);
  ASSERT_TRUE(trials.ok()) << trials.status();
  ASSERT_EQ(trials->size(), 4u);
  EXPECT_EQ((*trials)[0].worker(), "gpu-3");
  EXPECT_EQ(client_->Observe((*trials)[0].name(), "accuracy", 0.9)->state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(client_->ReportFailure((*trials)[1].name(), "out of memory")->state(),
            v1::Trial::FAILED);
  EXPECT_EQ(client_->ReportInfeasible((*trials)[2].name(), "diverged")->state(),
            v1::Trial::INFEASIBLE);
  EXPECT_EQ(client_->ReportStopped((*trials)[3].name(), "hopeless")->reason(), "hopeless");
  const auto best = client_->BestTrials("studies/digits", 3);
  ASSERT_TRUE(best.ok());
  ASSERT_EQ(best->size(), 1u);
  EXPECT_EQ((*best)[0].measurement().metrics().at("accuracy"), 0.9);
}

TEST_F(ClientTest, AddsReadsAndExplainsTrials) {
  ASSERT_TRUE(client_->CreateStudy(SmallStudy(), "digits").ok());
  v1::Observation observation;
  SetDouble(observation.mutable_configuration(), "lr", 0.125);
  const auto added = client_->AddTrials("studies/digits", {observation, observation});
  ASSERT_TRUE(added.ok());
  ASSERT_EQ(added->size(), 2u);
  EXPECT_EQ(GetDouble(*client_->GetTrial((*added)[1].name()), "lr").value(), 0.125);
  EXPECT_EQ(client_->Explain((*added)[0].name())->provenance().preset(), "quasi_random");
}

TEST_F(ClientTest, ListsPresets) {
  const auto presets = client_->ListPresets();
  ASSERT_TRUE(presets.ok());
  ASSERT_EQ(presets->presets_size(), 2);
  EXPECT_TRUE(presets->presets(0).is_default());
  EXPECT_EQ(presets->presets(1).recipe().options().at("weight_rate"), 2);
  ASSERT_EQ(presets->options_size(), 3);
  EXPECT_EQ(presets->options(0).name(), "weight_rate");
  ASSERT_EQ(presets->ingredients_size(), 4);
  EXPECT_EQ(presets->ingredients(0).source(), "ScaML-GP");
}

TEST_F(ClientTest, GivesEveryChangeARequestIdOfItsOwn) {
  ASSERT_TRUE(client_->CreateStudy(SmallStudy(), "digits").ok());
  ASSERT_TRUE(client_->Suggest("studies/digits", "w").ok());
  ASSERT_TRUE(client_->Observe("studies/digits/trials/1", "accuracy", 1).ok());
  ASSERT_TRUE(client_->AddTrials("studies/digits", {v1::Observation()}).ok());
  ASSERT_TRUE(client_->SetStudyState("studies/digits", v1::Study::PAUSED).ok());
  ASSERT_TRUE(client_->DeleteStudy("studies/digits").ok());
  const auto registered = client_->RegisterSourceTask({}, std::vector<v1::Observation>());
  ASSERT_TRUE(registered.ok());
  ASSERT_TRUE(client_->DeleteSourceTask(registered->source_task().name()).ok());
  std::vector<std::string> ids;
  for (const SeenCall& call : service().calls()) ids.push_back(call.request_id);
  EXPECT_EQ(ids.size(), 8u);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(ids.front().size(), 36u);
}

TEST_F(ClientTest, ListsTheTrialsOfAllPagesInOrder) {
  FillStudy(1203);
  std::vector<std::string> names;
  ASSERT_TRUE(client_
                  ->ListAllTrials("studies/s1",
                                  [&](const v1::Trial& trial) {
                                    names.push_back(trial.name());
                                    return true;
                                  })
                  .ok());
  ASSERT_EQ(names.size(), 1203u);
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(names[i], absl::StrCat("studies/s1/trials/", i + 1));
  }
  EXPECT_GT(service().calls().size(), 1u);
}

TEST_F(ClientTest, StopsListingWhenTheVisitorSaysSo) {
  FillStudy(100);
  v1::ListTrialsRequest request;
  request.set_study("studies/s1");
  request.set_page_size(10);
  int seen = 0;
  ASSERT_TRUE(client_->ListAllTrials(request, [&](const v1::Trial&) { return ++seen < 15; }).ok());
  EXPECT_EQ(seen, 15);
  EXPECT_EQ(service().calls().size(), 2u);
}

TEST_F(ClientTest, ListsNoTrialsOfAnEmptyStudy) {
  FillStudy(0);
  int seen = 0;
  EXPECT_TRUE(client_->ListAllTrials("studies/s1", [&](const v1::Trial&) { return ++seen; }).ok());
  EXPECT_EQ(seen, 0);
}

TEST_F(ClientTest, ReturnsTheErrorOfALaterPage) {
  FillStudy(20);
  v1::ListTrialsRequest request;
  request.set_study("studies/s1");
  request.set_page_size(10);
  int seen = 0;
  const absl::Status status = client_->ListAllTrials(request, [&](const v1::Trial&) {
    if (++seen == 10) service().FailAlways({grpc::StatusCode::DATA_LOSS, "damaged"});
    return true;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(seen, 10);
}

TEST_F(ClientTest, RefusesAPageThatNamesItselfAsTheNext) {
  FillStudy(30);
  service().RepeatPagesForever();
  const absl::Status status =
      client_->ListAllTrials("studies/s1", [](const v1::Trial&) { return true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
}

TEST_F(ClientTest, ListsAllStudiesAndSourceTasks) {
  for (int i = 0; i < 205; ++i) {
    service().AddStudy(SmallStudy());
    v1::SourceTask task;
    task.set_name(absl::StrCat("sourceTasks/", i));
    service().AddSource(task);
  }
  std::set<std::string> studies;
  std::set<std::string> tasks;
  ASSERT_TRUE(client_
                  ->ListAllStudies(
                      [&](const v1::Study& study) { return studies.insert(study.name()).second; })
                  .ok());
  ASSERT_TRUE(client_
                  ->ListAllSourceTasks(
                      [&](const v1::SourceTask& task) { return tasks.insert(task.name()).second; })
                  .ok());
  EXPECT_EQ(studies.size(), 205u);
  EXPECT_EQ(tasks.size(), 205u);
}

TEST_F(ClientTest, ExposesTheViolationsOfABadRequest) {
  v1::FieldViolation violation;
  violation.set_field("study_id");
  violation.set_description("study_id is 9, must be a letter first");
  service().FailNext(
      1, {.status = BadRequestStatus("study_id is 9, must be a letter first", violation)});
  const absl::Status status = client_->CreateStudy(SmallStudy(), "9").status();
  ASSERT_EQ(ViolationsOf(status).size(), 1u);
  EXPECT_EQ(ViolationsOf(status)[0].field, "study_id");
  EXPECT_EQ(std::string(status.message()),
            absl::StrCat("cannot create study 9 on ", server_.address(),
                         ": study_id is 9, must be a letter first"));
}

TEST_F(ClientTest, ServesManyThreadsThroughFailures) {
  constexpr int kThreads = 8;
  constexpr int kEach = 20;
  service().AddStudy(SmallStudy());
  service().FailNext(30, {.status = {grpc::StatusCode::UNAVAILABLE, "lost"}, .lost_answer = true});
  std::vector<std::thread> threads;
  std::vector<int> done(kThreads, 0);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t, &done] {
      for (int i = 0; i < kEach; ++i) {
        done[t] += client_->Suggest("studies/s1", absl::StrCat("w", t)).ok();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(done, testing::Each(kEach));
  EXPECT_EQ(service().trials("studies/s1").size(), size_t{kThreads * kEach});
}

}  // namespace
}  // namespace slipstream
