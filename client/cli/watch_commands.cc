#include "client/cli/watch_commands.h"

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/interruption.h"
#include "client/cli/json_text.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/study_view.h"
#include "client/cli/table.h"
#include "client/cli/trial_view.h"
#include "client/cli/usage_error.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

std::string KindText(v1::StudyEvent::Kind kind) {
  switch (kind) {
    case v1::StudyEvent::STUDY_CREATED:
      return "created";
    case v1::StudyEvent::STUDY_CHANGED:
      return "changed";
    case v1::StudyEvent::STUDY_DELETED:
      return "deleted";
    case v1::StudyEvent::TRIAL_QUEUED:
      return "queued";
    case v1::StudyEvent::TRIAL_LEASED:
      return "leased";
    case v1::StudyEvent::TRIAL_REPORTED:
      return "reported";
    case v1::StudyEvent::TRIAL_ENDED:
      return "ended";
    case v1::StudyEvent::TRIAL_STALE:
      return "lease ran out";
    case v1::StudyEvent::TRIAL_RELEASED:
      return "given back";
    case v1::StudyEvent::TRIAL_WITHDRAWN:
      return "withdrawn";
    case v1::StudyEvent::INCUMBENT_IMPROVED:
      return "best so far";
    default:
      return "unknown";
  }
}

// How the trial ended and why, for example "failed, out of memory"; empty if it has been queued
// again since.
std::string EndText(const v1::Trial& trial) {
  switch (trial.state()) {
    case v1::Trial::SUCCEEDED:
    case v1::Trial::FAILED:
    case v1::Trial::INFEASIBLE:
    case v1::Trial::STOPPED:
      return absl::StrCat(StateText(trial.state()), trial.reason().empty() ? "" : ", ",
                          trial.reason());
    default:
      return "";
  }
}

// Says how a trial ended, which trial repeats a STALE one, or which state a study was changed to,
// with its title by now. Makes at most one call for what the event leaves out. If that fails, for
// example because the study was deleted since, says what the event tells alone. Reports are too
// many for a call each.
std::string DetailOf(const v1::StudyEvent& event, Session& session) {
  if (event.kind() == v1::StudyEvent::STUDY_CHANGED) {
    v1::GetStudyRequest request;
    request.set_name(event.study());
    for (const char* path : {"name", "state", "display_name"}) {
      request.mutable_read_mask()->add_paths(path);
    }
    const auto study = session.client().GetStudy(request);
    if (!study.ok() && !event.has_study_state()) return "";
    const std::string title = study.ok() ? study->display_name() : "";
    const v1::Study::State state =
        event.has_study_state() ? event.study_state() : study->state();  // Of older servers.
    return absl::StrCat("now ", StateText(state), title.empty() ? "" : ", titled ", title);
  }
  const bool is_stale = event.kind() == v1::StudyEvent::TRIAL_STALE;
  if (event.kind() != v1::StudyEvent::TRIAL_ENDED && !is_stale) return "";
  const auto trial = session.client().GetTrial(event.trial());
  if (!trial.ok()) return "";
  if (!is_stale) return EndText(*trial);
  if (trial->requeued_as().empty()) return "";
  return absl::StrCat("again as ", ShortTrialName(trial->requeued_as()));
}

// For example "2025-03-01 12:00:00Z  digits/3  ended: succeeded  0.93".
std::string EventLine(const v1::StudyEvent& event, const std::string& detail) {
  const std::string subject =
      event.trial().empty() ? ShortStudyName(event.study()) : ShortTrialName(event.trial());
  std::string line =
      absl::StrCat(FormatTime(event.time()), "  ", subject, "  ", KindText(event.kind()));
  if (!detail.empty()) absl::StrAppend(&line, ": ", OnOneLine(detail));
  if (event.has_value()) absl::StrAppend(&line, "  ", RoundNumber(event.value()));
  if (!event.worker().empty()) {
    const bool is_lost = event.kind() == v1::StudyEvent::TRIAL_STALE;
    absl::StrAppend(&line, is_lost ? "  of " : "  to ", event.worker());
  }
  return line + "\n";
}

Table EventTable(const v1::StudyEvent& event, const std::string& detail) {
  Table table;
  table.columns = {{"time"},
                   {"study", Align::kLeft, kWhole},
                   {"trial", Align::kLeft, kWhole},
                   {"event"},
                   {"value", Align::kRight},
                   {"worker"},
                   {"detail", Align::kLeft, kWhole},
                   {"resume_token", Align::kLeft, kWhole}};
  table.rows.push_back({FormatTime(event.time()), ShortStudyName(event.study()),
                        event.trial().empty() ? "" : ShortTrialName(event.trial()),
                        KindText(event.kind()),
                        event.has_value() ? FormatNumber(event.value()) : "", event.worker(),
                        detail, event.resume_token()});
  return table;
}

void PrintEvent(const v1::StudyEvent& event, bool first, Session& session) {
  if (session.format() == Format::kJson) return session.Print(JsonLine(event));
  const std::string detail = DetailOf(event, session);
  if (session.format() == Format::kTable) return session.Print(EventLine(event, detail));
  session.Print(EventTable(event, detail), /*is_further=*/!first);
}

struct WatchArguments {
  std::string study;
  std::optional<int> count;
  std::string after;
  bool until_completed = false;
};

// A study that is gone is not completed: its deletion is an event, which ends the watch.
absl::StatusOr<bool> IsCompleted(const std::string& study, Session& session) {
  v1::GetStudyRequest request;
  request.set_name(study);
  request.mutable_read_mask()->add_paths("state");
  const auto found = session.client().GetStudy(request);
  if (absl::IsNotFound(found.status())) return false;
  RETURN_IF_ERROR(found.status());
  return found->state() == v1::Study::COMPLETED;
}

// Whether the event completed its study. Older servers do not tell the state.
absl::StatusOr<bool> Completes(const v1::StudyEvent& event, Session& session) {
  if (event.kind() != v1::StudyEvent::STUDY_CHANGED) return false;
  if (event.has_study_state()) return event.study_state() == v1::Study::COMPLETED;
  return IsCompleted(event.study(), session);
}

// Says how to resume the watch; on the error stream if it ended prematurely.
void TellHowToResume(const absl::Status& status, const std::string& token, Session& session) {
  const std::string advice = absl::StrCat("To resume from here: --after ", token);
  if (status.ok()) return session.Remark("\n" + advice);
  session.Advise(advice);
}

absl::Status Watch(const WatchArguments& arguments, Session& session) {
  std::string token = arguments.after;
  if (arguments.study.empty() && arguments.until_completed) {
    return UsageError("--until-completed is for the watch of one study: name it");
  }
  int seen = 0;
  absl::StatusOr<bool> completed = false;
  const Interruption interruption;
  const std::stop_token stop = interruption.stop();
  absl::Status written;
  std::string written_up_to = token;
  const auto visit = [&](const v1::StudyEvent& event) {
    written_up_to = token;
    PrintEvent(event, seen == 0, session);
    written = session.Flush();
    if (!written.ok()) return false;
    ++seen;
    if (arguments.until_completed) completed = Completes(event, session);
    if (!completed.ok() || *completed) return false;
    return !stop.stop_requested() && (!arguments.count.has_value() || seen < *arguments.count);
  };
  absl::Status status;
  if (arguments.study.empty()) {
    status = session.client().WatchStudies(visit, &token, ParentsOf(session.project()), stop);
  } else {
    ASSIGN_OR_RETURN(const std::string study, FullStudyName(arguments.study, session.project()));
    // A study that is completed already has no event to come that says so.
    bool already = false;
    const auto begun = [&] {
      completed = IsCompleted(study, session);
      already = completed.ok() && *completed;
      return completed.ok() && !already;
    };
    status = session.client().WatchStudy(
        study, visit, &token, stop, arguments.until_completed ? begun : std::function<bool()>());
    if (already) session.Remark(absl::StrCat(ShortStudyName(study), " is completed already."));
    if (!completed.ok()) status = completed.status();
    const bool counted = arguments.count.has_value() && seen >= *arguments.count;
    if (status.ok() && arguments.until_completed && !*completed && !counted) {
      status = absl::NotFoundError(
          absl::StrCat(ShortStudyName(study), " was deleted before it was completed"));
    }
  }
  if (!written.ok()) {
    status = written;
    token = written_up_to;
  }
  if (status.ok() || (seen > 0 && !token.empty())) TellHowToResume(status, token, session);
  interruption.Finish();
  return status;
}

}  // namespace

void AddStudyWatch(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<WatchArguments>();
  CLI::App* const command =
      group->add_subcommand("watch", "Shows the events of one study, or of all, as they happen");
  TakeText(command->add_option("study", arguments->study, "Name of the study (default: all)"))
      ->type_name("STUDY");
  TakeWhole(command->add_option("--count", arguments->count, "End after this many events"), 1,
            std::numeric_limits<int>::max());
  TakeText(command->add_option("--after", arguments->after,
                               "Begin where an earlier watch of the same study or project ended "
                               "(default: now)"))
      ->type_name("TOKEN");
  command->add_flag("--until-completed", arguments->until_completed,
                    "End once the study is completed; exits with 1 if it is deleted before");
  ChooseAction(command, arguments, Watch, chosen);
}

}  // namespace slipstream::cli
