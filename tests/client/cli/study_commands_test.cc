#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/client/cli/cli_process.h"

namespace slipstream {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using StudyCommands = CliTest;

TEST_F(StudyCommands, ShowNamesSourcesByTheirTitles) {
  v1::SourceTask task;
  task.set_name("sourceTasks/0123456789abcdef0123456789abcdef");
  task.set_display_name("SVM on digits");
  service().AddSource(task);
  v1::Study study = SmallStudy();
  study.add_source_tasks(task.name());
  study.add_source_tasks("sourceTasks/fedcba9876543210fedcba9876543210");
  service().AddStudy(study);
  EXPECT_THAT(Run({"study", "show", "s1"}).out,
              HasSubstr("source tasks:  SVM on digits (0123456789ab), fedcba987654\n"));
}

TEST_F(StudyCommands, ShowTellsWhichSourcesCount) {
  v1::Study study = SmallStudy();
  study.add_source_tasks("sourceTasks/0123456789abcdef0123456789abcdef");
  study.add_source_tasks("sourceTasks/fedcba9876543210fedcba9876543210");
  v1::TransferSummary& transfer = *study.mutable_transfer();
  transfer.set_state(v1::TransferSummary::HELPING);
  transfer.set_share(0.96);
  auto& source = *transfer.add_sources();
  source.set_source_task(study.source_tasks(1));
  source.set_weight(0.956);
  service().AddStudy(study);
  EXPECT_THAT(Run({"study", "show", "s1"}).out,
              HasSubstr("source tasks:  96% fedcba987654, 0% 0123456789ab\n"));
  transfer.set_unused_because("not ready");  // Then the shares are those of an earlier suggestion.
  study.set_name("studies/unused");
  service().AddStudy(study);
  EXPECT_THAT(Run({"study", "show", "unused"}).out,
              HasSubstr("source tasks:  0123456789ab, fedcba987654\n"));
  transfer.clear_unused_because();
  study.mutable_source_tasks()->RemoveLast();  // The model's share says it all.
  study.set_name("studies/one");
  service().AddStudy(study);
  EXPECT_THAT(Run({"study", "show", "one"}).out, HasSubstr("source tasks:  0123456789ab\n"));
}

TEST_F(StudyCommands, ShowTellsTheBestValueAndWhichTrialHasIt) {
  v1::Study study = SmallStudy();
  service().AddStudy(study);
  EXPECT_THAT(Run({"study", "show", "s1"}).out, Not(HasSubstr("best:")));
  study.set_name("studies/tried");
  study.set_trial_count(2);
  study.set_succeeded_trial_count(2);
  service().AddStudy(study);
  for (const double value : {0.5, 0.75}) {
    v1::Trial trial;
    trial.set_state(v1::Trial::SUCCEEDED);
    (*trial.mutable_measurement()->mutable_metrics())["accuracy"] = value;
    service().AddTrial("studies/tried", trial);
  }
  const ProcessResult shown = Run({"study", "show", "tried"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, ContainsRegex("best: +0.75, by tried/2\n"));
  EXPECT_THAT(shown.out, ContainsRegex("trials: +2: 2 succeeded\n"));
}

TEST_F(StudyCommands, ShowTellsTheBestTrialAndTheCountsInJsonToo) {
  v1::Study study = SmallStudy();
  service().AddStudy(study);
  const Json fresh = Json::parse(Run({"study", "show", "s1", "--format", "json"}).out);
  EXPECT_TRUE(fresh["bestTrial"].is_null());
  EXPECT_EQ(fresh["trialsByState"]["SUCCEEDED"], 0);
  EXPECT_EQ(fresh["trialsByState"].size(), 8u);
  study.set_name("studies/tried");
  study.set_trial_count(2);
  study.set_succeeded_trial_count(1);
  service().AddStudy(study);
  v1::Trial trial;
  trial.set_state(v1::Trial::SUCCEEDED);
  (*trial.mutable_measurement()->mutable_metrics())["accuracy"] = 0.75;
  service().AddTrial("studies/tried", trial);
  v1::Trial active;
  active.set_state(v1::Trial::ACTIVE);
  service().AddTrial("studies/tried", active);
  const Json shown = Json::parse(Run({"study", "show", "tried", "--format", "json"}).out);
  EXPECT_EQ(shown["bestTrial"]["name"], "studies/tried/trials/1");
  EXPECT_EQ(shown["trialsByState"]["SUCCEEDED"], 1);
  EXPECT_EQ(shown["trialsByState"]["ACTIVE"], 1);
}

TEST_F(StudyCommands, ShowSaysWhatChangedWhen) {
  v1::Study study = SmallStudy();
  study.mutable_update_time()->set_seconds(1'740'830'400);
  study.mutable_last_trial_time()->set_seconds(1'740'834'000);
  service().AddStudy(study);
  const std::string shown = Run({"study", "show", "s1"}).out;
  EXPECT_THAT(shown, ContainsRegex("settings changed: +2025-03-01 12:00:00Z\n"));
  EXPECT_THAT(shown, ContainsRegex("last trial: +2025-03-01 13:00:00Z\n"));
}

TEST_F(StudyCommands, ShowCountsTrialsByTheirStates) {
  v1::Study study = SmallStudy();
  study.set_trial_count(4);
  service().AddStudy(study);
  for (const auto state : {v1::Trial::STALE, v1::Trial::ACTIVE, v1::Trial::FAILED,
                           v1::Trial::ACTIVE}) {
    v1::Trial trial;
    trial.set_state(state);
    service().AddTrial("studies/s1", trial);
  }
  EXPECT_THAT(Run({"study", "show", "s1"}).out,
              ContainsRegex("trials: +4: 0 succeeded, 2 active, 1 failed, 1 stale\n"));
}

TEST_F(StudyCommands, TellTheAgeOfAStudyInJson) {
  v1::Study study = SmallStudy();
  study.mutable_create_time()->set_seconds(absl::ToUnixSeconds(absl::Now()) - 7200);
  service().AddStudy(study);
  const Json list = Json::parse(Run({"--format", "json", "study", "list"}).out);
  EXPECT_NEAR(list[0]["ageSeconds"], 7200, 60);
  EXPECT_TRUE(list[0]["createTime"].is_string());
  const Json shown = Json::parse(Run({"--format", "json", "study", "show", "s1"}).out);
  EXPECT_NEAR(shown["ageSeconds"], 7200, 60);
}

TEST_F(StudyCommands, ListHasAllPagesInEveryFormat) {
  for (int i = 0; i < 120; ++i) service().AddStudy(SmallStudy());
  const Json json = Json::parse(Run({"--format", "json", "study", "list"}).out);
  ASSERT_EQ(json.size(), 120u);
  EXPECT_EQ(json[119]["name"], "studies/s120");
  EXPECT_EQ(json[0]["trialCount"], "0");
  const std::string csv = Run({"--format", "csv", "study", "list"}).out;
  EXPECT_THAT(csv, StartsWith("study,state,objective,trials,succeeded,sources,transfer,preset,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 121);
  EXPECT_THAT(Run({"study", "list"}).out, HasSubstr("maximize accuracy"));
}

TEST_F(StudyCommands, ListTellsTheBestResultAndTheNewestTrial) {
  v1::Study study = SmallStudy();
  study.set_trial_count(24);
  study.set_succeeded_trial_count(20);
  study.set_best_value(0.123456789);
  study.mutable_algorithm()->set_preset("auto");
  study.mutable_create_time()->set_seconds(absl::ToUnixSeconds(absl::Now()) - 7200);
  study.mutable_last_trial_time()->set_seconds(absl::ToUnixSeconds(absl::Now()) - 300);
  service().AddStudy(study);
  service().AddStudy(SmallStudy());
  const std::string table = Run({"study", "list"}).out;
  EXPECT_THAT(table, ContainsRegex("best +succeeded +last trial +age +preset *\n"));
  EXPECT_THAT(table, ContainsRegex("0.123457 +20 of 24 +5 min +2 h +auto"));
  EXPECT_LE(table.find('\n'), 100u);
  EXPECT_THAT(Run({"study", "list", "--format", "csv"}).out, HasSubstr(",0.123456789,20"));
}

TEST_F(StudyCommands, ListTakesStatesAndLabels) {
  v1::Study study = SmallStudy();
  (*study.mutable_labels())["team"] = "vision";
  (*study.mutable_labels())["stage"] = "test";
  service().AddStudy(study);
  study.set_state(v1::Study::PAUSED);
  service().AddStudy(study);
  service().AddStudy(SmallStudy());
  const auto names = [&](std::vector<std::string> filter) {
    std::vector<std::string> command = {"--format", "json", "study", "list"};
    command.insert(command.end(), filter.begin(), filter.end());
    std::vector<std::string> found;
    for (const Json& each : Json::parse(Run(command).out)) found.push_back(each["name"]);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({"--state", "paused"}), Names({"studies/s2"}));
  EXPECT_EQ(names({"--state", "paused", "--state", "active"}).size(), 3u);
  EXPECT_EQ(names({"--label", "team=vision"}), Names({"studies/s1", "studies/s2"}));
  EXPECT_EQ(names({"--label", "team=vision", "--label", "stage=test", "--state", "active"}),
            Names({"studies/s1"}));
  EXPECT_EQ(names({"--label", "team=speech"}), Names());
  EXPECT_THAT(Run({"study", "list", "--label", "team=x"}).out, HasSubstr("No study matches"));
  EXPECT_EQ(Run({"study", "list", "--state", "asleep"}).code, 2);
}

TEST_F(StudyCommands, AnEmptyListSaysWhatToDo) {
  EXPECT_THAT(Run({"study", "list"}).out,
              EndsWith("slipstream study create --help. In a project: --project NAME\n"));
  EXPECT_THAT(Run({"study", "list", "--project", "vision"}).out,
              EndsWith("slipstream study create --help\n"));
  EXPECT_EQ(Run({"study", "list", "--format", "json"}).out, "[]\n");
}

TEST_F(StudyCommands, ShowTakesShortAndFullNames) {
  service().AddStudy(SmallStudy());
  EXPECT_EQ(Run({"study", "show", "s1"}).out, Run({"study", "show", "studies/s1"}).out);
  const Json json = Json::parse(Run({"study", "show", "s1", "--format", "json"}).out);
  EXPECT_EQ(json["space"]["parameters"][2]["condition"]["parent"], "kernel");
}

TEST_F(StudyCommands, ChangeReplacesTheLabelsAndOnlyThem) {
  v1::Study study = SmallStudy();
  study.set_display_name("Night run");
  (*study.mutable_labels())["team"] = "vision";
  service().AddStudy(study);
  const ProcessResult changed =
      Run({"study", "change", "s1", "--label", "team=speech", "--label", "note=a=b"});
  ASSERT_EQ(changed.code, 0) << changed.err;
  EXPECT_THAT(changed.out, HasSubstr("note=a=b, team=speech"));
  EXPECT_EQ(Stored("studies/s1").labels().at("team"), "speech");
  ASSERT_EQ(Run({"study", "change", "s1", "--label", "stage=test", "--title", "Day run"}).code, 0);
  EXPECT_EQ(Stored("studies/s1").labels_size(), 1);
  ASSERT_EQ(Run({"study", "change", "s1", "--title", "Noon"}).code, 0);
  EXPECT_EQ(Stored("studies/s1").labels().at("stage"), "test");
  ASSERT_EQ(Run({"study", "change", "s1", "--no-labels"}).code, 0);
  EXPECT_TRUE(Stored("studies/s1").labels().empty());
  EXPECT_EQ(Stored("studies/s1").display_name(), "Noon");
}

TEST_F(StudyCommands, ChangeShowsHowTheStudyStands) {
  v1::Study study = SmallStudy();
  study.add_source_tasks("sourceTasks/0123456789abcdef0123456789abcdef");
  study.set_trial_count(2);
  study.set_succeeded_trial_count(1);
  study.mutable_transfer()->set_state(v1::TransferSummary::HELPING);
  study.mutable_transfer()->set_share(0.5);
  service().AddStudy(study);
  v1::Trial trial;
  trial.set_state(v1::Trial::SUCCEEDED);
  (*trial.mutable_measurement()->mutable_metrics())["accuracy"] = 0.75;
  service().AddTrial("studies/s1", trial);
  v1::Trial failed;
  failed.set_state(v1::Trial::FAILED);
  service().AddTrial("studies/s1", failed);
  const ProcessResult changed = Run({"study", "change", "s1", "--title", "Night run"});
  ASSERT_EQ(changed.code, 0) << changed.err;
  EXPECT_EQ(changed.out, Run({"study", "show", "s1"}).out);
  EXPECT_THAT(changed.out, ContainsRegex("transfer: +helping"));
  EXPECT_THAT(changed.out, ContainsRegex("best: +0.75, by s1/1\n"));
  EXPECT_THAT(changed.out, ContainsRegex("trials: +2: 1 succeeded, 1 failed\n"));
  EXPECT_EQ(Json::parse(Run({"study", "pause", "s1", "--format", "json"}).out)["transfer"]["state"],
            "HELPING");
}

TEST_F(StudyCommands, AChangeThatCannotBeShownIsStillDone) {
  v1::Study study = SmallStudy();
  study.add_source_tasks("sourceTasks/0123456789abcdef0123456789abcdef");
  study.set_trial_count(1);
  service().AddStudy(study);
  service().FailNext(2, {});
  service().FailNext(1, {.status = {grpc::StatusCode::PERMISSION_DENIED, "not any longer"}});
  const ProcessResult changed = Run({"study", "change", "s1", "--title", "Night run"});
  EXPECT_EQ(changed.code, 0);
  EXPECT_THAT(changed.err, AllOf(HasSubstr("this is done, but"), HasSubstr("not any longer")));
  EXPECT_THAT(changed.out, AllOf(HasSubstr("Night run"), Not(HasSubstr("not measured"))));
  service().FailNext(1, {});
  service().FailNext(1, {.status = {grpc::StatusCode::PERMISSION_DENIED, "not any longer"}});
  const Json paused = Json::parse(Run({"study", "pause", "s1", "--format", "json"}).out);
  EXPECT_EQ(paused["state"], "PAUSED");
  EXPECT_FALSE(paused.contains("trialsByState"));
}

TEST_F(StudyCommands, ChangeSaysWhatItCannotChange) {
  service().AddStudy(SmallStudy());
  const ProcessResult nothing = Run({"study", "change", "s1"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("--title, --label or --no-labels"));
  EXPECT_EQ(Run({"study", "change", "s1", "--label", "team=x", "--no-labels"}).code, 2);
  const ProcessResult malformed = Run({"study", "change", "s1", "--label", "team"});
  EXPECT_EQ(malformed.code, 2);
  EXPECT_THAT(malformed.err, HasSubstr("--label 'team' is not KEY=VALUE"));
  EXPECT_TRUE(Stored("studies/s1").labels().empty());
}

TEST_F(StudyCommands, PauseResumeAndCompleteChangeTheState) {
  service().AddStudy(SmallStudy());
  const std::vector<std::pair<std::string, v1::Study::State>> cases = {
      {"pause", v1::Study::PAUSED},
      {"resume", v1::Study::ACTIVE},
      {"complete", v1::Study::COMPLETED}};
  for (const auto& [command, state] : cases) {
    const ProcessResult result = Run({"study", command, "s1"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(Stored("studies/s1").state(), state);
  }
}

TEST_F(StudyCommands, CompleteTellsOfQueuedTrialsThatNobodyWillRun) {
  v1::Study study = SmallStudy();
  study.set_trial_count(3);
  study.set_succeeded_trial_count(0);
  service().AddStudy(study);
  for (const auto state : {v1::Trial::REQUESTED, v1::Trial::FAILED, v1::Trial::REQUESTED}) {
    v1::Trial trial;
    trial.set_state(state);
    service().AddTrial("studies/s1", trial);
  }
  for (const char* format : {"table", "json"}) {
    const ProcessResult completed = Run({"study", "complete", "s1", "--format", format});
    EXPECT_EQ(completed.code, 0);
    EXPECT_EQ(completed.err,
              "slipstream: s1 still has 2 queued trials, which no worker will get\n");
  }
  EXPECT_EQ(Run({"study", "pause", "s1"}).err, "");
}

TEST_F(StudyCommands, ErrorsSayWhatCanBeDoneAboutThem) {
  service().AddStudy(SmallStudy());
  const struct {
    grpc::Status status;
    const char* advice;
  } cases[] = {
      {{grpc::StatusCode::NOT_FOUND, "there is no studies/s1"},
       "slipstream study list (in a project: --project NAME)\n"},
      {{grpc::StatusCode::NOT_FOUND, "there is no projects/vision/studies/s1"},
       "slipstream study list --project vision\n"},
      {{grpc::StatusCode::NOT_FOUND, "there is no sourceTasks/0123"},
       "The source tasks that are there: slipstream source list (in a project: --project NAME)\n"},
      {{grpc::StatusCode::NOT_FOUND, "there is no projects/vision/sourceTasks/0123"},
       "The source tasks that are there: slipstream source list --project vision\n"},
      {{grpc::StatusCode::PERMISSION_DENIED,
        "ann may use the project vision and not default; names without a project belong to "
        "default: name projects/vision, or use a token for that project"},
       "--project NAME, or the environment variable SLIPSTREAM_PROJECT\n"},
      {{grpc::StatusCode::NOT_FOUND, "there is no studies/s1/trials/7"}, "slipstream trials s1\n"},
      {{grpc::StatusCode::FAILED_PRECONDITION, "studies/s1 is PAUSED and makes no suggestions"},
       "slipstream study resume s1\n"},
      {{grpc::StatusCode::FAILED_PRECONDITION, "studies/s1 is COMPLETED and stays so"},
       "slipstream source register --study s1, then study create with --source\n"},
      {QuotaStatus("project vision has 1 trial", "trials"),
       "To make room: slipstream study delete. The server's operator can raise the quota\n"},
      {QuotaStatus("1 more source task", "sources"),
       "To make room: slipstream source delete. The server's operator can raise the quota\n"},
      {QuotaStatus("9 more bytes", "mib"),
       "To make room: slipstream study delete, or slipstream source delete. The server's operator "
       "can raise the quota\n"},
      {QuotaStatus("too many calls", "calls_per_second"), "too many calls\n"},
      {{grpc::StatusCode::RESOURCE_EXHAUSTED, "above its quota of 1"}, "its quota of 1\n"},
      {{grpc::StatusCode::FAILED_PRECONDITION, "the study is full"}, "is full\n"},
      {{grpc::StatusCode::NOT_FOUND, "cannot open studies/s1: no such file"}, "such file\n"}};
  for (const auto& [status, advice] : cases) {
    service().FailNext(1, {.status = status});
    const ProcessResult result = Run({"study", "show", "s1"});
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, EndsWith(advice));
  }
}

TEST_F(StudyCommands, DeleteWithoutATerminalNeedsYes) {
  service().AddStudy(SmallStudy());
  const ProcessResult refused = Run({"study", "delete", "s1"}, "y\n");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--yes"));
  EXPECT_EQ(service().study_count(), 1u);
  const ProcessResult done = Run({"study", "delete", "s1", "--yes", "--format", "json"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(Json::parse(done.out), (Json{{"name", "studies/s1"}, {"deleted", true}}));
  EXPECT_EQ(service().study_count(), 0u);
}

}  // namespace
}  // namespace slipstream
