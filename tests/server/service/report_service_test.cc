#include "server/service/report_service.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/status.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

v1::ReportRequest ReportOf(const std::string& trial, int64_t step, double loss) {
  v1::ReportRequest request;
  request.set_trial(trial);
  v1::StepMeasurement* report = request.add_reports();
  report->set_step(step);
  (*report->mutable_measurement()->mutable_metrics())["loss"] = loss;
  return request;
}

class ReportServiceTest : public ServiceFixture {
 protected:
  void SetUp() override { Create(ExampleStudy()); }

  void ExpectRefused(const v1::ReportRequest& request, const std::string& field) {
    ExpectViolation(Call(&ReportService::Report, request), field);
  }
};

TEST_F(ReportServiceTest, ReportsAreListedByStepAndShownOnTheTrial) {
  const v1::Trial trial = Suggest("w");
  v1::ReportRequest request = ReportOf(trial.name(), 7, 0.5);
  request.add_reports()->set_step(2);
  *request.mutable_reports(1)->mutable_measurement() = request.reports(0).measurement();
  v1::ReportResponse response;
  ASSERT_TRUE(Call(&ReportService::Report, request, &response).ok());
  EXPECT_EQ(response.state(), v1::Trial::ACTIVE);
  EXPECT_EQ(response.report_count(), 2);
  EXPECT_TRUE(response.has_lease_end_time());
  v1::ListReportsRequest list;
  list.set_trial(trial.name());
  v1::ListReportsResponse reports;
  ASSERT_TRUE(Call(&ReportService::ListReports, list, &reports).ok());
  ASSERT_EQ(reports.reports_size(), 2);
  EXPECT_EQ(reports.reports(0).step(), 2);
  EXPECT_EQ(reports.reports(1).measurement().metrics().at("loss"), 0.5);
  v1::GetTrialRequest get;
  get.set_name(trial.name());
  v1::Trial read;
  ASSERT_TRUE(Call(&TrialService::GetTrial, get, &read).ok());
  EXPECT_EQ(read.last_step(), 7);
  EXPECT_EQ(read.last_value(), 0.5);
}

TEST_F(ReportServiceTest, ATrialThatIsGoneIsNotAnotherOneOfItsName) {
  const v1::Trial trial = Suggest("w");
  ASSERT_TRUE(Call(&ReportService::Report, ReportOf(trial.name(), 1, 0.5)).ok());
  v1::ListReportsRequest list;
  list.set_trial(trial.name());
  v1::ShouldStopRequest should_stop;
  should_stop.set_trial(trial.name());
  v1::ReportRequest odd = ReportOf(trial.name(), 1, 0.5);
  (*odd.mutable_reports(0)->mutable_measurement()->mutable_metrics())["accuracy"] = 1;
  for (const int64_t later : {0, 1}) {
    for (auto* const meant : {list.mutable_create_time(), should_stop.mutable_create_time(),
                              odd.mutable_create_time()}) {
      *meant = trial.create_time();
      meant->set_seconds(meant->seconds() + later);
    }
    EXPECT_EQ(absl::IsNotFound(Call(&ReportService::ListReports, list)), later > 0);
    EXPECT_EQ(absl::IsNotFound(Call(&ReportService::ShouldStop, should_stop)), later > 0);
    const absl::Status refused = Call(&ReportService::Report, odd);
    EXPECT_EQ(absl::IsNotFound(refused), later > 0) << refused;
    EXPECT_EQ(absl::IsInvalidArgument(refused), later == 0) << refused;
  }
}

TEST_F(ReportServiceTest, BadReportsAreRefused) {
  const std::string trial = Suggest("w").name();
  ExpectRefused(ReportOf("studies/s", 1, 0), "trial");
  ExpectRefused(ReportOf(trial, -1, 0), "reports[0].step");
  ExpectRefused(ReportOf(trial, 1, 1.0 / 0.0), "reports[0].measurement.metrics[loss]");
  v1::ReportRequest request = ReportOf(trial, 1, 0);
  (*request.mutable_reports(0)->mutable_measurement()->mutable_metrics())["other"] = 1;
  ExpectRefused(request, "reports[0].measurement.metrics");
  request.mutable_reports()->Clear();
  ExpectRefused(request, "reports");
  for (int i = 0; i < 1001; ++i) *request.add_reports() = ReportOf(trial, i, 0).reports(0);
  ExpectRefused(request, "reports");
  EXPECT_TRUE(absl::IsNotFound(Call(&ReportService::Report, ReportOf("studies/t/trials/1", 1, 0))));
  v1::ListReportsRequest list;
  list.set_trial("studies/s/trials/9");
  EXPECT_TRUE(absl::IsNotFound(Call(&ReportService::ListReports, list)));
}

class ShouldStopTest : public ReportServiceTest {
 protected:
  void SetUp() override {
    v1::Study study = ExampleStudy();
    study.mutable_early_stopping()->set_rule("median");
    Create(study);
  }

  // Reports `loss` at steps 1 to `steps` of a new trial; returns its name.
  std::string Train(const std::string& worker, double loss, int steps) {
    const std::string trial = Suggest(worker).name();
    for (int step = 1; step <= steps; ++step) {
      EXPECT_TRUE(Call(&ReportService::Report, ReportOf(trial, step, loss)).ok());
    }
    return trial;
  }
  v1::ShouldStopResponse Ask(const std::string& trial) {
    v1::ShouldStopRequest request;
    request.set_trial(trial);
    v1::ShouldStopResponse response;
    const absl::Status status = Call(&ReportService::ShouldStop, request, &response);
    EXPECT_TRUE(status.ok()) << status;
    return response;
  }
};

TEST_F(ShouldStopTest, ATrainingThatIsWorseThanTheOthersShouldStop) {
  for (int i = 0; i < 8; ++i) Observe(Train("w", 1 + 0.01 * i, 10), 1 + 0.01 * i);
  const std::string bad = Train("bad", 5, 6);
  const v1::ShouldStopResponse advice = Ask(bad);
  EXPECT_TRUE(advice.stop()) << advice.reason();
  EXPECT_FALSE(advice.reason().empty());
  EXPECT_EQ(advice.step(), 6);
  // The same answer from what is cached, and after a restart.
  EXPECT_EQ(Ask(bad).reason(), advice.reason());
  Restart();
  EXPECT_EQ(Ask(bad).reason(), advice.reason());
  const v1::ShouldStopResponse good = Ask(Train("good", 0.5, 6));
  EXPECT_FALSE(good.stop()) << good.reason();
}

TEST_F(ShouldStopTest, NothingIsAdvisedForATrialThatNobodyTrains) {
  const std::string fresh = Suggest("w").name();
  EXPECT_FALSE(Ask(fresh).stop());
  EXPECT_FALSE(Ask(fresh).has_step());
  Observe(fresh, 1);
  v1::ShouldStopRequest request;
  request.set_trial(fresh);
  EXPECT_TRUE(absl::IsFailedPrecondition(Call(&ReportService::ShouldStop, request)));
  request.set_trial("studies/s/trials/99");
  EXPECT_TRUE(absl::IsNotFound(Call(&ReportService::ShouldStop, request)));
}

TEST_F(ShouldStopTest, ARuleIsCheckedWhenTheStudyIsCreated) {
  v1::Study study = ExampleStudy();
  study.mutable_early_stopping()->set_rule("soon");
  ExpectViolation(Call(&StudyService::CreateStudy, CreateRequest(study, "t")),
                  "study.early_stopping.rule");
  study.mutable_early_stopping()->set_rule("median");
  (*study.mutable_early_stopping()->mutable_options())["colour"] = 1;
  const absl::Status status = Call(&StudyService::CreateStudy, CreateRequest(study, "t"));
  ASSERT_TRUE(ViolationOf(status).has_value()) << status;
  EXPECT_EQ(ViolationOf(status)->field.substr(0, 28), "study.early_stopping.options");
}

TEST_F(ReportServiceTest, ATrialsNoteAndLabelsCanBeChanged) {
  const std::string trial = Suggest("w").name();
  v1::UpdateTrialRequest request;
  request.mutable_trial()->set_name(trial);
  request.mutable_trial()->set_note("looks odd");
  (*request.mutable_trial()->mutable_labels())["team"] = "blue";
  EXPECT_TRUE(absl::IsInvalidArgument(Call(&TrialService::UpdateTrial, request)));
  request.mutable_update_mask()->add_paths("note");
  v1::Trial changed;
  ASSERT_TRUE(Call(&TrialService::UpdateTrial, request, &changed).ok());
  EXPECT_EQ(changed.note(), "looks odd");
  EXPECT_TRUE(changed.labels().empty());
  request.mutable_update_mask()->add_paths("labels");
  ASSERT_TRUE(Call(&TrialService::UpdateTrial, request, &changed).ok());
  EXPECT_EQ(changed.labels().at("team"), "blue");
  // A worker gets neither: they are for people, and an answer must not grow too large.
  EXPECT_TRUE(Suggest("w").labels().empty());
  request.mutable_trial()->set_note(std::string(1025, 'n'));
  EXPECT_EQ(ViolationOf(Call(&TrialService::UpdateTrial, request))->field, "trial.note");
  request.mutable_update_mask()->add_paths("state");
  request.mutable_trial()->clear_note();
  EXPECT_EQ(ViolationOf(Call(&TrialService::UpdateTrial, request))->field, "update_mask");
}

}  // namespace
}  // namespace slipstream
