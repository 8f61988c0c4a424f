#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/client/cli/cli_process.h"

namespace slipstream {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using StudyCreation = CliTest;

TEST_F(StudyCreation, TakesParametersInShortForm) {
  const ProcessResult result = Run({"study",      "create",
                                    "--id",       "digits",
                                    "--param",    "lr=double:1e-5..1:log",
                                    "--param",    "kernel=categorical:rbf,poly",
                                    "--param",    "degree=integer:2..5;when=kernel:poly",
                                    "--maximize", "accuracy",
                                    "--title",    "Night run",
                                    "--preset",   "quasi_random",
                                    "--seed",     "18446744073709551615",
                                    "--label",    "team=vision",
                                    "--label",    "note=a=b",
                                    "--source",   "0123456789abcdef0123456789abcdef"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("study:         digits\n"));
  EXPECT_THAT(result.out, HasSubstr("lr         double:1e-05..1:log"));
  EXPECT_THAT(result.out, HasSubstr("kernel is poly"));
  EXPECT_THAT(result.out, HasSubstr("Next: slipstream suggest digits --worker NAME"));
  const v1::Study study = Stored("studies/digits");
  EXPECT_EQ(study.space().parameters_size(), 3);
  EXPECT_EQ(study.metrics(0).name(), "accuracy");
  EXPECT_EQ(study.metrics(0).goal(), v1::Metric::MAXIMIZE);
  EXPECT_EQ(study.display_name(), "Night run");
  EXPECT_EQ(study.algorithm().preset(), "quasi_random");
  EXPECT_EQ(study.seed(), 18446744073709551615u);
  EXPECT_EQ(study.labels().at("note"), "a=b");
  EXPECT_EQ(study.source_tasks(0), "sourceTasks/0123456789abcdef0123456789abcdef");
}

TEST_F(StudyCreation, OrLoadUsesTheStudyThatIsThere) {
  const std::vector<std::string> command = {
      "study",   "create",
      "--id",    "digits",
      "--param", "lr=double:1e-5..1:log",
      "--param", "kernel=categorical:rbf,poly",
      "--param", "degree=integer:2..5;when=kernel:poly",
      "--maximize", "accuracy",
      "--or-load"};
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> whole = command;
    whole.insert(whole.end(), more.begin(), more.end());
    return Run(whole);
  };
  const ProcessResult created = run({"--seed", "7", "--lease", "30m"});
  ASSERT_EQ(created.code, 0) << created.err;
  EXPECT_THAT(created.out, Not(HasSubstr("there already")));
  // What is left out matches anything, and titles may differ.
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--title", "again"}, {"--seed", "7"}, {"--lease", "1800s"}}) {
    const ProcessResult loaded = run(more);
    ASSERT_EQ(loaded.code, 0) << loaded.err;
    EXPECT_THAT(loaded.out, HasSubstr("study:      digits\n"));
    EXPECT_THAT(loaded.out, HasSubstr("It was there already."));
  }
  EXPECT_EQ(Stored("studies/digits").seed(), 7u);
  const ProcessResult other = run({"--seed", "8", "--param", "depth=integer:1..3"});
  EXPECT_EQ(other.code, 1);
  EXPECT_EQ(other.out, "");
  EXPECT_THAT(other.err, HasSubstr("study digits exists, but is not the one asked for:"));
  EXPECT_THAT(other.err,
              HasSubstr("parameter 'depth': asked for depth=integer:1..3, the study has none\n"));
  EXPECT_THAT(other.err, HasSubstr("seed: asked for 8, the study has 7\n"
                                   "Ask for what it has, or give another --id.\n"));
}

TEST_F(StudyCreation, OrLoadNeedsAnId) {
  const ProcessResult result = Run({"study", "create", "--or-load", "--param", "x=double:0..1",
                                    "--minimize", "loss"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--or-load needs --id"));
}

TEST_F(StudyCreation, TakesASpaceFromAFileOrStandardInput) {
  const std::string json = R"({"parameters": [{"name": "lr", "doubleDomain": {"max": 1}}]})";
  const std::string file = WriteTestFile("space.json", json);
  const ProcessResult from_file = Run(
      {"study", "create", "--id", "a", "--space", file, "--metric", "loss", "--goal", "minimize"});
  ASSERT_EQ(from_file.code, 0) << from_file.err;
  EXPECT_EQ(Stored("studies/a").metrics(0).goal(), v1::Metric::MINIMIZE);
  const ProcessResult from_input =
      Run({"study", "create", "--id", "b", "--space", "-", "--minimize", "loss"}, json);
  ASSERT_EQ(from_input.code, 0) << from_input.err;
  EXPECT_EQ(Stored("studies/b").space().parameters(0).double_domain().max(), 1);
}

TEST_F(StudyCreation, WarnsOfAPresetThatNeedsSources) {
  const auto create = [&](const std::string& preset) {
    return Run({"study", "create", "--param", "x=double:0..1", "--minimize", "loss", "--preset",
                preset});
  };
  const ProcessResult scaml = create("scaml");
  ASSERT_EQ(scaml.code, 0) << scaml.err;
  EXPECT_THAT(scaml.err, HasSubstr("scaml uses source tasks: create it with --source NAME or "
                                   "--source all"));
  EXPECT_THAT(create("quasi_random").err, Not(HasSubstr("--source")));
}

TEST_F(StudyCreation, SuggestsNoOtherSourcesForAStudyThatIsThereAlready) {
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "study",      "create", "--or-load", "--id",  "digits", "--param", "x=double:0..1",
        "--minimize", "loss",   "--preset",  "scaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments).err;
  };
  EXPECT_THAT(run({}), HasSubstr("create it with --source"));
  const std::string loaded = run({});
  EXPECT_THAT(loaded, HasSubstr("scaml uses source tasks"));
  EXPECT_THAT(loaded, Not(HasSubstr("create it with --source")));
  EXPECT_THAT(run({"--source", "all"}), HasSubstr("the study was created without source tasks"));
}

TEST_F(StudyCreation, ComparesTheGoalOfEverySourceThatIsNamed) {
  std::vector<std::string> create = {"study", "create", "--param", "x=double:0..1", "--maximize",
                                     "accuracy"};
  for (int i = 10; i < 30; ++i) {
    v1::SourceTask task;
    const std::string digits = std::to_string(i) + "3456789abcdef0123456789abcdef0";
    task.set_name("sourceTasks/" + digits);
    task.add_metrics()->set_name("accuracy");
    task.mutable_metrics(0)->set_goal(i < 27 ? v1::Metric::MAXIMIZE : v1::Metric::MINIMIZE);
    service().AddSource(task);
    create.insert(create.end(), {"--source", digits});
  }
  const ProcessResult created = Run(create);
  ASSERT_EQ(created.code, 0) << created.err;
  EXPECT_THAT(created.out, HasSubstr("and 12 more"));
  EXPECT_THAT(created.err, HasSubstr("273456789abc and 2 others are to minimize accuracy, and the "
                                     "study to maximize it"));
}

TEST_F(StudyCreation, SaysWhatIsWrongWithAFile) {
  const std::string file = WriteTestFile("space.json", R"({"parameters": [{"nome": "lr"}]})");
  const ProcessResult unreadable = Run({"study", "create", "--space", file, "--maximize", "a"});
  EXPECT_EQ(unreadable.code, 1);
  EXPECT_THAT(unreadable.err, AllOf(HasSubstr(file + ": "), HasSubstr("nome")));
  const ProcessResult missing =
      Run({"study", "create", "--space", "/nonexistent.json", "--maximize", "a"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("cannot open /nonexistent.json"));
  EXPECT_TRUE(service().calls().empty());
}

// A script's variable may not be set.
TEST_F(StudyCreation, AnEmptyNameDoesNotStandForTheDefault) {
  for (const char* option : {"--preset", "--stopping", "--id"}) {
    const ProcessResult result = Run({"study", "create", "--param", "x=boolean", "--maximize", "a",
                                      option, ""});
    EXPECT_EQ(result.code, 2) << option;
    EXPECT_THAT(result.err, HasSubstr(std::string(option) + ": must not be empty\n"));
  }
  EXPECT_TRUE(service().calls().empty());
}

TEST_F(StudyCreation, TakesEachPartOfARecipeAndOptionOnce) {
  const std::vector<std::string> create = {"study", "create", "--param", "x=boolean", "--maximize",
                                           "a",     "--stopping", "median"};
  const auto twice = [&](const std::string& option, const std::string& name) {
    std::vector<std::string> arguments = create;
    arguments.insert(arguments.end(), {option, name + "=1", option, name + "=2"});
    const ProcessResult result = Run(arguments);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_EQ(twice("--recipe", "prior"), "slipstream: --recipe \"prior\" is given twice\n");
  EXPECT_EQ(twice("--recipe", "norm"), "slipstream: --recipe \"norm\" is given twice\n");
  EXPECT_EQ(twice("--stopping-option", "grace_steps"),
            "slipstream: --stopping-option \"grace_steps\" is given twice\n");
  EXPECT_TRUE(service().calls().empty());
}

TEST_F(StudyCreation, ShowsWhyTheServerRefusesASpace) {
  const std::string complaint =
      "study.space.parameters[0].double_domain.max is 1, must be above min 2 for "
      "parameter \"lr\"";
  service().FailNext(1, {.status = {grpc::StatusCode::INVALID_ARGUMENT, complaint}});
  const ProcessResult result =
      Run({"study", "create", "--param", "lr=double:2..1", "--maximize", "a"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr(complaint));
}

TEST_F(StudyCreation, ShowsTheServersViolation) {
  v1::FieldViolation violation;
  violation.set_field("study.algorithm.preset");
  violation.set_description("study.algorithm.preset is 'magic', must be one of ListPresets");
  service().FailNext(1, {.status = BadRequestStatus("bad request", violation)});
  const ProcessResult result =
      Run({"study", "create", "--param", "a=boolean", "--maximize", "x", "--preset", "magic"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("study.algorithm.preset is 'magic', must be one of"));
}

TEST_F(StudyCreation, SaysHowToUseAStudyThatExists) {
  service().FailNext(1, {.status = {grpc::StatusCode::ALREADY_EXISTS, "studies/s exists already"}});
  const ProcessResult result =
      Run({"study", "create", "--id", "s", "--param", "a=boolean", "--maximize", "x"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err,
              HasSubstr("exists already; --or-load uses that study if it matches the request\n"));
}

TEST_F(StudyCreation, SaysWhereTheListIsOfWhichTheServerNamesTheFirst) {
  const auto error_about = [&](const std::string& field, const std::string& bound) {
    v1::FieldViolation violation;
    violation.set_field(field);
    violation.set_bound(bound);
    service().FailNext(1, {.status = BadRequestStatus("nope", violation)});
    return Run({"study", "create", "--param", "a=boolean", "--maximize", "x"}).err;
  };
  EXPECT_THAT(error_about("study.algorithm.preset", "one of a, b and 7 more"),
              HasSubstr("one of a, b and 7 more\nAll that are there: slipstream presets\n"));
  EXPECT_THAT(error_about("study.algorithm.recipe.prior", "one of a, b and 7 more"),
              HasSubstr("and 7 more\nAll that are there: slipstream presets --ingredients\n"));
  EXPECT_THAT(error_about("study.early_stopping.rule", "one of a, b"),
              Not(HasSubstr("All that are there")));
  EXPECT_THAT(error_about("reports[0].step", "0 or more"), Not(HasSubstr("All that are there")));
}

TEST_F(StudyCreation, MayLearnFromAllSourceTasks) {
  const auto create = [&](std::vector<std::string> more) {
    std::vector<std::string> command = {"study", "create", "--param", "a=boolean", "--maximize",
                                        "x",     "--format", "json",  "--source", "all"};
    command.insert(command.end(), more.begin(), more.end());
    return Run(command);
  };
  const ProcessResult none = create({});
  EXPECT_EQ(Json::parse(none.out)["sourceTasks"], Json::array());
  EXPECT_THAT(none.err, HasSubstr("no source task of the project fits"));
  service().AddSource({});
  EXPECT_EQ(Json::parse(create({}).out)["sourceTasks"], Json({"sourceTasks/-"}));
  EXPECT_EQ(Json::parse(create({"--project", "vision"}).out)["sourceTasks"],
            Json({"projects/vision/sourceTasks/-"}));
  const ProcessResult mixed = create({"--source", "0123456789ab"});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("--source all stands alone"));
}

}  // namespace
}  // namespace slipstream
