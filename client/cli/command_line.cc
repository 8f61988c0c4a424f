#include "client/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/presets_command.h"
#include "client/cli/source_commands.h"
#include "client/cli/status_macros.h"
#include "client/cli/study_commands.h"
#include "client/cli/trial_commands.h"
#include "client/cli/usage_error.h"

namespace slipstream::cli {
namespace {

// Outlasts a server's restart of a second or two, but soon tells a person that
// the server does not answer.
constexpr RetryOptions kRetry = {.initial_backoff = absl::Milliseconds(200),
                                 .max_backoff = absl::Seconds(2),
                                 .max_attempts = 5};

struct GlobalArguments {
  std::string address = ClientOptions().address;
  std::string format = "table";
  std::optional<double> timeout;  // In seconds.
};

void AddGlobalOptions(CLI::App* app, GlobalArguments* arguments) {
  app->add_option("--address", arguments->address, "The server, host:port or unix:path")
      ->envname("SLIPSTREAM_ADDRESS")
      ->capture_default_str();
  app->add_option("--format", arguments->format, "How results are written")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  app->add_option("--timeout", arguments->timeout, "Longest wait for one call, in seconds")
      ->check(CLI::Range(0.001, 86400.0))
      ->type_name("SECONDS");
}

Format FormatOf(const std::string& text) {
  if (text == "json") return Format::kJson;
  return text == "csv" ? Format::kCsv : Format::kTable;
}

void Limit(const std::optional<double>& timeout, Deadlines* deadlines) {
  if (!timeout.has_value()) return;
  deadlines->overall = absl::Seconds(*timeout);
  deadlines->attempt = std::min(deadlines->attempt, deadlines->overall);
}

ClientOptions OptionsOf(const GlobalArguments& arguments) {
  ClientOptions options;
  options.address = arguments.address;
  options.retry = kRetry;
  Limit(arguments.timeout, &options.call);
  Limit(arguments.timeout, &options.suggest);
  Limit(arguments.timeout, &options.registration);
  return options;
}

absl::Status Run(const GlobalArguments& arguments, const Action& action,
                 const Terminal& terminal) {
  auto client = Client::Connect(OptionsOf(arguments));
  RETURN_IF_ERROR(AsUsageError("", client.status()));
  Session session(**client, terminal, FormatOf(arguments.format));
  RETURN_IF_ERROR(action(session));
  terminal.out.flush();
  if (terminal.out.good()) return absl::OkStatus();
  return absl::DataLossError("the result could not be written out in full");
}

// Prints the help, or what is wrong with the arguments; returns the exit code.
int EndParsing(const CLI::App& app, const CLI::ParseError& error, const Terminal& terminal) {
  if (error.get_exit_code() == 0) return app.exit(error, terminal.out, terminal.err);
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  const bool no_such_command =
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !unknown.empty();
  const std::string complaint =
      no_such_command ? absl::StrCat("there is no command '", unknown.front(), "'") : error.what();
  terminal.err << "slipstream: " << complaint << "\nTry --help after the command.\n";
  return 2;
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv, const Terminal& terminal) {
  CLI::App app("Tunes black boxes with a Slipstream server: studies, trials, source tasks.",
               "slipstream");
  GlobalArguments arguments;
  Action action;
  app.require_subcommand(1);
  app.fallthrough();
  AddGlobalOptions(&app, &arguments);
  AddStudyCommands(&app, &action);
  AddTrialCommands(&app, &action);
  AddSourceCommands(&app, &action);
  AddPresetsCommand(&app, &action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return EndParsing(app, error, terminal);
  }
  const absl::Status status = Run(arguments, action, terminal);
  if (!status.ok()) terminal.err << "slipstream: " << status.message() << '\n';
  return ExitCode(status);
}

}  // namespace slipstream::cli
