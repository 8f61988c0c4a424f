#include "client/cli/study_creation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client/cli/lease_arguments.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/source_titles.h"
#include "client/cli/source_warnings.h"
#include "client/cli/space_grammar.h"
#include "client/cli/status_macros.h"
#include "client/cli/study_view.h"
#include "client/cli/usage_error.h"
#include "slipstream/messages/study_differences.h"

namespace slipstream::cli {
namespace {

// In place of a source task's name: every one that fits the study.
constexpr absl::string_view kAllSources = "all";

struct CreationArguments {
  SpaceArguments space;
  ObjectiveArguments objective;
  bool exact = false;
  std::string id;
  bool or_load = false;
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

absl::Status GivenTwice(absl::string_view option, absl::string_view name) {
  return UsageError(absl::StrCat(option, " \"", name, "\" is given twice"));
}

absl::Status ReadStopping(const CreationArguments& arguments, v1::Study* study) {
  if (!arguments.stopping.empty()) {
    study->mutable_early_stopping()->set_rule(arguments.stopping);
  } else if (!arguments.stopping_options.empty()) {
    return UsageError("--stopping-option needs a rule: give --stopping NAME");
  }
  std::set<std::string> given;
  for (const std::string& text : arguments.stopping_options) {
    const std::vector<std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
    double number = 0;
    if (sides.size() != 2 || sides[0].empty() || !absl::SimpleAtod(sides[1], &number)) {
      return UsageError(absl::StrCat("--stopping-option \"", text, "\" should be NAME=NUMBER"));
    }
    if (!given.insert(sides[0]).second) return GivenTwice("--stopping-option", sides[0]);
    (*study->mutable_early_stopping()->mutable_options())[sides[0]] = number;
  }
  return absl::OkStatus();
}

// Reads NAME=VALUE: an axis and a name on it ("prior=scaml"), or an option and
// a number. `given` has the names of those that were read before.
absl::Status ReadRecipePart(const std::string& part, std::set<std::string>* given,
                            v1::Recipe* recipe) {
  const std::vector<std::string> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
  if (sides.size() != 2 || sides[0].empty() || sides[1].empty()) {
    return UsageError(absl::StrCat("--recipe \"", part, "\" should be NAME=VALUE"));
  }
  const std::string& name = sides[0];
  if (!given->insert(name).second) return GivenTwice("--recipe", name);
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
  std::set<std::string> given;
  for (const std::string& part : arguments.recipe) {
    RETURN_IF_ERROR(ReadRecipePart(part, &given, study.mutable_algorithm()->mutable_recipe()));
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

// Those that the caller named one by one. Of all that fit, whose goals are the study's, only those
// that are shown.
std::vector<std::string> SourcesToRead(const v1::Study& created, bool is_named) {
  if (!is_named) return FirstSources(created);
  return {created.source_tasks().begin(), created.source_tasks().end()};
}

struct MadeStudy {
  v1::Study study;
  bool is_new = true;
};

// The study with the id, or nothing if there is none. An error if it is another one than is asked
// for.
absl::StatusOr<std::optional<MadeStudy>> LoadStudy(const v1::CreateStudyRequest& request,
                                                   Session& session) {
  ASSIGN_OR_RETURN(const std::string name, FullStudyName(request.study_id(), session.project()));
  auto existing = session.client().GetStudy(name);
  if (absl::IsNotFound(existing.status())) return std::nullopt;
  RETURN_IF_ERROR(existing.status());
  const std::vector<std::string> differences =
      StudyDifferences(request.study(), *existing, FormatParameter);
  if (differences.empty()) return MadeStudy{*std::move(existing), false};
  return absl::FailedPreconditionError(
      absl::StrCat("study ", ShortStudyName(name), " exists, but is not the one asked for:\n  ",
                   absl::StrJoin(differences, "\n  "),
                   "\nAsk for what it has, or give another --id."));
}

absl::StatusOr<MadeStudy> MakeStudy(const v1::CreateStudyRequest& request, bool or_load,
                                    Session& session) {
  if (or_load) {
    ASSIGN_OR_RETURN(std::optional<MadeStudy> loaded, LoadStudy(request, session));
    if (loaded.has_value()) return *std::move(loaded);
  }
  absl::StatusOr<v1::Study> created = session.client().CreateStudy(request);
  if (or_load && absl::IsAlreadyExists(created.status())) {  // Another process was faster.
    ASSIGN_OR_RETURN(std::optional<MadeStudy> loaded, LoadStudy(request, session));
    if (loaded.has_value()) return *std::move(loaded);
  }
  if (!or_load && absl::IsAlreadyExists(created.status())) {
    return absl::AlreadyExistsError(absl::StrCat(
        created.status().message(), "; --or-load uses that study if it matches the request"));
  }
  RETURN_IF_ERROR(created.status());
  return MadeStudy{*std::move(created)};
}

// What to say of a study whose recipe and source tasks do not go together; empty if they do.
std::string SourceComplaint(const MadeStudy& made, bool wants_sources) {
  const v1::Study& study = made.study;
  const bool has_sources = !study.source_tasks().empty();
  if (wants_sources && !has_sources) {
    return made.is_new ? "no source task of the project fits: none has a result, the study's "
                         "objective and a parameter in common with it"
                       : "the study was created without source tasks";
  }
  const std::string& unused_because = study.transfer().unused_because();
  if (unused_because.empty() || study.trial_count() > 0) return {};
  if (has_sources || !made.is_new) return unused_because;
  return unused_because + ": create it with --source NAME or --source all";
}

absl::Status CreateStudy(const CreationArguments& arguments, Session& session) {
  if (arguments.or_load && arguments.id.empty()) return UsageError("--or-load needs --id");
  ASSIGN_OR_RETURN(v1::Study study, DescribeStudy(arguments));
  ASSIGN_OR_RETURN(const std::string parent, ParentOf(session.project()));
  RETURN_IF_ERROR(AddSources(arguments, parent, session, &study));
  const bool wants_sources = study.source_tasks_size() > 0;
  const bool wants_all = wants_sources && arguments.sources.front() == kAllSources;
  v1::CreateStudyRequest request;
  *request.mutable_study() = std::move(study);
  request.set_study_id(arguments.id);
  request.set_parent(parent);
  ASSIGN_OR_RETURN(const MadeStudy made, MakeStudy(request, arguments.or_load, session));
  const v1::Study& created = made.study;
  const std::vector<v1::SourceTask> sources =
      ReadSourceTasks(SourcesToRead(created, !wants_all), session.client());
  Standing standing;
  standing.source_titles = TitlesOf(sources);
  PrintStudy(created, session, standing);
  if (!made.is_new) session.Remark("\nIt was there already.");
  const std::string complaint = SourceComplaint(made, wants_sources);
  if (!complaint.empty()) session.Warn(complaint);
  WarnOfOppositeSources(created, sources, session);
  if (!wants_all) WarnOfSourcesThatFitInPart(created, sources, session);
  session.Remark(absl::StrCat("\nNext: slipstream suggest ", ShortStudyName(created.name()),
                              " --worker NAME"));
  return absl::OkStatus();
}

}  // namespace

void AddCreationCommand(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<CreationArguments>();
  CLI::App* const command = group->add_subcommand("create", "Creates a study");
  AddSpaceOptions(command, &arguments->space);
  AddObjectiveOptions(command, "--metric", "Name of the measured quantity", &arguments->objective);
  command->add_flag("--exact", arguments->exact,
                    "Measurements have no noise, so models do not repeat configurations");
  TakeText(
      command->add_option("--id", arguments->id,
                          "Its id, the last part of its name: 1 to 63 characters of a-z, 0-9 and "
                          "'-', beginning with a letter and not ending with '-' (default: chosen "
                          "by the server)"));
  command->add_flag("--or-load", arguments->or_load,
                    "Uses an existing study with this id if it matches the request; its title and "
                    "labels may differ");
  command->add_option("--title", arguments->title, "Title for people");
  TakeText(
      command->add_option("--preset", arguments->preset, "Algorithm, see slipstream presets"));
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
  TakeText(command->add_option("--stopping", arguments->stopping,
                               "Rule for stopping trials early, such as median, asha or curve; "
                               "see slipstream presets --ingredients"));
  AddRepeatable(command, "--stopping-option", &arguments->stopping_options,
                "Option of the stopping rule; repeat for others")
      ->type_name("NAME=NUMBER");
  ChooseAction(command, arguments, CreateStudy, chosen);
}

}  // namespace slipstream::cli
