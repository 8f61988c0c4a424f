#include "client/cpp/annotations.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "client/cpp/existing_study.h"
#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream::client_internal {
namespace {

using client::Annotation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr char kTrial[] = "studies/s1/trials/1";

class AnnotationsTest : public testing::Test {
 protected:
  AnnotationsTest() {
    server_.service().AddStudy(SmallStudy());
    v1::Trial trial;
    trial.mutable_create_time()->set_seconds(1);
    trial.mutable_create_time()->set_nanos(345'000'000);
    server_.service().AddTrial("studies/s1", trial);
    ClientOptions options;
    options.address = server_.address();
    options.clock = std::make_shared<FakeClientClock>();
    client_ = *Client::Connect(options);
    annotations_ = std::make_unique<Annotations>(client_, MeantStudy("studies/s1"));
  }

  // What the trial has after the annotation.
  v1::Trial Write(const Annotation& annotation) {
    const absl::StatusOr<v1::Trial> told = annotations_->Write(kTrial, std::nullopt, annotation);
    EXPECT_TRUE(told.ok()) << told.status();
    const v1::Trial stored = server_.service().trials("studies/s1").front();
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(*told, stored));
    return stored;
  }
  // The fields that each change so far was about.
  std::vector<std::vector<std::string>> Changed() {
    std::vector<std::vector<std::string>> changed;
    for (const v1::UpdateTrialRequest& request : server_.service().updates()) {
      const auto& paths = request.update_mask().paths();
      changed.emplace_back(paths.begin(), paths.end());
    }
    return changed;
  }

  FakeServer server_;
  std::shared_ptr<Client> client_;
  std::unique_ptr<Annotations> annotations_;
};

TEST_F(AnnotationsTest, AddLabelsToThoseThatThereAre) {
  Write({.labels = {{"gpu", "a100"}, {"fold", "3"}}, .note = "odd"});
  const v1::Trial trial = Write({.labels = {{"gpu", "h100"}, {"host", "n7"}}});
  EXPECT_THAT(trial.labels(),
              UnorderedElementsAre(Pair("gpu", "h100"), Pair("fold", "3"), Pair("host", "n7")));
  EXPECT_EQ(trial.note(), "odd");
}

TEST_F(AnnotationsTest, RemoveALabelWithoutAValueAndAnEmptyNote) {
  Write({.labels = {{"gpu", "a100"}, {"fold", ""}}, .note = "odd"});
  const v1::Trial trial = Write({.labels = {{"gpu", std::nullopt}}, .note = ""});
  EXPECT_THAT(trial.labels(), ElementsAre(Pair("fold", "")));
  EXPECT_EQ(trial.note(), "");
}

TEST_F(AnnotationsTest, SendOnlyWhatChanges) {
  Write({.labels = {{"gpu", "a100"}}});
  Write({.labels = {{"gpu", "a100"}}, .note = "odd"});
  Write({.labels = {{"gpu", "a100"}, {"never there", std::nullopt}}, .note = "odd"});
  Write({});
  Write({.labels = {{"gpu", std::nullopt}}, .note = ""});
  EXPECT_THAT(Changed(), ElementsAre(ElementsAre("labels"), ElementsAre("note"),
                                     ElementsAre("labels", "note")));
}

TEST_F(AnnotationsTest, AreMadeOnceWhenAnAnswerIsLost) {
  server_.service().FailNext(1, {});  // The trial is read.
  server_.service().FailNext(
      2, {.status = {grpc::StatusCode::UNAVAILABLE, "lost"}, .lost_answer = true});
  Write({.labels = {{"gpu", "a100"}}});
  std::set<std::string> ids;
  for (const SeenCall& call : server_.service().calls()) {
    if (call.method == "UpdateTrial") ids.insert(call.request_id);
  }
  EXPECT_EQ(ids.size(), 1u);
  EXPECT_EQ(server_.service().calls().size(), 4u);
  EXPECT_EQ(Changed().size(), 1u);
}

TEST_F(AnnotationsTest, OfThreadsDoNotUndoEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      for (int j = 0; j < 5; ++j) {
        const std::string key = std::to_string(10 * i + j);
        const auto told = annotations_->Write(kTrial, std::nullopt, {.labels = {{key, "there"}}});
        EXPECT_TRUE(told.ok()) << told.status();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(server_.service().trials("studies/s1").front().labels_size(), 40);
}

TEST_F(AnnotationsTest, AreForTheTrialThatIsMeantAndNoOtherOfItsName) {
  const client::TrialRecord record = RecordOf(*client_->GetTrial(kTrial), "accuracy");
  EXPECT_TRUE(annotations_->Write(kTrial, record.created, {.note = "odd"}).ok());
  server_.service().ReplaceTrial(kTrial);
  const absl::Status refused =
      annotations_->Write(kTrial, record.created, {.note = "new"}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr(std::string(kTrial) + " is not the trial that the call is about"));
  EXPECT_FALSE(annotations_->Read(kTrial, record.created).ok());
  EXPECT_EQ(annotations_->Read(kTrial, std::nullopt)->note(), "odd");
}

}  // namespace
}  // namespace slipstream::client_internal
