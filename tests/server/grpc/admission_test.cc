#include "server/grpc/admission.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "slipstream/v1/services.pb.h"

namespace slipstream {
namespace {

// A caller of the project "vision" in which one call may be made, and no more for a long time.
class AdmissionTest : public testing::Test {
 protected:
  AdmissionTest() { quotas_.Replace({.others = {.calls_per_second = 0.001}}); }

  absl::Status Get(const std::string& name) {
    v1::GetStudyRequest request;
    request.set_name(name);
    return CheckRequest(admission_, Rpc::kGetStudy, caller_, request);
  }
  absl::Status Observe() {
    v1::ObserveRequest request;
    request.set_trial("projects/vision/studies/s/trials/1");
    return CheckRequest(admission_, Rpc::kObserve, caller_, request);
  }
  absl::Status Release() {
    v1::ReleaseTrialsRequest request;
    request.set_study("projects/vision/studies/s");
    return CheckRequest(admission_, Rpc::kReleaseTrials, caller_, request);
  }

  Quotas quotas_;
  CallRates rates_{&quotas_, [] { return CallRates::Time(); }};
  Admission admission_ = {.rates = &rates_};
  const std::shared_ptr<const Identity> caller_ =
      std::make_shared<Identity>(Identity{.name = "ann", .projects = {"vision"}});
};

constexpr char kStudy[] = "projects/vision/studies/s";

TEST_F(AdmissionTest, ACallCountsForItsProject) {
  EXPECT_TRUE(Get(kStudy).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Get(kStudy))) << Get(kStudy);
}

TEST_F(AdmissionTest, ACallThatIsNotAllowedDoesNotCount) {
  EXPECT_TRUE(absl::IsPermissionDenied(Get("projects/nlp/studies/s")));
  EXPECT_EQ(rates_.size(), 0u);
}

TEST_F(AdmissionTest, AResultIsTakenAndCounts) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Observe().ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Get(kStudy)));
}

// A worker that ends has only seconds for it; otherwise its trials would wait for their leases.
TEST_F(AdmissionTest, TrialsAreTakenBackAndCount) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Release().ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Get(kStudy)));
}

TEST_F(AdmissionTest, ACallAboutAllProjectsOrNoneCountsForNone) {
  v1::ListStudiesRequest all;
  all.set_parent("projects/-");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(CheckRequest(admission_, Rpc::kListStudies, nullptr, all).ok());
    EXPECT_TRUE(
        CheckRequest(admission_, Rpc::kGetServerStatus, caller_, v1::GetServerStatusRequest())
            .ok());
  }
  EXPECT_EQ(rates_.size(), 0u);
}

TEST_F(AdmissionTest, WithoutRatesAnyNumberOfCallsIsTaken) {
  admission_.rates = nullptr;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Get(kStudy).ok());
}

}  // namespace
}  // namespace slipstream
