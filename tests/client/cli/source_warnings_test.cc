#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/client/cli/cli_process.h"

namespace slipstream {
namespace {

using testing::HasSubstr;
using testing::Not;

using SourceWarnings = CliTest;

TEST_F(SourceWarnings, WarnsOfASourceThatMeasuredTheOppositeOfTheSame) {
  v1::SourceTask task;
  task.set_name("sourceTasks/0123456789abcdef0123456789abcdef");
  task.set_display_name("SVM on digits");
  task.add_metrics()->set_name("accuracy");
  task.mutable_metrics(0)->set_goal(v1::Metric::MAXIMIZE);
  service().AddSource(task);
  const auto create = [&](const std::string& id, const std::string& goal,
                          const std::string& metric) {
    return Run({"study", "create", "--id", id, "--param", "x=double:0..1", goal, metric, "--source",
                "0123456789abcdef0123456789abcdef"});
  };
  const ProcessResult opposite = create("s1", "--minimize", "accuracy");
  ASSERT_EQ(opposite.code, 0) << opposite.err;
  EXPECT_THAT(opposite.err, HasSubstr("SVM on digits (0123456789ab) is to maximize accuracy, and "
                                      "the study to minimize it"));
  EXPECT_THAT(create("s2", "--minimize", "error").err, Not(HasSubstr("is to maximize")));
  EXPECT_THAT(create("s3", "--maximize", "accuracy").err, Not(HasSubstr("is to")));
}

TEST_F(SourceWarnings, WarnsOfASourceThatMayNameAParameterOtherwise) {
  const auto add = [&](const std::string& digits, const std::vector<std::string>& parameters) {
    v1::SourceTask task;
    task.set_name("sourceTasks/" + digits);
    task.add_metrics()->set_name("loss");
    task.mutable_metrics(0)->set_goal(v1::Metric::MINIMIZE);
    for (const std::string& name : parameters) {
      task.mutable_space()->add_parameters()->set_name(name);
    }
    service().AddSource(task);
  };
  add("0123456789abcdef0123456789abcdef", {"layers", "learning_rate"});
  add("11111111111111111111111111111111", {"layers"});
  add("22222222222222222222222222222222", {"layers", "lr", "momentum"});
  const auto create = [&](const std::string& id, const std::string& source) {
    return Run({"study", "create", "--id", id, "--param", "lr=double:0..1", "--param",
                "layers=integer:1..8", "--minimize", "loss", "--source", source});
  };
  EXPECT_THAT(create("s1", "0123456789abcdef0123456789abcdef").err,
              HasSubstr("0123456789ab has no 'lr', and its 'learning_rate' is not used. If that is "
                        "the same under another name, register it again with the study's name"));
  for (const std::string& fine : {std::string(32, '1'), std::string(32, '2')}) {
    const ProcessResult result = create("s" + fine.substr(0, 2), fine);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("has no")));
  }
}

TEST_F(SourceWarnings, WarnsOnceOfSourcesWhoseBestResultsAreOutsideTheSpace) {
  const auto add = [&](char digit, const v1::ParameterValue& best) {
    v1::SourceTask task;
    task.set_name("sourceTasks/" + std::string(32, digit));
    task.mutable_space()->add_parameters()->set_name("x");
    (*task.mutable_best()->mutable_configuration()->mutable_values())["x"] = best;
    service().AddSource(task);
  };
  v1::ParameterValue number;
  number.set_double_value(16.1);
  add('1', number);
  number.set_double_value(17);
  add('2', number);
  number.set_double_value(2.5);
  add('3', number);
  v1::ParameterValue word;
  word.set_category_value("lion");
  add('4', word);
  const auto warnings = [&](const std::string& parameter, const std::string& digits) {
    std::vector<std::string> command = {"study", "create", "--param", parameter, "--minimize",
                                        "loss"};
    for (char digit : digits) {
      command.insert(command.end(), {"--source", std::string(32, digit)});
    }
    const ProcessResult result = Run(command);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err;
  };
  EXPECT_EQ(warnings("x=double:0..0.6", "12"),
            "slipstream: 111111111111 has its best result at x=16.1, which is not in 0..0.6: "
            "results outside the study's space are left out\n");
  EXPECT_THAT(warnings("x=integer:1..8", "31"),
              HasSubstr("111111111111 has its best result at x=16.1, which is not a whole number"));
  EXPECT_THAT(warnings("x=discrete:1,2,9", "2"), HasSubstr("x=17, which is not one of 1, 2, 9"));
  EXPECT_THAT(warnings("x=categorical:adam,sgd", "4"),
              HasSubstr("x=lion, which is not one of adam, sgd"));
  // The study's values are the nearest ones.
  for (const char* parameter : {"x=double:0..9", "x=integer:1..8", "x=discrete:1,9"}) {
    EXPECT_EQ(warnings(parameter, "3"), "");
  }
  EXPECT_EQ(warnings("x=categorical:adam,lion", "4"), "");
}

}  // namespace
}  // namespace slipstream
