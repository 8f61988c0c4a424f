#include "client/cli/other_tools.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace slipstream::cli {
namespace {

TEST(OtherTools, AreKnownByTheirColumns) {
  const OtherTool* const optuna = ToolOf({"number", "value", "params_lr", "state"});
  ASSERT_NE(optuna, nullptr);
  EXPECT_EQ(optuna->succeeded, "COMPLETE");
  const std::vector<std::vector<std::string>> others = {{},
                                                        {"number", "state", "lr"},
                                                        {"trial_id", "lr"},
                                                        {"run_id", "params.lr"},
                                                        {"trial", "state", "params_lr"},
                                                        {"trial_index", "lr"}};
  for (const std::vector<std::string>& columns : others) EXPECT_EQ(ToolOf(columns), nullptr);
}

TEST(OtherTools, HaveNamesForTheMetric) {
  const OtherTool& optuna = *ToolOf({"number", "params_lr", "state"});
  EXPECT_EQ(MetricColumn(optuna, {"value", "values_0"}, "loss"), "value");
  EXPECT_EQ(MetricColumn(optuna, {"values_0", "values_loss"}, "loss"), "values_loss");
  EXPECT_EQ(MetricColumn(optuna, {"value_loss"}, "loss"), "value_loss");
  EXPECT_EQ(MetricColumn(optuna, {"duration", "value"}, "duration"), "duration");
  EXPECT_EQ(MetricColumn(optuna, {"values_0"}, "loss"), "values_0");
  EXPECT_EQ(MetricColumn(optuna, {"values_0", "values_1"}, "loss"), "loss");
  EXPECT_EQ(MetricColumn(optuna, {"params_lr"}, "loss"), "loss");
}

TEST(OtherTools, TellWhatIsAboutTheirRuns) {
  const OtherTool& mlflow = *ToolOf({"run_id", "status", "params.lr"});
  EXPECT_TRUE(IsAboutRun(mlflow, "tags.user"));
  EXPECT_FALSE(IsAboutRun(mlflow, "params.seed"));
  const OtherTool& ax = *ToolOf({"trial_index", "trial_status", "lr"});
  EXPECT_TRUE(IsAboutRun(ax, "arm_name"));
  EXPECT_FALSE(IsAboutRun(ax, "seed"));
}

}  // namespace
}  // namespace slipstream::cli
