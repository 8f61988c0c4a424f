#include "client/cpp/existing_study.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "client/cpp/new_study_message.h"

namespace slipstream::client {
namespace {

using client_internal::DescriptionOf;
using client_internal::RecordOf;

NewStudy FullStudy() {
  return {.space = {{"lr", Log(1e-5, 1).Default(0.01)},
                    {"momentum", ReverseLog(0.9, 0.9999)},
                    {"layers", Integer(1, 8).On(Parameter::Scale::kLog).Default(2)},
                    {"batch", Discrete({16, 32}).On(Parameter::Scale::kLog)},
                    {"kernel", Choice({"rbf", "poly"})},
                    {"degree", Integer(2, 5).When("kernel", {"poly"})},
                    {"bias", Boolean().Default(true)}},
          .maximize = "accuracy",
          .exact = true,
          .candidates = {{{"lr", 0.1}, {"layers", 3}, {"kernel", "rbf"}, {"bias", false}}},
          .allow_repeats = true,
          .sources = {"sourceTasks/a"},
          .preset = "scaml",
          .recipe = {{"prior", "stacked"},
                     {"calibration", "map"},
                     {"acquisition", "ei"},
                     {"initial", "quasi_random"},
                     {"exploration", "none"},
                     {"most_sources", 5.0}},
          .seed = 7,
          .stopping = "median",
          .stopping_options = {{"share", 0.5}},
          .lease = std::chrono::milliseconds(90500),
          .requeues = 2,
          .title = "Digits",
          .labels = {{"team", "vision"}}};
}

TEST(DescriptionOf, IsWhatAskedForTheStudy) {
  v1::Study message = client_internal::MessageOf(FullStudy());
  const v1::Study again = client_internal::MessageOf(DescriptionOf(message));
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(message, again))
      << again.DebugString();
  message.set_name("studies/digits");
  EXPECT_EQ(DescriptionOf(message).id, "digits");
  EXPECT_EQ(DescriptionOf(message).project, "default");
  EXPECT_EQ(DescriptionOf(message).maximize, "accuracy");
}

TEST(RecordOf, HasAllThatIsKnownOfATrial) {
  v1::Trial message;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    name: "studies/digits/trials/12" state: STOPPED worker: "gpu-3" candidate: 4
    configuration { values { key: "lr" value { double_value: 0.25 } }
                    values { key: "bias" value { boolean_value: true } } }
    measurement { metrics { key: "accuracy" value: 0.5 } } reason: "hopeless"
    create_time { seconds: 10 } start_time { seconds: 11 } end_time { seconds: 12 nanos: 500000000 }
    report_count: 3 last_step: 9 last_value: 0.5 labels { key: "k" value: "v" } note: "n"
    worker_process { host: "node7" process_id: 4711 }
    requeue_of: "studies/digits/trials/3" requeued_as: "studies/digits/trials/14")",
                                                            &message));
  const TrialRecord record = RecordOf(message, "accuracy");
  EXPECT_EQ(record.number, 12);
  EXPECT_EQ(record.state, TrialState::kStopped);
  EXPECT_EQ(record.params, (Configuration{{"lr", 0.25}, {"bias", true}}));
  EXPECT_EQ(record.value, 0.5);
  EXPECT_EQ(record.candidate, 4);
  EXPECT_EQ(*record.ended - *record.started, std::chrono::milliseconds(1500));
  EXPECT_FALSE(record.lease_ends.has_value());
  EXPECT_EQ(record.last_step, 9);
  EXPECT_EQ(record.labels.at("k"), "v");
  EXPECT_EQ(record.note, "n");
  EXPECT_EQ(record.worker, "gpu-3");
  EXPECT_EQ(record.host, "node7");
  EXPECT_EQ(record.process_id, 4711);
  EXPECT_EQ(record.requeue_of, 3);
  EXPECT_EQ(record.requeued_as, 14);
  EXPECT_EQ(RecordOf(message, "loss").value, std::nullopt);
}

TEST(RecordOf, HasNothingThatTheServerLeftOut) {
  v1::Trial message;
  message.set_name("projects/vision/studies/digits/trials/12");
  const TrialRecord record = RecordOf(message, "accuracy");
  EXPECT_EQ(record.number, 12);
  EXPECT_EQ(record.host, "");
  EXPECT_EQ(record.process_id, std::nullopt);
  EXPECT_EQ(record.requeue_of, std::nullopt);
  EXPECT_EQ(record.requeued_as, std::nullopt);
}

}  // namespace
}  // namespace slipstream::client
