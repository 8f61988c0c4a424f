#include "client/cli/study_commands.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/deletion.h"
#include "client/cli/duration_text.h"
#include "client/cli/exchange_commands.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/study_standing.h"
#include "client/cli/study_view.h"
#include "client/cli/usage_error.h"
#include "client/cli/watch_commands.h"
#include "google/protobuf/map.h"

namespace slipstream::cli {
namespace {

// In place of a source task's name: every one that fits the study.
constexpr absl::string_view kAllSources = "all";

struct LeaseArguments {
  std::string duration = {};
  std::optional<int> requeues = {};
};

// Empty where nothing was given.
absl::StatusOr<v1::LeasePolicy> ReadLease(const LeaseArguments& arguments) {
  v1::LeasePolicy policy;
  if (!arguments.duration.empty()) {
    ASSIGN_OR_RETURN(const absl::Duration duration, ReadDuration("--lease", arguments.duration));
    // Up, as 0 is for ever. The server says what is too short.
    absl::Duration rest = absl::Ceil(duration, absl::Nanoseconds(1));
    policy.mutable_duration()->set_seconds(absl::IDivDuration(rest, absl::Seconds(1), &rest));
    policy.mutable_duration()->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  }
  if (arguments.requeues.has_value()) policy.set_max_requeues(*arguments.requeues);
  return policy;
}

// `default_lease` and `default_requeues` say what applies if the option is left out.
void AddLeaseOptions(CLI::App* command, const std::string& default_lease,
                     const std::string& default_requeues, LeaseArguments* arguments) {
  command
      ->add_option("--lease", arguments->duration,
                   absl::StrCat("How long a worker holds a trial unless it renews its lease, such "
                                "as 30m; off or 0: for ever (default: ",
                                default_lease, ")"))
      ->type_name("DURATION");
  TakeWhole<int>(command->add_option(
      "--requeues", arguments->requeues,
      absl::StrCat("How many times a configuration is queued again after its lease runs out "
                   "(default: ",
                   default_requeues, ")")));
}

struct CreationArguments {
  SpaceArguments space;
  ObjectiveArguments objective;
  bool exact = false;
  std::string id;
  std::string title;
  std::string preset;
  std::vector<std::string> recipe;
  std::optional<uint64_t> seed;
  std::vector<std::string> sources;
  std::vector<std::string> labels;
  LeaseArguments lease;
  std::string stopping;
  std::vector<std::string> stopping_options;
};

absl::Status ReadStopping(const CreationArguments& arguments, v1::Study* study) {
  if (!arguments.stopping.empty()) {
    study->mutable_early_stopping()->set_rule(arguments.stopping);
  } else if (!arguments.stopping_options.empty()) {
    return UsageError("--stopping-option needs a rule: give --stopping NAME");
  }
  for (const std::string& text : arguments.stopping_options) {
    const std::vector<std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
    double number = 0;
    if (sides.size() != 2 || sides[0].empty() || !absl::SimpleAtod(sides[1], &number)) {
      return UsageError(absl::StrCat("--stopping-option \"", text, "\" should be NAME=NUMBER"));
    }
    (*study->mutable_early_stopping()->mutable_options())[sides[0]] = number;
  }
  return absl::OkStatus();
}

// Reads NAME=VALUE: an axis and a name on it ("prior=scaml"), or an option and
// a number.
absl::Status ReadRecipePart(const std::string& part, v1::Recipe* recipe) {
  const std::vector<std::string> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
  if (sides.size() != 2 || sides[0].empty() || sides[1].empty()) {
    return UsageError(absl::StrCat("--recipe \"", part, "\" should be NAME=VALUE"));
  }
  const std::string& name = sides[0];
  double number = 0;
  if (name == "prior") {
    recipe->set_prior(sides[1]);
  } else if (name == "calibration") {
    recipe->set_calibration(sides[1]);
  } else if (name == "acquisition") {
    recipe->set_acquisition(sides[1]);
  } else if (name == "initial") {
    recipe->set_initial(sides[1]);
  } else if (name == "exploration") {
    recipe->set_exploration(sides[1]);
  } else if (absl::SimpleAtod(sides[1], &number)) {
    (*recipe->mutable_options())[name] = number;
  } else {
    return UsageError(absl::StrCat(
        "--recipe \"", part, "\": ", name,
        " is not one of prior, calibration, acquisition, initial and exploration, so it must be an "
        "option, and options take numbers"));
  }
  return absl::OkStatus();
}

// The request without its source tasks, whose names only the server knows in full.
absl::StatusOr<v1::Study> DescribeStudy(const CreationArguments& arguments) {
  v1::Study study;
  ASSIGN_OR_RETURN(auto metric, ReadObjective(arguments.objective, "--metric"));
  if (!metric.has_value()) {
    return UsageError("what is the objective? Give --maximize NAME or --minimize NAME");
  }
  if (arguments.exact) metric->set_noise(v1::Metric::EXACT);
  *study.add_metrics() = *std::move(metric);
  RETURN_IF_ERROR(ReadLabels(arguments.labels, study.mutable_labels()));
  ASSIGN_OR_RETURN(auto space, ReadSpace(arguments.space));
  if (!space.has_value()) {
    return UsageError("what is tuned? Give --space FILE or --param PARAMETER");
  }
  *study.mutable_space() = *std::move(space);
  study.set_display_name(arguments.title);
  study.mutable_algorithm()->set_preset(arguments.preset);
  for (const std::string& part : arguments.recipe) {
    RETURN_IF_ERROR(ReadRecipePart(part, study.mutable_algorithm()->mutable_recipe()));
  }
  if (arguments.seed.has_value()) study.set_seed(*arguments.seed);
  ASSIGN_OR_RETURN(*study.mutable_lease_policy(), ReadLease(arguments.lease));
  RETURN_IF_ERROR(ReadStopping(arguments, &study));
  return study;
}

// `status` says that there is no such source task. If there is a study of that name, the error
// says how to make a source task from it.
absl::Status NoSourceTask(const std::string& source, const absl::Status& status,
                          Session& session) {
  const auto study = FullStudyName(source, session.project());
  const bool is_unknown = IsUsageError(status) || absl::IsNotFound(status);
  if (!is_unknown || !study.ok()) return status;
  v1::GetStudyRequest request;
  request.set_name(*study);
  request.mutable_read_mask()->add_paths("name");
  if (!session.client().GetStudy(request).ok()) return status;
  return UsageError(absl::StrCat("--source ", source,
                                 " is a study. To make a source task of its trials: slipstream "
                                 "source register --study ",
                                 source));
}

// `parent` is the name of the study's project, or empty.
absl::Status AddSources(const CreationArguments& arguments, const std::string& parent,
                        Session& session, v1::Study* study) {
  for (const std::string& source : arguments.sources) {
    if (source == kAllSources) {
      if (arguments.sources.size() > 1) {
        return UsageError("--source all stands alone: it includes the other source tasks");
      }
      const std::string project = parent.empty() ? "" : parent + "/";
      study->add_source_tasks(absl::StrCat(project, "sourceTasks/-"));
      return absl::OkStatus();
    }
    const auto name = FullSourceTaskName(session.client(), source, {session.project().name});
    if (!name.ok()) return NoSourceTask(source, name.status(), session);
    study->add_source_tasks(*name);
  }
  return absl::OkStatus();
}

// Whether the source measured the same as the study, with the opposite goal.
bool IsOpposite(const v1::SourceTask& source, const v1::Study& study) {
  if (source.metrics().empty() || study.metrics().empty()) return false;
  return source.metrics(0).name() == study.metrics(0).name() &&
         source.metrics(0).goal() != study.metrics(0).goal();
}

// Warns of opposite sources, which are a slip more often than not. Names one and counts the others.
void WarnOfOppositeSources(const v1::Study& study, const std::vector<v1::SourceTask>& sources,
                           Session& session) {
  std::vector<v1::SourceTask> opposite;
  std::copy_if(sources.begin(), sources.end(), std::back_inserter(opposite),
               [&study](const v1::SourceTask& source) { return IsOpposite(source, study); });
  if (opposite.empty()) return;
  const v1::SourceTask& first = opposite.front();
  const size_t others = opposite.size() - 1;
  const std::string more =
      others == 0 ? "" : absl::StrCat(" and ", others, others == 1 ? " other" : " others");
  const v1::Metric& own = study.metrics(0);
  const bool maximizes = own.goal() == v1::Metric::MAXIMIZE;
  session.Warn(absl::StrCat(
      SourceText(first.name(), TitlesOf({first})), more, others == 0 ? " is" : " are", " to ",
      maximizes ? "minimize " : "maximize ", own.name(), ", and the study to ",
      maximizes ? "maximize" : "minimize",
      " it: what was best there is expected to be best here. If that is a slip, delete the study "
      "and create it with --",
      maximizes ? "minimize" : "maximize"));
}

// Those that the caller named one by one. Of all that fit, whose goals are the study's, only those
// that are shown.
std::vector<std::string> SourcesToRead(const v1::Study& created, bool is_named) {
  if (!is_named) return FirstSources(created);
  return {created.source_tasks().begin(), created.source_tasks().end()};
}

absl::Status CreateStudy(const CreationArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(v1::Study study, DescribeStudy(arguments));
  ASSIGN_OR_RETURN(const std::string parent, ParentOf(session.project()));
  RETURN_IF_ERROR(AddSources(arguments, parent, session, &study));
  const bool wants_sources = study.source_tasks_size() > 0;
  const bool wants_all = wants_sources && arguments.sources.front() == kAllSources;
  v1::CreateStudyRequest request;
  *request.mutable_study() = std::move(study);
  request.set_study_id(arguments.id);
  request.set_parent(parent);
  ASSIGN_OR_RETURN(const v1::Study created, session.client().CreateStudy(std::move(request)));
  const std::vector<v1::SourceTask> sources =
      ReadSourceTasks(SourcesToRead(created, !wants_all), session.client());
  Standing standing;
  standing.source_titles = TitlesOf(sources);
  PrintStudy(created, session, standing);
  if (wants_sources && created.source_tasks().empty()) {
    session.Warn("no source task of the project fits: none has a result, the study's objective and "
                 "a parameter in common with it");
  }
  WarnOfOppositeSources(created, sources, session);
  session.Remark(absl::StrCat("\nNext: slipstream suggest ", ShortStudyName(created.name()),
                              " --worker NAME"));
  return absl::OkStatus();
}

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
    session.Remark(any ? "No study matches."
                       : "No studies yet: slipstream study create --help");
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
                                                 study.trial_count(), " trials for good?"),
                                    agreed));
    // Not another one that got its name while the question stood.
    if (study.has_create_time()) *request.mutable_study_create_time() = study.create_time();
  }
  RETURN_IF_ERROR(session.client().DeleteStudy(std::move(request)));
  PrintDeleted(name, session);
  return absl::OkStatus();
}

void AddCreate(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<CreationArguments>();
  CLI::App* const command = group->add_subcommand("create", "Creates a study");
  AddSpaceOptions(command, &arguments->space);
  AddObjectiveOptions(command, "--metric", "Name of the measured quantity", &arguments->objective);
  command->add_flag("--exact", arguments->exact,
                    "Measurements have no noise, so models do not repeat configurations");
  command->add_option("--id", arguments->id,
                      "Its id, the last part of its name (default: chosen by the server)");
  command->add_option("--title", arguments->title, "Title for people");
  command->add_option("--preset", arguments->preset, "Algorithm, see slipstream presets");
  AddRepeatable(command, "--recipe", &arguments->recipe,
                "Ingredient or option to replace in the preset's recipe, such as prior=scaml, "
                "calibration=hmc, acquisition=ei or exploration=exp3; repeat for others")
      ->type_name("NAME=VALUE");
  TakeWhole<uint64_t>(command->add_option("--seed", arguments->seed, "Seed of all random choices"));
  AddRepeatable(command, "--source", &arguments->sources,
                "Source task to learn from; repeat for others. \"all\" stands for every source "
                "task of the project that has the same objective and a parameter in common")
      ->type_name("NAME");
  AddRepeatable(command, "--label", &arguments->labels, "Label; repeat for others")
      ->type_name("KEY=VALUE");
  AddLeaseOptions(command, "1h", "3", &arguments->lease);
  command->add_option("--stopping", arguments->stopping,
                      "Rule for stopping trials early, such as median, asha or curve; see "
                      "slipstream presets --ingredients");
  AddRepeatable(command, "--stopping-option", &arguments->stopping_options,
                "Option of the stopping rule; repeat for others")
      ->type_name("NAME=NUMBER");
  ChooseAction(command, arguments, CreateStudy, chosen);
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
  AddCreate(group, chosen);
  AddList(group, chosen);
  AddOnOneStudy(group, "show", "Shows a study in full", ShowStudy, chosen);
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
