#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "slipstream/messages/configuration.h"
#include "tests/client/cli/cli_process.h"
#include "tests/e2e/server_process.h"
#include "tests/e2e/temporary_folder.h"

namespace slipstream {
namespace {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Source tasks as `register --all-studies` leaves them behind.
class SourcePruning : public CliTest {
 protected:
  // With this origin and these values, of which each has its own configuration.
  v1::SourceTask Add(const std::string& name, const std::string& origin,
                     const std::vector<double>& values, int64_t studies = 0) {
    v1::SourceTask task;
    const std::string project =
        absl::StartsWith(origin, "projects/") ? origin.substr(0, origin.find("/studies/") + 1) : "";
    task.set_name(absl::StrCat(project, "sourceTasks/", name, std::string(31, '0')));
    task.set_origin(origin);
    *task.mutable_space() = SmallStudy().space();
    *task.mutable_metrics() = SmallStudy().metrics();
    task.set_study_count(studies);
    std::vector<v1::Observation> observations;
    for (const double value : values) {
      v1::Observation& observation = observations.emplace_back();
      SetDouble(observation.mutable_configuration(), "lr", value / 10);
      (*observation.mutable_outcome()->mutable_measurement()->mutable_metrics())["accuracy"] =
          value;
    }
    task.set_observation_count(static_cast<int64_t>(values.size()));
    return service().AddSource(task, observations);
  }
  // The first digits of the source tasks that there are.
  std::string Left() {
    std::string digits;
    for (const Json& task : Json::parse(Run({"source", "list", "--format", "json"}).out)) {
      const std::string name = task["name"];
      digits += name[name.size() - 32];
    }
    return digits;
  }
};

TEST_F(SourcePruning, EarlierStatesOfAStudyGoOnceThatIsAgreed) {
  Add("a", "studies/digits", {1, 2});
  Add("b", "studies/faces", {1});
  Add("c", "studies/digits", {2, 3, 1});
  Add("d", "studies/digits", {4, 3, 2, 1});
  const ProcessResult list = Run({"source", "prune"});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, ContainsRegex("source task +observations +superseded by"));
  EXPECT_THAT(list.out, ContainsRegex("\na0{31} +2 +d0{31}"));
  EXPECT_THAT(list.out, ContainsRegex("\nc0{31} +3 +d0{31}"));
  EXPECT_THAT(list.out, Not(HasSubstr("\nb")));
  EXPECT_THAT(list.out, HasSubstr("Nothing was deleted. To delete these: slipstream source prune "
                                  "--yes\n"));
  EXPECT_EQ(Left(), "abcd");
  const ProcessResult deleted = Run({"source", "prune", "--yes", "--format", "json"});
  EXPECT_EQ(deleted.code, 0) << deleted.err;
  const Json tasks = Json::parse(deleted.out);
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0]["name"], "sourceTasks/a" + std::string(31, '0'));
  EXPECT_EQ(tasks[0]["supersededBy"], "sourceTasks/d" + std::string(31, '0'));
  EXPECT_EQ(tasks[0]["deleted"], true);
  EXPECT_EQ(Left(), "bd");
  EXPECT_THAT(Run({"source", "prune"}).out, HasSubstr("No unused source task is superseded"));
}

TEST_F(SourcePruning, NoResultAndNoSourceTaskInUseIsLost) {
  Add("0", "studies/corrected", {9.3, 1});       // Its first result was corrected since.
  Add("1", "studies/corrected", {0.93, 1, 2});
  Add("2", "https://ci/17", {1});                // No study.
  Add("3", "https://ci/17", {1, 2});
  Add("4", "studies/digits", {1});               // Of another project than the next one.
  Add("5", "projects/vision/studies/digits", {1, 2});
  Add("6", "studies/used", {1}, /*studies=*/2);
  Add("7", "studies/used", {1, 2});
  Add("8", "studies/repeated", {1, 1});          // One of them is nowhere else.
  Add("9", "studies/repeated", {1, 2, 3});
  v1::SourceTask other = Add("a", "studies/changed", {1});
  Add("b", "studies/shrunk", {1, 2, 3});
  Add("c", "studies/shrunk", {1, 2});
  v1::SourceTask later = other;
  later.set_name("sourceTasks/e" + std::string(31, '0'));
  later.mutable_space()->mutable_parameters(0)->mutable_double_domain()->set_max(77);
  v1::Observation observation;
  SetDouble(observation.mutable_configuration(), "lr", 0.1);
  (*observation.mutable_outcome()->mutable_measurement()->mutable_metrics())["accuracy"] = 1;
  service().AddSource(later, {observation});
  later = other;
  later.set_name("sourceTasks/f" + std::string(31, '0'));
  later.set_version("2.0");
  service().AddSource(later, {observation});
  const ProcessResult result = Run({"source", "prune", "--yes", "--project", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Left(), "0123456789abcef");
  EXPECT_THAT(result.out, HasSubstr("No unused source task is superseded by a later one of the "
                                    "same study"));
  EXPECT_THAT(result.out, HasSubstr("1 is superseded, but studies use it."));
}

TEST_F(SourcePruning, OneThatAStudyTookMeanwhileStaysAndTheOthersGo) {
  for (const char* study : {"p", "q"}) {
    const std::string origin = absl::StrCat("studies/", study);
    Add(study[0] == 'p' ? "a" : "c", origin, {1});
    Add(study[0] == 'p' ? "b" : "d", origin, {1, 2});
  }
  // The list, the observations of four source tasks, and the one that supersedes the first.
  service().FailNext(6, {});
  service().FailNext(
      1, {.status = {grpc::StatusCode::FAILED_PRECONDITION, "sourceTasks/a is used by studies/x"}});
  const ProcessResult result = Run({"source", "prune", "--yes"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("sourceTasks/a is used by studies/x"));
  EXPECT_THAT(result.out, HasSubstr("1 deleted."));
  EXPECT_EQ(Left(), "abd");
}

// Registers a growing study on the real server, which orders and writes results in its own way, and
// then prunes the source tasks that this has left behind.
TEST(SourcePruningOnTheServer, StatesOfAGrowingStudyGoButForTheLatestAndThoseInUse) {
  const TemporaryFolder data;
  const ServerProcess server(data.path());
  const auto run = [&server](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--address", server.address()});
    const ProcessResult result = RunCli(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  };
  const auto grow = [&run](const std::vector<std::string>& outcome) {
    std::vector<std::string> add = {"trial", "add", "s", "--set", "x=0.1", "--set", "k=b"};
    add.insert(add.end(), outcome.begin(), outcome.end());
    run(add);
    run({"source", "register", "--all-studies"});
  };
  const auto names = [&run](const std::vector<std::string>& command) {
    std::vector<std::string> found;
    for (const Json& task : Json::parse(run(command).out)) found.push_back(task["name"]);
    return found;
  };
  const std::vector<std::string> list = {"source", "list", "--format", "json"};
  const std::vector<std::string> space = {"--param", "x=double:1e-5..1:log", "--param",
                                          "k=categorical:a,b", "--minimize", "loss"};
  const auto create = [&](const std::string& id, const std::vector<std::string>& sources) {
    std::vector<std::string> command = {"study", "create", "--id", id};
    command.insert(command.end(), space.begin(), space.end());
    command.insert(command.end(), sources.begin(), sources.end());
    run(command);
  };
  create("s", {});
  grow({"--value", "0.1"});
  grow({"--value", "0.30000000000000004"});
  create("user", {"--source", names(list).back()});
  grow({"--failed", "out of memory"});
  grow({"--infeasible", "diverged"});
  grow({"--value", "1e-9"});
  const std::vector<std::string> all = names(list);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(names({"source", "prune", "--format", "json"}).size(), 3u);
  EXPECT_EQ(names(list), all);
  const ProcessResult deleted = run({"source", "prune", "--yes"});
  EXPECT_THAT(deleted.out, HasSubstr("3 deleted."));
  EXPECT_THAT(deleted.out, HasSubstr("1 is superseded, but studies use it."));
  EXPECT_THAT(names(list), testing::ElementsAre(all[1], all[4]));
}

}  // namespace
}  // namespace slipstream
