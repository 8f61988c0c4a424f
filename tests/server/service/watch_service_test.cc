#include "server/service/watch_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/status.h"
#include "server/convert/resume_token.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Opened = absl::StatusOr<std::unique_ptr<EventStream>>;

constexpr std::chrono::seconds kPatience(30);

class WatchServiceTest : public ServiceFixture {
 protected:
  void SetUp() override { Create(ExampleStudy()); }

  Opened Open(const v1::WatchStudyRequest& request, std::function<void()> on_more = [] {}) {
    std::promise<Opened> opened;
    service_->watches().WatchStudy(
        &request, std::move(on_more),
        [&opened](Opened stream) { opened.set_value(std::move(stream)); });
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
  // What is told of the study after the token, with "." if the stream goes on. Waits until so many
  // events are told, as they are read after they were committed.
  std::vector<std::string> ToldAfter(const std::string& token, size_t count) {
    std::counting_semaphore<> more(0);
    const Opened stream = Open(After(token), [&more] { more.release(); });
    EXPECT_TRUE(stream.ok()) << stream.status();
    std::vector<std::string> told;
    while (stream.ok() && !(*stream)->ended()) {
      const auto answer = (*stream)->Next();
      EXPECT_TRUE(answer.ok()) << answer.status();
      if (answer.ok() && *answer == nullptr && told.size() < count &&
          more.try_acquire_for(kPatience)) {
        continue;
      }
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
  EXPECT_THAT(ToldAfter(token, 1), ElementsAre("TRIAL_LEASED", "."));
  Delete("s");
  EXPECT_THAT(ToldAfter(token, 2), ElementsAre("TRIAL_LEASED", "STUDY_DELETED"));
}

// As after a restored backup: the store has gone on differently after some event.
TEST_F(WatchServiceTest, AWatchDoesNotGoOnInAnotherHistory) {
  const std::string token = Now();
  const auto place = ParseResumeToken("events of studies/s", token);
  ASSERT_TRUE(place.ok()) << place.status();
  ASSERT_FALSE(place->stamp.empty());
  Suggest("w");
  const std::string other =
      MakeResumeToken("events of studies/s", {place->sequence, "0123456789ab"});
  const absl::Status refused = Open(After(other)).status();
  EXPECT_TRUE(absl::IsOutOfRange(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("restored from an older backup"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("then watch without a token"));
  Restart();
  EXPECT_TRUE(absl::IsOutOfRange(Open(After(other)).status()));
  EXPECT_THAT(ToldAfter(token, 1), ElementsAre("TRIAL_LEASED", "."));
}

// Some of the events are of studies that are not watched.
TEST_F(WatchServiceTest, AWatchGoesOnAfterEventsOfOtherStudies) {
  Create(ExampleStudy(), "other");
  const std::string token = Now();
  EXPECT_FALSE(ParseResumeToken("events of studies/s", token)->stamp.empty());
  Suggest("w");
  EXPECT_THAT(ToldAfter(token, 1), ElementsAre("TRIAL_LEASED", "."));
}

TEST_F(WatchServiceTest, AWatchGoesOnAfterAnyEventOfAMessage) {
  const std::string token = Now();
  AddResults({2, 1});
  ASSERT_THAT(ToldAfter(token, 4), ElementsAre("TRIAL_ENDED", "INCUMBENT_IMPROVED", "TRIAL_ENDED",
                                               "INCUMBENT_IMPROVED", "."));
  const Opened stream = Open(After(token));
  ASSERT_TRUE(stream.ok()) << stream.status();
  v1::WatchResponse response;
  ASSERT_TRUE(response.ParseFromString((**(*stream)->Next()).message));
  ASSERT_EQ(response.events_size(), 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ToldAfter(response.events(i).resume_token(), 3 - i).size(), 4u - i);
  }
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
  EXPECT_THAT(ToldAfter(first, 2), ElementsAre("TRIAL_LEASED", "STUDY_DELETED"));
  EXPECT_THAT(ToldAfter(second, 3), ElementsAre("TRIAL_LEASED", "TRIAL_LEASED", "STUDY_DELETED"));
  Restart();
  EXPECT_THAT(ToldAfter(first, 2), ElementsAre("TRIAL_LEASED", "STUDY_DELETED"));
  EXPECT_THAT(ToldAfter(Now(), 0), ElementsAre("."));
}

TEST_F(WatchServiceTest, NoOtherStudyOfTheNameIsWatched) {
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  v1::Study study;
  ASSERT_TRUE(Call(&StudyService::GetStudy, get, &study).ok());
  v1::WatchStudyRequest request = After("");
  *request.mutable_study_create_time() = study.create_time();
  EXPECT_TRUE(Open(request).ok());
  request.mutable_study_create_time()->set_seconds(study.create_time().seconds() - 1);
  EXPECT_TRUE(absl::IsNotFound(Open(request).status()));
  // Also after the token of an earlier one: it goes on with the study that is meant.
  const std::string token = Now();
  MakeAnew();
  ASSERT_TRUE(Call(&StudyService::GetStudy, get, &study).ok());
  request = After(token);
  *request.mutable_study_create_time() = study.create_time();
  const Opened stream = Open(request);
  ASSERT_TRUE(stream.ok()) << stream.status();
  ASSERT_TRUE((*stream)->Next().ok());
  EXPECT_FALSE((*stream)->ended());
}

TEST_F(WatchServiceTest, AWatchForWhichThereIsTooLittleMemoryIsRefused) {
  RunOutOfMemoryIn("GetStudy");
  const absl::Status refused = Open(After("")).status();
  EXPECT_TRUE(IsOverload(refused)) << refused;
}

TEST_F(WatchServiceTest, AWatchThatRunsOutOfMemoryEndsAndMayGoOnWhereItWas) {
  const std::string token = Now();
  Suggest("w");
  Restart();  // The event is not in memory.
  Opened stream = Open(After(token));
  ASSERT_TRUE(stream.ok()) << stream.status();
  // Only this thread runs out of memory.
  before_read_ = [test = std::this_thread::get_id()](const std::string&) {
    if (std::this_thread::get_id() == test) throw std::bad_alloc();
  };
  const absl::Status ended = (*stream)->Next().status();
  EXPECT_TRUE(IsOverload(ended)) << ended;
  before_read_ = nullptr;
  EXPECT_THAT(ToldAfter(token, 1), ElementsAre("TRIAL_LEASED", "."));
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
