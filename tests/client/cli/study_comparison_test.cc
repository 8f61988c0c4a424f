#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "slipstream/messages/configuration.h"
#include "tests/client/cli/cli_process.h"

namespace slipstream {
namespace {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class StudyComparison : public CliTest {
 protected:
  StudyComparison() {
    Add("ascent", v1::Metric::MAXIMIZE, "lr");
    // The best one of ten comes first, and the eleventh is better than it.
    AddTrial("ascent", 0.9, "lr");
    AddTrial("ascent", 0.125, "lr", v1::Trial::FAILED);
    for (int i = 0; i < 8; ++i) AddTrial("ascent", 0.5, "lr");
    AddTrial("ascent", 1.0 / 3 + 1, "lr");
    AddTrial("ascent", 0.75, "lr", v1::Trial::ACTIVE);
    Add("other", v1::Metric::MAXIMIZE, "best");
    for (int i = 0; i < 10; ++i) AddTrial("other", 0.25, "best", v1::Trial::FAILED);
  }

  void Add(const std::string& id, v1::Metric::Goal goal, const std::string& parameter) {
    v1::Study study;
    study.set_name("studies/" + id);
    v1::Parameter& added = *study.mutable_space()->add_parameters();
    added.set_name(parameter);
    added.mutable_double_domain()->set_max(1);
    v1::Metric& metric = *study.add_metrics();
    metric.set_name("accuracy");
    metric.set_goal(goal);
    study.set_trial_count(12);
    study.set_succeeded_trial_count(10);
    service().AddStudy(study);
  }

  void AddTrial(const std::string& study, double value, const std::string& parameter,
                v1::Trial::State state = v1::Trial::SUCCEEDED) {
    v1::Trial trial;
    trial.set_state(state);
    SetDouble(trial.mutable_configuration(), parameter, value / 10);
    (*trial.mutable_measurement()->mutable_metrics())["accuracy"] = value;
    service().AddTrial("studies/" + study, trial);
  }
};

TEST_F(StudyComparison, ShowsStudiesSideBySideAndSaysWhatTheyDoNotHave) {
  const ProcessResult result = Run({"study", "compare", "ascent", "other"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, MatchesRegex("study +ascent +other *\n"
                                       "objective +maximize accuracy +maximize accuracy *\n"
                                       "trials +12 +12 *\n"
                                       "succeeded +10 +10 *\n"
                                       "best +1.33333 +-\n"
                                       "best trial +ascent/11 +-\n"
                                       "best after 10 +0.9 +-\n"
                                       "best after 25 +only 11 ended +only 10 ended\n"
                                       "best after 50 +only 11 ended +only 10 ended\n"
                                       "lr +0.133333 +-\n"
                                       "parameter best +- +-\n"));
}

TEST_F(StudyComparison, HasARowForEachStudyInCsv) {
  const ProcessResult result = Run({"study", "compare", "other", "ascent", "--format", "csv"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            "study,objective,trials,succeeded,best,best_trial,best_after_10,best_after_25,"
            "best_after_50,parameter best,lr\r\n"
            "other,maximize accuracy,12,10,,,,,,,\r\n"
            "ascent,maximize accuracy,12,10,1.3333333333333333,ascent/11,0.9,,,,"
            "0.13333333333333333\r\n");
}

TEST_F(StudyComparison, IsAnArrayInJson) {
  const Json json =
      Json::parse(Run({"study", "compare", "ascent", "other", "--format", "json"}).out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["study"], "studies/ascent");
  EXPECT_EQ(json[0]["metric"]["goal"], "MAXIMIZE");
  EXPECT_EQ(json[0]["trials"], 12);
  EXPECT_EQ(json[0]["best"], 1.0 / 3 + 1);
  EXPECT_EQ(json[0]["bestTrial"]["name"], "studies/ascent/trials/11");
  EXPECT_EQ(json[0]["bestAfter"], Json::parse(R"({"10": 0.9, "25": null, "50": null})"));
  EXPECT_TRUE(json[1]["best"].is_null());
  EXPECT_TRUE(json[1]["bestTrial"].is_null());
}

TEST_F(StudyComparison, TheIncumbentOfAStudyThatMinimizesIsItsSmallestValue) {
  for (const char* id : {"down", "deep"}) {
    Add(id, v1::Metric::MINIMIZE, "lr");
    for (int i = 0; i < 60; ++i) AddTrial(id, 100 - i, "lr");
  }
  const Json json = Json::parse(Run({"study", "compare", "down", "deep", "--format", "json"}).out);
  EXPECT_EQ(json[1]["bestAfter"], Json::parse(R"({"10": 91.0, "25": 76.0, "50": 51.0})"));
}

TEST_F(StudyComparison, RefusesStudiesThatCannotBeCompared) {
  Add("descent", v1::Metric::MINIMIZE, "lr");
  const ProcessResult directions = Run({"study", "compare", "ascent", "other", "descent"});
  EXPECT_EQ(directions.code, 2);
  EXPECT_THAT(directions.err, StartsWith("slipstream: studies of different directions cannot be "
                                         "compared: ascent is to maximize accuracy, and descent "
                                         "to minimize accuracy\n"));
  const ProcessResult twice = Run({"study", "compare", "ascent", "studies/ascent"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("study ascent is given twice"));
  const ProcessResult one = Run({"study", "compare", "ascent"});
  EXPECT_EQ(one.code, 2);
  EXPECT_THAT(one.err, HasSubstr("two or more"));
  const ProcessResult gone = Run({"study", "compare", "ascent", "nowhere"});
  EXPECT_EQ(gone.code, 1);
  EXPECT_THAT(gone.err, ContainsRegex("studies/nowhere"));
}

}  // namespace
}  // namespace slipstream
