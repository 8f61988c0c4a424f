// Two servers on one database: what one of them has in memory of a study is out of date once the
// other one has made another study of its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "server/service/service.h"
#include "tests/e2e/messages.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

// A server of the database that `tables` are.
class Server {
 public:
  explicit Server(const std::shared_ptr<MemoryTables>& tables)
      : store_(MakeMemoryStore({}, tables)),
        service_(store_.get(),
                 {.version = "test",
                  .max_message_bytes = 1 << 15,
                  .lease_sweep_period = absl::InfiniteDuration()}) {}

  template <typename Backend, typename Request, typename Response>
  absl::Status Call(void (Backend::*method)(const Request*, Response*, Done),
                    const Request& request, Response* response = nullptr) {
    Response ignored;
    std::promise<absl::Status> answered;
    (BackendOf(static_cast<Backend*>(nullptr)).*method)(
        &request, response != nullptr ? response : &ignored,
        [&answered](absl::Status status) { answered.set_value(std::move(status)); });
    return answered.get_future().get();
  }

 private:
  StudyService& BackendOf(StudyService*) { return service_.studies(); }
  TrialService& BackendOf(TrialService*) { return service_.trials(); }
  ReportService& BackendOf(ReportService*) { return service_.reports(); }

  const std::unique_ptr<Store> store_;
  Service service_;
};

// Measures "error", which is to be maximised, in place of "loss".
v1::Study OtherStudy() {
  v1::Study study = ExampleStudy();
  study.mutable_metrics(0)->set_name("error");
  study.mutable_metrics(0)->set_goal(v1::Metric::MAXIMIZE);
  study.mutable_early_stopping()->set_rule("median");
  return study;
}

v1::Measurement ErrorOf(double value) {
  v1::Measurement measurement;
  (*measurement.mutable_metrics())["error"] = value;
  return measurement;
}

class SeveralServersTest : public testing::Test {
 protected:
  // A study that server one knows is deleted by server two, which makes another one of the name.
  // That one has a trial, which worker "w" holds.
  void SetUp() override {
    ASSERT_TRUE(one_.Call(&StudyService::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
    ASSERT_TRUE(Suggest(one_).ok());
    v1::DeleteStudyRequest deletion;
    deletion.set_name("studies/s");
    ASSERT_TRUE(two_.Call(&StudyService::DeleteStudy, deletion).ok());
    ASSERT_TRUE(two_.Call(&StudyService::CreateStudy, CreateRequest(OtherStudy(), "s")).ok());
    ASSERT_TRUE(Suggest(two_).ok());
  }

  static absl::Status Suggest(Server& server) {
    return server.Call(&TrialService::Suggest, AskRequest("studies/s", "w"));
  }

  const std::shared_ptr<MemoryTables> tables_ = MakeMemoryTables();
  Server one_{tables_};
  Server two_{tables_};
};

TEST_F(SeveralServersTest, AnOutcomeIsCheckedAgainstTheStudyThatIsThere) {
  v1::Outcome outcome;
  *outcome.mutable_measurement() = ErrorOf(0.5);
  v1::Trial trial;
  const absl::Status status = one_.Call(
      &TrialService::Observe, TellRequest("studies/s/trials/1", outcome), &trial);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(trial.state(), v1::Trial::SUCCEEDED);
}

TEST_F(SeveralServersTest, AddedTrialsAreCheckedAgainstTheStudyThatIsThere) {
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  v1::Observation* const observation = request.add_observations();
  *observation->mutable_configuration() = ExampleConfiguration();
  *observation->mutable_outcome()->mutable_measurement() = ErrorOf(0.5);
  const absl::Status status = one_.Call(&TrialService::AddTrials, request);
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(SeveralServersTest, TheBestTrialsAreThoseByTheGoalOfTheStudyThatIsThere) {
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  for (const double error : {1, 3, 2}) {
    v1::Observation* const observation = request.add_observations();
    *observation->mutable_configuration() = ExampleConfiguration(0.1 * error);
    *observation->mutable_outcome()->mutable_measurement() = ErrorOf(error);
  }
  ASSERT_TRUE(two_.Call(&TrialService::AddTrials, request).ok());
  v1::BestTrialsRequest best;
  best.set_study("studies/s");
  v1::BestTrialsResponse response;
  ASSERT_TRUE(one_.Call(&TrialService::BestTrials, best, &response).ok());
  ASSERT_EQ(response.trials_size(), 1);
  EXPECT_EQ(response.trials(0).measurement().metrics().at("error"), 3);
}

TEST_F(SeveralServersTest, ReportsAreCheckedAgainstTheStudyThatIsThere) {
  v1::ReportRequest report;
  report.set_trial("studies/s/trials/1");
  report.add_reports()->set_step(1);
  *report.mutable_reports(0)->mutable_measurement() = ErrorOf(0.5);
  const absl::Status reported = one_.Call(&ReportService::Report, report);
  EXPECT_TRUE(reported.ok()) << reported;
}

TEST_F(SeveralServersTest, ReportsAreThoseOfTheStudyThatIsThere) {
  v1::ReportRequest report;
  report.set_trial("studies/s/trials/1");
  report.add_reports()->set_step(1);
  *report.mutable_reports(0)->mutable_measurement() = ErrorOf(0.5);
  ASSERT_TRUE(two_.Call(&ReportService::Report, report).ok());
  v1::ListReportsRequest list;
  list.set_trial("studies/s/trials/1");
  v1::ListReportsResponse response;
  const absl::Status listed = one_.Call(&ReportService::ListReports, list, &response);
  ASSERT_TRUE(listed.ok()) << listed;
  ASSERT_EQ(response.reports_size(), 1);
  EXPECT_EQ(response.reports(0).measurement().metrics().at("error"), 0.5);
}

TEST_F(SeveralServersTest, AdviceToStopIsOfTheStudyThatIsThere) {
  v1::ShouldStopRequest request;
  request.set_trial("studies/s/trials/1");
  const absl::Status status = one_.Call(&ReportService::ShouldStop, request);
  EXPECT_TRUE(status.ok()) << status;
}

// A few trials of this one fill an answer.
v1::Study LargeStudy() {
  v1::Study study = ExampleStudy();
  for (int i = 0; i < 100; ++i) {
    v1::Parameter* const parameter = study.mutable_space()->add_parameters();
    parameter->set_name(std::string(97, 'x') + std::to_string(100 + i));
    parameter->mutable_double_domain()->set_max(1);
  }
  return study;
}

TEST_F(SeveralServersTest, AsManyTrialsAreSuggestedAsTheStudyThatIsThereAllows) {
  const v1::SuggestRequest ask = AskRequest("studies/l", "w", 10);
  ASSERT_TRUE(one_.Call(&StudyService::CreateStudy, CreateRequest(LargeStudy(), "l")).ok());
  const absl::Status refused = one_.Call(&TrialService::Suggest, ask);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  v1::DeleteStudyRequest deletion;
  deletion.set_name("studies/l");
  ASSERT_TRUE(two_.Call(&StudyService::DeleteStudy, deletion).ok());
  ASSERT_TRUE(two_.Call(&StudyService::CreateStudy, CreateRequest(ExampleStudy(), "l")).ok());
  const absl::Status suggested = one_.Call(&TrialService::Suggest, ask);
  EXPECT_TRUE(suggested.ok()) << suggested;
}

}  // namespace
}  // namespace slipstream
