#include "client/cli/source_registration.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/cli/configuration_reader.h"
#include "client/cli/csv_observations.h"
#include "client/cli/json_text.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/source_view.h"
#include "client/cli/status_macros.h"
#include "client/cli/text_file.h"
#include "client/cli/usage_error.h"

namespace slipstream::cli {
namespace {

constexpr int kTrialsPerPage = 500;

struct RegistrationArguments {
  std::string file;
  std::string study;
  bool all_studies = false;
  SpaceArguments space;
  ObjectiveArguments objective;
  std::vector<std::string> ignored;
  std::string missing_objective;
  std::string title;
  std::string version;
  std::vector<std::string> labels;
  std::string origin;
  bool validate_only = false;
  std::string parent;  // The name of the project that the source task is for.
};

// A full name may be of a study in another project than the source task.
ProjectChoice ProjectOfStudies(const Session& session) { return {session.project().name}; }

// The space and the metric that the table is about.
struct Subject {
  v1::SearchSpace space;
  v1::Metric metric;
};

absl::StatusOr<Subject> FindSubject(const RegistrationArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const auto space, ReadSpace(arguments.space));
  ASSIGN_OR_RETURN(const auto metric, ReadObjective(arguments.objective, "--objective"));
  if (space.has_value() == !arguments.study.empty()) {
    return UsageError(
        "which space is it? Give one of --study STUDY, --space FILE and --param PARAMETER");
  }
  if (space.has_value()) {
    if (metric.has_value()) return Subject{*space, *metric};
    return UsageError("what is the objective? Give --maximize COLUMN or --minimize COLUMN");
  }
  ASSIGN_OR_RETURN(const std::string name,
                   FullStudyName(arguments.study, ProjectOfStudies(session)));
  ASSIGN_OR_RETURN(const v1::Study study, session.client().GetStudy(name));
  if (metric.has_value()) return Subject{study.space(), *metric};
  if (study.metrics().empty()) return absl::InternalError("the study has no metric");
  return Subject{study.space(), study.metrics(0)};
}

// A run may have had another space than the study that is to learn from it.
std::string RemedyFor(const RegistrationArguments& arguments, const v1::Metric& metric) {
  if (arguments.study.empty()) return "";
  const bool maximizes = metric.goal() == v1::Metric::MAXIMIZE;
  return absl::StrCat("\nIf the run had other parameters or ranges than study ", arguments.study,
                      ", give its own in place of --study: --param PARAMETER ... ",
                      maximizes ? "--maximize" : "--minimize", " COLUMN");
}

CsvColumns ColumnsOf(const RegistrationArguments& arguments, const v1::Metric& metric) {
  CsvColumns columns;
  columns.objective = metric.name();
  columns.remedy = RemedyFor(arguments, metric);
  columns.ignored = arguments.ignored;
  if (arguments.missing_objective == "failed") {
    columns.missing_objective = CsvColumns::MissingObjective::kFailed;
  }
  if (arguments.missing_objective == "infeasible") {
    columns.missing_objective = CsvColumns::MissingObjective::kInfeasible;
  }
  return columns;
}

absl::StatusOr<v1::RegisterSourceTaskRequest::Header> MakeHeader(
    const RegistrationArguments& arguments, const Subject& subject) {
  v1::RegisterSourceTaskRequest::Header header;
  v1::SourceTask& task = *header.mutable_source_task();
  RETURN_IF_ERROR(ReadLabels(arguments.labels, task.mutable_labels()));
  *task.mutable_space() = subject.space;
  task.mutable_space()->clear_candidates();
  *task.add_metrics() = subject.metric;
  task.set_display_name(arguments.title);
  task.set_version(arguments.version);
  task.set_origin(arguments.origin);
  header.set_validate_only(arguments.validate_only);
  header.set_parent(arguments.parent);
  return header;
}

// The outcome that a source task has for the trial's configuration. A trial that has not ended, or
// was stopped before it was done, has none.
std::optional<v1::Outcome> OutcomeOf(const v1::Trial& trial) {
  v1::Outcome outcome;
  switch (trial.state()) {
    case v1::Trial::SUCCEEDED:
      *outcome.mutable_measurement() = trial.measurement();
      return outcome;
    case v1::Trial::FAILED:
      outcome.mutable_failure()->set_reason(trial.reason());
      return outcome;
    case v1::Trial::INFEASIBLE:
      outcome.mutable_infeasibility()->set_reason(trial.reason());
      return outcome;
    default:
      return std::nullopt;
  }
}

absl::StatusOr<std::vector<v1::Observation>> ObservationsOf(const std::string& study,
                                                            Session& session) {
  v1::ListTrialsRequest request;
  request.set_study(study);
  request.set_page_size(kTrialsPerPage);
  for (const auto state : {v1::Trial::SUCCEEDED, v1::Trial::FAILED, v1::Trial::INFEASIBLE}) {
    request.add_states(state);
  }
  std::vector<v1::Observation> observations;
  RETURN_IF_ERROR(session.client().ListAllTrials(request, [&](const v1::Trial& trial) {
    const std::optional<v1::Outcome> outcome = OutcomeOf(trial);
    if (!outcome.has_value()) return true;
    v1::Observation& observation = observations.emplace_back();
    *observation.mutable_configuration() = trial.configuration();
    *observation.mutable_outcome() = *outcome;
    return true;
  }));
  if (!observations.empty()) return observations;
  return absl::FailedPreconditionError(
      absl::StrCat("study ", ShortStudyName(study), " has no trial that has ended to learn from"));
}

// "projects/vision" of "projects/vision/studies/digits"; empty for a study of the default project.
std::string ProjectOf(const std::string& study) {
  const size_t end = study.find("/studies/");
  return end == std::string::npos ? "" : study.substr(0, end);
}

// What was not given about the source task is as it is of the study.
void TakeFromStudy(const v1::Study& study, RegistrationArguments* arguments) {
  if (arguments->title.empty()) {
    arguments->title =
        study.display_name().empty() ? ShortStudyName(study.name()) : study.display_name();
  }
  if (arguments->parent.empty()) arguments->parent = ProjectOf(study.name());
  // So that a later state of the study is known to be one.
  if (arguments->origin.empty()) arguments->origin = study.name();
  if (!arguments->labels.empty()) return;
  for (const auto& [key, value] : study.labels()) {
    arguments->labels.push_back(absl::StrCat(key, "=", value));
  }
}

// Whether the task lacks what was asked of it, as it was registered before with something else.
bool KeepsOthers(const v1::SourceTask& task, const RegistrationArguments& arguments) {
  if (!arguments.version.empty() && task.version() != arguments.version) return true;
  google::protobuf::Map<std::string, std::string> labels;
  if (!ReadLabels(arguments.labels, &labels).ok()) return false;
  return std::any_of(labels.begin(), labels.end(), [&task](const auto& label) {
    const auto found = task.labels().find(label.first);
    return found == task.labels().end() || found->second != label.second;
  });
}

// The source task of the study's trials, with the study's space and objective.
absl::StatusOr<v1::RegisterSourceTaskResponse> RegisterTrials(const v1::Study& study,
                                                              RegistrationArguments arguments,
                                                              Session& session) {
  if (study.metrics().empty()) return absl::InternalError("the study has no metric");
  TakeFromStudy(study, &arguments);
  ASSIGN_OR_RETURN(auto header, MakeHeader(arguments, {study.space(), study.metrics(0)}));
  ASSIGN_OR_RETURN(const auto observations, ObservationsOf(study.name(), session));
  return session.client().RegisterSourceTask(std::move(header), observations);
}

bool IsAboutTable(const RegistrationArguments& arguments) {
  const ObjectiveArguments& objective = arguments.objective;
  return !arguments.space.file.empty() || !arguments.space.parameters.empty() ||
         !arguments.ignored.empty() || !arguments.missing_objective.empty() ||
         !objective.name.empty() || !objective.maximize.empty() || !objective.minimize.empty();
}

// Whether the next study would fare no better.
bool IsAboutServer(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return true;
    default:
      return false;
  }
}

struct Registrations {
  std::vector<v1::SourceTask> tasks;
  size_t known = 0;  // Those that were registered before.
  size_t kept = 0;   // Those known with another version, or without the labels.
  std::vector<absl::Status> failures;
  absl::Status end;  // Why the others were not tried, unless all were.
};

// What is wrong with one study does not keep the others from being registered.
Registrations RegisterEach(const std::vector<v1::Study>& studies,
                           const RegistrationArguments& arguments, Session& session) {
  Registrations done;
  for (const v1::Study& study : studies) {
    const auto response = RegisterTrials(study, arguments, session);
    if (absl::IsNotFound(response.status())) continue;  // Deleted meanwhile.
    if (IsAboutServer(response.status())) {
      done.end = response.status();
      break;
    }
    if (!response.ok()) {
      session.Warn(absl::StrCat(ShortStudyName(study.name()), ": ", response.status().message()));
      done.failures.push_back(response.status());
      continue;
    }
    done.tasks.push_back(response->source_task());
    if (!response->already_registered()) continue;
    ++done.known;
    if (KeepsOthers(response->source_task(), arguments)) ++done.kept;
  }
  return done;
}

// What was registered of all studies, and how to go on.
void RemarkOn(const Registrations& done, const RegistrationArguments& arguments,
              Session& session) {
  if (arguments.validate_only) {
    return session.Remark("\nNothing was registered: this was only a check.");
  }
  const std::string project = std::string(absl::StripPrefix(arguments.parent, "projects/"));
  session.Remark(absl::StrCat("\n", done.tasks.size() - done.known, " registered, ", done.known,
                              " unchanged.\nNext: slipstream study create",
                              project.empty() ? "" : " --project ", project,
                              " --source all ..."));
}

// Registers each study of the project that has a result.
absl::Status RegisterAllStudies(const RegistrationArguments& arguments, Session& session) {
  if (!arguments.file.empty() || !arguments.study.empty() || !arguments.title.empty() ||
      !arguments.origin.empty() || IsAboutTable(arguments)) {
    return UsageError("--all-studies goes with --project, --version, --label and --validate-only "
                      "only: each study has its own trials, space, objective, title and origin");
  }
  std::vector<v1::Study> studies;
  RETURN_IF_ERROR(session.client().ListAllStudies(
      [&](const v1::Study& study) {
        if (study.succeeded_trial_count() > 0) studies.push_back(study);
        return true;
      },
      arguments.parent));
  const Registrations done = RegisterEach(studies, arguments, session);
  if (!done.end.ok() && done.tasks.empty()) return done.end;
  PrintSourceTasks(done.tasks, session);
  if (done.kept > 0) {
    session.Warn(absl::StrCat(done.kept, done.kept == 1 ? " was" : " were",
                              " registered before with another version or other labels, which stay "
                              "as they are"));
  }
  if (!done.end.ok()) {
    session.Warn(absl::StrCat("only ", done.tasks.size(), " of ", studies.size(),
                              " studies are done; the same command goes on with the others"));
    return done.end;
  }
  if (studies.empty()) {
    session.Warn("no study of the project has a result yet");
  } else {
    RemarkOn(done, arguments, session);
  }
  if (done.failures.empty()) return absl::OkStatus();
  session.Warn(absl::StrCat(done.failures.size(), " of ", studies.size(),
                            " studies could not be registered"));
  return done.failures.front();
}

// Registers the trials of one study.
absl::Status RegisterStudy(const RegistrationArguments& arguments, Session& session) {
  if (arguments.study.empty() || IsAboutTable(arguments)) {
    return UsageError(
        "what is registered? Give a FILE, --study STUDY alone for the trials of that study, or "
        "--all-studies");
  }
  ASSIGN_OR_RETURN(const std::string name,
                   FullStudyName(arguments.study, ProjectOfStudies(session)));
  ASSIGN_OR_RETURN(const v1::Study study, session.client().GetStudy(name));
  ASSIGN_OR_RETURN(const auto response, RegisterTrials(study, arguments, session));
  PrintRegistered(response, arguments.validate_only, session);
  return absl::OkStatus();
}

absl::Status Register(RegistrationArguments arguments, Session& session) {
  // Unless the command line says otherwise, the source task of a study is for the study's project.
  const bool is_of_study = !arguments.all_studies && arguments.file.empty();
  if (!is_of_study || session.project().is_given) {
    ASSIGN_OR_RETURN(arguments.parent, ParentOf(session.project()));
  }
  if (is_of_study) return RegisterStudy(arguments, session);
  if (arguments.all_studies) return RegisterAllStudies(arguments, session);
  if (arguments.file == "-" && arguments.space.file == "-") {
    return UsageError("FILE and --space cannot both be standard input");
  }
  ASSIGN_OR_RETURN(const Subject subject, FindSubject(arguments, session));
  ASSIGN_OR_RETURN(auto header, MakeHeader(arguments, subject));
  ASSIGN_OR_RETURN(const ConfigurationReader configurations,
                   ConfigurationReader::Create(subject.space));
  ASSIGN_OR_RETURN(std::string text, ReadTextFile(arguments.file));
  const std::string name = arguments.file == "-" ? "standard input" : arguments.file;
  ASSIGN_OR_RETURN(const auto table,
                   CsvObservations::Open(name, std::move(text), &configurations,
                                         ColumnsOf(arguments, subject.metric)));
  RETURN_IF_ERROR(table->CheckAll().status());
  if (!table->left_out().empty()) {
    session.Warn(absl::StrCat("the space has none of these parameters, so their columns are left "
                              "out: ",
                              absl::StrJoin(table->left_out(), ", ")));
  }
  ASSIGN_OR_RETURN(const auto response,
                   session.client().RegisterSourceTask(std::move(header), *table));
  PrintRegistered(response, arguments.validate_only, session);
  return absl::OkStatus();
}

void AddTableOptions(CLI::App* command, RegistrationArguments* arguments) {
  TakeText(command->add_option("file", arguments->file,
                               "CSV with a header; an empty cell is a parameter that is not active "
                               "(default: the trials of --study)"))
      ->type_name("FILE");
  command
      ->add_option("--study", arguments->study,
                   "Study whose space and objective the table has; without FILE, its own trials "
                   "that have a value, failed or are infeasible are registered")
      ->type_name("STUDY");
  command->add_flag("--all-studies", arguments->all_studies,
                    "Register each study of the project that has a result, unless it has not "
                    "changed since it was last registered");
  AddSpaceOptions(command, &arguments->space);
  AddObjectiveOptions(command, "--objective", "Column of the measured values",
                      &arguments->objective);
  AddRepeatable(command, "--ignore", &arguments->ignored, "Column to skip; repeat for others")
      ->type_name("COLUMN");
  command
      ->add_option("--missing-objective", arguments->missing_objective,
                   "What an objective that is empty, nan or infinite means, failed or infeasible "
                   "(default: an error)")
      ->type_name("MEANING")
      ->check(CLI::IsMember({"failed", "infeasible"}));
}

void AddDescriptionOptions(CLI::App* command, RegistrationArguments* arguments) {
  command->add_option("--title", arguments->title, "Title for people");
  command->add_option("--version", arguments->version, "Version of the system that was tuned");
  AddRepeatable(command, "--label", &arguments->labels, "Label; repeat for others")
      ->type_name("KEY=VALUE");
  command->add_option("--origin", arguments->origin, "Where the run came from, such as a URL");
  command->add_flag("--validate-only", arguments->validate_only,
                    "Only check, and show what would be registered");
}

}  // namespace

void AddRegisterCommand(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<RegistrationArguments>();
  CLI::App* const command =
      group->add_subcommand("register", "Registers a CSV table, or a study, as a source task");
  AddTableOptions(command, arguments.get());
  AddDescriptionOptions(command, arguments.get());
  command->callback([arguments, chosen] {
    *chosen = [arguments](Session& session) { return Register(*arguments, session); };
  });
}

}  // namespace slipstream::cli
