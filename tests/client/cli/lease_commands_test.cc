#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/client/cli/cli_process.h"

namespace slipstream {
namespace {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class LeaseCommands : public CliTest {
 protected:
  LeaseCommands() {
    service().AddStudy(SmallStudy());
    EXPECT_EQ(Run({"suggest", "s1", "--worker", "w", "--count", "2"}).code, 0);
  }

  // Returns once so many heartbeats have come in, and all but the last one were answered.
  void WaitForHeartbeats(int count) {
    const auto heartbeats = [this] {
      const std::vector<SeenCall> calls = service().calls();
      return std::count_if(calls.begin(), calls.end(),
                           [](const SeenCall& call) { return call.method == "Heartbeat"; });
    };
    while (heartbeats() < count) std::this_thread::yield();
  }
};

TEST_F(LeaseCommands, HeartbeatShowsWhatTheWorkerHolds) {
  const ProcessResult result = Run({"heartbeat", "s1", "--worker", "w"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("s1/1   active  yes"));
  EXPECT_THAT(result.out, HasSubstr("s1/2   active  yes"));
}

TEST_F(LeaseCommands, HeartbeatAndReportTellWhatIsLeftOfLeasesInSeconds) {
  v1::Trial trial;
  trial.set_state(v1::Trial::ACTIVE);
  trial.set_worker("v");
  trial.mutable_lease_end_time()->set_seconds(absl::ToUnixSeconds(absl::Now()) + 7200);
  service().AddTrial("studies/s1", trial);
  const Json held =
      Json::parse(Run({"heartbeat", "s1", "--worker", "v", "--format", "json"}).out)["trials"][0];
  EXPECT_EQ(held["trial"], "studies/s1/trials/3");
  EXPECT_TRUE(held["leaseEndTime"].is_string());
  EXPECT_NEAR(held["leaseLeftSeconds"], 7200, 60);
  const std::vector<std::string> report = {"trial", "report",  "s1/3", "--step",
                                           "1",     "--value", "0.25", "--format"};
  std::vector<std::string> in_json = report;
  in_json.push_back("json");
  EXPECT_NEAR(Json::parse(Run(in_json).out)["leaseLeftSeconds"], 7200, 60);
  std::vector<std::string> in_csv = report;
  in_csv.push_back("csv");
  EXPECT_THAT(Run(in_csv).out, ContainsRegex("s1/3,active,2,7[12][0-9][0-9][.0-9]*\r\n"));
}

TEST_F(LeaseCommands, AHeartbeatForANamedTrialFailsOnceTheTrialIsLost) {
  EXPECT_EQ(Run({"heartbeat", "s1", "1", "s1/2", "--worker", "w"}).code, 0);
  v1::Trial lost;
  lost.set_state(v1::Trial::STALE);
  lost.set_worker("w");
  lost.set_requeued_as("studies/s1/trials/4");
  service().AddTrial("studies/s1", lost);
  const ProcessResult stale = Run({"heartbeat", "s1", "3", "--worker", "w"});
  EXPECT_EQ(stale.code, 1);
  EXPECT_THAT(stale.err, HasSubstr("worker w does not hold s1/3: its lease ran out, and it was "
                                   "queued again as s1/4\n"));
  EXPECT_EQ(Run({"heartbeat", "s1", "1", "3", "--worker", "w", "--every", "1ms"}).code, 1);
  service().TakeAway("studies/s1/trials/2");
  const ProcessResult taken = Run({"heartbeat", "s1", "2", "--worker", "w"});
  EXPECT_EQ(taken.code, 1);
  EXPECT_THAT(taken.err, HasSubstr("does not hold s1/2: worker another holds it\n"));
  EXPECT_EQ(Run({"heartbeat", "s1", "one", "--worker", "w"}).code, 2);
}

TEST_F(LeaseCommands, AHeartbeatSaysOfATrialThatNobodyHoldsThatItIsQueued) {
  ASSERT_EQ(Run({"trial", "add", "s1", "--set", "lr=0.5", "--set", "kernel=rbf"}).code, 0);
  ASSERT_EQ(Run({"trial", "release", "s1", "2"}).code, 0);
  for (const char* trial : {"2", "3"}) {
    EXPECT_THAT(Run({"heartbeat", "s1", trial, "--worker", "w"}).err,
                HasSubstr(std::string("does not hold s1/") + trial +
                          ": it is queued: no worker holds it\n"));
  }
}

TEST_F(LeaseCommands, AHeartbeatSaysWhatItKnowsOfALostTrialThatCannotBeRead) {
  service().TakeAway("studies/s1/trials/2");
  v1::Trial withdrawn;
  withdrawn.set_state(v1::Trial::WITHDRAWN);
  service().AddTrial("studies/s1", withdrawn);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"2", "another worker holds it\n"}, {"3", "it was withdrawn\n"}};
  for (const auto& [trial, fate] : cases) {
    service().FailNext(1, {});
    service().FailNext(1, {.status = {grpc::StatusCode::PERMISSION_DENIED, "no"}});
    EXPECT_THAT(Run({"heartbeat", "s1", trial, "--worker", "w"}).err,
                HasSubstr("does not hold s1/" + trial + ": " + fate));
  }
}

TEST_F(LeaseCommands, RepeatedHeartbeatsForANamedTrialEndWellWithItsOutcome) {
  ASSERT_EQ(Run({"observe", "s1/1", "--value", "1"}).code, 0);
  EXPECT_EQ(Run({"heartbeat", "s1", "1", "--worker", "w", "--every", "1ms"}).code, 0);
  const ProcessResult once = Run({"heartbeat", "s1", "1", "--worker", "w"});
  EXPECT_EQ(once.code, 1);
  EXPECT_THAT(once.err, HasSubstr("it has its outcome: succeeded\n"));
}

TEST_F(LeaseCommands, HeartbeatsEndWellOnceTheWorkerHoldsNothing) {
  std::thread losing([this] {
    WaitForHeartbeats(2);
    service().TakeAway("studies/s1/trials/1");
    service().TakeAway("studies/s1/trials/2");
  });
  const ProcessResult result = Run({"heartbeat", "s1", "--worker", "w", "--every", "1ms"});
  losing.join();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no longer holds a trial"));
}

TEST_F(LeaseCommands, HeartbeatsInCsvHaveOneHeader) {
  std::thread losing([this] {
    WaitForHeartbeats(3);
    service().TakeAway("studies/s1/trials/1");
    service().TakeAway("studies/s1/trials/2");
  });
  const ProcessResult result =
      Run({"heartbeat", "s1", "--worker", "w", "--every", "1ms", "--format", "csv"});
  losing.join();
  EXPECT_THAT(result.out, ContainsRegex("^trial,state,held,lease\r\ns1/1,active,yes,\r\n"
                                        "s1/2,active,yes,\r\ns1/1,active,yes,\r\n"));
  EXPECT_EQ(result.out.rfind("trial,state"), 0u) << result.out;
}

TEST_F(LeaseCommands, HeartbeatsThatComeTooLateAreWarnedOf) {
  std::thread losing([this] {
    WaitForHeartbeats(2);
    service().TakeAway("studies/s1/trials/1");
    service().TakeAway("studies/s1/trials/2");
  });
  const ProcessResult result = Run({"heartbeat", "s1", "--worker", "w", "--every", "4ms"});
  losing.join();
  EXPECT_EQ(result.err, "slipstream: leases end after 0.003 s, and heartbeats are 0.004 s apart: "
                        "the worker loses its trials meanwhile\n"
                        "slipstream: the worker no longer holds a trial\n");
}

TEST_F(LeaseCommands, HeartbeatsOfAWorkerThatNeverHeldATrialFail) {
  const ProcessResult result = Run({"heartbeat", "s1", "--worker", "nobody", "--every", "1ms"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "slipstream: worker nobody holds no trial of s1\n");
}

TEST_F(LeaseCommands, HeartbeatsHaveAnInterval) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0s", "--every '0s' must be above 0\n"},
      {"0", "--every '0' must be above 0\n"},
      {"1", "--every '1' is not a duration such as 90s, "},
      {"off", "--every 'off' is not a duration such as 90s, "},
      {"", "--every '' is not a duration such as 90s, "}};
  for (const auto& [interval, complaint] : cases) {
    const ProcessResult result = Run({"heartbeat", "s1", "--worker", "w", "--every", interval});
    EXPECT_EQ(result.code, 2) << interval;
    EXPECT_THAT(result.err, HasSubstr(complaint));
  }
}

TEST_F(LeaseCommands, HeartbeatsOutlastAServerThatIsAway) {
  constexpr int kAttempts = 10;  // More than fit into one call.
  service().FailNext(1, {});
  service().FailNext(kAttempts, {.status = {grpc::StatusCode::UNAVAILABLE, "restarting"}});
  service().FailNext(1, {});
  service().FailNext(1, {.status = {grpc::StatusCode::NOT_FOUND, "the study is gone"}});
  const ProcessResult result =
      Run({"heartbeat", "s1", "--worker", "w", "--every", "1ms", "--timeout", "0.3"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, ContainsRegex("restarting.*going on every 1ms until it answers\n.*gone"));
  const size_t told = result.err.find("restarting");
  EXPECT_EQ(result.err.find("restarting", told + 1), std::string::npos) << "told more than once";
  size_t heartbeats = 0;
  for (const SeenCall& call : service().calls()) heartbeats += call.method == "Heartbeat" ? 1 : 0;
  EXPECT_EQ(heartbeats, kAttempts + 3);
}

// A lease may not last for another interval.
TEST_F(LeaseCommands, HeartbeatsGoOnSoonAfterOneWithoutAnAnswer) {
  service().FailNext(1, {});
  service().FailNext(1, {.hold = true});
  service().FailNext(1, {.status = {grpc::StatusCode::NOT_FOUND, "the study is gone"}});
  const ProcessResult result =
      Run({"heartbeat", "s1", "--worker", "w", "--every", "1200ms", "--timeout", "0.3"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, ContainsRegex("going on every 1s until it answers\n.*gone"));
}

TEST_F(LeaseCommands, HeartbeatsDoNotGoOnForAnotherStudyOfTheName) {
  v1::Study study = SmallStudy();
  study.set_name("studies/digits");
  study.mutable_create_time()->set_seconds(1740830400);
  service().AddStudy(study);
  ASSERT_EQ(Run({"suggest", "digits", "--worker", "w"}).code, 0);
  std::thread replacing([this] {
    WaitForHeartbeats(2);
    service().ReplaceStudy("studies/digits");
    service().TakeAway("studies/digits/trials/1");  // Who asks for it all the same ends well.
  });
  const ProcessResult result = Run({"heartbeat", "digits", "--worker", "w", "--every", "1ms"});
  replacing.join();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("studies/digits"));
}

TEST_F(LeaseCommands, TheFirstHeartbeatHasToSucceed) {
  service().FailAlways({grpc::StatusCode::UNAVAILABLE, "nobody there"});
  const ProcessResult result =
      Run({"heartbeat", "s1", "--worker", "w", "--every", "1ms", "--timeout", "0.3"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("nobody there"));
}

TEST_F(LeaseCommands, ReleaseTakesNumbersOrAWorker) {
  ASSERT_EQ(Run({"trial", "release", "s1", "2"}).code, 0);
  EXPECT_EQ(service().trials("studies/s1")[0].state(), v1::Trial::ACTIVE);
  EXPECT_EQ(service().trials("studies/s1")[1].state(), v1::Trial::REQUESTED);
  const ProcessResult all = Run({"trial", "release", "s1", "--worker", "w"});
  EXPECT_THAT(all.out, HasSubstr("s1/1   requested"));
  EXPECT_EQ(Run({"trial", "release", "s1"}).code, 2);
  // As with a variable that is not set: it would take the trial from any worker.
  const ProcessResult empty = Run({"trial", "release", "s1", "1", "--worker", ""});
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("--worker: must not be empty\n"));
}

TEST_F(LeaseCommands, HeartbeatAndReleaseSayInASentenceThatNothingIsHeld) {
  EXPECT_EQ(Run({"heartbeat", "s1", "--worker", "v"}).out, "The worker holds no trial.\n");
  ASSERT_EQ(Run({"trial", "release", "s1", "--worker", "w"}).code, 0);
  EXPECT_EQ(Run({"trial", "release", "s1", "--worker", "w"}).out, "The worker holds no trial.\n");
  EXPECT_EQ(Run({"heartbeat", "s1", "--worker", "v", "--format", "csv"}).out,
            "trial,state,held,lease\r\n");
}

TEST_F(LeaseCommands, ReportsAreShownWithTheTrial) {
  ASSERT_EQ(Run({"trial", "report", "s1/1", "--step", "3", "--value", "0.25"}).code, 0);
  const ProcessResult shown = Run({"trial", "show", "s1/1"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("worker"));
  EXPECT_THAT(shown.out, HasSubstr("   3   0.25\n"));
  EXPECT_THAT(Run({"trial", "show", "s1/1", "--format", "csv"}).out,
              HasSubstr("\r\nreport at step 3,0.25\r\n"));
  const Json json = Json::parse(Run({"trial", "show", "s1/1", "--format", "json"}).out);
  EXPECT_EQ(json["name"], "studies/s1/trials/1");
  EXPECT_EQ(json["reports"][0]["measurement"]["metrics"]["accuracy"], 0.25);
}

TEST_F(LeaseCommands, ATrialShowsItsParametersInTheOrderOfTheSpace) {
  for (const char* format : {"table", "csv"}) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"trial", "show", "s1/1"}, {"trial", "annotate", "s1/1", "--note",
                                                              "x"}}) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--format", format});
      EXPECT_THAT(Run(arguments).out, ContainsRegex("\nlr[:,] *0.25\r?\nkernel[:,] *rbf\r?\n"));
    }
  }
}

// A script's variable may be empty, or have leading zeros.
TEST_F(LeaseCommands, NumbersAreDecimalAndNotEmpty) {
  ASSERT_EQ(Run({"trial", "report", "s1/1", "--step", "010", "--value", "0.25"}).code, 0);
  const Json json = Json::parse(Run({"trial", "show", "s1/1", "--format", "json"}).out);
  EXPECT_EQ(json["reports"][0]["step"], "10");
  for (const char* number : {"", "0x10", "1e", "one"}) {
    const ProcessResult step = Run({"trial", "report", "s1/1", "--step", number, "--value", "1"});
    EXPECT_EQ(step.code, 2) << number;
    EXPECT_THAT(step.err, HasSubstr("is not a whole number"));
    const ProcessResult value = Run({"trial", "report", "s1/1", "--step", "1", "--value", number});
    EXPECT_EQ(value.code, 2) << number;
    EXPECT_THAT(value.err, HasSubstr("is not a number"));
  }
  EXPECT_EQ(Run({"suggest", "s1", "--worker", "w", "--count", "-0"}).code, 2);
  EXPECT_THAT(Run({"suggest", "s1", "--worker", "w", "--count", "08"}).out, HasSubstr("s1/8"));
}

TEST_F(LeaseCommands, AStepThatIsTooLargeIsRefused) {
  const std::vector<std::string> report = {"trial", "report", "s1/1", "--value", "1", "--step"};
  const auto with = [&report](const char* step) {
    std::vector<std::string> arguments = report;
    arguments.push_back(step);
    return arguments;
  };
  for (const char* step : {"9223372036854775808", "99999999999999999999"}) {
    const ProcessResult refused = Run(with(step));
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr(absl::StrCat("--step: '", step,
                                                    "' must be 9223372036854775807 or less\n")));
  }
  EXPECT_EQ(Run(with("9223372036854775807")).code, 0);
}

TEST_F(LeaseCommands, EveryCommandTakesShortNamesInAProject) {
  v1::Study study = SmallStudy();
  study.set_name("projects/vision/studies/v1");
  service().AddStudy(study);
  const std::vector<std::vector<std::string>> commands = {
      {"suggest", "v1", "--worker", "w"},
      {"heartbeat", "v1", "1", "--worker", "w"},
      {"trial", "report", "v1/1", "--step", "1", "--value", "0.5"},
      {"trial", "show", "v1/1"},
      {"trial", "should-stop", "v1/1"},
      {"trial", "annotate", "v1/1", "--note", "odd"},
      {"explain", "v1/1"},
      {"observe", "v1/1", "--value", "0.5"},
      {"trials", "v1"},
      {"study", "show", "v1"},
      {"study", "watch", "v1"},
      {"study", "pause", "v1"},
      {"study", "change", "v1", "--title", "t"},
      {"trial", "release", "v1", "--worker", "w"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--project", "vision"});
    EXPECT_EQ(Run(command).code, 0) << testing::PrintToString(command);
  }
  EXPECT_EQ(service().trials("projects/vision/studies/v1")[0].state(), v1::Trial::SUCCEEDED);
  const std::vector<std::string> show = {"--address", server_.address(), "study", "show", "v1"};
  EXPECT_EQ(RunCli(show, "", {"SLIPSTREAM_PROJECT=vision"}).code, 0);
  EXPECT_EQ(RunCli(show).code, 1);
  const ProcessResult other =
      Run({"study", "show", "projects/vision/studies/v1", "--project", "nlp"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("is of the project vision, and --project names nlp"));
}

// As in a study that was deleted and created again, whose first trial another worker has.
TEST_F(LeaseCommands, AWorkerThatNamesItselfChangesNoTrialOfAnother) {
  const std::vector<std::vector<std::string>> changes = {
      {"trial", "report", "s1/1", "--step", "1", "--value", "0.5"},
      {"trial", "annotate", "s1/1", "--note", "odd"},
      {"observe", "s1/1", "--value", "0.5"}};
  const v1::Trial before = service().trials("studies/s1")[0];
  for (std::vector<std::string> change : changes) {
    change.insert(change.end(), {"--worker", "v"});
    const ProcessResult refused = Run(change);
    EXPECT_EQ(refused.code, 1) << testing::PrintToString(change);
    EXPECT_EQ(refused.err, "slipstream: s1/1 is not a trial of worker v: worker w holds it\n");
    change.back() = "";
    EXPECT_EQ(Run(change).code, 2);
  }
  for (const SeenCall& call : service().calls()) {
    EXPECT_TRUE(call.method == "Suggest" || call.method == "GetStudy" || call.method == "GetTrial");
  }
  for (std::vector<std::string> change : changes) {
    change.insert(change.end(), {"--worker", "w"});
    EXPECT_EQ(Run(change).code, 0) << testing::PrintToString(change);
  }
  ASSERT_EQ(service().updates().size(), 1u);
  EXPECT_EQ(service().updates()[0].create_time().seconds(), before.create_time().seconds());
}

// The study is replaced between the two calls, by one in which the worker has this trial, too.
TEST_F(LeaseCommands, AWorkerThatNamesItselfChangesNoTrialThatWasCreatedSince) {
  for (std::vector<std::string> change :
       {std::vector<std::string>{"trial", "report", "s1/1", "--step", "1", "--metric", "accuracy"},
        std::vector<std::string>{"observe", "s1/1"}}) {
    change.insert(change.end(), {"--value", "0.5", "--worker", "w"});
    service().ReplaceTrialOnceRead("studies/s1/trials/1");
    const ProcessResult refused = Run(change);
    EXPECT_EQ(refused.code, 1) << testing::PrintToString(change);
    EXPECT_THAT(refused.err, HasSubstr("does not exist"));
  }
}

TEST_F(LeaseCommands, WatchShowsALineForEachEvent) {
  const ProcessResult result = Run({"study", "watch", "s1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("  s1/1  ended  0\n"));
  EXPECT_THAT(result.out, HasSubstr("--after 2"));
  const std::string json = Run({"study", "watch", "s1", "--format", "json", "--count", "1"}).out;
  EXPECT_EQ(Json::parse(json)["trial"], "studies/s1/trials/1");
  EXPECT_THAT(Run({"study", "watch", "s1", "--format", "csv"}).out,
              AllOf(HasSubstr("time,study,trial,event,value,worker,detail,resume_token\r\n"
                              ",s1,s1/1,ended,0,,,1\r\n,s1,s1/2,"),
                    HasSubstr(",2\r\n")));
}

TEST_F(LeaseCommands, AWatchThatFailsTellsHowToResume) {
  ASSERT_EQ(Run({"suggest", "s1", "--worker", "w"}).code, 0);
  for (const char* format : {"json", "csv", "table"}) {
    // In JSON, no call asks for the details of the two events.
    service().FailNext(format == std::string("json") ? 1 : 3, {});
    service().FailNext(1, {.status = {grpc::StatusCode::PERMISSION_DENIED, "not any longer"}});
    const ProcessResult result = Run({"study", "watch", "s1", "--format", format});
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, HasSubstr("To resume from here: --after 2\n"));
    EXPECT_THAT(result.err, HasSubstr("not any longer"));
    EXPECT_THAT(result.out, Not(HasSubstr("--after")));
  }
  service().FailNext(1, {.status = {grpc::StatusCode::PERMISSION_DENIED, "never"}});
  EXPECT_THAT(Run({"study", "watch", "s1"}).err, Not(HasSubstr("--after")));
}

v1::StudyEvent Event(v1::StudyEvent::Kind kind, const std::string& trial = "") {
  v1::StudyEvent event;
  event.set_kind(kind);
  event.set_study("studies/s1");
  event.set_trial(trial);
  return event;
}

TEST_F(LeaseCommands, WatchTellsHowTrialsEndedAndWhatStudiesAreNow) {
  ASSERT_EQ(Run({"observe", "s1/1", "--failed", "out of\nmemory"}).code, 0);
  v1::StudyEvent reported = Event(v1::StudyEvent::TRIAL_REPORTED, "studies/s1/trials/3");
  reported.set_value(0.25);
  service().SetEvents({Event(v1::StudyEvent::TRIAL_ENDED, "studies/s1/trials/1"), reported,
                       Event(v1::StudyEvent::TRIAL_ENDED, "studies/s1/trials/9"),
                       Event(v1::StudyEvent::STUDY_CHANGED)});
  ASSERT_EQ(Run({"study", "pause", "s1"}).code, 0);
  const size_t calls_before = service().calls().size();
  const ProcessResult result = Run({"study", "watch", "s1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("  s1/1  ended: failed, out of memory\n"));
  EXPECT_THAT(result.out, HasSubstr("  s1/3  reported  0.25\n"));
  EXPECT_THAT(result.out, HasSubstr("  s1/9  ended\n"));
  EXPECT_THAT(result.out, HasSubstr("  s1  changed: now paused\n"));
  EXPECT_EQ(service().calls().size(), calls_before + 4) << "the watch and one for each other event";
  EXPECT_THAT(Run({"study", "watch", "s1", "--format", "csv"}).out,
              HasSubstr(",s1,,changed,,,now paused,\r\n"));
}

TEST_F(LeaseCommands, WatchTellsTheStatesOfAStudyThatWasDeletedSince) {
  v1::StudyEvent completed = Event(v1::StudyEvent::STUDY_CHANGED);
  completed.set_study_state(v1::Study::COMPLETED);
  service().SetEvents({completed, Event(v1::StudyEvent::STUDY_CHANGED)});
  ASSERT_EQ(Run({"study", "delete", "s1", "--yes"}).code, 0);
  EXPECT_THAT(Run({"study", "watch", "s1", "--after", "1"}).out,
              ContainsRegex("  s1  changed: now completed\n.*  s1  changed\n"));
}

TEST_F(LeaseCommands, AWatchMayEndWhenTheStudyIsCompleted) {
  v1::StudyEvent paused = Event(v1::StudyEvent::STUDY_CHANGED);
  paused.set_study_state(v1::Study::PAUSED);
  v1::StudyEvent completed = Event(v1::StudyEvent::STUDY_CHANGED);
  completed.set_study_state(v1::Study::COMPLETED);
  const std::vector<std::string> watch = {"study", "watch", "s1", "--until-completed"};
  service().SetEvents(
      {paused, completed, Event(v1::StudyEvent::TRIAL_ENDED, "studies/s1/trials/1")});
  const ProcessResult ended = Run(watch);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("now paused"), HasSubstr("now completed"),
                               Not(HasSubstr("s1/1"))));
  service().SetEvents({paused});
  const ProcessResult deleted = Run(watch);
  EXPECT_EQ(deleted.code, 1);
  EXPECT_THAT(deleted.err, HasSubstr("s1 was deleted before it was completed"));
  const std::string json = Run({"--format", "json", "study", "watch", "s1", "--count", "1"}).out;
  EXPECT_EQ(Json::parse(json)["studyState"], "PAUSED");
  ASSERT_EQ(Run({"study", "complete", "s1"}).code, 0);
  EXPECT_EQ(Run(watch).code, 0) << "it has been completed already";
  EXPECT_EQ(Run({"study", "watch", "--until-completed"}).code, 2);
}

TEST_F(LeaseCommands, AWatchThatCannotTellWhetherTheStudyIsCompletedFails) {
  const std::vector<std::string> watch = {"--format", "json", "study",
                                          "watch",    "s1",   "--until-completed"};
  // Of an older server, which does not tell the state.
  service().SetEvents({Event(v1::StudyEvent::STUDY_CHANGED)});
  for (const int calls_before : {1, 2}) {
    service().FailNext(calls_before, {});
    service().FailNext(1, {.status = {grpc::StatusCode::PERMISSION_DENIED, "not any longer"}});
    const ProcessResult result = Run(watch);
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, HasSubstr("not any longer"));
  }
  ASSERT_EQ(Run({"study", "delete", "s1", "--yes"}).code, 0);
  EXPECT_THAT(Run(watch).err, HasSubstr("s1 was deleted before it was completed"));
}

TEST_F(LeaseCommands, AWatchSaysThatTheStudyIsCompletedAlready) {
  ASSERT_EQ(Run({"study", "complete", "s1"}).code, 0);
  const ProcessResult result = Run({"study", "watch", "s1", "--until-completed"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("s1 is completed already.\n"));
}

TEST_F(LeaseCommands, WatchTellsWhoLostATrialAndWhatRepeatsIt) {
  v1::Trial lost;
  lost.set_state(v1::Trial::STALE);
  lost.set_requeued_as("studies/s1/trials/4");
  service().AddTrial("studies/s1", lost);
  v1::StudyEvent stale = Event(v1::StudyEvent::TRIAL_STALE, "studies/s1/trials/3");
  stale.set_worker("w");
  service().SetEvents({stale});
  EXPECT_THAT(Run({"study", "watch", "s1"}).out,
              HasSubstr("  s1/3  lease ran out: again as s1/4  of w\n"));
}

TEST_F(LeaseCommands, ShouldStopTellsTheAdviceAndWhy) {
  EXPECT_THAT(Run({"trial", "should-stop", "s1/1"}).out, HasSubstr("go on"));
  for (const char* step : {"1", "2"}) {
    ASSERT_EQ(Run({"trial", "report", "s1/1", "--step", step, "--value", "1"}).code, 0);
  }
  EXPECT_THAT(Run({"trial", "should-stop", "s1/1"}).out, HasSubstr("two are enough"));
  const Json json = Json::parse(Run({"trial", "should-stop", "s1/1", "--format", "json"}).out);
  EXPECT_EQ(json["stop"], true);
}

TEST_F(LeaseCommands, AStudyNamesItsRuleOfStoppingAndItsLeases) {
  const std::vector<std::string> create = {"study",      "create", "--id",    "t",
                                           "--minimize", "loss",   "--param", "x=double:0..1"};
  std::vector<std::string> with = create;
  with.insert(with.end(), {"--stopping", "median", "--stopping-option", "grace_steps=3", "--lease",
                           "90s", "--requeues", "1"});
  const ProcessResult created = Run(with);
  ASSERT_EQ(created.code, 0) << created.err;
  EXPECT_THAT(created.out, HasSubstr("median grace_steps=3"));
  EXPECT_THAT(created.out, HasSubstr("end after 1 min 30 s,"));
  std::vector<std::string> without_rule = create;
  without_rule.insert(without_rule.end(), {"--stopping-option", "grace_steps=3"});
  EXPECT_EQ(Run(without_rule).code, 2);
}

// It refuses short ones, and 0 would be for ever.
TEST_F(LeaseCommands, TheServerIsTheOneToJudgeALease) {
  const std::vector<std::pair<std::string, std::string>> leases = {
      {"1500ms", "1.500s"}, {"500us", "0.000500s"}, {"0.5ns", "0.000000001s"}};
  for (const auto& [lease, sent] : leases) {
    const ProcessResult created = Run({"study", "create", "--minimize", "loss", "--param",
                                       "x=double:0..1", "--lease", lease, "--format", "json"});
    ASSERT_EQ(created.code, 0) << created.err;
    EXPECT_EQ(Json::parse(created.out)["leasePolicy"]["duration"], sent);
  }
}

TEST_F(LeaseCommands, AnnotateWritesANoteAndLabels) {
  const ProcessResult result =
      Run({"trial", "annotate", "s1/1", "--note", "looks odd", "--label", "team=blue"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("team=blue"));
  EXPECT_EQ(service().trials("studies/s1")[0].note(), "looks odd");
  ASSERT_EQ(Run({"trial", "annotate", "s1/1", "--no-labels"}).code, 0);
  EXPECT_TRUE(service().trials("studies/s1")[0].labels().empty());
  EXPECT_EQ(Run({"trial", "annotate", "s1/1"}).code, 2);
}

}  // namespace
}  // namespace slipstream
