#include "server/service/watch_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/status.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using Opened = absl::StatusOr<std::unique_ptr<EventStream>>;

class WatchServiceTest : public ServiceFixture {
 protected:
  void SetUp() override { Create(ExampleStudy()); }

  Opened Open(const v1::WatchStudyRequest& request) {
    std::promise<Opened> opened;
    service_->watches().WatchStudy(
        &request, [] {}, [&opened](Opened stream) { opened.set_value(std::move(stream)); });
    return opened.get_future().get();
  }
  static v1::WatchStudyRequest After(const std::string& token) {
    v1::WatchStudyRequest request;
    request.set_study("studies/s");
    request.set_resume_token(token);
    return request;
  }
  // The token of the present.
  std::string Now() {
    const Opened stream = Open(After(""));
    EXPECT_TRUE(stream.ok()) << stream.status();
    v1::WatchResponse response;
    EXPECT_TRUE(response.ParseFromString((**(*stream)->Next()).message));
    return response.resume_token();
  }
  // What is told of the study after the token, with "." if the stream goes on.
  std::vector<std::string> ToldAfter(const std::string& token) {
    const Opened stream = Open(After(token));
    EXPECT_TRUE(stream.ok()) << stream.status();
    std::vector<std::string> told;
    while (stream.ok() && !(*stream)->ended()) {
      const auto answer = (*stream)->Next();
      EXPECT_TRUE(answer.ok()) << answer.status();
      if (!answer.ok() || *answer == nullptr) {
        told.push_back(".");
        break;
      }
      v1::WatchResponse response;
      EXPECT_TRUE(response.ParseFromString((*answer)->message));
      for (const v1::StudyEvent& event : response.events()) {
        EXPECT_EQ(event.study(), "studies/s");
        told.push_back(v1::StudyEvent::Kind_Name(event.kind()));
      }
    }
    return told;
  }
  void MakeAnew() {
    Delete("s");
    const absl::Time begin = absl::Now();  // The store's clock counts milliseconds.
    while (absl::Now() - begin < absl::Milliseconds(2)) std::this_thread::yield();
    Create(ExampleStudy());
  }
};

TEST_F(WatchServiceTest, AWatchGoesOnWhereItWas) {
  const std::string token = Now();
  Suggest("w");
  EXPECT_THAT(ToldAfter(token), ElementsAre("TRIAL_LEASED", "."));
  Delete("s");
  EXPECT_THAT(ToldAfter(token), ElementsAre("TRIAL_LEASED", "STUDY_DELETED"));
}

TEST_F(WatchServiceTest, AWatchThatIsResumedEndsWithItsStudyAndTellsOfNoOtherOfTheName) {
  const std::string first = Now();
  Suggest("w");
  MakeAnew();
  const std::string second = Now();
  Suggest("w");
  Suggest("v");
  MakeAnew();
  Suggest("w");
  EXPECT_THAT(ToldAfter(first), ElementsAre("TRIAL_LEASED", "STUDY_DELETED"));
  EXPECT_THAT(ToldAfter(second), ElementsAre("TRIAL_LEASED", "TRIAL_LEASED", "STUDY_DELETED"));
  Restart();
  EXPECT_THAT(ToldAfter(first), ElementsAre("TRIAL_LEASED", "STUDY_DELETED"));
  EXPECT_THAT(ToldAfter(Now()), ElementsAre("."));
}

TEST_F(WatchServiceTest, AStudyThatIsNotThereIsNotFound) {
  const std::string token = Now();
  Delete("s");
  EXPECT_TRUE(absl::IsNotFound(Open(After("")).status()));
  EXPECT_TRUE(Open(After(token)).ok());
  ExpectViolation(Open(After("nonsense")).status(), "resume_token");
}

}  // namespace
}  // namespace slipstream
