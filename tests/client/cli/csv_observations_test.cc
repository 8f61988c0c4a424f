#include "client/cli/csv_observations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "client/cli/space_grammar.h"

namespace slipstream::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class CsvObservationsTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<CsvObservations>> Open(const std::string& text) {
    return CsvObservations::Open("runs.csv", text, &configurations_, columns_);
  }

  // The error message of Open or CheckAll; "none" without an error.
  std::string Complaint(const std::string& text) {
    const auto table = Open(text);
    if (!table.ok()) return std::string(table.status().message());
    const auto count = (*table)->CheckAll();
    return count.ok() ? "none" : std::string(count.status().message());
  }

  const ConfigurationReader configurations_ = *ConfigurationReader::Create(
      *ParseSpace({"lr=double:0..1", "kernel=categorical:rbf,\"x\ny\",poly",
                   "degree=integer:2..5;when=kernel:poly"}));
  CsvColumns columns_ = {.objective = "accuracy", .ignored = {}};
};

TEST_F(CsvObservationsTest, ReadsRowsWhateverTheOrderOfColumns) {
  const auto table = Open("accuracy,degree,kernel,lr\n0.9,3,poly,0.5\n0.8,,rbf,1e-1\n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->CheckAll().value(), 2);
  ASSERT_TRUE((*table)->Rewind().ok());
  v1::Observation first;
  v1::Observation second;
  v1::Observation none;
  ASSERT_TRUE((*table)->Next(&first).value());
  ASSERT_TRUE((*table)->Next(&second).value());
  EXPECT_FALSE((*table)->Next(&none).value());
  EXPECT_EQ(first.configuration().values().at("degree").integer_value(), 3);
  EXPECT_EQ(first.outcome().measurement().metrics().at("accuracy"), 0.9);
  EXPECT_EQ(second.configuration().values().at("lr").double_value(), 0.1);
  EXPECT_FALSE(second.configuration().values().contains("degree"));
}

TEST_F(CsvObservationsTest, TellsOfAnotherEncodingWhereItMatters) {
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,rb\xE9,,1\n"),
            "runs.csv:2:2 (kernel): the text is not UTF-8; save the file in UTF-8");
  EXPECT_THAT(Complaint("lr,kernel,d\xE9gree,accuracy\n0.5,rbf,,1\n"),
              EndsWith(": the text is not UTF-8; save the file in UTF-8"));
  columns_.ignored = {"remark"};
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy,remark\n0.5,rbf,,1,\xE9\n"), "none");
}

TEST_F(CsvObservationsTest, ReadsTheSameAgainAfterRewind) {
  const auto table = Open("lr,kernel,degree,accuracy\n0.5,rbf,,1\n0.25,rbf,,2\n");
  ASSERT_TRUE(table.ok());
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_TRUE((*table)->Rewind().ok());
    v1::Observation observation;
    ASSERT_TRUE((*table)->Next(&observation).value());
    EXPECT_EQ(observation.configuration().values().at("lr").double_value(), 0.5);
  }
}

TEST_F(CsvObservationsTest, PointsAtTheCellThatIsWrong) {
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,rbf,,1\n2,rbf,,1\n"),
            "runs.csv:3:1 (lr): '2' is not in 0..1");
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,RBF,,1\n"),
            "runs.csv:2:2 (kernel): 'RBF' is not one of rbf, \"x\ny\", poly");
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,poly,2.5,1\n"),
            "runs.csv:2:3 (degree): '2.5' is not a whole number");
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,rbf,,high\n"),
            "runs.csv:2:4 (accuracy): 'high' is not a number");
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,rbf,,nan\n"),
            "runs.csv:2:4 (accuracy): the objective is 'nan', which is not a finite number; "
            "say what that means: --missing-objective failed, or infeasible");
}

TEST_F(CsvObservationsTest, ChecksConditions) {
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,rbf,3,1\n"),
            "runs.csv:2:3 (degree): '3' is given, but the parameter is active only where kernel is "
            "poly");
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,poly,,1\n"),
            "runs.csv:2:3 (degree): a value is missing, must be a whole number in 2..5");
}

TEST_F(CsvObservationsTest, CountsLinesOfTheFileAndNotRows) {
  EXPECT_THAT(Complaint("lr,kernel,degree,accuracy\r\n"
                        "0.5,\"\"\"x\ny\"\"\",,1\r\n"
                        "\r\n"
                        "0.5,\"\"\"x\ny\"\"\",,bad\r\n"),
              StartsWith("runs.csv:6:4 (accuracy): "));
}

TEST_F(CsvObservationsTest, DemandsAColumnForEveryParameterAndTheObjective) {
  EXPECT_EQ(Complaint("lr,kernel,accuracy\n0.5,rbf,1\n"),
            "runs.csv:1: no column for parameter 'degree'; the columns are lr, kernel, accuracy");
  EXPECT_THAT(Complaint("lr,kernel,degree\n"), HasSubstr("no column for the objective 'accuracy'"));
}

TEST_F(CsvObservationsTest, SaysWhichParametersAnUnknownColumnMayBe) {
  EXPECT_THAT(Complaint("learning_rate,kernel,degree,accuracy\n"),
              HasSubstr("neither a parameter nor the objective; if it is meant to be 'lr', which "
                        "has no column, rename it; to skip it: --ignore learning_rate"));
  EXPECT_THAT(Complaint("LR,kernel,degree,Accuracy\n"),
              HasSubstr("meant to be 'lr' or 'accuracy', which have no column, rename it"));
}

TEST_F(CsvObservationsTest, SaysTheRemedyWhereTheTableDoesNotFitTheSpace) {
  columns_.remedy = "; so what?";
  EXPECT_THAT(Complaint("lr,kernel,accuracy\n0.5,rbf,1\n"), EndsWith("accuracy; so what?"));
  EXPECT_THAT(Complaint("lr,kernel,degree,accuracy\n2,rbf,,1\n"), EndsWith("0..1; so what?"));
  EXPECT_THAT(Complaint("lr,kernel,degree,accuracy\n0.5,rbf,,x\n"), EndsWith("not a number"));
}

TEST_F(CsvObservationsTest, SaysThatASpaceKeepsAColumnFromBeingAParameter) {
  EXPECT_EQ(Complaint("lr, kernel, degree, accuracy\n0.5, rbf, , 1\n"),
            "runs.csv:1:2 ( kernel): there are spaces around 'kernel'; take them out, as in a,b "
            "instead of a, b");
  EXPECT_THAT(Complaint("lr,kernel,degree, accuracy \n0.5,rbf,, 1\n"),
              HasSubstr("spaces around 'accuracy'"));
}

TEST_F(CsvObservationsTest, RefusesUnknownColumns) {
  EXPECT_THAT(Complaint("lr,kernel,degree,seed,accuracy\n"),
              StartsWith("runs.csv:1:4 (seed): the column is neither a parameter nor the "
                         "objective; to skip it: --ignore seed"));
  EXPECT_THAT(Complaint("trial,it's so,lr,kernel,degree,accuracy\nd/1,SUCCEEDED,0.5,rbf,,0.9\n"),
              HasSubstr("to skip it and others like it: --ignore trial --ignore 'it'\\''s so', or "
                        "give --study without a file"));
  columns_.ignored = {"seed"};
  EXPECT_EQ(Complaint("lr,kernel,degree,seed,accuracy\n0.5,rbf,,what,1\n"), "none");
}

// Two results and a trial that failed, as each tool writes them.
class ToolsTableTest : public CsvObservationsTest,
                       public testing::WithParamInterface<std::string> {};

TEST_P(ToolsTableTest, IsReadAsItIs) {
  columns_.missing_objective = CsvColumns::MissingObjective::kFailed;  // Ray tells no failures.
  const auto table = Open(GetParam());
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ((*table)->CheckAll().value_or(-1), 3) << (*table)->CheckAll().status();
  ASSERT_TRUE((*table)->Rewind().ok());
  v1::Observation first, second, third;
  ASSERT_TRUE((*table)->Next(&first).value() && (*table)->Next(&second).value());
  ASSERT_TRUE((*table)->Next(&third).value());
  EXPECT_EQ(first.configuration().values().at("lr").double_value(), 0.5);
  EXPECT_EQ(first.configuration().values().at("degree").integer_value(), 3);
  EXPECT_EQ(first.outcome().measurement().metrics().at("accuracy"), 0.9);
  EXPECT_EQ(second.configuration().values().at("kernel").category_value(), "rbf");
  EXPECT_EQ(second.configuration().values().size(), 2u);
  EXPECT_EQ(second.outcome().measurement().metrics().at("accuracy"), 0.8);
  EXPECT_TRUE(third.outcome().has_failure());
}

INSTANTIATE_TEST_SUITE_P(
    Tools, ToolsTableTest,
    testing::Values("number,value,datetime_start,duration,params_degree,params_kernel,params_lr,"
                    "user_attrs_host,state\n"
                    "0,0.9,2026-01-01,0 days,3.0,poly,0.5,a,COMPLETE\n"
                    "1,,2026-01-01,,3.0,poly,0.5,a,RUNNING\n"
                    "2,0.7,2026-01-01,0 days,,rbf,0.5,a,PRUNED\n"
                    "3,0.8,2026-01-01,0 days,,rbf,0.25,a,COMPLETE\n"
                    "4,,2026-01-01,0 days,,rbf,0.125,a,FAIL\n",
                    "number,values_latency,values_accuracy,params_degree,params_kernel,params_lr,"
                    "state\n"
                    "0,7,0.9,3,poly,0.5,COMPLETE\n3,7,0.8,,rbf,0.25,COMPLETE\n4,,,,rbf,1,FAIL\n",
                    "run_id,status,metrics.loss,metrics.accuracy,params.lr,params.kernel,"
                    "params.degree,tags.user\n"
                    "a,FINISHED,1,0.9,0.5,poly,3,ann\nb,FINISHED,1,0.8,0.25,rbf,,ann\n"
                    "c,FAILED,1,0.1,0.25,rbf,,ann\nd,RUNNING,1,0.1,9,rbf,,ann\n",
                    "accuracy,trial_id,done,config/lr,config/kernel,config/degree,logdir\n"
                    "0.9,a,True,0.5,poly,3,a\n0.8,b,False,0.25,rbf,,b\n,c,False,0.25,rbf,,c\n",
                    ",accuracy,trial_id,done,config/lr,config/kernel,config/degree,logdir\n"
                    "0,0.9,a,False,0.5,poly,3,a\n1,0.8,b,True,0.25,rbf,,b\n2,,c,True,0.25,rbf,,c\n",
                    "trial_index,arm_name,trial_status,fail_reason,accuracy,latency,lr,kernel,"
                    "degree\n"
                    "0,0_0,COMPLETED,,0.9,7,0.5,poly,3\n1,1_0,COMPLETED,,0.8,7,0.25,rbf,\n"
                    "2,2_0,FAILED,memory,,7,0.25,rbf,\n3,3_0,RUNNING,,,7,0.25,rbf,\n",
                    "trial,state,lr,kernel,degree,accuracy,worker,reason,age,took,lease,labels\n"
                    "s/1,succeeded,0.5,poly,3,0.9,w,,5,1,,\ns/2,active,0.5,rbf,,,w,,5,1,9,\n"
                    "s/3,succeeded,0.25,rbf,,0.8,w,,5,1,,gpu=a\ns/4,stopped,1,rbf,,0.1,w,,5,1,,\n"
                    "s/5,failed,0.25,rbf,,,w,memory,5,1,,\n",
                    "number,state,lr,kernel,degree,accuracy,worker,reason,started,ended,label:gpu\n"
                    "1,succeeded,0.5,poly,3.0,0.9,w,,a,b,\n2,succeeded,0.25,rbf,,0.8,w,,a,b,\n"
                    "3,failed,0.25,rbf,,,w,memory,a,b,\n4,requested,0.25,rbf,,,,,,,\n",
                    "state,lr,kernel,degree,accuracy,worker,reason,started,ended\n"
                    "succeeded,0.5,poly,3.0,0.9,w,,a,b\nsucceeded,0.25,rbf,,0.8,w,,a,b\n"
                    "failed,0.25,rbf,,,w,memory,a,b\nrequested,0.25,rbf,,,,,,\n"));

TEST_F(CsvObservationsTest, TakesAMissingChoiceOfAnotherToolForNoneWhereItIsActive) {
  const ConfigurationReader reader = *ConfigurationReader::Create(
      *ParseSpace({"model=categorical:forest,None", "depth=categorical:None,2;when=model:forest"}));
  const auto table = CsvObservations::Open("runs.csv",
                                           "number,value,params_model,params_depth,state\n"
                                           "0,0.9,,,COMPLETE\n1,0.8,forest,,COMPLETE\n"
                                           "2,0.7,forest,2,COMPLETE\n3,,,,FAIL\n",
                                           &reader, columns_);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->CheckAll().value(), 3);
  ASSERT_TRUE((*table)->Rewind().ok());
  v1::Observation none;
  v1::Observation child;
  ASSERT_TRUE((*table)->Next(&none).value());
  ASSERT_TRUE((*table)->Next(&child).value());
  EXPECT_EQ(none.configuration().values().at("model").category_value(), "None");
  EXPECT_FALSE(none.configuration().values().contains("depth"));
  EXPECT_EQ(child.configuration().values().at("depth").category_value(), "None");
}

TEST_F(CsvObservationsTest, KnowsWhatIsInfeasibleInATableOfTrials) {
  const auto table = Open("trial,state,lr,kernel,degree,accuracy,worker,reason\n"
                          "s/1,infeasible,0.5,rbf,,,w,memory\n");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_TRUE((*table)->Rewind().ok());
  v1::Observation observation;
  ASSERT_TRUE((*table)->Next(&observation).value());
  EXPECT_TRUE(observation.outcome().has_infeasibility());
}

TEST_F(CsvObservationsTest, SaysWhatIsWrongWithATableOfAnotherTool) {
  EXPECT_THAT(Complaint("number,value,params_lr,params_kernel,params_seed,state\n"),
              StartsWith("runs.csv:1:5 (params_seed): the column is neither a parameter nor the "
                         "objective; if it is meant to be 'params_degree', which has no column, "
                         "rename it; to skip it: --ignore params_seed"));
  EXPECT_THAT(Complaint("trial_index,trial_status,LR,accuracy,kernel,degree\n"),
              StartsWith("runs.csv:1:3 (LR): the column is neither a parameter"));
  EXPECT_THAT(Complaint("number,values_0,values_1,params_lr,params_kernel,params_degree,state\n"),
              HasSubstr("no column for the objective 'accuracy'; the columns are number, values_"));
  EXPECT_THAT(Complaint("number,params_lr,params_kernel,params_degree,state\n"),
              HasSubstr("no column for the objective 'accuracy'"));
  EXPECT_EQ(Complaint("number,value,params_lr,params_kernel,params_degree,state\n"
                      "0,0.5,0.5,rbf,,RUNNING\n"),
            "runs.csv has no row whose state is COMPLETE or FAIL");
  EXPECT_EQ(Complaint("number,value,params_lr,params_kernel,params_degree,state\n"
                      "0,0.5,7,rbf,,COMPLETE\n"),
            "runs.csv:2:3 (params_lr): '7' is not in 0..1");
}

TEST_F(CsvObservationsTest, SkipsParametersThatOnlyTheOtherToolHas) {
  const auto table = Open("number,value,params_lr,params_seed,params_kernel,params_degree,state\n"
                          "0,0.5,0.5,7,rbf,,COMPLETE\n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT((*table)->left_out(), testing::ElementsAre("params_seed"));
  EXPECT_EQ((*table)->CheckAll().value_or(0), 1);
}

TEST_F(CsvObservationsTest, SkipsRunsThatFailedBeforeTheyHadAConfiguration) {
  columns_.missing_objective = CsvColumns::MissingObjective::kInfeasible;
  const auto table = Open("number,value,params_lr,params_kernel,params_degree,state\n"
                          "0,,,,,FAIL\n1,,0.5,rbf,,FAIL\n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->CheckAll().value_or(0), 1);
  ASSERT_TRUE((*table)->Rewind().ok());
  v1::Observation observation;
  ASSERT_TRUE((*table)->Next(&observation).value());
  EXPECT_TRUE(observation.outcome().has_infeasibility());
}

TEST(CsvObservations, ParametersMayHaveTheNamesOfColumnsAboutRuns) {
  const ConfigurationReader configurations = *ConfigurationReader::Create(
      *ParseSpace({"number=integer:1..8", "state=categorical:solid,liquid"}));
  const auto table = CsvObservations::Open(
      "runs.csv", "number,value,params_number,params_state,state\n0,0.5,3,solid,COMPLETE\n",
      &configurations, {.objective = "loss", .ignored = {}});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->CheckAll().value_or(0), 1) << (*table)->CheckAll().status();
  const auto without = CsvObservations::Open("runs.csv", "number,value,params_state,state\n",
                                             &configurations, {.objective = "loss", .ignored = {}});
  EXPECT_THAT(without.status().message(), HasSubstr("no column for parameter 'number'"));
}

TEST(CsvObservations, AColumnThatMayBeAParametersIsNotTakenForOneAboutTrials) {
  const ConfigurationReader configurations =
      *ConfigurationReader::Create(*ParseSpace({"lr=double:0..1", "age=integer:1..8"}));
  const auto table = CsvObservations::Open(
      "runs.csv", "trial,state,worker,reason,lr,age,loss\ns/1,succeeded,w,,0.5,3,1\n",
      &configurations, {.objective = "loss", .ignored = {}});
  EXPECT_THAT(table.status().message(), HasSubstr("--ignore trial --ignore state"));
}

TEST_F(CsvObservationsTest, NamesTheFormatOfAFileThatIsNotCsv) {
  EXPECT_THAT(Complaint(" [{\"lr\": 0.5}]"), StartsWith("runs.csv looks like JSON; a table is"));
  EXPECT_THAT(Complaint("lr;kernel\n0,5;rbf\n"), HasSubstr("looks like a table with semicolons"));
  EXPECT_THAT(Complaint("lr\tkernel\n0.5\trbf\n"), HasSubstr("looks like a table with tabs"));
}

TEST_F(CsvObservationsTest, ResultsThatAreNotFiniteAreMissing) {
  for (const std::string result : {"", " ", "nan", "NaN", "inf", "-Infinity"}) {
    columns_.missing_objective = CsvColumns::MissingObjective::kError;
    EXPECT_THAT(Complaint("lr,kernel,degree,accuracy\n0.5,rbf,," + result + "\n"),
                AllOf(HasSubstr(result.size() < 2 ? "is missing" : "which is not a finite number"),
                      HasSubstr("--missing-objective failed, or infeasible")))
        << result;
    columns_.missing_objective = CsvColumns::MissingObjective::kFailed;
    EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,rbf,," + result + "\n"), "none") << result;
  }
}

TEST_F(CsvObservationsTest, RefusesToIgnoreMissingOrNeededColumns) {
  columns_.ignored = {"speed"};
  EXPECT_THAT(Complaint("lr,kernel,degree,accuracy\n"),
              HasSubstr("no column for --ignore 'speed'"));
  columns_.ignored = {"lr"};
  EXPECT_THAT(Complaint("lr,kernel,degree,accuracy\n"), HasSubstr("no column for parameter 'lr'"));
}

TEST_F(CsvObservationsTest, RefusesAColumnThatAppearsTwice) {
  EXPECT_EQ(Complaint("lr,kernel,degree,lr,accuracy\n"),
            "runs.csv:1:4 (lr): the column appears twice, first as number 1");
}

TEST_F(CsvObservationsTest, RefusesAnObjectiveThatIsAParameter) {
  columns_.objective = "lr";
  EXPECT_THAT(Complaint("lr,kernel,degree\n"), HasSubstr("'lr' is also a parameter"));
}

TEST_F(CsvObservationsTest, RefusesRowsWithAnotherNumberOfCells) {
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,rbf,\n"),
            "runs.csv:2:4 (accuracy): the row has 3 cells, the header 4");
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,rbf,,1,7\n"),
            "runs.csv:2:5: the row has 5 cells, the header 4");
}

TEST_F(CsvObservationsTest, SaysWhereTheTextIsNotCsv) {
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n0.5,\"rbf,,1\n"),
            "runs.csv:2:2: the quote that begins here never ends");
}

TEST_F(CsvObservationsTest, RefusesFilesWithoutRows) {
  EXPECT_EQ(Complaint(""), "runs.csv is empty");
  EXPECT_EQ(Complaint("lr,kernel,degree,accuracy\n"), "runs.csv has a header but no rows");
}

TEST_F(CsvObservationsTest, AsksWhatAMissingObjectiveMeans) {
  const std::string text = "lr,kernel,degree,accuracy\n0.5,rbf,,\n";
  EXPECT_THAT(Complaint(text), StartsWith("runs.csv:2:4 (accuracy): the objective is missing"));
  columns_.missing_objective = CsvColumns::MissingObjective::kFailed;
  v1::Observation failed;
  auto table = Open(text);
  ASSERT_TRUE((*table)->Rewind().ok());
  ASSERT_TRUE((*table)->Next(&failed).value());
  EXPECT_TRUE(failed.outcome().has_failure());
  columns_.missing_objective = CsvColumns::MissingObjective::kInfeasible;
  v1::Observation infeasible;
  table = Open(text);
  ASSERT_TRUE((*table)->Rewind().ok());
  ASSERT_TRUE((*table)->Next(&infeasible).value());
  EXPECT_TRUE(infeasible.outcome().has_infeasibility());
}

}  // namespace
}  // namespace slipstream::cli
