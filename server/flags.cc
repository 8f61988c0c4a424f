#include "server/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/version.h"

namespace slipstream {
namespace {

constexpr char kAbout[] =
    "Slipstream: black-box optimisation in which every new study rides in the slipstream of\n"
    "earlier ones. Serves gRPC; keeps everything in one SQLite file.\n";

constexpr char kFooter[] =
    "\nFlags may also be set in the environment (SLIPSTREAM_LISTEN for --listen) or a flag file\n"
    "(lines such as listen=\"127.0.0.1:7411\"); the command line wins, then the environment.\n"
    "On SIGTERM and SIGINT the server refuses new calls and finishes those in progress, for at\n"
    "most --drain-seconds.\n\n"
    "Example: slipstream_server --data /var/lib/slipstream --listen 127.0.0.1:7411";

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

void AddServing(CLI::App* app, Flags* flags) {
  app->add_option("--listen", flags->server.listen, "Address to serve on; port 0 picks a free one")
      ->envname("SLIPSTREAM_LISTEN")
      ->capture_default_str()
      ->group("Serving");
  app->add_flag("--allow-plaintext", flags->server.allow_plaintext_beyond_loopback,
                "Serve unencrypted on an address that other machines can reach")
      ->envname("SLIPSTREAM_ALLOW_PLAINTEXT")
      ->group("Serving");
  app->add_option("--address-file", flags->address_file,
                  "File to write the address to when ready to serve")
      ->envname("SLIPSTREAM_ADDRESS_FILE")
      ->group("Serving");
  app->add_option("--max-message-bytes", flags->service.max_message_bytes,
                  "Largest message received or sent")
      ->envname("SLIPSTREAM_MAX_MESSAGE_BYTES")
      ->check(CLI::Range(64 << 10, 256 << 20))
      ->capture_default_str()
      ->group("Serving");
  app->add_option("--drain-seconds", flags->drain_seconds,
                  "How long calls in progress may take after SIGTERM")
      ->envname("SLIPSTREAM_DRAIN_SECONDS")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str()
      ->group("Serving");
  app->add_option("--compute-threads", flags->service.compute_threads,
                  "Threads that compute suggestions")
      ->envname("SLIPSTREAM_COMPUTE_THREADS")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->group("Serving");
}

void AddTransfer(CLI::App* app, Flags* flags) {
  app->add_option_function<size_t>(
         "--fitted-source-mib",
         [flags](const size_t& mib) { flags->service.fitted_source_bytes = mib << 20; },
         "Memory for models of source tasks, in MiB")
      ->envname("SLIPSTREAM_FITTED_SOURCE_MIB")
      ->check(CLI::Range(1, 1 << 20))
      ->default_str(absl::StrCat(flags->service.fitted_source_bytes >> 20))
      ->group("Serving");
}

void AddStorage(CLI::App* app, Flags* flags, double* retention_hours) {
  app->add_option("--data", flags->data, "Folder of slipstream.db; created if it does not exist")
      ->envname("SLIPSTREAM_DATA")
      ->capture_default_str()
      ->group("Storage");
  app->add_option("--request-id-hours", *retention_hours,
                  "How long the answer to a request id is kept for repeats, at least")
      ->envname("SLIPSTREAM_REQUEST_ID_HOURS")
      ->check(CLI::Range(0.1, 8760.0))
      ->capture_default_str()
      ->group("Storage");
  app->add_option("--max-trials-per-study", flags->store.max_trials_per_study,
                  "Most trials that one study may have")
      ->envname("SLIPSTREAM_MAX_TRIALS_PER_STUDY")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str()
      ->group("Storage");
  app->add_flag("--check", flags->check, "Check the whole file for damage and exit")
      ->group("Storage");
  app->add_option("--back-up-to", flags->back_up_to,
                  "Copy the file to a new one and exit; a server may be using the file")
      ->group("Storage");
}

constexpr char kFlagFile[] = "--flag-file";

void AddFlagFile(CLI::App* app, std::string* file) {
  app->add_option(kFlagFile, *file, "File with flags")->envname("SLIPSTREAM_FLAG_FILE");
}

std::string FlagFileOf(int argc, char** argv) {
  std::string file;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  AddFlagFile(&app, &file);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError&) {
    return {};  // Parsing all flags together reports the error.
  }
  return file;
}

// The flags that the file sets and the environment does not, as arguments. Throws
// CLI::ParseError when the file cannot be read or sets what a file may not.
std::vector<std::string> FlagsInFile(const std::string& file, const CLI::App& app) {
  std::vector<std::string> arguments;
  if (file.empty()) return arguments;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_file(file)) {
    const std::string name = absl::StrCat("--", item.fullname());
    const CLI::Option* const option = app.get_option_no_throw(name);
    if (option == nullptr || option->get_envname().empty() || name == kFlagFile) {
      throw CLI::ConfigError(absl::StrCat(file, ": ", item.fullname(), " is no flag for a file"));
    }
    if (item.inputs.size() != 1) {
      throw CLI::ConfigError(absl::StrCat(file, ": ", item.fullname(), " needs one value"));
    }
    const char* const set = std::getenv(option->get_envname().c_str());
    if (set != nullptr && *set != '\0') continue;
    arguments.push_back(absl::StrCat(name, "=", item.inputs.front()));
  }
  return arguments;
}

// The file's flags come first, because the last of several values wins.
void Parse(int argc, char** argv, CLI::App* app) {
  std::vector<std::string> arguments = FlagsInFile(FlagFileOf(argc, argv), *app);
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 expects them in reverse.
  app->parse(std::move(arguments));
}

}  // namespace

ParsedFlags ParseFlags(int argc, char** argv) {
  Flags flags;
  flags.data = DefaultDataFolder();
  double retention_hours = absl::ToDoubleHours(flags.store.retention);
  CLI::App app(kAbout, "slipstream_server");
  app.footer(kFooter);
  app.set_version_flag("--version", absl::StrCat("slipstream_server ", kVersion));
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::string flag_file;
  AddFlagFile(&app, &flag_file);
  app.add_option("--log-level", flags.log_level, "debug, info, warning or error")
      ->envname("SLIPSTREAM_LOG_LEVEL")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str();
  AddServing(&app, &flags);
  AddTransfer(&app, &flags);
  AddStorage(&app, &flags, &retention_hours);
  try {
    Parse(argc, argv, &app);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return {std::nullopt, code == 0 ? 0 : 2};
  }
  if (flags.data.empty()) {
    std::cerr << "slipstream_server: --data is required without a home folder\n";
    return {std::nullopt, 2};
  }
  flags.store.retention = absl::Hours(retention_hours);
  flags.service.version = kVersion;
  return {std::move(flags), 0};
}

}  // namespace slipstream
