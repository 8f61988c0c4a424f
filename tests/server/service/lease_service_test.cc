#include "server/service/lease_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/status.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

class LeaseServiceTest : public ServiceFixture {
 protected:
  void SetUp() override { Create(ExampleStudy()); }

  static v1::HeartbeatRequest HeartbeatOf(const std::string& worker) {
    v1::HeartbeatRequest request;
    request.set_study("studies/s");
    request.set_worker(worker);
    return request;
  }
  static v1::ReleaseTrialsRequest ReleaseOf(const std::string& worker) {
    v1::ReleaseTrialsRequest request;
    request.set_study("studies/s");
    request.set_worker(worker);
    return request;
  }
};

TEST_F(LeaseServiceTest, AnHourIsTheDefaultAndSuggestTellsTheEnd) {
  const v1::Trial trial = Suggest("w");
  EXPECT_EQ(trial.lease_end_time().seconds() - trial.start_time().seconds(), 3600);
  v1::GetStudyRequest request;
  request.set_name("studies/s");
  v1::Study study;
  ASSERT_TRUE(Call(&StudyService::GetStudy, request, &study).ok());
  EXPECT_EQ(study.lease_policy().duration().seconds(), 3600);
  EXPECT_EQ(study.lease_policy().max_requeues(), 3);
}

TEST_F(LeaseServiceTest, AHeartbeatTellsHowEachTrialStands) {
  const v1::Trial mine = Suggest("w");
  const v1::Trial other = Suggest("v");
  const v1::Trial done = Suggest("w2");
  Observe(done.name(), 1);
  v1::HeartbeatRequest request = HeartbeatOf("w");
  for (const v1::Trial& trial : {mine, other, done}) request.add_trials(trial.name());
  v1::HeartbeatResponse response;
  ASSERT_TRUE(Call(&LeaseService::Heartbeat, request, &response).ok());
  ASSERT_EQ(response.trials_size(), 3);
  EXPECT_TRUE(response.trials(0).held());
  EXPECT_TRUE(response.trials(0).has_lease_end_time());
  EXPECT_FALSE(response.trials(1).held());
  EXPECT_EQ(response.trials(1).state(), v1::Trial::ACTIVE);
  EXPECT_FALSE(response.trials(1).has_lease_end_time());
  EXPECT_EQ(response.trials(2).state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(response.lease_duration().seconds(), 3600);
  ASSERT_TRUE(Call(&LeaseService::Heartbeat, HeartbeatOf("w"), &response).ok());
  ASSERT_EQ(response.trials_size(), 1);
  EXPECT_EQ(response.trials(0).trial(), mine.name());
}

TEST_F(LeaseServiceTest, BadHeartbeatsAreRefused) {
  ExpectViolation(Call(&LeaseService::Heartbeat, HeartbeatOf("")), "worker");
  v1::HeartbeatRequest request = HeartbeatOf("w");
  request.add_trials("studies/other/trials/1");
  ExpectViolation(Call(&LeaseService::Heartbeat, request), "trials[0]");
  request.mutable_trials()->Clear();
  for (int i = 0; i < 1001; ++i) request.add_trials("studies/s/trials/1");
  ExpectViolation(Call(&LeaseService::Heartbeat, request), "trials");
  request = HeartbeatOf("w");
  request.add_trials("studies/s/trials/7");
  EXPECT_TRUE(absl::IsNotFound(Call(&LeaseService::Heartbeat, request)));
}

TEST_F(LeaseServiceTest, ReleasedTrialsGoToTheNextWorker) {
  const v1::Trial trial = Suggest("w");
  v1::ReleaseTrialsResponse response;
  v1::ReleaseTrialsRequest request = ReleaseOf("w");
  request.set_request_id("r");
  ASSERT_TRUE(Call(&LeaseService::ReleaseTrials, request, &response).ok());
  ASSERT_EQ(response.trials_size(), 1);
  EXPECT_EQ(response.trials(0).state(), v1::Trial::REQUESTED);
  EXPECT_EQ(Suggest("v").name(), trial.name());
  // A repeat gives the first answer and takes nothing from the new worker.
  v1::ReleaseTrialsResponse again;
  ASSERT_TRUE(Call(&LeaseService::ReleaseTrials, request, &again).ok());
  EXPECT_EQ(again.trials(0).state(), v1::Trial::REQUESTED);
  EXPECT_EQ(again.trials(0).create_time().nanos(), response.trials(0).create_time().nanos());
  EXPECT_EQ(Suggest("v").name(), trial.name());
}

TEST_F(LeaseServiceTest, BadReleasesAreRefused) {
  ExpectViolation(Call(&LeaseService::ReleaseTrials, ReleaseOf("")), "trials");
  Suggest("w");
  v1::ReleaseTrialsRequest request = ReleaseOf("v");
  request.add_trials("studies/s/trials/1");
  const absl::Status status = Call(&LeaseService::ReleaseTrials, request);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("held by worker 'w'"));
  request = ReleaseOf("w");
  request.set_request_id("\n");
  ExpectViolation(Call(&LeaseService::ReleaseTrials, request), "request_id");
}

TEST_F(LeaseServiceTest, AWorkerOfAStudyThatIsGoneHoldsNothingOfItsSuccessor) {
  Suggest("w");
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  v1::Study study;
  ASSERT_TRUE(Call(&StudyService::GetStudy, get, &study).ok());
  v1::HeartbeatRequest beat = HeartbeatOf("w");
  v1::ReleaseTrialsRequest release = ReleaseOf("w");
  *beat.mutable_study_create_time() = study.create_time();
  *release.mutable_study_create_time() = study.create_time();
  for (auto* time : {beat.mutable_study_create_time(), release.mutable_study_create_time()}) {
    time->set_seconds(study.create_time().seconds() - 1);
  }
  EXPECT_TRUE(absl::IsNotFound(Call(&LeaseService::Heartbeat, beat)));
  EXPECT_TRUE(absl::IsNotFound(Call(&LeaseService::ReleaseTrials, release)));
  *beat.mutable_study_create_time() = study.create_time();
  *release.mutable_study_create_time() = study.create_time();
  v1::HeartbeatResponse beats;
  ASSERT_TRUE(Call(&LeaseService::Heartbeat, beat, &beats).ok());
  EXPECT_TRUE(beats.trials(0).held());
  EXPECT_EQ(beats.study_create_time().nanos(), study.create_time().nanos());
  EXPECT_EQ(beats.study_create_time().seconds(), study.create_time().seconds());
  v1::ReleaseTrialsResponse released;
  ASSERT_TRUE(Call(&LeaseService::ReleaseTrials, release, &released).ok());
  EXPECT_EQ(released.trials_size(), 1);
  beat.mutable_study_create_time()->set_nanos(-1);
  ExpectViolation(Call(&LeaseService::Heartbeat, beat), "study_create_time");
}

TEST_F(LeaseServiceTest, ThePolicyIsCheckedAndCanBeChanged) {
  v1::Study study = ExampleStudy();
  study.mutable_lease_policy()->mutable_duration()->set_nanos(5);
  ExpectViolation(Call(&StudyService::CreateStudy, CreateRequest(study, "t")),
                  "study.lease_policy.duration");
  study.mutable_lease_policy()->mutable_duration()->set_nanos(0);
  study.mutable_lease_policy()->set_max_requeues(101);
  ExpectViolation(Call(&StudyService::CreateStudy, CreateRequest(study, "t")),
                  "study.lease_policy.max_requeues");
  v1::UpdateStudyRequest update;
  update.mutable_study()->set_name("studies/s");
  update.mutable_study()->mutable_lease_policy()->mutable_duration()->set_seconds(90);
  update.mutable_update_mask()->add_paths("lease_policy");
  v1::Study changed;
  ASSERT_TRUE(Call(&StudyService::UpdateStudy, update, &changed).ok());
  EXPECT_EQ(changed.lease_policy().duration().seconds(), 90);
  const v1::Trial trial = Suggest("w");
  EXPECT_EQ(trial.lease_end_time().seconds() - trial.start_time().seconds(), 90);
}

TEST_F(LeaseServiceTest, ALeaseNamesTheWorkersProcess) {
  v1::SuggestRequest request = AskRequest("studies/s", "w");
  request.mutable_process()->set_host("gpu-3");
  request.mutable_process()->set_process_id(42);
  v1::SuggestResponse response;
  ASSERT_TRUE(Call(&TrialService::Suggest, request, &response).ok());
  EXPECT_EQ(response.trials(0).worker_process().host(), "gpu-3");
  EXPECT_EQ(response.trials(0).worker_process().process_id(), 42);
  request.mutable_process()->set_process_id(-1);
  ExpectViolation(Call(&TrialService::Suggest, request), "process.process_id");
  request.mutable_process()->set_host(std::string(257, 'h'));
  ExpectViolation(Call(&TrialService::Suggest, request), "process.host");
}

}  // namespace
}  // namespace slipstream
