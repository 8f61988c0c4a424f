#include "client/cli/trial_commands.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/configuration_reader.h"
#include "client/cli/escaped_text.h"
#include "client/cli/lease_commands.h"
#include "client/cli/outcome_arguments.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/trial_holder.h"
#include "client/cli/trial_view.h"
#include "client/cli/usage_error.h"
#include "slipstream/errors.h"

namespace slipstream::cli {
namespace {

constexpr int kShownUnlessTold = 50;
constexpr int kLargestPage = 1000;

// The fields of a study that showing, checking and explaining its trials needs, without the
// candidates, of which there may be very many.
absl::StatusOr<v1::Study> GetOutline(const std::string& study, Session& session) {
  v1::GetStudyRequest request;
  request.set_name(study);
  for (const char* path :
       {"name", "space.parameters", "metrics", "source_tasks", "create_time", "trial_count"}) {
    request.mutable_read_mask()->add_paths(path);
  }
  return session.client().GetStudy(request);
}

struct SuggestArguments {
  std::string study;
  std::string worker;
  int count = 1;
};

// The worker is the script that runs this program.
v1::SuggestRequest RequestOf(const std::string& study, const SuggestArguments& arguments) {
  v1::SuggestRequest request;
  request.set_study(study);
  request.set_worker(arguments.worker);
  request.set_count(arguments.count);
  char host[HOST_NAME_MAX + 1] = {};
  if (gethostname(host, HOST_NAME_MAX) == 0) request.mutable_process()->set_host(host);
  request.mutable_process()->set_process_id(getppid());
  return request;
}

bool IsActive(const std::string& study, Session& session) {
  v1::GetStudyRequest request;
  request.set_name(study);
  request.mutable_read_mask()->add_paths("state");
  const absl::StatusOr<v1::Study> found = session.client().GetStudy(request);
  return !found.ok() || found->state() == v1::Study::ACTIVE;
}

// What a refusal to suggest means: either the study gives no trials for now, or the call failed.
absl::Status ToldApart(const absl::Status& refusal, const std::string& study, Session& session) {
  const bool has_no_more = HasNoMoreTrials(refusal) || (absl::IsFailedPrecondition(refusal) &&
                                                        !IsActive(study, session));
  return has_no_more ? AsNoMoreTrials(refusal) : refusal;
}

absl::Status Suggest(const SuggestArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullStudyName(arguments.study, session.project()));
  v1::Study study;
  // Before trials are leased, which would be lost to the caller if it failed then.
  if (session.format() != Format::kJson) {
    ASSIGN_OR_RETURN(study, GetOutline(name, session));
  }
  const auto response = session.client().Suggest(RequestOf(name, arguments));
  if (!response.ok()) return ToldApart(response.status(), name, session);
  const std::vector<v1::Trial> trials(response->trials().begin(), response->trials().end());
  // Exact numbers, as they are for use and not only for display.
  PrintTrials(study, trials, Numbers::kExact, session);
  if (static_cast<int>(trials.size()) < arguments.count) {
    session.Warn(absl::StrCat("the study gave ", trials.size(), " of ", arguments.count,
                              " trials: it has no more for now, or its project has no room for "
                              "more"));
  }
  if (!trials.empty()) {
    session.Remark(absl::StrCat("\nThen: slipstream observe ", ShortTrialName(trials[0].name()),
                                " --worker ", ShellWord(arguments.worker), " --value NUMBER"));
  }
  return absl::OkStatus();
}

struct ObserveArguments {
  std::string trial;
  std::optional<std::string> worker;
  OutcomeArguments outcome;
};

std::string MetricOf(const v1::Study& study) {
  return study.metrics().empty() ? "" : study.metrics(0).name();
}

absl::Status Observe(const ObserveArguments& arguments, Session& session) {
  v1::ObserveRequest request;
  ASSIGN_OR_RETURN(*request.mutable_trial(), FullTrialName(arguments.trial, session.project()));
  // Reports typing errors before asking the server for the metric's name.
  ASSIGN_OR_RETURN(const auto checked, ReadOutcome(arguments.outcome, "value"));
  if (!checked.has_value()) {
    return UsageError(
        "there is no outcome: give --value, --metric, --failed, --infeasible or --stopped");
  }
  if (arguments.worker.has_value()) {
    ASSIGN_OR_RETURN(*request.mutable_create_time(),
                     CreateTimeOfHeld(request.trial(), *arguments.worker, session));
  }
  ASSIGN_OR_RETURN(const v1::Study study, GetOutline(StudyOfTrial(request.trial()), session));
  ASSIGN_OR_RETURN(const auto outcome, ReadOutcome(arguments.outcome, MetricOf(study)));
  *request.mutable_outcome() = *outcome;
  ASSIGN_OR_RETURN(const v1::Trial told, session.client().Observe(std::move(request)));
  // The answer lacks the configuration. What was told is told, also if it cannot be shown whole.
  const auto whole = session.client().GetTrial(told.name());
  PrintTrial(study, whole.ok() ? *whole : told, session);
  return absl::OkStatus();
}

struct TrialsArguments {
  std::string study;
  std::optional<int> best;
  std::vector<std::string> states;
  bool all = false;
  std::optional<int> limit;
  std::optional<int> last;
};

absl::StatusOr<v1::Trial::State> ReadState(const std::string& text) {
  v1::Trial::State state = v1::Trial::STATE_UNSPECIFIED;
  const bool known = v1::Trial::State_Parse(absl::AsciiStrToUpper(text), &state);
  if (known && state != v1::Trial::STATE_UNSPECIFIED) return state;
  return UsageError(absl::StrCat("--state '", text,
                                 "' is not requested, active, succeeded, failed, infeasible, "
                                 "stopped, stale or withdrawn"));
}

// Scripts get the whole list unless they set a limit.
size_t LimitOf(const TrialsArguments& arguments, Format format) {
  if (arguments.limit.has_value()) return static_cast<size_t>(*arguments.limit);
  if (arguments.all || format != Format::kTable) return std::numeric_limits<size_t>::max();
  return kShownUnlessTold;
}

absl::Status ShowBest(const v1::Study& study, int count, Session& session) {
  ASSIGN_OR_RETURN(const auto trials, session.client().BestTrials(study.name(), count));
  PrintTrials(study, trials, Numbers::kRounded, session);
  if (trials.empty()) session.Remark("No trial has succeeded yet.");
  return absl::OkStatus();
}

// Those in the chosen states, all if none is chosen.
absl::StatusOr<v1::ListTrialsRequest> ListOf(const v1::Study& study,
                                             const TrialsArguments& arguments) {
  v1::ListTrialsRequest request;
  request.set_study(study.name());
  for (const std::string& text : arguments.states) {
    ASSIGN_OR_RETURN(const v1::Trial::State state, ReadState(text));
    request.add_states(state);
  }
  return request;
}

void RemarkOnNone(const v1::Study& study, const TrialsArguments& arguments, Session& session) {
  session.Remark(arguments.states.empty()
                     ? absl::StrCat("No trials yet: slipstream suggest ",
                                    ShortStudyName(study.name()), " --worker NAME")
                     : "No trial matches.");
}

absl::Status ShowFirst(const v1::Study& study, const TrialsArguments& arguments, Session& session) {
  const size_t limit = LimitOf(arguments, session.format());
  ASSIGN_OR_RETURN(v1::ListTrialsRequest request, ListOf(study, arguments));
  request.set_page_size(static_cast<int>(std::min<size_t>(limit, kLargestPage - 1) + 1));
  std::vector<v1::Trial> trials;
  bool more = false;
  RETURN_IF_ERROR(session.client().ListAllTrials(request, [&](const v1::Trial& trial) {
    more = trials.size() == limit;
    if (!more) trials.push_back(trial);
    return !more;
  }));
  PrintTrials(study, trials, Numbers::kRounded, session);
  if (trials.empty()) RemarkOnNone(study, arguments, session);
  if (!more) return absl::OkStatus();
  const std::string of =
      arguments.states.empty() ? absl::StrCat(" of ", study.trial_count()) : "";
  session.Remark(absl::StrCat("\nOnly the first ", limit, of, "; --last ", limit,
                              " shows the newest, --all every trial."));
  return absl::OkStatus();
}

absl::Status ShowLast(const v1::Study& study, const TrialsArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(v1::ListTrialsRequest request, ListOf(study, arguments));
  request.set_page_size(kLargestPage);
  std::deque<v1::Trial> last;
  RETURN_IF_ERROR(session.client().ListAllTrials(request, [&](const v1::Trial& trial) {
    last.push_back(trial);
    if (last.size() > static_cast<size_t>(*arguments.last)) last.pop_front();
    return true;
  }));
  PrintTrials(study, {last.begin(), last.end()}, Numbers::kRounded, session);
  if (last.empty()) RemarkOnNone(study, arguments, session);
  return absl::OkStatus();
}

absl::Status ShowTrials(const TrialsArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullStudyName(arguments.study, session.project()));
  for (const std::string& text : arguments.states) RETURN_IF_ERROR(ReadState(text).status());
  ASSIGN_OR_RETURN(const v1::Study study, GetOutline(name, session));
  if (arguments.best.has_value()) return ShowBest(study, *arguments.best, session);
  if (arguments.last.has_value()) return ShowLast(study, arguments, session);
  return ShowFirst(study, arguments, session);
}

struct AdditionArguments {
  std::string study;
  std::vector<std::string> values;
  OutcomeArguments outcome;
  LabelChange labels;
  std::string note;
};

using Texts = std::vector<std::optional<std::string>>;

std::string NamesIn(const ConfigurationReader& space) {
  std::vector<std::string> names;
  for (int i = 0; i < space.size(); ++i) names.push_back(space.parameter(i).name());
  return absl::StrJoin(names, ", ");
}

absl::StatusOr<Texts> ReadValues(const ConfigurationReader& space,
                                 const std::vector<std::string>& arguments) {
  Texts texts(space.size());
  for (const std::string& argument : arguments) {
    const std::vector<std::string> sides = SplitEscaped(argument, '=', 2);
    if (sides.size() < 2) {
      return UsageError(absl::StrCat("--set '", argument, "' is not NAME=VALUE"));
    }
    const std::optional<int> index = space.IndexOf(Unescape(sides[0]));
    if (!index.has_value()) {
      return UsageError(absl::StrCat("--set '", argument,
                                     "': the study has no such parameter; it has ",
                                     NamesIn(space)));
    }
    if (texts[*index].has_value()) {
      return UsageError(absl::StrCat("--set '", argument, "': the parameter is set twice"));
    }
    texts[*index] = argument.substr(sides[0].size() + 1);
  }
  return texts;
}

absl::StatusOr<v1::Configuration> ReadConfiguration(const v1::SearchSpace& proto,
                                                    const std::vector<std::string>& arguments,
                                                    bool use_defaults) {
  ASSIGN_OR_RETURN(const ConfigurationReader space, ConfigurationReader::Create(proto));
  ASSIGN_OR_RETURN(const Texts texts, ReadValues(space, arguments));
  v1::Configuration configuration;
  const auto problem = space.Read(texts, &configuration, use_defaults);
  if (!problem.has_value()) return configuration;
  return UsageError(
      absl::StrCat("--set ", space.parameter(problem->parameter).name(), ": ", problem->complaint));
}

// A change of the added trial to its labels and its note, which take a call of their own.
absl::StatusOr<v1::UpdateTrialRequest> AnnotationOf(const AdditionArguments& arguments) {
  v1::UpdateTrialRequest request;
  RETURN_IF_ERROR(TakeLabels(arguments.labels, request.mutable_trial()->mutable_labels(),
                             request.mutable_update_mask()));
  request.mutable_trial()->set_note(arguments.note);
  if (!arguments.note.empty()) request.mutable_update_mask()->add_paths("note");
  return request;
}

absl::StatusOr<v1::Trial> Annotated(const v1::Trial& added, v1::UpdateTrialRequest annotation,
                                    Session& session) {
  if (annotation.update_mask().paths().empty()) return added;
  annotation.mutable_trial()->set_name(added.name());
  *annotation.mutable_create_time() = added.create_time();
  absl::StatusOr<v1::Trial> annotated = session.client().UpdateTrial(std::move(annotation));
  if (annotated.ok()) return annotated;
  const absl::Status& status = annotated.status();
  return absl::Status(status.code(),
                      absl::StrCat(ShortTrialName(added.name()), " was added, but without its ",
                                   "labels and its note: ", std::string(status.message())));
}

absl::Status AddTrial(const AdditionArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullStudyName(arguments.study, session.project()));
  ASSIGN_OR_RETURN(const v1::Study study, GetOutline(name, session));
  v1::AddTrialsRequest request;
  request.set_study(name);
  if (study.has_create_time()) *request.mutable_study_create_time() = study.create_time();
  v1::Observation& observation = *request.add_observations();
  ASSIGN_OR_RETURN(const auto outcome, ReadOutcome(arguments.outcome, MetricOf(study)));
  ASSIGN_OR_RETURN(
      *observation.mutable_configuration(),
      ReadConfiguration(study.space(), arguments.values, /*use_defaults=*/!outcome.has_value()));
  if (outcome.has_value()) *observation.mutable_outcome() = *outcome;
  ASSIGN_OR_RETURN(v1::UpdateTrialRequest annotation, AnnotationOf(arguments));
  ASSIGN_OR_RETURN(const auto added, session.client().AddTrials(std::move(request)));
  if (added.trials_size() != 1) {
    return absl::InternalError("the server answered without the trial");
  }
  ASSIGN_OR_RETURN(const v1::Trial trial,
                   Annotated(added.trials(0), std::move(annotation), session));
  PrintTrial(study, trial, session);
  return absl::OkStatus();
}

absl::Status Explain(const std::string& text, Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullTrialName(text, session.project()));
  ASSIGN_OR_RETURN(const v1::Explanation explanation, session.client().Explain(name));
  v1::Study study;
  if (session.format() != Format::kJson) {
    ASSIGN_OR_RETURN(study, GetOutline(StudyOfTrial(name), session));
  }
  SourceTitles titles;
  if (session.format() == Format::kTable) {
    titles = ReadSourceTitles(HeaviestSources(explanation), session.client());
  }
  PrintExplanation(explanation, study, titles, session);
  return absl::OkStatus();
}

void AddSuggest(CLI::App* app, Action* chosen) {
  const auto arguments = std::make_shared<SuggestArguments>();
  CLI::App* const command = app->add_subcommand(
      "suggest",
      "Leases trials to a worker; exits with 3 if the study gives none, because it is paused or "
      "completed, each of its candidates has a trial, or its limit of trials is reached");
  AddStudyName(command, &arguments->study);
  TakeText(command->add_option(
               "--worker", arguments->worker,
               "Stable id of the worker; if it asks again, it gets its unfinished trials"))
      ->required();
  TakeDecimal(command->add_option("--count", arguments->count, "How many trials"))
      ->check(CLI::Range(1, kLargestPage))
      ->capture_default_str();
  ChooseAction(command, arguments, Suggest, chosen);
}

void AddObserve(CLI::App* app, Action* chosen) {
  const auto arguments = std::make_shared<ObserveArguments>();
  CLI::App* const command = app->add_subcommand("observe", "Reports the outcome of a trial");
  AddTrialName(command, &arguments->trial);
  AddHolder(command, &arguments->worker);
  AddOutcomeOptions(command, &arguments->outcome);
  ChooseAction(command, arguments, Observe, chosen);
}

void AddTrials(CLI::App* app, Action* chosen) {
  const auto arguments = std::make_shared<TrialsArguments>();
  CLI::App* const command = app->add_subcommand("trials", "Lists a study's trials");
  AddStudyName(command, &arguments->study);
  CLI::Option* const best =
      TakeDecimal(
          command->add_option("--best", arguments->best, "Only this many trials, best first"))
          ->check(CLI::Range(1, kLargestPage));
  CLI::Option* const states = AddRepeatable(command, "--state", &arguments->states,
                                            "Only trials in this state; repeat for others")
                                  ->type_name("STATE");
  CLI::Option* const all = command->add_flag("--all", arguments->all, "All trials");
  CLI::Option* const limit =
      TakeDecimal(command->add_option("--limit", arguments->limit,
                                      "At most this many (default: 50 in tables, otherwise all)"))
          ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  CLI::Option* const last =
      TakeDecimal(command->add_option("--last", arguments->last,
                                      "Only this many of the newest trials, oldest first"))
          ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  best->excludes(states)->excludes(all)->excludes(limit)->excludes(last);
  all->excludes(limit)->excludes(last);
  limit->excludes(last);
  ChooseAction(command, arguments, ShowTrials, chosen);
}

void AddTrialGroup(CLI::App* app, Action* chosen) {
  const auto arguments = std::make_shared<AdditionArguments>();
  CLI::App* const group = app->add_subcommand("trial", "Single trials: add, show, release, ...");
  group->require_subcommand(1);
  CLI::App* const command =
      group->add_subcommand("add", "Adds a trial with a result from elsewhere, or one to try next");
  AddStudyName(command, &arguments->study);
  AddRepeatable(command, "--set", &arguments->values,
                "Value of a parameter; repeat for every active parameter. Without a result, "
                "parameters with a default may be left out")
      ->required()
      ->type_name("NAME=VALUE");
  AddOutcomeOptions(command, &arguments->outcome);
  AddRepeatable(command, "--label", &arguments->labels.labels, "Label; repeat for others")
      ->type_name("KEY=VALUE");
  command->add_option("--note", arguments->note, "Note for people");
  ChooseAction(command, arguments, AddTrial, chosen);
  AddHeldTrialCommands(group, chosen);
}

void AddExplain(CLI::App* app, Action* chosen) {
  const auto trial = std::make_shared<std::string>();
  CLI::App* const command =
      app->add_subcommand("explain", "Shows where a trial's configuration came from");
  AddTrialName(command, trial.get());
  ChooseAction(command, trial, Explain, chosen);
}

}  // namespace

void AddTrialCommands(CLI::App* app, Action* chosen) {
  AddSuggest(app, chosen);
  AddObserve(app, chosen);
  AddHeartbeat(app, chosen);
  AddTrials(app, chosen);
  AddTrialGroup(app, chosen);
  AddExplain(app, chosen);
}

}  // namespace slipstream::cli
