#include "client/cli/study_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/space_grammar.h"

namespace slipstream::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

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

TEST(StudyView, NamesTheFirstSources) {
  v1::Study study;
  for (int i = 0; i < 9; ++i) study.add_source_tasks(absl::StrCat("sourceTasks/", i));
  EXPECT_THAT(FirstSources(study), SizeIs(9));
  study.add_source_tasks("sourceTasks/9");
  EXPECT_THAT(FirstSources(study), ElementsAre("sourceTasks/0", "sourceTasks/1", "sourceTasks/2",
                                               "sourceTasks/3", "sourceTasks/4", "sourceTasks/5",
                                               "sourceTasks/6", "sourceTasks/7"));
  for (const auto& [name, weight] : {std::pair("sourceTasks/9", 0.6), {"sourceTasks/3", 0.3}}) {
    auto& source = *study.mutable_transfer()->add_sources();
    source.set_source_task(name);
    source.set_weight(weight);
  }
  EXPECT_THAT(FirstSources(study), ElementsAre("sourceTasks/9", "sourceTasks/3", "sourceTasks/0",
                                               "sourceTasks/1", "sourceTasks/2", "sourceTasks/4",
                                               "sourceTasks/5", "sourceTasks/6"));
}

TEST(StudyView, SaysInAWordHowTransferGoes) {
  v1::Study study;
  study.mutable_transfer()->set_unused_because("the study has none");
  EXPECT_EQ(TransferWord(study), "");
  study.clear_transfer();
  study.add_source_tasks("sourceTasks/a");
  EXPECT_EQ(TransferWord(study), "");
  study.mutable_transfer()->set_state(v1::TransferSummary::HELPING);
  study.mutable_transfer()->set_share(0.3);
  EXPECT_EQ(TransferWord(study), "helping so far");
  study.mutable_transfer()->add_sources()->set_weight(0.5);
  EXPECT_EQ(TransferWord(study), "helping");
  study.mutable_transfer()->set_reversed(true);
  EXPECT_EQ(TransferWord(study), "helping reversed");
  study.mutable_transfer()->set_share(0.04);
  EXPECT_EQ(TransferWord(study), "helped, then given up");
  study.mutable_transfer()->set_state(v1::TransferSummary::HURTING);
  EXPECT_EQ(TransferWord(study), "given up");
  study.mutable_transfer()->set_state(v1::TransferSummary::UNKNOWN);
  EXPECT_EQ(TransferWord(study), "unknown");
  study.mutable_transfer()->set_unused_because("not ready");
  EXPECT_EQ(TransferWord(study), "not used");
}

TEST(StudyView, SaysWhatTheSourcesHaveDone) {
  v1::Study study;
  EXPECT_EQ(TransferText(study), "");
  study.add_source_tasks("sourceTasks/a");
  EXPECT_EQ(TransferText(study), "");
  study.set_trial_count(1);
  EXPECT_THAT(TransferText(study), HasSubstr("not measured: no suggestion so far"));
  v1::TransferSummary& transfer = *study.mutable_transfer();
  transfer.set_state(v1::TransferSummary::UNKNOWN);
  transfer.set_share(0.5);
  EXPECT_EQ(TransferText(study),
            "unknown so far, but the latest suggestion does not use them, as each has a weight of "
            "0; the model with sources counts for 50%");
  transfer.add_sources()->set_weight(0.5);
  EXPECT_EQ(TransferText(study), "unknown; the model with sources counts for 50%");
  v1::TransferSummary::Start& start = *transfer.mutable_start();
  start.set_trials(3);
  start.set_better(0.01);
  start.set_worse(0.3);
  EXPECT_EQ(TransferText(study),
            "unknown; its start was as good as one without sources; the model with sources counts "
            "for 50%");
  start.set_worse(0.6);
  EXPECT_THAT(TransferText(study), HasSubstr("its start was worse than one without sources, with a "
                                             "probability of 60%;"));
  start.set_better(0.984);
  start.set_worse(0.016);
  transfer.set_state(v1::TransferSummary::HELPING);
  transfer.set_results(12);
  transfer.set_share(0.93);
  transfer.set_gain_high(std::log(2));
  EXPECT_EQ(TransferText(study),
            "helping; its start was better than one without sources, with a probability of 98%; "
            "the model with sources counts for 93%, and made a result 1.00 times as likely (1.00 "
            "to 2.00), judging by 12 results");
  start.set_better(0.996);
  EXPECT_THAT(TransferText(study), HasSubstr(", with a probability of over 99%; "));
  transfer.set_reversed(true);
  EXPECT_THAT(TransferText(study),
              StartsWith("helping, with their signs reversed, as results are the opposite of what "
                         "the sources say (were these recorded with the wrong sign?); its start"));
  transfer.set_state(v1::TransferSummary::NEUTRAL);
  EXPECT_THAT(TransferText(study), StartsWith("neutral; its start"));
  transfer.set_state(v1::TransferSummary::HELPING);
  transfer.clear_reversed();
  transfer.clear_sources();
  EXPECT_THAT(TransferText(study),
              StartsWith("helping so far, but the latest suggestion does not use them, as each has "
                         "a weight of 0; its start"));
  transfer.set_share(0.04);
  EXPECT_THAT(TransferText(study), StartsWith("helped, then given up; its start"));
  transfer.set_unused_because("not ready");
  EXPECT_EQ(TransferText(study), "not used: not ready");
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
