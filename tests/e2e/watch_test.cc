// Watching over a real socket: streams, resumption across kills, and the end of the
// server. Leases that run out are seen here too, on the server's own clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using Stub = v1::OptimizationService::Stub;
using testing::ElementsAre;

// One stream of events of study "s".
class Watch {
 public:
  explicit Watch(Stub& stub, const std::string& token = "") {
    v1::WatchStudyRequest request;
    request.set_study("studies/s");
    request.set_resume_token(token);
    reader_ = stub.WatchStudy(&context_, request);
  }
  ~Watch() { context_.TryCancel(); }

  // The next event; absent when the stream has ended.
  std::optional<v1::StudyEvent> Next() {
    while (next_ == response_.events_size()) {
      next_ = 0;
      if (!reader_->Read(&response_)) return std::nullopt;
      token_ = response_.resume_token();
    }
    return response_.events(next_++);
  }
  // Waits for the stream's first message.
  void Begin() {
    ASSERT_TRUE(reader_->Read(&response_));
    EXPECT_EQ(response_.events_size(), 0);
    token_ = response_.resume_token();
  }
  std::vector<v1::StudyEvent::Kind> Kinds(int count) {
    std::vector<v1::StudyEvent::Kind> kinds;
    for (int i = 0; i < count; ++i) {
      const auto event = Next();
      if (!event.has_value()) break;
      kinds.push_back(event->kind());
    }
    return kinds;
  }
  grpc::Status Finish() { return reader_->Finish(); }
  const std::string& token() const { return token_; }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::WatchResponse>> reader_;
  v1::WatchResponse response_;
  int next_ = 0;
  std::string token_;
};

class WatchTest : public testing::Test {
 protected:
  WatchTest() { server_.emplace(folder_.path()); }

  void Create(v1::Study study = ExampleStudy()) {
    ASSERT_TRUE(Call(stub(), &Stub::CreateStudy, CreateRequest(study, "s")).ok());
  }
  v1::Trial Ask(const std::string& worker = "w") {
    v1::SuggestResponse response;
    EXPECT_TRUE(Call(stub(), &Stub::Suggest, AskRequest("studies/s", worker), &response).ok());
    return response.trials(0);
  }
  void Tell(const std::string& trial, double loss) {
    EXPECT_TRUE(Call(stub(), &Stub::Observe, TellRequest(trial, LossOutcome(loss))).ok());
  }
  Stub& stub() { return server_->stub(); }

  TemporaryFolder folder_;
  std::optional<ServerProcess> server_;
};

TEST_F(WatchTest, AStreamTellsWhatHappensUntilTheStudyIsDeleted) {
  Create();
  Watch watch(stub());
  watch.Begin();
  Tell(Ask().name(), 0.5);
  Tell(Ask().name(), 0.75);
  EXPECT_THAT(watch.Kinds(5),
              ElementsAre(v1::StudyEvent::TRIAL_LEASED, v1::StudyEvent::TRIAL_ENDED,
                          v1::StudyEvent::INCUMBENT_IMPROVED, v1::StudyEvent::TRIAL_LEASED,
                          v1::StudyEvent::TRIAL_ENDED));
  v1::DeleteStudyRequest deletion;
  deletion.set_name("studies/s");
  ASSERT_TRUE(Call(stub(), &Stub::DeleteStudy, deletion).ok());
  const auto last = watch.Next();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->kind(), v1::StudyEvent::STUDY_DELETED);
  EXPECT_EQ(last->study(), "studies/s");
  EXPECT_FALSE(watch.Next().has_value());
  EXPECT_TRUE(watch.Finish().ok());
}

TEST_F(WatchTest, AChangeTellsTheStudysNewState) {
  Create();
  Watch watch(stub());
  watch.Begin();
  v1::UpdateStudyRequest update;
  update.mutable_study()->set_name("studies/s");
  update.mutable_study()->set_state(v1::Study::COMPLETED);
  update.mutable_update_mask()->add_paths("state");
  ASSERT_TRUE(Call(stub(), &Stub::UpdateStudy, update).ok());
  const auto changed = watch.Next();
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(changed->kind(), v1::StudyEvent::STUDY_CHANGED);
  EXPECT_EQ(changed->study_state(), v1::Study::COMPLETED);
  EXPECT_FALSE(changed->has_value());
}

TEST_F(WatchTest, NoEventIsLostOrToldTwiceAcrossKills) {
  Create();
  std::string token;
  {
    Watch watch(stub());
    watch.Begin();
    token = watch.token();
  }
  constexpr int kTrials = 30;
  std::vector<std::string> told;
  for (int i = 0; i < kTrials; ++i) {
    Tell(Ask().name(), 1.0 + i);
    if (i % 5 != 4) continue;
    server_->Kill();
    server_.emplace(folder_.path());
    Watch watch(stub(), token);
    const size_t expected = static_cast<size_t>(2 * (i + 1) + 1);
    while (told.size() < expected) {
      const auto event = watch.Next();
      ASSERT_TRUE(event.has_value()) << watch.Finish().error_message();
      told.push_back(absl::StrCat(v1::StudyEvent::Kind_Name(event->kind()), " ", event->trial()));
    }
    token = watch.token();
  }
  std::vector<std::string> expected;
  for (int i = 1; i <= kTrials; ++i) {
    const std::string trial = absl::StrCat(" studies/s/trials/", i);
    expected.push_back("TRIAL_LEASED" + trial);
    expected.push_back("TRIAL_ENDED" + trial);
    if (i == 1) expected.push_back("INCUMBENT_IMPROVED" + trial);
  }
  EXPECT_EQ(told, expected);
}

TEST_F(WatchTest, AServerThatEndsLetsItsWatchersGo) {
  Create();
  Watch watch(stub());
  watch.Begin();
  EXPECT_EQ(server_->Terminate().exit_code, 0);
  EXPECT_FALSE(watch.Next().has_value());
  EXPECT_FALSE(watch.Finish().ok());
}

TEST_F(WatchTest, BadWatchesAreRefused) {
  {
    Watch watch(stub());
    EXPECT_FALSE(watch.Next().has_value());
    EXPECT_EQ(watch.Finish().error_code(), grpc::StatusCode::NOT_FOUND);
  }
  Create();
  Watch watch(stub(), "nonsense");
  EXPECT_FALSE(watch.Next().has_value());
  const grpc::Status status = watch.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ViolationIn(status).field(), "resume_token");
}

TEST_F(WatchTest, ADeadWorkersTrialComesBackByItself) {
  v1::Study study = ExampleStudy();
  study.mutable_lease_policy()->mutable_duration()->set_seconds(1);
  Create(study);
  Watch watch(stub());
  watch.Begin();
  const v1::Trial lost = Ask("dead");
  EXPECT_EQ(watch.Next()->kind(), v1::StudyEvent::TRIAL_LEASED);
  const auto ran_out = watch.Next();
  ASSERT_TRUE(ran_out.has_value());
  EXPECT_EQ(ran_out->kind(), v1::StudyEvent::TRIAL_STALE);
  EXPECT_EQ(ran_out->worker(), "dead");
  EXPECT_EQ(watch.Next()->kind(), v1::StudyEvent::TRIAL_QUEUED);
  v1::GetTrialRequest get_lost;
  get_lost.set_name(lost.name());
  v1::Trial stale;
  ASSERT_TRUE(Call(stub(), &Stub::GetTrial, get_lost, &stale).ok());
  EXPECT_TRUE(stale.has_end_time());
  const v1::Trial again = Ask("alive");
  EXPECT_EQ(again.name(), "studies/s/trials/2");
  EXPECT_EQ(again.requeue_of(), lost.name());
  EXPECT_EQ(again.configuration().SerializeAsString().size(),
            lost.configuration().SerializeAsString().size());
  // Its late result counts all the same.
  Tell(lost.name(), 0.5);
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  v1::Study after;
  ASSERT_TRUE(Call(stub(), &Stub::GetStudy, get, &after).ok());
  EXPECT_EQ(after.succeeded_trial_count(), 1);
}

TEST_F(WatchTest, ManyWatchersSeeTheSame) {
  Create();
  constexpr int kWatchers = 100;
  std::vector<std::unique_ptr<Watch>> watches;
  for (int i = 0; i < kWatchers; ++i) {
    watches.push_back(std::make_unique<Watch>(stub()));
    watches.back()->Begin();
  }
  for (int i = 0; i < 20; ++i) Tell(Ask().name(), 20.0 - i);
  for (const auto& watch : watches) EXPECT_EQ(watch->Kinds(60).size(), 60u);
}

}  // namespace
}  // namespace slipstream
