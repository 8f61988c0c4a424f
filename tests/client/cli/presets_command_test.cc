#include <nlohmann/json.hpp>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/cli/cli_process.h"
#include "tests/client/fake_service.h"

namespace slipstream::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class PresetsCommandTest : public ::testing::Test {
 protected:
  ProcessResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "presets");
    return RunCli(arguments, "", {"SLIPSTREAM_ADDRESS=" + server_.address()});
  }

  FakeServer server_;
};

TEST_F(PresetsCommandTest, ListsPresetsWithWhatStandsOutInTheirRecipes) {
  const ProcessResult result = Run({"--format", "csv"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("quasi_random,yes,,Points that fill the space evenly"));
  EXPECT_THAT(result.out, HasSubstr("scaml,,scaml expanding(map),Sources with learnt weights"));
}

TEST_F(PresetsCommandTest, BreaksSentencesToTheTerminalsWidth) {
  const std::vector<std::string> server = {"SLIPSTREAM_ADDRESS=" + server_.address()};
  EXPECT_THAT(RunCliOnTerminal({"presets"}, 40, server),
              HasSubstr("    summary: Points that fill the\r\n        space evenly\r\n"));
  EXPECT_THAT(RunCliOnTerminal({"presets"}, 200, server),
              HasSubstr("  Points that fill the space evenly\r\n"));
  EXPECT_THAT(Run({}).out, HasSubstr("  Points that fill the space evenly\n"));
}

TEST_F(PresetsCommandTest, ShowsOnePresetWithAllOfItsValues) {
  const ProcessResult result = Run({"scaml"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("scaml: Learnt weights (ScaML-GP)"));
  EXPECT_THAT(result.out, HasSubstr("none: Always the acquisition's point"));
  const ProcessResult csv = Run({"scaml", "--format", "csv"});
  EXPECT_THAT(csv.out, HasSubstr("weight_rate,2,not given,1 to 9,,About weight_rate"));
  EXPECT_THAT(csv.out, HasSubstr("norm,not given,3,1 to 9,,About norm"));
}

TEST_F(PresetsCommandTest, LeavesOutOptionsOfOtherIngredients) {
  const ProcessResult result = Run({"quasi_random"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("it needs no model"), Not(HasSubstr("weight_rate"))));
}

TEST_F(PresetsCommandTest, ListsIngredients) {
  const ProcessResult result = Run({"--ingredients", "--format", "csv"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("prior,scaml,Learnt weights,ScaML-GP,weight_rate,"));
  EXPECT_EQ(Run({"scaml", "--ingredients"}).code, 2);
}

TEST_F(PresetsCommandTest, ShowsOneIngredientWithItsOptions) {
  const ProcessResult result = Run({"median"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("stopping:  median\n"), HasSubstr("Worse than half")));
  EXPECT_THAT(Run({"median", "--format", "csv"}).out,
              HasSubstr("grace_steps,5,\"1 to 9, whole\",steps,About grace_steps"));
  const auto json = nlohmann::json::parse(Run({"median", "--format", "json"}).out);
  EXPECT_EQ(json[0]["axis"], "stopping");
  EXPECT_EQ(json[0]["options"][0]["defaultValue"], 5);
}

TEST_F(PresetsCommandTest, NamesWhatThereIsForAPresetThatThereIsNot) {
  const ProcessResult result = Run({"magic"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("no preset \"magic\"; there are quasi_random, scaml\n"));
  EXPECT_THAT(Run({"medain"}).err, HasSubstr("; did you mean median?"));
  EXPECT_THAT(Run({"nope"}).err, Not(HasSubstr("did you mean")));
}

TEST_F(PresetsCommandTest, PrintsOneCsvTable) {
  EXPECT_EQ(Run({"quasi_random", "--format", "csv"}).out,
            "option,value,default,range,unit,summary\r\n");
  // Ingredients of two axes.
  EXPECT_EQ(Run({"none", "--format", "csv"}).out, "option,default,range,unit,summary\r\n");
}

}  // namespace
}  // namespace slipstream::cli
