#include "client/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "client/cli/call_limits.h"
#include "client/cli/help_text.h"
#include "client/cli/near_name.h"
#include "client/cli/presets_command.h"
#include "client/cli/resource_name.h"
#include "client/cli/serve_command.h"
#include "client/cli/server_commands.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/source_commands.h"
#include "client/cli/status_macros.h"
#include "client/cli/study_commands.h"
#include "client/cli/table.h"
#include "client/cli/text_file.h"
#include "client/cli/trial_commands.h"
#include "client/cli/usage_error.h"
#include "client/cli/waiting_notice.h"
#include "slipstream/errors.h"
#include "slipstream/messages/utf8_text.h"

namespace slipstream::cli {
namespace {

struct GlobalArguments {
  std::string address = kDefaultAddress;
  std::string format = "table";
  std::optional<double> timeout;  // In seconds.
  std::string token_file;
  std::string project;
  ClientOptions security;  // Its ca, certificate and key.
};

void AddGlobalOptions(CLI::App* app, GlobalArguments* arguments) {
  TakeText(app->add_option("--address", arguments->address,
                           "Address of the server: host, host:port or unix:path"))
      ->envname("SLIPSTREAM_ADDRESS")
      ->capture_default_str();
  const auto file = [&](const char* name, std::string* value, const char* help) {
    TakeText(app->add_option(name, *value, help))->type_name("FILE");
  };
  file("--token-file", &arguments->token_file,
       "File with the caller's token (default: SLIPSTREAM_TOKEN, the token itself)");
  file("--ca", &arguments->security.ca,
       "Use TLS: certificates that sign the server's, or \"system\" (default: SLIPSTREAM_CA)");
  file("--certificate", &arguments->security.certificate,
       "The caller's certificate (default: SLIPSTREAM_CERTIFICATE)");
  file("--key", &arguments->security.key, "The key of that certificate (default: SLIPSTREAM_KEY)");
  TakeText(
      app->add_option("--project", arguments->project,
                      "Project of names that include none, and of what is created or listed; - "
                      "lists those of all projects (default: SLIPSTREAM_PROJECT, or the project "
                      "\"default\")"))
      ->type_name("NAME");
  app->add_option("--format", arguments->format, "How results are written")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  TakeNumber(app->add_option("--timeout", arguments->timeout,
                             "Longest wait for one call, in seconds (default: 12 while the server "
                             "does not answer, 300 for observe)"))
      ->check(CLI::Range(0.001, 86400.0))
      ->type_name("SECONDS");
}

Format FormatOf(const std::string& text) {
  if (text == "json") return Format::kJson;
  return text == "csv" ? Format::kCsv : Format::kTable;
}

constexpr size_t kMostTokenFileBytes = 65536;  // Far more than a token has.

// A token on the command line would be seen by all who look at the machine's processes.
absl::StatusOr<ClientOptions> OptionsOf(const CLI::App& app, const GlobalArguments& arguments) {
  ClientOptions options = arguments.security;
  if (!arguments.token_file.empty()) {
    ASSIGN_OR_RETURN(const std::string text,
                     ReadTextFile(arguments.token_file, kMostTokenFileBytes));
    options.token = std::string(absl::StripAsciiWhitespace(text));
  }
  options.address = arguments.address;
  const bool tells_outcome = app.got_subcommand("observe");
  (tells_outcome ? LimitCallsOfOutcome : LimitCalls)(arguments.timeout, &options);
  return options;
}

constexpr size_t kLongestProject = 40;

bool IsProject(absl::string_view name) {
  if (name == "-") return true;  // All of them.
  return !name.empty() && name.size() <= kLongestProject && absl::ascii_islower(name.front()) &&
         name.back() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
         });
}

// Takes "vision", and "projects/vision" as results name it. `origin` is where the text comes from.
absl::StatusOr<std::string> ReadProject(absl::string_view origin, absl::string_view text) {
  const absl::string_view name = absl::StripPrefix(text, "projects/");
  if (IsProject(name)) return std::string(name);
  return UsageError(absl::StrCat(origin, " '", text,
                                 "' is not the name of a project, such as vision: 1 to ",
                                 kLongestProject,
                                 " letters a-z, digits and '-', beginning with a letter and not "
                                 "ending with '-'"));
}

// Whether the command is about what belongs to projects. Others do not mind what the environment
// says of these.
bool IsInProjects(const CLI::App& app) {
  return !app.got_subcommand("presets") && !app.got_subcommand("server");
}

absl::StatusOr<ProjectChoice> ProjectOf(const GlobalArguments& arguments, bool is_in_projects) {
  ProjectChoice project = {.is_given = !arguments.project.empty()};
  const char* const variable = std::getenv("SLIPSTREAM_PROJECT");
  if (project.is_given) {
    ASSIGN_OR_RETURN(project.name, ReadProject("--project", arguments.project));
  } else if (is_in_projects && variable != nullptr && *variable != '\0') {
    ASSIGN_OR_RETURN(project.name, ReadProject("SLIPSTREAM_PROJECT", variable));
  }
  return project;
}

absl::Status Run(const CLI::App& app, const GlobalArguments& arguments, const Action& action,
                 const Terminal& terminal) {
  ASSIGN_OR_RETURN(ProjectChoice project, ProjectOf(arguments, IsInProjects(app)));
  ASSIGN_OR_RETURN(ClientOptions options, OptionsOf(app, arguments));
  const auto notice = std::make_shared<WaitingNotice>(options.address, terminal.err);
  options.on_retry = [notice](const FailedAttempt& failed) { notice->Add(failed); };
  auto client = Client::Connect(options);
  RETURN_IF_ERROR(AsUsageError("", client.status()));
  Session session(**client, terminal, FormatOf(arguments.format), std::move(project));
  RETURN_IF_ERROR(action(session));
  return session.Flush();
}

// Where the studies are listed of which this one is not there.
std::string ListOfStudies(absl::string_view study) {
  const std::string project = ProjectIn(study);
  if (project == "default") return "slipstream study list (in a project: --project NAME)";
  return absl::StrCat("slipstream study list --project ", project);
}

// Where the source tasks are listed of which this one is not there.
std::string ListOfSources(absl::string_view task) {
  const std::string project = ProjectIn(task);
  if (project == "default") return "slipstream source list (in a project: --project NAME)";
  return absl::StrCat("slipstream source list --project ", project);
}

// The deletion that makes room below the quota; none for the one of calls.
std::string DeletionFor(absl::string_view quota) {
  if (quota == "studies" || quota == "trials") return "slipstream study delete";
  if (quota == "sources") return "slipstream source delete";
  return quota == "mib" ? "slipstream study delete, or slipstream source delete" : "";
}

// The command that lists all names where the server's error has only the first ones, as in
// "one of a, b and 7 more"; otherwise empty.
std::string ListOfNames(const absl::Status& status) {
  for (const Violation& violation : ViolationsOf(status)) {
    if (!absl::EndsWith(violation.bound, " more")) continue;
    if (absl::EndsWith(violation.bound, " or more")) continue;  // A number's.
    return violation.field == "study.algorithm.preset" ? "slipstream presets"
                                                       : "slipstream presets --ingredients";
  }
  return "";
}

// The study of which the server says that it is so, by its short name.
std::string StudyThat(absl::string_view is_so, absl::string_view message) {
  const absl::string_view before = message.substr(0, message.find(is_so));
  return ShortStudyName(std::string(before.substr(before.rfind(' ') + 1)));
}

// Advice for the person at the terminal, which the server leaves out of its messages because
// programs read them too. Empty where there is none.
std::string Advice(const absl::Status& status) {
  const absl::string_view message = status.message();
  const std::string missing = MissingName(message);
  if (absl::StartsWith(message, "no source task begins with ")) {
    return "The source tasks that are there: slipstream source list";
  }
  // An import says itself how to bring them along.
  if (absl::IsNotFound(status) && absl::StrContains(missing, "sourceTasks/") &&
      !absl::StrContains(message, "source export")) {
    return absl::StrCat("The source tasks that are there: ", ListOfSources(missing));
  }
  if (absl::IsNotFound(status) && absl::StrContains(missing, "studies/")) {
    return absl::StrContains(missing, "/trials/")
               ? absl::StrCat("The trials that are there: slipstream trials ",
                              ShortStudyName(StudyOfTrial(missing)))
               : absl::StrCat("The studies that are there: ", ListOfStudies(missing));
  }
  if (absl::IsPermissionDenied(status) &&
      absl::StrContains(message, "names without a project belong to default")) {
    return "To name the project: --project NAME, or the environment variable SLIPSTREAM_PROJECT";
  }
  if (absl::IsFailedPrecondition(status) && absl::StrContains(message, " is PAUSED ")) {
    return absl::StrCat("To go on: slipstream study resume ", StudyThat(" is PAUSED ", message));
  }
  if (absl::IsFailedPrecondition(status) && absl::StrContains(message, " is COMPLETED ")) {
    return absl::StrCat(
        "To go on in a new study that learns from it: slipstream source register --study ",
        StudyThat(" is COMPLETED ", message), ", then study create with --source");
  }
  // Kept answers only expire.
  if (const std::string deletion = DeletionFor(ExceededQuota(status));
      !deletion.empty() && !absl::StrContains(message, " bytes of answers kept for repeats ")) {
    return absl::StrCat("To make room: ", deletion, ". The server's operator can raise the quota");
  }
  if (const std::string list = ListOfNames(status); !list.empty()) {
    return absl::StrCat("All that are there: ", list);
  }
  if (absl::StrContains(message, "is slipstream_server running there?")) {
    return "To start one: slipstream serve. To name another: --address, or SLIPSTREAM_ADDRESS";
  }
  return "";
}

// The command that the arguments name, as far as they name one.
const CLI::App& NamedCommand(const CLI::App& app) {
  const std::vector<CLI::App*> named = app.get_subcommands();
  return named.empty() ? app : NamedCommand(*named.front());
}

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// The long options that a command takes, those of the commands around it included.
std::vector<std::string> OptionsOf(const CLI::App* command) {
  std::vector<std::string> names;
  for (; command != nullptr; command = command->get_parent()) {
    for (const CLI::Option* const option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

// An empty shell variable lets an option take the next one for its value. Accepting that would do
// something else than was meant, such as recording "--worker=w" as a reason. Several words are a
// text, though, such as what a program says of its options.
void RefuseNamesAsValues(const CLI::App& app, CLI::App* command) {
  const auto complaint = [&app](const std::string& value) -> std::string {
    if (std::any_of(value.begin(), value.end(), absl::ascii_isspace)) return "";
    const std::vector<std::string> names = OptionsOf(&NamedCommand(app));
    const auto found = std::find(names.begin(), names.end(), value.substr(0, value.find('=')));
    if (found == names.end()) return "";
    return absl::StrCat("a value is missing before ", *found);
  };
  for (CLI::Option* const option : command->get_options()) {
    if (option->get_items_expected_max() > 0) option->check(complaint, "");
  }
  for (CLI::App* const one : command->get_subcommands([](const CLI::App*) { return true; })) {
    RefuseNamesAsValues(app, one);
  }
}

// What to say of an argument that nothing takes.
std::string UnknownOption(const std::string& argument, const CLI::App& command) {
  const std::string name = argument.substr(0, argument.find('='));
  return absl::StrCat("unknown option '", argument, "'", DidYouMean(name, OptionsOf(&command)));
}

std::string UnknownCommand(const std::string& argument, const CLI::App& command) {
  return absl::StrCat("there is no command '", argument, "'",
                      DidYouMean(argument, CommandsOf(command)));
}

// Says in plain words what CLI11 says as "--note: 1 required TEXT missing": that an option has too
// few values or too many. Empty if CLI11 complains of something else.
std::string ComplaintOfCount(absl::string_view complaint) {
  const std::string option = absl::StrCat("'", complaint.substr(0, complaint.find(':')), "'");
  if (absl::StrContains(complaint, ": 1 required ")) return option + " needs a value";
  if (!absl::StrContains(complaint, ": At Most 1 required ")) return {};
  return option + " is given more than once, and takes one value";
}

// What is wrong with the arguments; an unknown option's value is among those that nothing takes.
std::string ComplaintOf(const CLI::App& app, const CLI::ParseError& error) {
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const std::string of_count = ComplaintOfCount(error.what());
  if (!of_count.empty()) return of_count;
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  if (unknown.empty() || (!is_missing && !is_extra)) return error.what();
  const CLI::App& command = NamedCommand(app);
  const bool is_misspelt = !CommandsOf(command).empty() && !absl::StartsWith(unknown.front(), "-");
  if (is_misspelt) return UnknownCommand(unknown.front(), command);
  for (const std::string& argument : unknown) {
    if (absl::StartsWith(argument, "-")) return UnknownOption(argument, command);
  }
  return is_missing ? error.what() : absl::StrCat("unexpected argument '", unknown.front(), "'");
}

// The text may hold parts of files and arguments, and those control characters.
void PrintError(const Terminal& terminal, absl::string_view text) {
  terminal.err << "slipstream: " << OnItsLines(std::string(text)) << '\n';
}

// Whether the arguments end before they name a command, and are right so far.
bool LacksCommand(const CLI::App& app, const CLI::ParseError& error) {
  return dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
         !CommandsOf(NamedCommand(app)).empty() && app.remaining(/*recurse=*/true).empty();
}

// Prints the help, or what is wrong with the arguments; returns the exit code.
int EndParsing(const CLI::App& app, const CLI::ParseError& error, const Terminal& terminal) {
  if (error.get_exit_code() == 0) return app.exit(error, terminal.out, terminal.err);
  if (LacksCommand(app, error)) {  // Not on standard output, where a script looks for a result.
    terminal.err << app.help();
    return 2;
  }
  PrintError(terminal, ComplaintOf(app, error));
  terminal.err << "Try --help after the command.\n";
  return 2;
}

// Whether the argument is or has the reason of an outcome, which is sent as text whatever it is.
bool IsReason(absl::string_view before, absl::string_view argument) {
  const auto is_in = [&](absl::string_view option) {
    return before == option || absl::StartsWith(argument, absl::StrCat(option, "="));
  };
  return is_in("--failed") || is_in("--infeasible") || is_in("--stopped");
}

// A usage error for the first argument that no message to the server could hold. The option before
// it is named, as the argument itself can hardly be read.
absl::Status CheckUtf8(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    if (client::IsUtf8(argv[i]) || IsReason(argv[i - 1], argv[i])) continue;
    const bool has_option = i > 1 && absl::StartsWith(argv[i - 1], "-");
    const std::string option = has_option ? absl::StrCat("'", argv[i - 1], "' ") : "";
    return UsageError(
        absl::StrCat("argument ", option, "'", absl::CHexEscape(argv[i]), "' is not UTF-8"));
  }
  return absl::OkStatus();
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv, const Terminal& terminal) {
  if (IsServe(argc, argv)) {
    const std::string failure = BecomeServer(argv);  // Returns only if there is no server.
    PrintError(terminal, failure);
    return 1;
  }
  if (const absl::Status status = CheckUtf8(argc, argv); !status.ok()) {
    PrintError(terminal, status.message());
    return ExitCode(status);
  }
  CLI::App app("Tunes black boxes with a Slipstream server: studies, trials, source tasks.",
               "slipstream");
  GlobalArguments arguments;
  Action action;
  app.formatter(HelpText(terminal.width));
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", absl::StrCat("slipstream ", SLIPSTREAM_VERSION));
  AddGlobalOptions(&app, &arguments);
  AddStudyCommands(&app, &action);
  AddTrialCommands(&app, &action);
  AddSourceCommands(&app, &action);
  AddPresetsCommand(&app, &action);
  AddServerCommands(&app, &action);
  AddServeCommand(&app);
  RefuseNamesAsValues(app, &app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return EndParsing(app, error, terminal);
  }
  if (!action) {
    PrintError(terminal, "'serve' must come first, its flags after it");
    return 2;
  }
  const absl::Status status = Run(app, arguments, action, terminal);
  if (!status.ok()) PrintError(terminal, status.message());
  if (const std::string advice = Advice(status); !advice.empty()) {
    terminal.err << OnItsLines(advice) << '\n';
  }
  return ExitCode(status);
}

}  // namespace slipstream::cli
