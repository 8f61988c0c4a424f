#include "client/cli/study_commands.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/deletion.h"
#include "client/cli/exchange_commands.h"
#include "client/cli/lease_arguments.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/study_comparison.h"
#include "client/cli/study_creation.h"
#include "client/cli/study_standing.h"
#include "client/cli/study_view.h"
#include "client/cli/usage_error.h"
#include "client/cli/watch_commands.h"
#include "google/protobuf/map.h"

namespace slipstream::cli {
namespace {

struct ListArguments {
  std::vector<std::string> states;
  std::vector<std::string> labels;
};

// Which studies are listed.
struct StudyFilter {
  std::vector<v1::Study::State> states;  // One of these; any if there is none.
  google::protobuf::Map<std::string, std::string> labels;  // All of these.

  bool Takes(const v1::Study& study) const {
    const bool in_state = std::find(states.begin(), states.end(), study.state()) != states.end();
    if (!states.empty() && !in_state) return false;
    return std::all_of(labels.begin(), labels.end(), [&study](const auto& label) {
      const auto found = study.labels().find(label.first);
      return found != study.labels().end() && found->second == label.second;
    });
  }
};

absl::StatusOr<StudyFilter> ReadFilter(const ListArguments& arguments) {
  StudyFilter filter;
  for (const std::string& text : arguments.states) {
    v1::Study::State state = v1::Study::STATE_UNSPECIFIED;
    v1::Study::State_Parse(absl::AsciiStrToUpper(text), &state);
    if (state == v1::Study::STATE_UNSPECIFIED) {
      return UsageError(absl::StrCat("--state '", text, "' is not active, paused or completed"));
    }
    filter.states.push_back(state);
  }
  RETURN_IF_ERROR(ReadLabels(arguments.labels, &filter.labels));
  return filter;
}

absl::Status ListStudies(const ListArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const StudyFilter filter, ReadFilter(arguments));
  std::vector<v1::Study> studies;
  bool any = false;
  RETURN_IF_ERROR(session.client().ListAllStudies(
      [&](const v1::Study& study) {
        any = true;
        if (filter.Takes(study)) studies.push_back(study);
        return true;
      },
      ParentsOf(session.project())));
  PrintStudies(studies, session);
  if (studies.empty()) {
    const bool names_no_project = session.project().name.empty();
    session.Remark(any ? "No study matches."
                       : absl::StrCat("No studies yet: slipstream study create --help",
                                      names_no_project ? ". In a project: --project NAME" : ""));
  }
  return absl::OkStatus();
}

absl::Status ShowStudy(const std::string& text, Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullStudyName(text, session.project()));
  ASSIGN_OR_RETURN(const v1::Study study, session.client().GetStudy(name));
  Standing standing;
  if (session.format() != Format::kCsv) {
    ASSIGN_OR_RETURN(standing, ReadStanding(study, session));
  }
  PrintStudy(study, session, standing);
  return absl::OkStatus();
}

// A completed study keeps its queued trials, but hands them to no worker.
void WarnOfQueuedTrials(const v1::Study& study, Session& session) {
  if (study.succeeded_trial_count() == study.trial_count()) return;
  v1::ListTrialsRequest request;
  request.set_study(study.name());
  request.mutable_read_mask()->add_paths("state");
  request.add_states(v1::Trial::REQUESTED);
  int64_t queued = 0;
  const absl::Status counted =
      session.client().ListAllTrials(std::move(request), [&queued](const v1::Trial&) {
        ++queued;
        return true;
      });
  if (!counted.ok()) {
    session.Warn(absl::StrCat("this is done, but the number of queued trials cannot be read: ",
                              std::string(counted.message())));
  } else if (queued > 0) {
    session.Warn(absl::StrCat(ShortStudyName(study.name()), " still has ", queued, " queued ",
                              queued == 1 ? "trial" : "trials",
                              ", which no worker will get"));
  }
}

absl::Status ChangeState(const std::string& text, v1::Study::State state, Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullStudyName(text, session.project()));
  ASSIGN_OR_RETURN(const v1::Study study, session.client().SetStudyState(name, state));
  if (session.format() == Format::kTable) {
    PrintStudyAlone(study, session);
  } else {
    PrintAnswer(study, session);
  }
  if (state == v1::Study::COMPLETED) WarnOfQueuedTrials(study, session);
  return absl::OkStatus();
}

absl::Status DeleteStudy(const std::string& text, bool agreed, Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullStudyName(text, session.project()));
  v1::DeleteStudyRequest request;
  request.set_name(name);
  if (!agreed) {
    ASSIGN_OR_RETURN(const v1::Study study, session.client().GetStudy(name));
    RETURN_IF_ERROR(session.Confirm(absl::StrCat("Delete study ", ShortStudyName(name), " with ",
                                                 study.trial_count(),
                                                 study.trial_count() == 1 ? " trial" : " trials",
                                                 " for good?"),
                                    agreed));
    // Not another one that got its name while the question stood.
    if (study.has_create_time()) *request.mutable_study_create_time() = study.create_time();
  }
  RETURN_IF_ERROR(session.client().DeleteStudy(std::move(request)));
  PrintDeleted(name, session);
  return absl::OkStatus();
}

void AddList(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<ListArguments>();
  CLI::App* const command = group->add_subcommand("list", "Lists the studies, oldest first");
  AddRepeatable(command, "--state", &arguments->states,
                "Only studies in this state: active, paused or completed; repeat for others")
      ->type_name("STATE");
  AddRepeatable(command, "--label", &arguments->labels,
                "Only studies with this label; repeat for studies that have all of them")
      ->type_name("KEY=VALUE");
  ChooseAction(command, arguments, ListStudies, chosen);
}

struct ChangeArguments {
  std::string study;
  LeaseArguments lease;
  std::optional<std::string> title;
  LabelChange labels;
};

// Changes only those parts of the lease policy that are given.
absl::Status TakeLease(const v1::Study& study, const LeaseArguments& arguments,
                       v1::UpdateStudyRequest* request) {
  if (arguments.duration.empty() && !arguments.requeues.has_value()) return absl::OkStatus();
  v1::LeasePolicy* policy = request->mutable_study()->mutable_lease_policy();
  *policy = study.lease_policy();
  ASSIGN_OR_RETURN(const v1::LeasePolicy changed, ReadLease(arguments));
  if (changed.has_duration()) *policy->mutable_duration() = changed.duration();
  if (changed.has_max_requeues()) policy->set_max_requeues(changed.max_requeues());
  request->mutable_update_mask()->add_paths("lease_policy");
  return absl::OkStatus();
}

absl::Status ChangeStudy(const ChangeArguments& arguments, Session& session) {
  v1::UpdateStudyRequest request;
  ASSIGN_OR_RETURN(const std::string name, FullStudyName(arguments.study, session.project()));
  request.mutable_study()->set_name(name);
  RETURN_IF_ERROR(TakeLabels(arguments.labels, request.mutable_study()->mutable_labels(),
                             request.mutable_update_mask()));
  ASSIGN_OR_RETURN(const v1::Study study, session.client().GetStudy(name));
  if (study.has_create_time()) *request.mutable_study_create_time() = study.create_time();
  RETURN_IF_ERROR(TakeLease(study, arguments.lease, &request));
  if (arguments.title.has_value()) {
    request.mutable_study()->set_display_name(*arguments.title);
    request.mutable_update_mask()->add_paths("display_name");
  }
  if (request.update_mask().paths().empty()) {
    return UsageError(
        "nothing to change: give --lease, --requeues, --title, --label or --no-labels");
  }
  ASSIGN_OR_RETURN(const v1::Study changed, session.client().UpdateStudy(std::move(request)));
  PrintAnswer(changed, session);
  return absl::OkStatus();
}

void AddChange(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<ChangeArguments>();
  CLI::App* const command =
      group->add_subcommand("change", "Changes a study's title, labels or leases");
  AddStudyName(command, &arguments->study);
  AddLeaseOptions(command, "as it is", "as it is", &arguments->lease);
  command->add_option("--title", arguments->title, "Title for people (default: as it is)");
  AddLabelChange(command, "study", &arguments->labels);
  ChooseAction(command, arguments, ChangeStudy, chosen);
}

// A command whose only argument is a study.
CLI::App* AddOnOneStudy(CLI::App* group, const std::string& name, const std::string& description,
                        std::function<absl::Status(const std::string&, Session&)> run,
                        Action* chosen) {
  const auto study = std::make_shared<std::string>();
  CLI::App* const command = group->add_subcommand(name, description);
  AddStudyName(command, study.get());
  command->callback([study, run = std::move(run), chosen] {
    *chosen = [study, run](Session& session) { return run(*study, session); };
  });
  return command;
}

void AddStateCommand(CLI::App* group, const std::string& name, const std::string& description,
                     v1::Study::State state, Action* chosen) {
  AddOnOneStudy(
      group, name, description,
      [state](const std::string& study, Session& session) {
        return ChangeState(study, state, session);
      },
      chosen);
}

}  // namespace

void AddStudyCommands(CLI::App* app, Action* chosen) {
  CLI::App* const group = app->add_subcommand("study", "Studies: create, list, show, ...");
  group->require_subcommand(1);
  AddCreationCommand(group, chosen);
  AddList(group, chosen);
  AddOnOneStudy(group, "show", "Shows a study in full", ShowStudy, chosen);
  AddStudyComparison(group, chosen);
  AddChange(group, chosen);
  AddStudyWatch(group, chosen);
  AddExchangeCommands(group, chosen);
  AddStateCommand(group, "pause", "Stops suggestions for now", v1::Study::PAUSED, chosen);
  AddStateCommand(group, "resume", "Resumes suggestions", v1::Study::ACTIVE, chosen);
  AddStateCommand(group, "complete", "Stops suggestions for good", v1::Study::COMPLETED, chosen);
  const auto agreed = std::make_shared<bool>(false);
  AddOnOneStudy(
      group, "delete", "Deletes a study with its trials",
      [agreed](const std::string& study, Session& session) {
        return DeleteStudy(study, *agreed, session);
      },
      chosen)
      ->add_flag("--yes", *agreed, "Do not ask");
}

}  // namespace slipstream::cli
