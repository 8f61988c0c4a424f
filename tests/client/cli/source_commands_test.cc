#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "slipstream/messages/configuration.h"
#include "tests/client/cli/cli_process.h"

namespace slipstream {
namespace {

using Json = nlohmann::json;
using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::StartsWith;

constexpr char kTable[] =
    "lr,kernel,degree,accuracy\r\n"
    "0.5,rbf,,0.9\r\n"
    "0.25,poly,3,0.8\r\n";

class SourceCommands : public CliTest {
 protected:
  SourceCommands() { service().AddStudy(SmallStudy()); }

  void AddResult(const std::string& study) {
    v1::Trial trial;
    SetDouble(trial.mutable_configuration(), "lr", 0.5);
    trial.set_state(v1::Trial::SUCCEEDED);
    (*trial.mutable_measurement()->mutable_metrics())["accuracy"] = 0.9;
    service().AddTrial(study, trial);
  }
};

TEST_F(SourceCommands, RegisterTakesSpaceAndObjectiveOfAStudy) {
  const std::string file = WriteTestFile("runs.csv", kTable);
  const ProcessResult result =
      Run({"source", "register", file, "--study", "s1", "--title", "Last year", "--version", "v7",
           "--label", "team=vision", "--origin", "https://ci/17", "--format", "json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json task = Json::parse(result.out)["sourceTask"];
  EXPECT_EQ(task["displayName"], "Last year");
  EXPECT_EQ(task["version"], "v7");
  EXPECT_EQ(task["labels"]["team"], "vision");
  EXPECT_EQ(task["origin"], "https://ci/17");
  EXPECT_EQ(task["metrics"][0]["goal"], "MAXIMIZE");
  EXPECT_EQ(task["space"]["parameters"].size(), 3u);
  const auto observations = service().observations();
  ASSERT_EQ(observations.size(), 2u);
  EXPECT_EQ(GetInteger(observations[1].configuration(), "degree").value(), 3);
  EXPECT_EQ(observations[0].outcome().measurement().metrics().at("accuracy"), 0.9);
}

TEST_F(SourceCommands, RegisterSaysThatARunMayHaveHadAnotherSpaceThanTheStudy) {
  const std::string file = WriteTestFile("runs.csv", "lr,kernel,degree,accuracy\n5,rbf,,0.9\n");
  EXPECT_THAT(Run({"source", "register", file, "--study", "s1"}).err,
              HasSubstr("\nIf the run had other parameters or ranges than study s1, give its own "
                        "in place of --study: --param PARAMETER ... --maximize COLUMN\n"));
  EXPECT_THAT(Run({"source", "register", file, "--param", "lr=double:0..1", "--ignore", "kernel",
                   "--ignore", "degree", "--maximize", "accuracy"})
                  .err,
              HasSubstr("'5' is not in 0..1\n"));
}

TEST_F(SourceCommands, RegisterTakesTheTrialsOfAStudy) {
  v1::Study study = SmallStudy();
  study.set_name("projects/vision/studies/digits");
  (*study.mutable_labels())["team"] = "blue";
  service().AddStudy(study);
  v1::Trial trial;
  SetDouble(trial.mutable_configuration(), "lr", 0.5);
  for (const auto state : {v1::Trial::SUCCEEDED, v1::Trial::FAILED, v1::Trial::INFEASIBLE,
                           v1::Trial::STOPPED, v1::Trial::ACTIVE}) {
    trial.set_state(state);
    trial.clear_measurement();
    if (state == v1::Trial::SUCCEEDED) {
      (*trial.mutable_measurement()->mutable_metrics())["accuracy"] = 0.9;
    }
    trial.set_reason(state == v1::Trial::FAILED ? "out of memory" : "");
    service().AddTrial(study.name(), trial);
  }
  const ProcessResult result =
      Run({"source", "register", "--study", study.name(), "--format", "json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json task = Json::parse(result.out)["sourceTask"];
  EXPECT_EQ(task["displayName"], study.name());
  EXPECT_EQ(task["labels"]["team"], "blue");
  EXPECT_EQ(task["origin"], study.name());
  EXPECT_EQ(task["metrics"][0]["goal"], "MAXIMIZE");
  EXPECT_EQ(task["space"]["parameters"].size(), 3u);
  const auto observations = service().observations();
  ASSERT_EQ(observations.size(), 3u) << "without those that were stopped or have not ended";
  EXPECT_EQ(observations[0].outcome().measurement().metrics().at("accuracy"), 0.9);
  EXPECT_EQ(observations[1].outcome().failure().reason(), "out of memory");
  EXPECT_TRUE(observations[2].outcome().has_infeasibility());
  EXPECT_EQ(GetDouble(observations[2].configuration(), "lr").value(), 0.5);
}

TEST_F(SourceCommands, RegisterTakesTheProjectFromAFullNameWhereTheVariableStandsForAll) {
  v1::Study study = SmallStudy();
  study.set_name("projects/vision/studies/digits");
  service().AddStudy(study);
  AddResult(study.name());
  const std::vector<std::string> all = {"SLIPSTREAM_PROJECT=-"};
  const auto registered = [&](const std::string& name) {
    return RunCli({"--address", server_.address(), "source", "register", "--study", name}, "", all);
  };
  EXPECT_EQ(registered(study.name()).code, 0);
  EXPECT_EQ(registered("digits").code, 2);
  EXPECT_EQ(Run({"source", "register", "--study", study.name(), "--project", "-"}).code, 2);
}

TEST_F(SourceCommands, RegisterTakesAllStudiesThatHaveResults) {
  const ProcessResult none = Run({"source", "register", "--all-studies"});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.err, HasSubstr("no study of the project has a result yet"));
  for (const std::string id : {"digits", "faces"}) {
    v1::Study study = SmallStudy();
    study.set_name("studies/" + id);
    study.set_display_name("The " + id);
    study.set_succeeded_trial_count(1);
    service().AddStudy(study);
    AddResult(study.name());
  }
  const ProcessResult result =
      Run({"source", "register", "--all-studies", "--version", "v7", "--format", "json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json tasks = Json::parse(result.out);
  ASSERT_EQ(tasks.size(), 2u) << "without the study that has no result";
  EXPECT_EQ(tasks[0]["displayName"], "The digits");
  EXPECT_EQ(tasks[0]["origin"], "studies/digits");
  EXPECT_EQ(tasks[1]["origin"], "studies/faces");
  EXPECT_EQ(tasks[1]["version"], "v7");
  EXPECT_THAT(Run({"source", "register", "--all-studies"}).out,
              HasSubstr("2 registered, 0 unchanged.\nNext: slipstream study create --source all"));
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"runs.csv"}, {"--study", "digits"}, {"--title", "x"},
                                             {"--origin", "x"}, {"--minimize", "loss"}}) {
    std::vector<std::string> command = {"source", "register", "--all-studies"};
    command.insert(command.end(), more.begin(), more.end());
    EXPECT_EQ(Run(command).code, 2) << more[0];
  }
}

TEST_F(SourceCommands, WhatIsKnownWithOtherLabelsStaysAndThatIsTold) {
  v1::Study study = SmallStudy();
  study.set_name("studies/digits");
  study.set_succeeded_trial_count(1);
  service().AddStudy(study);
  AddResult(study.name());
  v1::SourceTask task;
  task.set_name("sourceTasks/0000000000000000000000000000000a");
  task.set_origin("studies/digits");
  task.set_version("v7");
  (*task.mutable_labels())["team"] = "blue";
  service().AddSource(task, {v1::Observation()});
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> command = {"source", "register", "--all-studies"};
    command.insert(command.end(), more.begin(), more.end());
    return Run(command);
  };
  const std::string told =
      "1 was registered before with another version or other labels, which stay as they are";
  EXPECT_THAT(run({"--label", "team=red"}).err, HasSubstr(told));
  EXPECT_THAT(run({"--label", "run=nightly"}).err, HasSubstr(told));
  EXPECT_THAT(run({"--version", "v8"}).err, HasSubstr(told));
  const ProcessResult same = run({"--label", "team=blue", "--version", "v7"});
  EXPECT_EQ(same.err, "");
  EXPECT_THAT(same.out, HasSubstr("0 registered, 1 unchanged"));
}

TEST_F(SourceCommands, OneStudyThatIsRefusedDoesNotHoldUpTheOthers) {
  for (const std::string id : {"a", "b", "c"}) {
    v1::Study study = SmallStudy();
    study.set_name("projects/vision/studies/" + id);
    study.set_succeeded_trial_count(1);
    service().AddStudy(study);
    if (id != "b") AddResult(study.name());  // The other one has no trials that could be read.
  }
  const ProcessResult result =
      Run({"source", "register", "--all-studies", "--project", "vision"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("projects/vision/studies/b: study projects/vision/studies/b "
                                    "has no trial that has ended"));
  EXPECT_THAT(result.err, HasSubstr("1 of 3 studies could not be registered"));
  EXPECT_THAT(result.out, HasSubstr("2 registered, 0 unchanged.\nNext: slipstream study create "
                                    "--project vision --source all"));
}

TEST_F(SourceCommands, WhatWasRegisteredBeforeTheServerFailedIsTold) {
  for (const std::string id : {"a", "b"}) {
    v1::Study study = SmallStudy();
    study.set_name("studies/" + id);
    study.set_succeeded_trial_count(1);
    service().AddStudy(study);
    AddResult(study.name());
  }
  const auto refuse_after = [&](int calls) {
    service().FailNext(calls, {});
    service().FailNext(1, {.status = {grpc::StatusCode::PERMISSION_DENIED, "not any longer"}});
    return Run({"source", "register", "--all-studies", "--format", "json"});
  };
  const ProcessResult one = refuse_after(3);
  EXPECT_EQ(one.code, 1);
  ASSERT_EQ(Json::parse(one.out).size(), 1u);
  EXPECT_EQ(Json::parse(one.out)[0]["origin"], "studies/a");
  EXPECT_THAT(one.err, HasSubstr("only 1 of 2 studies are done; the same command goes on with the "
                                 "others\nslipstream: cannot "));
  EXPECT_THAT(one.err, HasSubstr("not any longer"));
  const ProcessResult none = refuse_after(1);
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.out, "");
}

TEST_F(SourceCommands, RegisterNeedsATableOrAStudyThatHasResults) {
  EXPECT_EQ(Run({"source", "register"}).code, 2);
  EXPECT_EQ(Run({"source", "register", "--param", "a=boolean", "--minimize", "loss"}).code, 2);
  EXPECT_EQ(Run({"source", "register", "--study", "s1", "--ignore", "note"}).code, 2);
  const ProcessResult result = Run({"source", "register", "--study", "s1"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("study s1 has no trial that has ended"));
}

TEST_F(SourceCommands, AStudyThatIsNamedAsASourceIsToBeRegistered) {
  const auto create = [&](const std::string& source) {
    return Run({"study", "create", "--minimize", "loss", "--param", "x=double:0..1", "--source",
                source});
  };
  const ProcessResult study = create("s1");
  EXPECT_EQ(study.code, 2);
  EXPECT_THAT(study.err, HasSubstr("slipstream source register --study s1\n"));
  EXPECT_THAT(create("s9").err,
              HasSubstr("'s9' is not the name of a source task: its 32 hexadecimal digits or the "
                        "first 6 or more of them, which slipstream source list shows. To make one "
                        "of a CSV file: slipstream source register\n"));
}

TEST_F(SourceCommands, RegisterTakesASpaceInShortFormAndAnObjective) {
  const std::string file = WriteTestFile("runs.csv", "loss,a,note\n1,true,x\n,false,y\n");
  const ProcessResult result =
      Run({"source", "register", file, "--param", "a=boolean", "--minimize", "loss", "--ignore",
           "note", "--missing-objective", "failed"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("minimize loss"));
  EXPECT_THAT(result.out, HasSubstr("Next: slipstream study create --source aaaaaaaaaaaa"));
  EXPECT_TRUE(service().observations()[1].outcome().has_failure());
}

TEST_F(SourceCommands, RegisterReadsTheTableFromStandardInput) {
  const ProcessResult result = Run({"source", "register", "-", "--study", "s1"}, kTable);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(service().observations().size(), 2u);
}

TEST_F(SourceCommands, RegisterSendsNothingWhenOneCellIsWrong) {
  std::string table = kTable;
  for (int i = 0; i < 3000; ++i) table += "0.5,rbf,,0.9\n";
  table += "0.5,rbf,,0.9x\n";
  const std::string file = WriteTestFile("runs.csv", table);
  const ProcessResult result = Run({"source", "register", file, "--study", "s1"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            absl::StrCat("slipstream: ", file, ":3004:4 (accuracy): '0.9x' is not a number\n"));
  for (const SeenCall& call : service().calls()) EXPECT_EQ(call.method, "GetStudy");
}

TEST_F(SourceCommands, RegisterOnlyChecksWithValidateOnly) {
  const std::string file = WriteTestFile("runs.csv", kTable);
  const ProcessResult result =
      Run({"source", "register", file, "--study", "s1", "--validate-only"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Nothing was registered"));
  EXPECT_THAT(result.out, Not(HasSubstr("Next:")));
  EXPECT_EQ(Run({"source", "list", "--format", "json"}).out, "[]\n");
}

TEST_F(SourceCommands, RegisterStreamsALargeFileInChunks) {
  std::string table = "lr,kernel,degree,accuracy\n";
  for (int i = 0; i < 100'000; ++i) absl::StrAppend(&table, i / 100'000.0, ",poly,3,", i, "\n");
  const std::string file = WriteTestFile("runs.csv", table);
  const ProcessResult result = Run({"source", "register", file, "--study", "s1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(service().observations().size(), 100'000u);
  EXPECT_GE(service().chunks().size(), 101u);
  EXPECT_THAT(service().chunks(), Each(Le(1000)));
}

TEST_F(SourceCommands, RegisterSaysWhichFileIsMissing) {
  const ProcessResult result = Run({"source", "register", "/nonexistent.csv", "--study", "s1"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot open /nonexistent.csv"));
  EXPECT_EQ(Run({"source", "register", "/tmp", "--study", "s1"}).code, 1);
}

TEST_F(SourceCommands, RegisterNeedsExactlyOneSpace) {
  const std::string file = WriteTestFile("runs.csv", kTable);
  const ProcessResult both = Run({"source", "register", file, "--study", "s1", "--param",
                                  "a=boolean", "--maximize", "accuracy"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("one of --study STUDY, --space FILE and --param"));
  const ProcessResult half =
      Run({"source", "register", file, "--study", "s1", "--objective", "accuracy"});
  EXPECT_EQ(half.code, 2);
  EXPECT_THAT(half.err, HasSubstr("--objective and --goal go together"));
}

TEST_F(SourceCommands, ShowAndDeleteFindATaskByItsFirstDigits) {
  ASSERT_EQ(Run({"source", "register", "-", "--study", "s1"}, kTable).code, 0);
  const Json listed = Json::parse(Run({"source", "list", "--format", "json"}).out);
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0]["observationCount"], "2");
  EXPECT_THAT(Run({"source", "show", "aaaaaa"}).out, HasSubstr("observations:  2, "));
  EXPECT_EQ(Run({"source", "delete", "aaaaaa"}).code, 2);
  const ProcessResult deleted = Run({"source", "delete", "aaaaaa", "--yes"});
  EXPECT_EQ(deleted.code, 0) << deleted.err;
  EXPECT_THAT(deleted.out, HasSubstr("deleted sourceTasks/aaaaaa"));
  const ProcessResult gone = Run({"source", "show", "aaaaaa"});
  EXPECT_EQ(gone.code, 1);
  EXPECT_THAT(gone.err, HasSubstr("that are there: slipstream source list\n"));
}

TEST_F(SourceCommands, WhatIsExportedIsImportedAsItWas) {
  const std::string table = std::string(kTable) + "0.75,rbf,,\r\n";
  ASSERT_EQ(Run({"source", "register", "-", "--study", "s1", "--title", "Last year",
                 "--missing-objective", "infeasible"},
                table)
                .code,
            0);
  const ProcessResult printed = Run({"source", "export", "aaaaaa"});
  ASSERT_EQ(printed.code, 0) << printed.err;
  EXPECT_THAT(printed.out, StartsWith("{\"name\":\"sourceTasks/aaaaaa"));
  EXPECT_THAT(printed.out, HasSubstr("\"displayName\":\"Last year\""));
  EXPECT_THAT(printed.out, HasSubstr("\"infeasibility\":{}"));
  const std::string path = WriteTestFile("source.jsonl", "before");
  const ProcessResult written = Run({"source", "export", "aaaaaa", "--output", path});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.out, HasSubstr("exported sourceTasks/aaaaaa"));

  const auto before = service().observations();
  ASSERT_EQ(before.size(), 3u);
  for (const std::string& file : {path, std::string("-")}) {
    const ProcessResult imported =
        Run({"source", "import", file, "--project", "vision", "--format", "json"}, printed.out);
    ASSERT_EQ(imported.code, 0) << imported.err;
    EXPECT_EQ(Json::parse(imported.out)["sourceTask"]["displayName"], "Last year");
    const auto after = service().observations();
    ASSERT_EQ(after.size(), before.size());
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(after[i].DebugString(), before[i].DebugString());
    }
  }
}

TEST_F(SourceCommands, ImportAsksWhichProjectASourceTaskOfAProjectIsFor) {
  const std::string text =
      "{\"name\":\"projects/vision/sourceTasks/0123456789abcdef0123456789abcdef\"}\n"
      "{\"configuration\":{\"values\":{\"lr\":{\"doubleValue\":0.1}}}}\n";
  const ProcessResult refused = Run({"source", "import"}, text);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("standard input is a source task of the project vision: give "
                                     "--project vision to keep it there"));
  EXPECT_TRUE(service().calls().empty());
  for (const char* project : {"vision", "default"}) {
    EXPECT_EQ(Run({"source", "import", "--project", project}, text).code, 0) << project;
  }
}

TEST_F(SourceCommands, AnImportThatCannotBeReadIsToldWithItsPlace) {
  const ProcessResult empty = Run({"source", "import", "-"}, "");
  EXPECT_EQ(empty.code, 1);
  EXPECT_THAT(empty.err, HasSubstr("standard input is empty"));
  const ProcessResult broken =
      Run({"source", "import", "-"}, "{\"displayName\":\"t\"}\n{\"configuration\":\n");
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.err, HasSubstr("standard input:2: "));
  const ProcessResult table = Run({"source", "import", "-"}, "lr,accuracy\n0.1,0.9\n");
  EXPECT_EQ(table.code, 1);
  EXPECT_THAT(table.err, HasSubstr("standard input:1: the line is not a JSON object"));
  EXPECT_THAT(table.err, HasSubstr("slipstream source register\n"));
  const std::string line = "{\"configuration\":{\"values\":{\"lr\":{\"doubleValue\":0.1}}}}\n";
  const ProcessResult cut =
      Run({"source", "import", "-"}, "{\"observationCount\":\"3\"}\n" + line + line);
  EXPECT_EQ(cut.code, 1);
  EXPECT_THAT(cut.err, HasSubstr("has 2 observations, and the source task in its first line 3"));
  EXPECT_THAT(Run({"source", "import", "-"}, "{\"observationCount\":\"1\"}\n" + line + line).err,
              HasSubstr("has 2 observations or more"));
}

TEST_F(SourceCommands, ImportNamesTheFileWhoseLineTheServerRefuses) {
  const std::string path = WriteTestFile(
      "source.jsonl", "{\"displayName\":\"t\"}\n"
                      "{\"configuration\":{\"values\":{\"lr\":{\"doubleValue\":0.1}}}}\n");
  v1::FieldViolation violation;
  violation.set_field("observations[0].configuration");
  service().FailNext(1, {.status = BadRequestStatus("lr is 0.1, must be 1 or more", violation)});
  EXPECT_THAT(Run({"source", "import", path}).err,
              StartsWith("slipstream: " + path + ": cannot register a source task"));
}

TEST_F(SourceCommands, AnEmptyListSaysWhatToDo) {
  EXPECT_THAT(Run({"source", "list"}).out, HasSubstr("slipstream source register --help"));
}

}  // namespace
}  // namespace slipstream
