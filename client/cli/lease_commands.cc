#include "client/cli/lease_commands.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/duration_text.h"
#include "client/cli/json_text.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/times.h"
#include "client/cli/trial_holder.h"
#include "client/cli/trial_view.h"
#include "client/cli/usage_error.h"
#include "google/protobuf/repeated_field.h"

namespace slipstream::cli {
namespace {

using Json = nlohmann::ordered_json;

// When heartbeats go on after one without an answer. A lease may not last for another interval.
constexpr absl::Duration kSoon = absl::Seconds(1);

struct HeartbeatArguments {
  std::string study;
  std::vector<std::string> trials;
  std::string worker;
  std::optional<std::string> every;
};

// Takes names of trials, or their numbers in the study.
absl::Status TakeTrials(const std::string& study, const std::vector<std::string>& texts,
                        const Session& session,
                        google::protobuf::RepeatedPtrField<std::string>* names) {
  for (const std::string& text : texts) {
    const bool whole = text.find('/') != std::string::npos;
    const std::string trial = whole ? text : absl::StrCat(study, "/", text);
    ASSIGN_OR_RETURN(*names->Add(), FullTrialName(trial, session.project()));
  }
  return absl::OkStatus();
}

// The response in JSON, with what is left of each lease.
Json HeldJson(const v1::HeartbeatResponse& response) {
  Json json = JsonOf(response);
  for (int i = 0; i < response.trials_size(); ++i) {
    json["trials"][i] = JsonWithLease(response.trials(i), response.trials(i).lease_end_time());
  }
  return json;
}

// Prints the trials with what is left of their leases, and no table if there are none. In CSV only
// the first of several answers has a header. Returns whether the worker holds any.
bool PrintHeld(const v1::HeartbeatResponse& response, bool is_first, Session& session) {
  bool any = false;
  Table table;
  table.columns = {{"trial", Align::kLeft, kWhole}, {"state"}, {"held"}, {"lease", Align::kRight}};
  for (const v1::HeartbeatResponse::HeldTrial& held : response.trials()) {
    any |= held.held();
    const std::string lease =
        held.has_lease_end_time() ? LeaseLeft(held.lease_end_time(), session.format()) : "";
    table.rows.push_back(
        {ShortTrialName(held.trial()), StateText(held.state()), held.held() ? "yes" : "no", lease});
  }
  if (session.format() == Format::kJson) {
    session.Print(JsonDocument(HeldJson(response)));
  } else if (session.format() == Format::kCsv || !table.rows.empty()) {
    session.Print(table, /*is_further=*/!is_first);
  }
  return any;
}

bool HasOutcome(v1::Trial::State state) {
  return state >= v1::Trial::SUCCEEDED && state <= v1::Trial::STOPPED;
}

// Says what became of a trial that the worker does not hold, for example "its lease ran out, and it
// was queued again as digits/9".
std::string FateOf(const v1::HeartbeatResponse::HeldTrial& held, Session& session) {
  const auto trial = session.client().GetTrial(held.trial());
  const v1::Trial::State state = trial.ok() ? trial->state() : held.state();
  switch (state) {
    case v1::Trial::STALE:
      if (!trial.ok() || trial->requeued_as().empty()) return "its lease ran out";
      return absl::StrCat("its lease ran out, and it was queued again as ",
                          ShortTrialName(trial->requeued_as()));
    case v1::Trial::REQUESTED:
      return "it is queued: no worker holds it";  // Any more, or yet.
    case v1::Trial::ACTIVE:
      return trial.ok() ? absl::StrCat("worker ", trial->worker(), " holds it")
                        : "another worker holds it";
    case v1::Trial::WITHDRAWN:
      return trial.ok() && !trial->reason().empty()
                 ? absl::StrCat("it was withdrawn: ", trial->reason())
                 : "it was withdrawn";
    default:
      return absl::StrCat("it has its outcome: ", StateText(state));
  }
}

// FAILED_PRECONDITION if the worker does not hold all of the trials. Those with an outcome do not
// count if `until_told`.
absl::Status CheckHeld(const std::string& worker, const v1::HeartbeatResponse& response,
                       bool until_told, Session& session) {
  for (const v1::HeartbeatResponse::HeldTrial& held : response.trials()) {
    if (held.held() || (until_told && HasOutcome(held.state()))) continue;
    return absl::FailedPreconditionError(absl::StrCat("worker ", worker, " does not hold ",
                                                      ShortTrialName(held.trial()), ": ",
                                                      FateOf(held, session)));
  }
  return absl::OkStatus();
}

// Whether a later heartbeat may succeed. Leases do not run out while no server is running, so the
// worker may still hold its trials, however long that lasts.
bool MayPass(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsAborted(status) || absl::IsCancelled(status) ||
         absl::IsResourceExhausted(status);
}

// How heartbeats end once the worker holds no trial: well, unless it held none at the first one,
// as when its name is misspelt.
absl::Status EndWithoutTrials(const v1::HeartbeatRequest& request, bool is_first,
                              Session& session) {
  if (is_first && request.trials().empty()) {
    return absl::FailedPreconditionError(absl::StrCat("worker ", request.worker(),
                                                      " holds no trial of ",
                                                      ShortStudyName(request.study())));
  }
  session.Warn("the worker no longer holds a trial");
  return absl::OkStatus();
}

// A person may not know how long leases last.
void WarnOfLongInterval(const v1::HeartbeatResponse& response, absl::Duration every,
                        Session& session) {
  const absl::Duration lease = absl::Seconds(response.lease_duration().seconds()) +
                               absl::Nanoseconds(response.lease_duration().nanos());
  if (!response.has_lease_duration() || every < lease) return;
  session.Warn(absl::StrCat("leases end after ", ExactDuration(lease), ", and heartbeats are ",
                            ExactDuration(every), " apart: the worker loses its trials meanwhile"));
}

// Returns when the worker holds no trial, when it has lost one that the request names, or on an
// error that no later heartbeat can overcome. The first heartbeat has to succeed, so that a wrong
// address is noticed; its answer says which study is meant.
absl::Status KeepLeases(v1::HeartbeatRequest request, absl::Duration every, Session& session) {
  bool answered = false;  // At least once.
  bool was_told = false;  // The user was told that the server does not answer, since it last did.
  const absl::Duration again = std::min(every, kSoon);
  while (true) {
    const auto response = session.client().Heartbeat(request);
    if (response.ok()) {
      const bool is_first = !std::exchange(answered, true);
      if (is_first && response->has_study_create_time()) {
        *request.mutable_study_create_time() = response->study_create_time();
      }
      was_told = false;
      const bool holds_any = PrintHeld(*response, is_first, session);
      if (!request.trials().empty()) {
        RETURN_IF_ERROR(CheckHeld(request.worker(), *response, /*until_told=*/true, session));
      }
      if (!holds_any) return EndWithoutTrials(request, is_first, session);
      if (is_first) WarnOfLongInterval(*response, every, session);
      session.Flush().IgnoreError();  // The leases matter more; an error is told in the end.
    } else if (!answered || !MayPass(response.status())) {
      return response.status();
    } else if (!was_told) {
      session.Warn(absl::StrCat(std::string(response.status().message()), "; going on every ",
                                absl::FormatDuration(again), " until it answers"));
      was_told = true;
    }
    absl::SleepFor(response.ok() ? every : again);
  }
}

absl::Status Heartbeat(const HeartbeatArguments& arguments, Session& session) {
  v1::HeartbeatRequest request;
  ASSIGN_OR_RETURN(*request.mutable_study(), FullStudyName(arguments.study, session.project()));
  request.set_worker(arguments.worker);
  RETURN_IF_ERROR(TakeTrials(arguments.study, arguments.trials, session, request.mutable_trials()));
  if (arguments.every.has_value()) {
    ASSIGN_OR_RETURN(const absl::Duration every, ReadInterval("--every", *arguments.every));
    return KeepLeases(std::move(request), every, session);
  }
  ASSIGN_OR_RETURN(const auto response, session.client().Heartbeat(request));
  const bool holds_any = PrintHeld(response, /*is_first=*/true, session);
  if (!request.trials().empty()) {
    return CheckHeld(arguments.worker, response, /*until_told=*/false, session);
  }
  if (!holds_any) session.Remark("The worker holds no trial.");
  return absl::OkStatus();
}

// The trial's study with nothing but these fields.
absl::StatusOr<v1::Study> StudyWith(const std::string& field, const std::string& trial,
                                    Session& session) {
  v1::GetStudyRequest request;
  request.set_name(StudyOfTrial(trial));
  request.mutable_read_mask()->add_paths(field);
  return session.client().GetStudy(request);
}

// The parameters in their order, which JSON does not need.
absl::StatusOr<v1::SearchSpace> SpaceFor(const std::string& trial, Session& session) {
  if (session.format() == Format::kJson) return v1::SearchSpace();
  ASSIGN_OR_RETURN(const v1::Study study, StudyWith("space.parameters", trial, session));
  return study.space();
}

absl::Status ShowTrial(const std::string& text, Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullTrialName(text, session.project()));
  ASSIGN_OR_RETURN(const v1::Trial trial, session.client().GetTrial(name));
  ASSIGN_OR_RETURN(const v1::SearchSpace space, SpaceFor(name, session));
  ASSIGN_OR_RETURN(const v1::ListReportsResponse reports, session.client().ListReports(name));
  PrintWholeTrial(trial, space, reports, session);
  return absl::OkStatus();
}

struct ReleaseArguments {
  std::string study;
  std::string worker;
  std::vector<std::string> trials;
};

absl::Status Release(const ReleaseArguments& arguments, Session& session) {
  v1::ReleaseTrialsRequest request;
  ASSIGN_OR_RETURN(*request.mutable_study(), FullStudyName(arguments.study, session.project()));
  request.set_worker(arguments.worker);
  RETURN_IF_ERROR(TakeTrials(arguments.study, arguments.trials, session, request.mutable_trials()));
  if (request.worker().empty() && request.trials().empty()) {
    return UsageError(
        "which trials? Give their numbers, or --worker NAME for all trials of a worker");
  }
  ASSIGN_OR_RETURN(const auto response, session.client().ReleaseTrials(std::move(request)));
  const std::vector<v1::Trial> trials(response.trials().begin(), response.trials().end());
  if (trials.empty() && session.format() == Format::kTable) {
    session.Remark("The worker holds no trial.");
    return absl::OkStatus();
  }
  v1::Study no_columns;
  PrintTrials(no_columns, trials, Numbers::kRounded, session);
  return absl::OkStatus();
}

struct ReportArguments {
  std::string trial;
  std::optional<std::string> worker;
  int64_t step = 0;
  double value = 0;
  std::string metric;
};

// The metric of the trial's study.
absl::StatusOr<std::string> MetricFor(const std::string& trial, Session& session) {
  ASSIGN_OR_RETURN(const v1::Study study, StudyWith("metrics", trial, session));
  return study.metrics().empty() ? std::string() : study.metrics(0).name();
}

absl::StatusOr<v1::ReportRequest> ReportRequestOf(const ReportArguments& arguments,
                                                  Session& session) {
  v1::ReportRequest request;
  ASSIGN_OR_RETURN(*request.mutable_trial(), FullTrialName(arguments.trial, session.project()));
  if (arguments.worker.has_value()) {
    ASSIGN_OR_RETURN(*request.mutable_create_time(),
                     CreateTimeOfHeld(request.trial(), *arguments.worker, session));
  }
  std::string metric = arguments.metric;
  if (metric.empty()) {
    ASSIGN_OR_RETURN(metric, MetricFor(request.trial(), session));
  }
  v1::StepMeasurement& report = *request.add_reports();
  report.set_step(arguments.step);
  (*report.mutable_measurement()->mutable_metrics())[metric] = arguments.value;
  return request;
}

absl::Status Report(const ReportArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const v1::ReportRequest request, ReportRequestOf(arguments, session));
  ASSIGN_OR_RETURN(const v1::ReportResponse response, session.client().Report(request));
  if (session.format() == Format::kJson) {
    session.Print(JsonDocument(JsonWithLease(response, response.lease_end_time())));
  } else {
    Table table;
    table.columns = {{"trial", Align::kLeft, kWhole},
                     {"state"},
                     {"reports", Align::kRight},
                     {"lease", Align::kRight}};
    const std::string lease =
        response.has_lease_end_time() ? LeaseLeft(response.lease_end_time(), session.format()) : "";
    table.rows.push_back({ShortTrialName(request.trial()), StateText(response.state()),
                          absl::StrCat(response.report_count()), lease});
    session.Print(table);
  }
  if (response.state() == v1::Trial::STALE) {
    session.Warn("the lease has run out: another worker may be doing the same work");
  }
  return absl::OkStatus();
}

absl::Status ShouldStop(const std::string& text, Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullTrialName(text, session.project()));
  ASSIGN_OR_RETURN(const v1::ShouldStopResponse advice, session.client().ShouldStop(name));
  if (session.format() == Format::kJson) {
    session.Print(JsonText(advice));
    return absl::OkStatus();
  }
  Table table;
  table.columns = {{"trial", Align::kLeft, kWhole},
                   {"advice"},
                   {"step", Align::kRight},
                   {"why", Align::kLeft, kSentences}};
  table.rows.push_back({ShortTrialName(name), advice.stop() ? "stop" : "go on",
                        advice.has_step() ? absl::StrCat(advice.step()) : "", advice.reason()});
  session.Print(table);
  return absl::OkStatus();
}

struct AnnotationArguments {
  std::string trial;
  std::optional<std::string> worker;
  std::optional<std::string> note;
  LabelChange labels;
};

absl::Status Annotate(const AnnotationArguments& arguments, Session& session) {
  v1::UpdateTrialRequest request;
  ASSIGN_OR_RETURN(*request.mutable_trial()->mutable_name(),
                   FullTrialName(arguments.trial, session.project()));
  if (arguments.note.has_value()) {
    request.mutable_trial()->set_note(*arguments.note);
    request.mutable_update_mask()->add_paths("note");
  }
  RETURN_IF_ERROR(TakeLabels(arguments.labels, request.mutable_trial()->mutable_labels(),
                             request.mutable_update_mask()));
  if (request.update_mask().paths().empty()) {
    return UsageError("nothing to write: give --note, --label or --no-labels");
  }
  if (arguments.worker.has_value()) {
    ASSIGN_OR_RETURN(*request.mutable_create_time(),
                     CreateTimeOfHeld(request.trial().name(), *arguments.worker, session));
  }
  ASSIGN_OR_RETURN(const v1::SearchSpace space, SpaceFor(request.trial().name(), session));
  ASSIGN_OR_RETURN(const v1::Trial trial, session.client().UpdateTrial(std::move(request)));
  PrintWholeTrial(trial, space, {}, session);
  return absl::OkStatus();
}

void AddShow(CLI::App* group, Action* chosen) {
  const auto trial = std::make_shared<std::string>();
  CLI::App* const command = group->add_subcommand("show", "Shows a trial in full");
  AddTrialName(command, trial.get());
  ChooseAction(command, trial, ShowTrial, chosen);
}

void AddRelease(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<ReleaseArguments>();
  CLI::App* const command = group->add_subcommand(
      "release", "Takes trials back from their workers and queues them again");
  AddStudyName(command, &arguments->study);
  command->add_option("trials", arguments->trials, "Numbers of the trials")->type_name("NUMBER");
  TakeText(
      command->add_option("--worker", arguments->worker,
                          "Release only trials of this worker; without numbers, all of them"));
  ChooseAction(command, arguments, Release, chosen);
}

void AddReport(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<ReportArguments>();
  CLI::App* const command =
      group->add_subcommand("report", "Reports an intermediate measurement of a trial");
  AddTrialName(command, &arguments->trial);
  AddHolder(command, &arguments->worker);
  TakeWhole<int64_t>(command->add_option("--step", arguments->step,
                                         "The step: an epoch, a number of trees, ..."))
      ->required();
  TakeNumber(command->add_option("--value", arguments->value, "The measured value"))->required();
  TakeText(command->add_option("--metric", arguments->metric, "The metric (default: the study's)"));
  ChooseAction(command, arguments, Report, chosen);
}

void AddShouldStop(CLI::App* group, Action* chosen) {
  const auto trial = std::make_shared<std::string>();
  CLI::App* const command = group->add_subcommand(
      "should-stop", "Advises whether to stop a trial early, judging by its reports so far");
  AddTrialName(command, trial.get());
  ChooseAction(command, trial, ShouldStop, chosen);
}

void AddAnnotate(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<AnnotationArguments>();
  CLI::App* const command = group->add_subcommand("annotate", "Writes a note or labels on a trial");
  AddTrialName(command, &arguments->trial);
  AddHolder(command, &arguments->worker);
  command->add_option("--note", arguments->note, "Note for people; an empty one removes it");
  AddLabelChange(command, "trial", &arguments->labels);
  ChooseAction(command, arguments, Annotate, chosen);
}

}  // namespace

void AddHeartbeat(CLI::App* app, Action* chosen) {
  const auto arguments = std::make_shared<HeartbeatArguments>();
  CLI::App* const command =
      app->add_subcommand("heartbeat", "Renews the leases of a worker's trials");
  AddStudyName(command, &arguments->study);
  command
      ->add_option("trials", arguments->trials,
                   "Numbers of the trials (default: all that the worker holds); exits with 1 if "
                   "the worker does not hold one of them")
      ->type_name("NUMBER");
  command->add_option("--worker", arguments->worker, "Stable id of the worker")->required();
  command
      ->add_option("--every", arguments->every,
                   "Repeat at this interval until the worker holds no trial, even if the "
                   "server is unavailable for a while; exits with 1 if it holds none to begin "
                   "with. With numbers, exits with 0 once these trials have their outcomes, and "
                   "with 1 as soon as one is lost")
      ->type_name("DURATION");
  ChooseAction(command, arguments, Heartbeat, chosen);
}

void AddHeldTrialCommands(CLI::App* group, Action* chosen) {
  AddShow(group, chosen);
  AddRelease(group, chosen);
  AddReport(group, chosen);
  AddShouldStop(group, chosen);
  AddAnnotate(group, chosen);
}

}  // namespace slipstream::cli
