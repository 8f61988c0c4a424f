#include "client/cli/study_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/space_grammar.h"

namespace slipstream::cli {
namespace {

using testing::ElementsAre;

TEST(StudyView, ShowsStatesMetricsAndLabelsInWords) {
  EXPECT_EQ(StateText(v1::Study::PAUSED), "paused");
  v1::Metric metric;
  metric.set_name("accuracy");
  metric.set_goal(v1::Metric::MAXIMIZE);
  EXPECT_EQ(MetricText(metric), "maximize accuracy");
  metric.set_noise(v1::Metric::EXACT);
  EXPECT_EQ(MetricText(metric), "maximize accuracy, exact");
  v1::Study study;
  (*study.mutable_labels())["team"] = "vision";
  (*study.mutable_labels())["stage"] = "test";
  EXPECT_EQ(LabelsText(study.labels()), "stage=test, team=vision");
}

TEST(StudyView, ShowsARecipesNamesAndOptions) {
  v1::Recipe recipe;
  EXPECT_EQ(RecipeText(recipe), "");
  recipe.set_prior("scaml");
  recipe.set_calibration("map");
  recipe.set_acquisition("log_ei");
  (*recipe.mutable_options())["ucb_multiplier"] = 3;
  EXPECT_EQ(RecipeText(recipe), "prior=scaml calibration=map acquisition=log_ei ucb_multiplier=3");
}

TEST(StudyView, SaysInAWordHowTransferGoes) {
  v1::Study study;
  EXPECT_EQ(TransferWord(study), "");
  study.mutable_transfer()->set_state(v1::TransferSummary::HELPING);
  study.mutable_transfer()->set_share(0.3);
  EXPECT_EQ(TransferWord(study), "helping");
  study.mutable_transfer()->set_share(0.004);
  EXPECT_EQ(TransferWord(study), "given up");
  study.mutable_transfer()->set_state(v1::TransferSummary::UNKNOWN);
  EXPECT_EQ(TransferWord(study), "unknown");
  study.mutable_transfer()->set_unused_because("not ready");
  EXPECT_EQ(TransferWord(study), "not used");
}

TEST(StudyView, ShowsOneRowPerParameter) {
  const Table table = ParametersTable(
      *ParseSpace({"lr=double:1e-5..1:log;default=0.01", "kernel=categorical:rbf,poly",
                   "degree=integer:2..5;when=kernel:poly"}));
  EXPECT_THAT(table.rows,
              ElementsAre(ElementsAre("lr", "double:1e-05..1:log", "0.01", ""),
                          ElementsAre("kernel", "categorical:rbf,poly", "", ""),
                          ElementsAre("degree", "integer:2..5", "", "kernel is poly")));
}

}  // namespace
}  // namespace slipstream::cli
