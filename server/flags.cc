#include "server/flags.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/near_names.h"
#include "server/version.h"

namespace slipstream {
namespace {

constexpr char kAbout[] =
    "Slipstream: a server for black-box optimisation that learns from earlier\n"
    "studies. Serves gRPC; keeps everything in one SQLite file.\n";

constexpr char kFooter[] =
    "\nFlags may also be set in the environment (SLIPSTREAM_LISTEN for --listen) or a\n"
    "flag file (lines such as listen=\"127.0.0.1:7411\"). The command line takes\n"
    "precedence over the environment, and the environment over the file.\n"
    "On SIGTERM and SIGINT the server refuses new calls and gives those in progress\n"
    "at most --drain-seconds to finish. SIGHUP does the same in a terminal, is\n"
    "ignored under nohup, and otherwise rereads changed token, quota and certificate\n"
    "files.\n\n"
    "Example: slipstream_server --create --data /var/lib/slipstream";

// The text with lines of at most 80 characters, unless a word takes more. All lines begin `indent`
// characters from the left; the first has them already.
std::string Broken(const std::string& text, size_t indent) {
  constexpr size_t kWidth = 80;
  std::string lines;
  size_t column = indent;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (column > indent && column + 1 + word.size() > kWidth) {
      absl::StrAppend(&lines, "\n", std::string(indent, ' '));
      column = indent;
    }
    const absl::string_view gap = column > indent ? " " : "";
    absl::StrAppend(&lines, gap, word);
    column += gap.size() + word.size();
  }
  return lines;
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    constexpr size_t kIndent = 6;
    const size_t column = get_column_width();
    const std::string head = absl::StrCat(
        "  ", Broken(make_option_name(option, is_positional) + make_option_opts(option), kIndent));
    const std::string gap = head.size() < column ? std::string(column - head.size(), ' ')
                                                 : "\n" + std::string(column, ' ');
    return absl::StrCat(head, gap, Broken(make_option_desc(option), column), "\n");
  }
};

// $XDG_DATA_HOME/slipstream, else ~/.local/share/slipstream, else empty.
std::string DefaultDataFolder() {
  if (const char* data_home = std::getenv("XDG_DATA_HOME"); data_home && *data_home) {
    return absl::StrCat(data_home, "/slipstream");
  }
  if (const char* home = std::getenv("HOME"); home && *home) {
    return absl::StrCat(home, "/.local/share/slipstream");
  }
  return {};
}

bool IsThere(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) || error;
}

// Whether the text has only characters of decimal numbers, so that it is neither nan nor inf, and
// no leading zero: CLI11 would read 010 as 8.
bool LooksDecimal(const std::string& text) {
  const size_t first = text.find_first_not_of("+-");
  const bool octal = first != std::string::npos && text[first] == '0' && first + 1 < text.size() &&
                     absl::ascii_isdigit(static_cast<unsigned char>(text[first + 1]));
  return !octal && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
}

// A decimal number from `least` to `most`.
template <typename T>
CLI::Validator Between(T least, T most) {
  const CLI::Range range(least, most);
  const auto complaint = [range](const std::string& text) {
    if (!LooksDecimal(text)) {
      return absl::StrCat(text, " is not a decimal number without leading zeros, such as 10");
    }
    return range(text);
  };
  return CLI::Validator(complaint, range.get_description());
}

void AddServing(CLI::App* app, Flags* flags) {
  app->add_option("--listen", flags->server.listen, "Address to serve on; port 0 picks a free one")
      ->envname("SLIPSTREAM_LISTEN")
      ->capture_default_str()
      ->group("Serving");
  app->add_flag("--check-config", flags->check_config,
                "Check the flags, and the files and folders that they name, without serving or "
                "opening the store, and exit. The exit code is 0 if the server would start with "
                "them, 2 after a mistake in a flag or in a file that it names, and 1 after a "
                "problem that may go away by itself, such as a store that cannot be used")
      ->group("Serving");
  app->add_option("--address-file", flags->address_file,
                  "File to which the address is written once the server is ready")
      ->envname("SLIPSTREAM_ADDRESS_FILE")
      ->group("Serving");
  app->add_option("--max-message-bytes", flags->service.max_message_bytes,
                  "Largest message received or sent")
      ->envname("SLIPSTREAM_MAX_MESSAGE_BYTES")
      ->check(Between(64 << 10, 256 << 20))
      ->capture_default_str()
      ->group("Serving");
  app->add_option("--max-connections", flags->server.max_connections,
                  "Most connections at a time; further ones are refused")
      ->envname("SLIPSTREAM_MAX_CONNECTIONS")
      ->check(Between(1, 1000000))
      ->capture_default_str()
      ->group("Serving");
  app->add_option("--max-connections-per-address", flags->server.max_connections_per_address,
                  "Most connections at a time from one address, or one IPv6 /64 network")
      ->envname("SLIPSTREAM_MAX_CONNECTIONS_PER_ADDRESS")
      ->check(Between(1, 1000000))
      ->capture_default_str()
      ->group("Serving");
  app->add_option_function<int64_t>(
         "--call-memory-mib",
         [flags](const int64_t& mib) { flags->server.call_memory_bytes = mib << 20; },
         "Memory for messages, uploads and large requests in progress, in MiB")
      ->envname("SLIPSTREAM_CALL_MEMORY_MIB")
      ->check(Between(64, 1 << 20))
      ->default_str(absl::StrCat(flags->server.call_memory_bytes >> 20))
      ->group("Serving");
  app->add_option_function<double>(
         "--upload-idle-seconds",
         [flags](const double& seconds) { flags->server.max_upload_idle = absl::Seconds(seconds); },
         "How long an upload may send nothing before it is ended, and how long a message may stay "
         "incomplete before its connection is closed")
      ->envname("SLIPSTREAM_UPLOAD_IDLE_SECONDS")
      ->check(Between(0.1, 86400.0))
      ->default_str(absl::StrCat(absl::ToInt64Seconds(flags->server.max_upload_idle)))
      ->group("Serving");
  app->add_option("--drain-seconds", flags->drain_seconds,
                  "How long calls in progress have to finish after SIGTERM")
      ->envname("SLIPSTREAM_DRAIN_SECONDS")
      ->check(Between(0.0, 3600.0))
      ->capture_default_str()
      ->group("Serving");
  app->add_flag("--until-stdin-ends", flags->until_stdin_ends,
                "Drain when standard input ends, as it does when the process at its other end ends "
                "for any reason; Ctrl-C is left to that process")
      ->group("Serving");
  app->add_option("--compute-threads", flags->service.compute_threads,
                  "Threads that compute suggestions")
      ->envname("SLIPSTREAM_COMPUTE_THREADS")
      ->check(Between(1, 256))
      ->capture_default_str()
      ->group("Serving");
  app->add_option_function<double>(
         "--suggest-seconds",
         [flags](const double& seconds) { flags->service.suggest_budget = absl::Seconds(seconds); },
         "How long a Suggest call may compute; suggestions still missing then are made at once")
      ->envname("SLIPSTREAM_SUGGEST_SECONDS")
      ->check(Between(0.1, 3600.0))
      ->default_str(absl::StrCat(absl::ToDoubleSeconds(flags->service.suggest_budget)))
      ->group("Serving");
}

void AddTransfer(CLI::App* app, Flags* flags) {
  app->add_option_function<size_t>(
         "--fitted-source-mib",
         [flags](const size_t& mib) { flags->service.fitted_source_bytes = mib << 20; },
         "Memory for models of source tasks, in MiB")
      ->envname("SLIPSTREAM_FITTED_SOURCE_MIB")
      ->check(Between(1, 1 << 20))
      ->default_str(absl::StrCat(flags->service.fitted_source_bytes >> 20))
      ->group("Serving");
}

void AddStorage(CLI::App* app, Flags* flags, double* retention_hours) {
  app->add_option("--data", flags->data, "Folder that holds slipstream.db, or a file named *.db")
      ->envname("SLIPSTREAM_DATA")
      ->capture_default_str()
      ->group("Storage");
  app->add_flag("--create", flags->create,
                "Make the folder and a new store if there is no store; without this flag, a "
                "missing store is an error")
      ->envname("SLIPSTREAM_CREATE")
      ->group("Storage");
  app->add_flag("--create-default-folder", flags->create_default_folder,
                "Make the default folder with a new store if that folder does not exist; "
                "`slipstream serve` sets this flag. For any other --data use --create")
      ->group("Storage");
  app->add_option("--request-id-hours", *retention_hours,
                  "Minimum time to keep the answer to a request id for retries")
      ->envname("SLIPSTREAM_REQUEST_ID_HOURS")
      ->check(Between(0.1, 8760.0))
      ->capture_default_str()
      ->group("Storage");
  app->add_option("--max-trials-per-study", flags->store.max_trials_per_study,
                  "Maximum number of trials of one study")
      ->envname("SLIPSTREAM_MAX_TRIALS_PER_STUDY")
      ->check(Between(1, 10000000))
      ->capture_default_str()
      ->group("Storage");
  app->add_option_function<double>(
         "--delete-completed-after-days",
         [flags](const double& days) {
           flags->service.retention.delete_completed_after = days * absl::Hours(24);
         },
         "Delete completed studies, with their trials, once they have been unchanged for this many "
         "days (default: never)")
      ->envname("SLIPSTREAM_DELETE_COMPLETED_AFTER_DAYS")
      ->check(Between(1e-6, 36500.0))
      ->type_name("DAYS")
      ->group("Storage");
  app->add_option("--backup-folder", flags->service.backups.folder,
                  "Folder for the files that `slipstream server backup` makes; without it, that "
                  "command is refused")
      ->envname("SLIPSTREAM_BACKUP_FOLDER")
      ->type_name("FOLDER")
      ->group("Storage");
  app->add_flag("--check", flags->check, "Check the entire file for damage and exit")
      ->group("Storage");
  app->add_option(
         "--back-up-to", flags->back_up_to,
         "Copy the file to a new one, check the copy and exit; works while a server uses the file")
      ->group("Storage");
  app->add_option("--restore-from", flags->restore_from,
                  "Check a backup, put it in place where there is no store, and exit")
      ->group("Storage");
}

void AddAccess(CLI::App* app, Flags* flags) {
  const auto file = [&](const char* name, std::string* value, const char* environment,
                        const char* help) {
    app->add_option(name, *value, help)->envname(environment)->type_name("FILE")->group("Access");
  };
  file(
      "--token-file", &flags->token_file, "SLIPSTREAM_TOKEN_FILE",
      "Who may call: one line per caller, with role and projects, as --new-token prints it; read "
      "again when it changes. Without it everybody may do everything");
  app->add_option(
         "--new-token", flags->new_token,
         "Print a new token and its line for the token file, which are the two lines of standard "
         "output, and exit. The role is trainer, operator, ci or admin; projects are separated by "
         "commas, * stands for all")
      ->type_name("NAME:ROLE:PROJECTS")
      ->group("Access");
  file("--quota-file", &flags->quota_file, "SLIPSTREAM_QUOTA_FILE",
       "Limits of projects, a line for each: its name (* for all others), studies, trials, "
       "sources, mib and calls_per_second, each a number or - for no limit; read again when it "
       "changes. Without it no project is limited");
  file("--tls-certificate", &flags->server.tls.certificate, "SLIPSTREAM_TLS_CERTIFICATE",
       "The server's certificate chain in PEM form; read again when it changes");
  file("--tls-key", &flags->server.tls.key, "SLIPSTREAM_TLS_KEY", "The certificate's private key");
  file("--tls-client-ca", &flags->server.tls.client_ca, "SLIPSTREAM_TLS_CLIENT_CA",
       "Refuse callers without a certificate signed by one of those in this file");
  app->add_flag("--allow-plaintext,--insecure", flags->server.allow_plaintext_beyond_loopback,
                "Serve calls unencrypted, even on an address that other machines can reach")
      ->envname("SLIPSTREAM_ALLOW_PLAINTEXT")
      ->group("Access");
  file("--audit-log", &flags->audit_log, "SLIPSTREAM_AUDIT_LOG",
       "File to which to append who changed what and when, one JSON object per line");
  app->add_flag("--audit-reads", flags->calls.audit_reads,
                "Append to the audit log who read what, too: a line for each call that succeeds")
      ->envname("SLIPSTREAM_AUDIT_READS")
      ->group("Access");
}

void AddSight(CLI::App* app, Flags* flags) {
  app->add_option("--log-level", flags->log_level,
                  "Minimum level to log: debug (also each change), info (also refused calls), "
                  "warning or error")
      ->envname("SLIPSTREAM_LOG_LEVEL")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str()
      ->group("Logs and metrics");
  app->add_option_function<std::string>(
         "--log-format",
         [flags](const std::string& format) {
           flags->log_format = format == "json" ? LogFormat::kJson : LogFormat::kText;
         },
         "text for people, json for programs: one object per line")
      ->envname("SLIPSTREAM_LOG_FORMAT")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text")
      ->group("Logs and metrics");
  app->add_option_function<double>(
         "--slow-call-seconds",
         [flags](const double& seconds) { flags->calls.slow = absl::Seconds(seconds); },
         "Log calls that take longer than this")
      ->envname("SLIPSTREAM_SLOW_CALL_SECONDS")
      ->check(Between(0.0, 3600.0))
      ->default_str(absl::StrCat(absl::ToDoubleSeconds(flags->calls.slow)))
      ->group("Logs and metrics");
  app->add_option("--metrics-address", flags->metrics_address,
                  "Address to serve /metrics for Prometheus and /healthz on, such as "
                  "127.0.0.1:7412 (default: off). Anyone who can reach it can read them, without "
                  "encryption or a token")
      ->envname("SLIPSTREAM_METRICS_ADDRESS")
      ->group("Logs and metrics");
}

constexpr char kFlagFile[] = "--flag-file";

void AddFlagFile(CLI::App* app, std::string* file) {
  app->add_option(kFlagFile, *file, "File with flags")->envname("SLIPSTREAM_FLAG_FILE");
}

// Throws CLI::ParseError for `--name=`, since CLI11 would take what follows for the value, and for
// an option that is given twice, as it would take the last one, which may be left over.
std::vector<std::string> CommandLine(int argc, char** argv, const CLI::App& app) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::set<std::string> given;
  for (const std::string& argument : arguments) {
    const size_t end = argument.find('=');
    const std::string name = argument.substr(0, end);
    if (name.rfind("--", 0) != 0) continue;
    if (end + 1 == argument.size()) {
      throw CLI::ValidationError(name, "a value is missing after the =");
    }
    const CLI::Option* const option = app.get_option_no_throw(name);
    const bool takes_value = option != nullptr && option->get_items_expected_max() > 0;
    if (takes_value && !given.insert(name).second) {
      throw CLI::ValidationError(name, "is given twice, and takes one value");
    }
  }
  return arguments;
}

// CLI11 expects them in reverse.
void ParseInOrder(std::vector<std::string> arguments, CLI::App* app) {
  std::reverse(arguments.begin(), arguments.end());
  app->parse(std::move(arguments));
}

// Each of these does one thing and exits, so of several only one would be done.
void AllowOneTask(CLI::App* app) {
  const std::vector<std::string> tasks = {"--check", "--check-config", "--back-up-to",
                                          "--restore-from", "--new-token"};
  for (size_t i = 0; i < tasks.size(); ++i) {
    for (size_t j = 0; j < i; ++j) app->get_option(tasks[i])->excludes(tasks[j]);
  }
}

// If a shell variable was empty, the value is empty or is the next flag. Accepting either would
// start a server without what the flag is for, such as tokens.
std::string ComplaintOfValue(const std::string& value) {
  if (value.empty()) return "a value is missing";
  if (value.rfind("--", 0) != 0) return {};
  return absl::StrCat("a value is missing before ", value);
}

void RequireValues(CLI::App* app) {
  for (CLI::Option* const option : app->get_options()) {
    if (option->get_items_expected_max() > 0) option->check(ComplaintOfValue, "");
  }
}

std::string FlagFileOf(const std::vector<std::string>& command_line) {
  std::string file;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  AddFlagFile(&app, &file);
  try {
    ParseInOrder(command_line, &app);
  } catch (const CLI::ParseError&) {
    return {};  // Parsing all flags together reports the error.
  }
  return file;
}

// The items in the file. A folder can be opened like a file, and fails only when it is read.
std::vector<CLI::ConfigItem> ItemsInFile(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw CLI::FileError::Missing(file);
  std::vector<CLI::ConfigItem> items = CLI::ConfigTOML().from_config(in);
  if (in.bad()) throw CLI::FileError(absl::StrCat(file, " cannot be read; is it a folder?"));
  return items;
}

// The flags that the file sets and the environment does not, as arguments. Throws
// CLI::ParseError when the file cannot be read or sets what a file may not.
std::vector<std::string> FlagsInFile(const std::string& file, const CLI::App& app) {
  std::vector<std::string> arguments;
  std::set<std::string> set;
  if (file.empty()) return arguments;
  for (const CLI::ConfigItem& item : ItemsInFile(file)) {
    const std::string name = absl::StrCat("--", item.fullname());
    const CLI::Option* const option = app.get_option_no_throw(name);
    if (option == nullptr || option->get_envname().empty() || name == kFlagFile) {
      throw CLI::ConfigError(
          absl::StrCat(file, ": ", item.fullname(), " is not a flag for a file"));
    }
    if (item.inputs.size() != 1 || item.inputs.front().empty()) {
      throw CLI::ConfigError(absl::StrCat(file, ": ", item.fullname(), " needs one value"));
    }
    if (!set.insert(name).second) {
      throw CLI::ConfigError(absl::StrCat(file, ": ", item.fullname(), " is set twice"));
    }
    if (std::getenv(option->get_envname().c_str()) != nullptr) continue;
    arguments.push_back(absl::StrCat(name, "=", item.inputs.front()));
  }
  return arguments;
}

constexpr absl::string_view kVariablePrefix = "SLIPSTREAM_";

// The word after the prefix, without the S of a plural: "TOKEN" for SLIPSTREAM_TOKENS.
std::string SubjectOf(const std::string& name) {
  const std::string rest = name.substr(kVariablePrefix.size());
  std::string word = rest.substr(0, rest.find('_'));
  if (!word.empty() && word.back() == 'S') word.pop_back();
  return word;
}

// Kubernetes gives every container such variables for each service, whatever it is called.
bool IsOfOrchestrator(const std::string& name) {
  return absl::StrContains(name, "_SERVICE_") || absl::StrContains(name, "_PORT");
}

// With a misspelt variable, a server would start without what the variable sets, such as tokens. So
// one that begins with the first word of a flag's variable, or is two letters from one, is refused.
// Others with our prefix are left alone: clients, tests and orchestrators use some too.
void CheckSpelling(const std::vector<std::string>& known) {
  constexpr size_t kFarthestMisspelling = 2;
  static constexpr absl::string_view kOfClients[] = {"SLIPSTREAM_ADDRESS", "SLIPSTREAM_TOKEN"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string entry = *variable;
    const std::string name = entry.substr(0, entry.find('='));
    if (!absl::StartsWith(name, kVariablePrefix) || IsOfOrchestrator(name)) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (std::find(std::begin(kOfClients), std::end(kOfClients), name) != std::end(kOfClients)) {
      continue;
    }
    const auto meant = std::min_element(
        known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
          const auto distance = [&](const std::string& one) {
            return std::tuple(SubjectOf(one) != SubjectOf(name), !absl::StartsWith(one, name),
                              LettersBetween(name, one));
          };
          return distance(a) < distance(b);
        });
    if (meant == known.end()) return;
    if (SubjectOf(*meant) != SubjectOf(name) &&
        LettersBetween(name, *meant) > kFarthestMisspelling) {
      continue;
    }
    throw CLI::ConfigError(absl::StrCat(name, " is not a variable of the server; is ", *meant,
                                        " meant? Correct its name, or unset it"));
  }
}

// An empty variable is more likely a mistake than a wish to run without, say, a token file.
void CheckEnvironment(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_envname();
    if (!name.empty()) known.push_back(name);
    const char* const set = name.empty() ? nullptr : std::getenv(name.c_str());
    if (set == nullptr || *set != '\0') continue;
    throw CLI::ConfigError(absl::StrCat(name, " is empty; give it a value, or unset it"));
  }
  CheckSpelling(known);
}

// The file's flags come first, because the last of several values wins.
void Parse(int argc, char** argv, CLI::App* app) {
  const std::vector<std::string> command_line = CommandLine(argc, argv, *app);
  CheckEnvironment(*app);
  std::vector<std::string> arguments = FlagsInFile(FlagFileOf(command_line), *app);
  arguments.insert(arguments.end(), command_line.begin(), command_line.end());
  ParseInOrder(std::move(arguments), app);
}

}  // namespace

ParsedFlags ParseFlags(int argc, char** argv) {
  Flags flags;
  flags.data = DefaultDataFolder();
  double retention_hours = absl::ToDoubleHours(flags.store.retention);
  CLI::App app(kAbout, "slipstream_server");
  app.footer(kFooter);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", absl::StrCat("slipstream_server ", kVersion));
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::string flag_file;
  AddFlagFile(&app, &flag_file);
  AddServing(&app, &flags);
  AddTransfer(&app, &flags);
  AddStorage(&app, &flags, &retention_hours);
  AddAccess(&app, &flags);
  AddSight(&app, &flags);
  RequireValues(&app);
  AllowOneTask(&app);
  try {
    Parse(argc, argv, &app);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return {std::nullopt, code == 0 ? 0 : kUsageError};
  }
  if (flags.data.empty() && flags.new_token.empty()) {
    std::cerr << "slipstream_server: --data is required without a home folder\n";
    return {std::nullopt, kUsageError};
  }
  if (flags.calls.audit_reads && flags.audit_log.empty()) {
    std::cerr << "slipstream_server: --audit-reads requires --audit-log\n";
    return {std::nullopt, kUsageError};
  }
  // A default folder that exists without its store has lost it, so no new store is made there.
  flags.create |= flags.create_default_folder && flags.data == DefaultDataFolder() &&
                  !IsThere(flags.data);
  flags.store.retention = absl::Hours(retention_hours);
  flags.service.version = kVersion;
  return {std::move(flags), 0};
}

}  // namespace slipstream
