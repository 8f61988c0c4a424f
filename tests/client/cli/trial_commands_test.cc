#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "slipstream/messages/configuration.h"
#include "tests/client/cli/cli_process.h"
#include "tests/e2e/server_process.h"
#include "tests/e2e/temporary_folder.h"

namespace slipstream {
namespace {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class TrialCommands : public CliTest {
 protected:
  TrialCommands() { service().AddStudy(SmallStudy()); }

  void AddSucceeded(double accuracy) {
    v1::Trial trial;
    trial.set_state(v1::Trial::SUCCEEDED);
    SetDouble(trial.mutable_configuration(), "lr", accuracy / 10);
    SetCategory(trial.mutable_configuration(), "kernel", "rbf");
    (*trial.mutable_measurement()->mutable_metrics())["accuracy"] = accuracy;
    service().AddTrial("studies/s1", trial);
  }

  v1::Trial Stored(size_t number) { return service().trials("studies/s1")[number - 1]; }
};

TEST_F(TrialCommands, SuggestShowsTheConfigurationsInColumns) {
  const ProcessResult result = Run({"suggest", "s1", "--worker", "gpu-3", "--count", "2"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, MatchesRegex(
      "trial  state     lr  kernel  degree  accuracy  worker  reason +age\n"
      "s1/1   active  0.25  rbf                       gpu-3 +[0-9]+ d\n"
      "s1/2   active  0.25  rbf                       gpu-3 +[0-9]+ d\n"
      "\nThen: slipstream observe s1/1 --worker gpu-3 --value NUMBER\n"));
}

TEST_F(TrialCommands, SuggestInJsonIsAnArray) {
  const Json json = Json::parse(Run({"suggest", "s1", "--worker", "w", "--format", "json"}).out);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["name"], "studies/s1/trials/1");
  EXPECT_EQ(json[0]["configuration"]["values"]["lr"]["doubleValue"], 0.25);
}

TEST_F(TrialCommands, ASuggestThatFailsHasLeasedNothing) {
  for (const char* format : {"table", "csv"}) {
    service().FailNext(1, {});
    service().FailNext(1, {.status = {grpc::StatusCode::PERMISSION_DENIED, "not any longer"}});
    EXPECT_EQ(Run({"suggest", "s1", "--worker", "w", "--format", format}).code, 1);
    EXPECT_THAT(service().trials("studies/s1"), IsEmpty());
  }
  const size_t calls_before = service().calls().size();
  EXPECT_EQ(Run({"suggest", "s1", "--worker", "w", "--format", "json"}).code, 0);
  EXPECT_EQ(service().calls().size(), calls_before + 1) << "another one may fail";
}

TEST_F(TrialCommands, SuggestTellsAStudyWithoutMoreTrialsFromAFailureByItsExitCode) {
  const auto code_after = [this](const grpc::Status& refusal, const std::string& format) {
    // The study is read for the columns of its trials.
    if (format != "json") service().FailNext(1, {});
    service().FailNext(1, {.status = refusal});
    return Run({"suggest", "s1", "--worker", "w", "--format", format}).code;
  };
  const grpc::Status paused = {grpc::StatusCode::FAILED_PRECONDITION, "it is as it is"};
  for (const char* format : {"table", "csv", "json"}) {
    EXPECT_EQ(code_after(UsedUpStatus("each candidate has a trial"), format), 3);
    EXPECT_EQ(code_after(TrialLimitStatus("1 more would be above the limit"), format), 3);
    EXPECT_EQ(code_after(QuotaStatus("1 more would be above the quota", "trials"), format), 1);
    EXPECT_EQ(code_after({grpc::StatusCode::RESOURCE_EXHAUSTED, "too large"}, format), 1);
    EXPECT_EQ(code_after({grpc::StatusCode::NOT_FOUND, "there is no studies/s1"}, format), 1);
    EXPECT_EQ(code_after(paused, format), 1) << "it is active";
  }
  ASSERT_EQ(Run({"study", "pause", "s1"}).code, 0);
  EXPECT_EQ(code_after(paused, "csv"), 3);
  ASSERT_EQ(Run({"study", "complete", "s1"}).code, 0);
  EXPECT_EQ(code_after(paused, "csv"), 3);
  EXPECT_THAT(Run({"suggest", "--help"}).out, HasSubstr("exits with 3"));
}

TEST(SuggestOnTheServer, GivesWhatIsLeftAndThenExitsWithThree) {
  const TemporaryFolder data;
  const ServerProcess server(data.path(), {"--max-trials-per-study", "3"});
  const auto run = [&server](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--address", server.address()});
    return RunCli(arguments);
  };
  ASSERT_EQ(run({"study", "create", "--id", "s", "--maximize", "a", "--param", "x=boolean"}).code,
            0);
  const ProcessResult some = run({"suggest", "s", "--worker", "w", "--count", "5"});
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_THAT(some.out, HasSubstr("\ns/3 "));
  EXPECT_EQ(some.err,
            "slipstream: the study gave 3 of 5 trials: it has no more for now, or its project has "
            "no room for more\n");
  EXPECT_EQ(run({"suggest", "s", "--worker", "v", "--count", "2"}).code, 3);
}

TEST_F(TrialCommands, SuggestNamesTheProcessThatRunsItAsTheWorkers) {
  ASSERT_EQ(Run({"suggest", "s1", "--worker", "w"}).code, 0);
  EXPECT_EQ(Stored(1).worker_process().process_id(), getpid());
  char host[HOST_NAME_MAX + 1] = {};
  ASSERT_EQ(gethostname(host, HOST_NAME_MAX), 0);
  EXPECT_EQ(Stored(1).worker_process().host(), host);
}

TEST_F(TrialCommands, TablesForDisplayHaveRoundedNumbers) {
  AddSucceeded(1.0 / 3);
  EXPECT_THAT(Run({"trials", "s1"}).out, HasSubstr("  0.333333\n"));
  EXPECT_THAT(Run({"trials", "s1", "--format", "csv"}).out, HasSubstr(",0.3333333333333333,"));
}

TEST_F(TrialCommands, ObserveRecordsEveryKindOfOutcome) {
  ASSERT_EQ(Run({"suggest", "s1", "--worker", "w", "--count", "5"}).code, 0);
  EXPECT_EQ(Run({"observe", "s1/1", "--value", "-0.5"}).code, 0);
  EXPECT_EQ(Stored(1).measurement().metrics().at("accuracy"), -0.5);
  EXPECT_EQ(Run({"observe", "s1/2", "--metric", "accuracy=1e-3"}).code, 0);
  EXPECT_EQ(Stored(2).measurement().metrics().at("accuracy"), 1e-3);
  EXPECT_EQ(Run({"observe", "s1/3", "--failed", "out of memory"}).code, 0);
  EXPECT_EQ(Stored(3).state(), v1::Trial::FAILED);
  EXPECT_EQ(Stored(3).reason(), "out of memory");
  EXPECT_EQ(Run({"observe", "s1/4", "--infeasible", "diverged"}).code, 0);
  EXPECT_EQ(Stored(4).state(), v1::Trial::INFEASIBLE);
  EXPECT_EQ(Run({"observe", "studies/s1/trials/5", "--stopped", "", "--value", "0.1"}).code, 0);
  EXPECT_EQ(Stored(5).state(), v1::Trial::STOPPED);
  EXPECT_EQ(Stored(5).measurement().metrics().at("accuracy"), 0.1);
}

TEST_F(TrialCommands, ObserveShowsTheWholeTrial) {
  ASSERT_EQ(Run({"suggest", "s1", "--worker", "w"}).code, 0);
  EXPECT_THAT(Run({"observe", "s1/1", "--value", "0.75", "--format", "csv"}).out,
              ContainsRegex("s1/1,succeeded,0.25,rbf,,0.75,w,,[0-9.]+,,\r\n"));
}

TEST_F(TrialCommands, TrialsShowsTheFirstFiftyAndHowToSeeMore) {
  for (int i = 0; i < 60; ++i) AddSucceeded(i);
  const std::string shown = Run({"trials", "s1"}).out;
  EXPECT_THAT(shown, HasSubstr("s1/50"));
  EXPECT_THAT(shown, Not(HasSubstr("s1/51")));
  EXPECT_THAT(shown, HasSubstr("Only the first 50 of 60; --last 50 shows the newest"));
  const std::string all = Run({"trials", "s1", "--all"}).out;
  EXPECT_THAT(all, HasSubstr("s1/60"));
  EXPECT_THAT(all, Not(HasSubstr("--all")));
  const std::string last = Run({"trials", "s1", "--last", "2"}).out;
  EXPECT_THAT(last, Not(HasSubstr("s1/58")));
  EXPECT_LT(last.find("s1/59"), last.find("s1/60"));
  EXPECT_EQ(Run({"trials", "s1", "--last", "2", "--all"}).code, 2);
}

TEST_F(TrialCommands, TrialsGivesScriptsTheWholeList) {
  for (int i = 0; i < 1100; ++i) AddSucceeded(i);
  const std::string csv = Run({"trials", "s1", "--format", "csv"}).out;
  EXPECT_THAT(csv,
              StartsWith("trial,state,lr,kernel,degree,accuracy,worker,reason,age,took,lease\r\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1101);
  EXPECT_EQ(Json::parse(Run({"trials", "s1", "--format", "json"}).out).size(), 1100u);
  EXPECT_EQ(Json::parse(Run({"trials", "s1", "--format", "json", "--limit", "7"}).out).size(), 7u);
}

TEST_F(TrialCommands, TrialsSaysWhereThereIsNone) {
  for (const char* way : {"--all", "--last=2"}) {
    EXPECT_THAT(Run({"trials", "s1", way}).out,
                HasSubstr("\nNo trials yet: slipstream suggest s1 --worker NAME\n"));
    EXPECT_THAT(Run({"trials", "s1", way, "--state", "stale"}).out,
                HasSubstr("\nNo trial matches.\n"));
  }
  EXPECT_EQ(Run({"trials", "s1", "--format", "json"}).out, "[]\n");
}

TEST_F(TrialCommands, TrialsThatFillThePageExactlyAnnounceNoMore) {
  for (int i = 0; i < 50; ++i) AddSucceeded(i);
  EXPECT_THAT(Run({"trials", "s1"}).out, Not(HasSubstr("--all")));
}

TEST_F(TrialCommands, TrialsSelectsBestAndStates) {
  AddSucceeded(1);
  AddSucceeded(9);
  AddSucceeded(5);
  ASSERT_EQ(Run({"suggest", "s1", "--worker", "w"}).code, 0);
  const std::string best = Run({"trials", "s1", "--best", "2", "--format", "csv"}).out;
  EXPECT_THAT(best,
              HasSubstr("s1/2,succeeded,0.9,rbf,,9,,,,,\r\ns1/3,succeeded,0.5,rbf,,5,,,,,\r\n"));
  EXPECT_THAT(best, Not(HasSubstr("s1/1")));
  const std::string active = Run({"trials", "s1", "--state", "Active"}).out;
  EXPECT_THAT(active, HasSubstr("s1/4"));
  EXPECT_THAT(active, Not(HasSubstr("s1/1")));
}

TEST_F(TrialCommands, AddQueuesATrialWithoutAResultAndRecordsOneWithIt) {
  const ProcessResult queued =
      Run({"trial", "add", "s1", "--set", "lr=0.5", "--set", "kernel=poly", "--set", "degree=3"});
  ASSERT_EQ(queued.code, 0) << queued.err;
  EXPECT_EQ(Stored(1).state(), v1::Trial::REQUESTED);
  EXPECT_EQ(GetInteger(Stored(1), "degree").value(), 3);
  ASSERT_EQ(
      Run({"trial", "add", "s1", "--set", "lr=0.5", "--set", "kernel=rbf", "--value", "0.7"}).code,
      0);
  EXPECT_EQ(Stored(2).state(), v1::Trial::SUCCEEDED);
}

TEST_F(TrialCommands, AddGivesATrialWithoutAResultItsDefaults) {
  v1::Study study = SmallStudy();
  study.mutable_space()->mutable_parameters(0)->mutable_default_value()->set_double_value(0.125);
  service().AddStudy(study);
  const std::vector<std::string> add = {"trial", "add", "s2", "--set", "kernel=rbf"};
  const ProcessResult queued = Run(add);
  ASSERT_EQ(queued.code, 0) << queued.err;
  EXPECT_EQ(GetDouble(service().trials("studies/s2")[0], "lr").value(), 0.125);
  std::vector<std::string> measured = add;
  measured.insert(measured.end(), {"--value", "0.7"});
  const ProcessResult refused = Run(measured);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--set lr: a value is missing"));
}

TEST_F(TrialCommands, AddWritesLabelsAndANoteOnTheTrial) {
  const std::vector<std::string> add = {"trial", "add",   "s1",         "--set",   "lr=0.5",
                                        "--set", "kernel=rbf", "--note", "by hand", "--label"};
  const auto with_label = [&add](const std::string& label) {
    std::vector<std::string> arguments = add;
    arguments.push_back(label);
    return arguments;
  };
  const ProcessResult added = Run(with_label("gpu=a100"));
  ASSERT_EQ(added.code, 0) << added.err;
  EXPECT_THAT(added.out, ContainsRegex("gpu=a100 +by hand\n"));
  EXPECT_EQ(Stored(1).note(), "by hand");
  EXPECT_EQ(Stored(1).labels().at("gpu"), "a100");
  EXPECT_EQ(Run(with_label("gpu")).code, 2);
  EXPECT_EQ(service().trials("studies/s1").size(), 1u) << "a mistake adds nothing";

  service().FailNext(2, {});  // The study is read and the trial added, ...
  service().FailNext(1, {.status = {grpc::StatusCode::INVALID_ARGUMENT, "too long"}});
  const ProcessResult without = Run(with_label("gpu=a100"));
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.err, HasSubstr("s1/2 was added, but without its labels and its note: "));
  EXPECT_THAT(without.err, HasSubstr("too long"));
  EXPECT_EQ(Stored(2).state(), v1::Trial::REQUESTED);
}

TEST_F(TrialCommands, AddChecksTheConfigurationWithoutTheServer) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--set", "lr=2", "--set", "kernel=rbf"}, "--set lr: '2' is not in 0..1"},
      {{"--set", "lr=0.5", "--set", "kernel=rbf", "--set", "degree=3"},
       "--set degree: '3' is given"},
      {{"--set", "lr=0.5"}, "--set kernel: a value is missing"},
      {{"--set", "speed=3"}, "the study has no such parameter; it has lr, kernel, degree\n"},
      {{"--set", "lr=0.5", "--set", "lr=0.6"}, "set twice"},
      {{"--set", "lr"}, "is not NAME=VALUE"},
  };
  for (const auto& [options, complaint] : cases) {
    std::vector<std::string> arguments = {"trial", "add", "s1"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = Run(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(complaint));
  }
  EXPECT_THAT(service().trials("studies/s1"), IsEmpty());
}

TEST_F(TrialCommands, ExplainSaysWhereATrialCameFrom) {
  AddSucceeded(9);
  const std::string shown = Run({"explain", "s1/1"}).out;
  EXPECT_THAT(shown, HasSubstr("preset:             quasi_random\n"));
  EXPECT_THAT(shown, HasSubstr("the study's algorithm without its source tasks: too late"));
  EXPECT_THAT(shown, HasSubstr("\n\nfact         value  what it says\nsobol_index  7\n"));
  EXPECT_THAT(Run({"explain", "s1/1", "--format", "csv"}).out,
              HasSubstr("measured accuracy,9\r\n"));
  const Json json = Json::parse(Run({"explain", "s1/1", "--format", "json"}).out);
  EXPECT_EQ(json["provenance"]["rung"], "WITHOUT_TRANSFER");
}

}  // namespace
}  // namespace slipstream
