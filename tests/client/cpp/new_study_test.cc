// Tests of new_study.h and new_study_message.h.
#include "slipstream/new_study.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "client/cpp/new_study_message.h"

namespace slipstream::client {
namespace {

using client_internal::MessageOf;

// Expects the message that the text is.
void ExpectMessage(const NewStudy& study, const std::string& text) {
  v1::Study expected;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &expected));
  const v1::Study message = MessageOf(study);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(message, expected))
      << message.DebugString();
}

TEST(NewStudy, HasEachKindOfParameter) {
  ExpectMessage({.space = {{"lr", Log(1e-5, 1).Default(0.01)},
                           {"momentum", ReverseLog(0.9, 0.9999)},
                           {"x", Real(-1, 1)},
                           {"layers", Integer(1, 8).On(Parameter::Scale::kLog).Default(2)},
                           {"batch", Discrete({16, 32})},
                           {"kernel", Choice({"rbf", "poly"}).Default("rbf")},
                           {"bias", Boolean().Default(true)}},
                 .minimize = "loss"},
                R"(space {
    parameters { name: "lr" double_domain { min: 1e-5 max: 1 scale: LOG }
                 default_value { double_value: 0.01 } }
    parameters { name: "momentum" double_domain { min: 0.9 max: 0.9999 scale: REVERSE_LOG } }
    parameters { name: "x" double_domain { min: -1 max: 1 } }
    parameters { name: "layers" integer_domain { min: 1 max: 8 scale: LOG }
                 default_value { integer_value: 2 } }
    parameters { name: "batch" discrete_domain { values: 16 values: 32 } }
    parameters { name: "kernel" categorical_domain { values: "rbf" values: "poly" }
                 default_value { category_value: "rbf" } }
    parameters { name: "bias" boolean_domain {} default_value { boolean_value: true } }
  }
  metrics { name: "loss" goal: MINIMIZE })");
}

TEST(NewStudy, ConditionsHaveTheirParentsValues) {
  ExpectMessage({.space = {{"a", Integer(1, 2).When("kernel", {"poly", "rbf"})},
                           {"b", Real(0, 1).When("layers", {3, 4})}},
                 .maximize = "accuracy"},
                R"(space {
    parameters { name: "a" integer_domain { min: 1 max: 2 }
      condition { parent: "kernel" values { category_value: "poly" }
                  values { category_value: "rbf" } } }
    parameters { name: "b" double_domain { min: 0 max: 1 }
      condition { parent: "layers" values { integer_value: 3 } values { integer_value: 4 } } }
  }
  metrics { name: "accuracy" goal: MAXIMIZE })");
}

TEST(NewStudy, HasAllSettings) {
  ExpectMessage({.maximize = "accuracy",
                 .exact = true,
                 .candidates = {{{"x", 0.5}, {"kernel", "rbf"}}},
                 .allow_repeats = true,
                 .sources = {"sourceTasks/a", "sourceTasks/b"},
                 .preset = "scaml",
                 .recipe = {{"acquisition", "ei"}, {"most_sources", 5.0}},
                 .seed = 7,
                 .stopping = "median",
                 .stopping_options = {{"share", 0.5}},
                 .lease = std::chrono::milliseconds(90500),
                 .requeues = 2,
                 .title = "Digits",
                 .labels = {{"team", "vision"}}},
                R"(space { candidates { allow_repeats: true configurations {
    values { key: "x" value { double_value: 0.5 } }
    values { key: "kernel" value { category_value: "rbf" } } } } }
  metrics { name: "accuracy" goal: MAXIMIZE noise: EXACT }
  source_tasks: "sourceTasks/a" source_tasks: "sourceTasks/b"
  algorithm { preset: "scaml" recipe { acquisition: "ei"
    options { key: "most_sources" value: 5 } } }
  seed: 7 early_stopping { rule: "median" options { key: "share" value: 0.5 } }
  lease_policy { duration { seconds: 90 nanos: 500000000 } max_requeues: 2 }
  display_name: "Digits" labels { key: "team" value: "vision" })");
}

TEST(NewStudy, BothGoalsAreTheServersToRefuse) {
  EXPECT_EQ(MessageOf(NewStudy{.maximize = "a", .minimize = "b"}).metrics_size(), 2);
  EXPECT_EQ(MessageOf(NewStudy{}).metrics_size(), 0);
}

}  // namespace
}  // namespace slipstream::client
