// slipstream_server: opens the store, serves until a signal arrives, drains.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/access/token_file.h"
#include "server/access/token_hash.h"
#include "server/configuration_check.h"
#include "server/data_store.h"
#include "server/drain_limit.h"
#include "server/flags.h"
#include "server/grpc/grpc_log.h"
#include "server/grpc/handshake_peers.h"
#include "server/grpc/server.h"
#include "server/grpc/tls_watch.h"
#include "server/permissions.h"
#include "server/server_log.h"
#include "server/service/latest_backup.h"
#include "server/service/server_condition.h"
#include "server/service/service.h"
#include "server/service_manager.h"
#include "server/signals.h"
#include "server/telemetry/audit_log.h"
#include "server/telemetry/call_monitor.h"
#include "server/telemetry/log.h"
#include "server/telemetry/metrics.h"
#include "server/telemetry/scrape_endpoint.h"
#include "server/telemetry/upkeep.h"
#include "server/version.h"

namespace slipstream {
namespace {

// The priority of the threads that fit source tasks and tell watchers: calls come first.
constexpr int kFittingNiceness = 15;
// The priority of the threads that also take later turns of computations, so that calls that take
// a single turn come first. A higher niceness gains nothing, and slows suggestions down where
// trainers share the machine.
constexpr int kComputingNiceness = 5;
// The priority of the thread that verifies tokens: calls come before guesses.
constexpr int kVerifyingNiceness = 5;

// Files and connections would otherwise be given those of the standard streams that are closed, and
// the log would be written to them.
void OpenStandardStreams() {
  int opened = -1;
  do {
    opened = open("/dev/null", O_RDWR);
  } while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0) close(opened);
}

// Changes the calling thread alone, which is process 0 on Linux.
void BeNicerBy(int niceness) {
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness);
}

absl::Status MakeFolderOf(const std::string& file) {
  const std::string folder = std::filesystem::absolute(file).parent_path();
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), error);
  // What is stored is nobody else's business, whatever the umask.
  if (!error && mkdir(folder.c_str(), S_IRWXU) == 0) return absl::OkStatus();
  if (!error) error = std::error_code(errno, std::generic_category());
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("cannot create the data folder ", folder, ": ", error.message()));
}

// Writes the file by renaming, so that a process that waits for it never reads a part.
absl::Status WriteAddress(const std::string& file, const std::string& address) {
  if (file.empty()) return absl::OkStatus();
  const std::string partial = absl::StrCat(file, ".partial");
  std::error_code error;
  {
    std::ofstream out(partial, std::ios::trunc);
    out << address << "\n";
    if (!out.flush().good()) error = std::error_code(errno, std::generic_category());
  }
  if (!error) std::filesystem::rename(partial, file, error);
  if (!error) return absl::OkStatus();
  return absl::Status(
      absl::ErrnoToStatusCode(error.value()),
      absl::StrCat("--address-file ", file, " cannot be written: ", error.message()));
}

// Since when the store has had something that a backup could have.
absl::Time BeginOf(Store& store) {
  const absl::Time now = absl::Now();
  const absl::StatusOr<std::vector<StudyRecord>> oldest =
      store.ListStudies({.limit = 1});
  if (!oldest.ok() || oldest->empty()) return now;
  return std::min(now, absl::FromUnixSeconds(oldest->front().create_ms / 1000));
}

// Backups are made by call if there is a folder for them, which `latest` then looks at.
absl::Status PrepareBackups(Flags* flags, Log* log, std::optional<LatestBackup>* latest) {
  BackupOptions& backups = flags->service.backups;
  if (backups.folder.empty()) return absl::OkStatus();
  SLIPSTREAM_RETURN_IF_ERROR(CheckBackupFolder(*flags));
  std::error_code error;
  backups.folder = std::filesystem::absolute(backups.folder, error);
  latest->emplace(backups.folder, [data = flags->data](const std::string& file) {
    return IsFileOfDataStore(data, file);
  });
  backups.copy = [data = flags->data](const std::string& file, const std::stop_token& stop) {
    return BackUpDataStore(data, file, stop);
  };
  backups.on_backup = [log, latest](const std::string& file, const absl::Status& status,
                                    absl::Duration took) {
    if (status.ok()) (*latest)->Note(absl::Now());
    LogFields fields = {{"to", file}, {"seconds", absl::ToDoubleSeconds(took)}};
    if (!status.ok()) fields.push_back({"message", std::string(status.message())});
    // That the name is taken is the caller's mistake.
    const LogLevel failure = absl::IsAlreadyExists(status) ? LogLevel::kWarning : LogLevel::kError;
    log->Write(status.ok() ? LogLevel::kInfo : failure,
               status.ok() ? "backed up" : "cannot back up", fields);
  };
  return absl::OkStatus();
}

// What metrics are taken from.
struct Measured {
  Store* store = nullptr;
  Service* service = nullptr;
  CallMonitor* monitor = nullptr;
  const Server* server = nullptr;
  const AuditLog* audit = nullptr;  // Null: none.
  const std::atomic<bool>* is_draining = nullptr;
  std::function<ServerCondition()> condition;
  std::optional<absl::Time> without_backup_since;  // Absent: none can be made by a call.
};

// `tls` is null until the server has started, and `latest_backup` empty without a folder for them.
ServerCondition ConditionOf(const Permissions& permissions, const TlsWatch* tls,
                            const std::optional<LatestBackup>& latest_backup) {
  ServerCondition condition;
  permissions.AppendFilesInForce(&condition.files);
  if (tls != nullptr) {
    const std::optional<bool> in_force = tls->is_in_force();
    if (in_force.has_value()) condition.files.push_back({"tls", *in_force});
    condition.certificate_end = tls->certificate_end();
    condition.authorities_end = tls->authorities_end();
  }
  if (latest_backup.has_value()) condition.last_backup = latest_backup->time();
  return condition;
}

// What a reload led to; earlier lines say why a file is not in force.
void LogReload(const std::vector<FileInForce>& files, Log* log) {
  std::vector<std::string> in_force;
  std::vector<std::string> not_in_force;
  for (const FileInForce& file : files) {
    (file.is_in_force ? in_force : not_in_force).push_back(file.name);
  }
  if (in_force.empty() && not_in_force.empty()) {
    return log->Write(LogLevel::kInfo, "nothing to reload",
                      {{"signal", "SIGHUP"},
                       {"message", "the server has no token file, quota file or TLS files"}});
  }
  log->Write(not_in_force.empty() ? LogLevel::kInfo : LogLevel::kWarning, "reload",
             {{"signal", "SIGHUP"},
              {"in_force", absl::StrJoin(in_force, ",")},
              {"not_in_force", absl::StrJoin(not_in_force, ",")}});
}

ServerFigures FiguresOf(const Measured& measured) {
  ServerFigures figures;
  figures.version = kVersion;
  figures.calls = measured.monitor->Figures();
  figures.open_calls = measured.monitor->open();
  figures.refused_connections =
      measured.server->refused_connections(Listener::Limit::kConnections);
  figures.refused_connections_of_an_address =
      measured.server->refused_connections(Listener::Limit::kOfAnAddress);
  figures.closed_connections = measured.server->closed_connections();
  figures.failed_handshakes = FailedHandshakes();
  if (measured.audit != nullptr) figures.audit_failures = measured.audit->failures();
  figures.condition = measured.condition();
  figures.without_backup_since = measured.without_backup_since;
  figures.service = measured.service->Figures();
  if (const absl::StatusOr<StoreCounts> counts = measured.store->Count(); counts.ok()) {
    figures.counts = *counts;
  }
  return figures;
}

absl::StatusOr<std::unique_ptr<ScrapeEndpoint>> StartScraping(const std::string& address,
                                                              const Measured& measured) {
  if (address.empty()) return std::unique_ptr<ScrapeEndpoint>();
  ScrapeEndpoint::Pages pages;
  pages.metrics = [measured] { return MetricsText(FiguresOf(measured)); };
  pages.health = [store = measured.store, is_draining = measured.is_draining] {
    if (*is_draining) return absl::UnavailableError("the server is shutting down");
    const std::string refusal = store->Figures().database.refusal;
    return refusal.empty() ? absl::OkStatus() : absl::UnavailableError(refusal);
  };
  return ScrapeEndpoint::Start(address, std::move(pages));
}

// What comes after calls have ended, such as merging the log into the database.
constexpr double kSecondsToClose = 20;

// With --until-stdin-ends NOTIFY_SOCKET is for the parent process, not for this one.
void TellManager(const Flags& flags, Log* log, const std::string& lines) {
  if (flags.until_stdin_ends) return;
  const absl::Status told = TellServiceManager(lines);
  if (told.ok()) return;
  log->Write(LogLevel::kWarning, "cannot notify the service manager",
             {{"state", lines.substr(0, lines.find('\n'))},
              {"message", std::string(told.message())}});
}

absl::Status Serve(Flags flags, Signals signals, Log* log) {
  if (flags.until_stdin_ends) sigdelset(&signals.waited_for, SIGINT);  // It is for the parent.
  SLIPSTREAM_RETURN_IF_ERROR(AsMistake(Server::CheckAddress(flags.server)));
  SLIPSTREAM_RETURN_IF_ERROR(CheckMetricsAddress(flags));
  SLIPSTREAM_RETURN_IF_ERROR(CheckFilesApart(flags));
  if (flags.create) SLIPSTREAM_RETURN_IF_ERROR(MakeFolderOf(DataStoreName(flags.data)));
  log->Write(LogLevel::kInfo, "starting", Settings(flags));
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const std::unique_ptr<Permissions> permissions,
      AsMistake(Permissions::Open(&flags, log, [] { BeNicerBy(kVerifyingNiceness); })));
  const std::string holder = absl::StrCat("slipstream_server, process ", getpid(),
                                          ", asked to serve on ", flags.server.listen);
  TellManager(flags, log, "STATUS=opening the store");
  // Before the store is opened, as that may upgrade it, which cannot be undone.
  std::optional<LatestBackup> latest_backup;
  SLIPSTREAM_RETURN_IF_ERROR(PrepareBackups(&flags, log, &latest_backup));
  std::unique_ptr<AuditLog> audit;
  if (!flags.audit_log.empty()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(audit, AsMistake(AuditLog::Open(flags.audit_log)));
  }
  LogStore(log, &flags.store);
  std::error_code error;
  const std::string file = DataStoreName(flags.data);
  const uintmax_t size = std::filesystem::file_size(file, error);
  const bool is_new = flags.create && (error || size == 0);
  // Making a store does not take long, and half of one would have to be made again.
  std::optional<EndWhileStarting> end;
  if (!is_new) {
    end.emplace(signals, [log](int signal_number) {
      log->Write(LogLevel::kInfo, "ended while starting",
                 {{"signal", std::string(strsignal(signal_number))}});
    });
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                              OpenDataStore(flags.data, holder, flags.create, flags.store));
  end.reset();
  std::optional<absl::Time> without_backup_since;
  if (!flags.service.backups.folder.empty()) without_backup_since = BeginOf(*store);
  // After a store was lost this must not go unnoticed.
  if (is_new) {
    log->Write(LogLevel::kWarning, "made a new store, which is empty",
               {{"store", DataStoreName(flags.data)}});
  }
  // Fits of source tasks take what suggestions leave.
  flags.service.on_fitting_thread = [] { BeNicerBy(kFittingNiceness); };
  flags.service.on_computing_thread = [] { BeNicerBy(kComputingNiceness); };
  flags.service.events.on_thread = flags.service.on_fitting_thread;
  LogEvents(log, &flags.service);
  flags.calls.audit = audit.get();
  LogExpiry(&flags, log, audit.get());
  CallMonitor monitor(log, flags.calls);
  flags.server.monitor = &monitor;
  flags.server.on_refused = [log](const std::string& text) {
    log->WriteLimited(LogLevel::kWarning, "refused connections", text, [] { return LogFields(); });
  };
  DrainLimit limit([log] {
    log->Write(LogLevel::kError, "exits although some calls have not ended; perhaps a disk hangs");
  });
  std::optional<TlsWatch> tls;  // Outlives the service, whose status tells of it.
  std::atomic<const TlsWatch*> known_tls{nullptr};
  flags.service.condition = [&] { return ConditionOf(*permissions, known_tls, latest_backup); };
  Service service(store.get(), flags.service);
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Server> server,
                              Server::Start(flags.server, &service));
  tls.emplace(flags.server.tls, server->tls(), [&] { return server->DisconnectAll(); }, log);
  known_tls = &*tls;
  std::atomic<bool> is_draining{false};
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const std::unique_ptr<ScrapeEndpoint> endpoint,
      StartScraping(flags.metrics_address, {.store = store.get(),
                                            .service = &service,
                                            .monitor = &monitor,
                                            .server = server.get(),
                                            .audit = audit.get(),
                                            .is_draining = &is_draining,
                                            .condition = flags.service.condition,
                                            .without_backup_since = without_backup_since}));
  SLIPSTREAM_RETURN_IF_ERROR(AsMistake(WriteAddress(flags.address_file, server->address())));
  log->Write(LogLevel::kInfo, "serving",
             {{"version", std::string(kVersion)},
              {"address", server->address()},
              {"metrics", endpoint == nullptr ? "off" : endpoint->address()},
              {"sighup", NameOf(signals.hang_up)},
              {"store", DataStoreName(flags.data)}});
  Upkeep upkeep(
      store.get(), log, [&](bool healthy) { server->SetHealthy(healthy); },
      [&service](const LeaseSweep& sweep) { service.NoteSweep(sweep); });
  TellManager(flags, log, absl::StrCat("READY=1\nSTATUS=serving on ", server->address()));
  // If memory runs out, the rest is done a second later.
  const auto each_second = [&] {
    OrOutOfMemory([&] {
      upkeep.Run();
      permissions->ReadAgain();
      tls->Look();
      return absl::OkStatus();
    }).IgnoreError();
  };
  const auto reload = [&] {
    OrOutOfMemory([&] {
      permissions->ReadAgain();
      tls->LookAtFinishedFiles();
      LogReload(flags.service.condition().files, log);
      return absl::OkStatus();
    }).IgnoreError();
  };
  const std::optional<int> signal_number =
      WaitForEnd(flags.until_stdin_ends, signals, each_second, reload);
  is_draining = true;
  log->Write(LogLevel::kInfo, "draining",
             {signal_number.has_value()
                  ? LogField{"signal", std::string(strsignal(*signal_number))}
                  : LogField{"message", "standard input ended (--until-stdin-ends)"},
              {"at_most_seconds", flags.drain_seconds}});
  const double most_seconds = flags.drain_seconds + kMostSecondsToCancel;
  TellManager(flags, log, absl::StrCat("STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=",
                                static_cast<int64_t>((most_seconds + kSecondsToClose) * 1e6)));
  limit.Begin(absl::Seconds(most_seconds));
  OnUnfinishedHandshake(nullptr);  // From now on, it is the server that ends them.
  server->Drain(absl::Seconds(flags.drain_seconds));
  log->TellOfRepeats();
  LogEnd(service, log);
  const DatabaseFigures database = store->Figures().database;
  return database.halted ? absl::DataLossError(database.refusal) : absl::OkStatus();
}

// Prints a token and its line, each on a line of standard output for scripts, and what they are to
// standard error. Neither is kept or logged.
absl::Status PrintNewToken(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  if (parts.size() != 3) {
    return InvalidField("--new-token", text, "NAME:ROLE:PROJECTS, such as ann:trainer:default");
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const Identity identity, ParseIdentity(parts[0], parts[1], parts[2]));
  SLIPSTREAM_ASSIGN_OR_RETURN(const Token token, MakeToken(identity.name));
  std::cerr << "The token, for " << identity.name << " alone; it is not shown again:" << std::endl;
  std::cout << token.text << std::endl;
  std::cerr << "\nIts line for the token file:" << std::endl;
  std::cout << TokenLine(identity, token.hash) << std::flush;
  if (std::cout.good()) return absl::OkStatus();
  return absl::UnavailableError("the token cannot be written to standard output");
}

// The missing parent folders of this file, innermost first.
std::vector<std::filesystem::path> MissingFolders(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> missing;
  std::error_code error;
  for (auto folder = file.parent_path(); !std::filesystem::exists(folder, error) && !error;
       folder = folder.parent_path()) {
    missing.push_back(folder);
  }
  return missing;
}

// Folders that were made for nothing go again.
absl::Status Restore(const Flags& flags) {
  const std::filesystem::path store = std::filesystem::absolute(DataStoreName(flags.data));
  const std::vector<std::filesystem::path> made = MissingFolders(store);
  SLIPSTREAM_RETURN_IF_ERROR(MakeFolderOf(store));
  const absl::Status restored = RestoreDataStore(flags.data, flags.restore_from);
  if (restored.ok() || made.empty()) return restored;
  std::error_code error;
  std::filesystem::remove(absl::StrCat(store.string(), ".lock"), error);
  for (const std::filesystem::path& folder : made) std::filesystem::remove(folder, error);
  return restored;
}

// What a flag asks for instead of serving.
absl::Status DoTask(const Flags& flags, Log* log) {
  if (!flags.new_token.empty()) return PrintNewToken(flags.new_token);
  if (flags.check_config) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckConfiguration(flags, log));
    log->Write(LogLevel::kInfo, "the configuration is sound",
               {{"store", DataStoreName(flags.data)}});
    return absl::OkStatus();
  }
  if (flags.check) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckDataStore(flags.data));
    log->Write(LogLevel::kInfo, "sound", {{"store", DataStoreName(flags.data)}});
    return absl::OkStatus();
  }
  if (!flags.back_up_to.empty()) {
    SLIPSTREAM_RETURN_IF_ERROR(BackUpDataStore(flags.data, flags.back_up_to));
    log->Write(LogLevel::kInfo, "copied",
               {{"store", DataStoreName(flags.data)}, {"to", flags.back_up_to}});
    return absl::OkStatus();
  }
  SLIPSTREAM_RETURN_IF_ERROR(Restore(flags));
  log->Write(LogLevel::kInfo, "restored",
             {{"store", DataStoreName(flags.data)}, {"from", flags.restore_from}});
  return absl::OkStatus();
}

absl::Status Run(const Flags& flags, const Signals& signals, Log* log) {
  if (!flags.has_task()) return Serve(flags, signals, log);
  UnblockSignals(signals);
  return DoTask(flags, log);
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  slipstream::OpenStandardStreams();
  const slipstream::ParsedFlags parsed = slipstream::ParseFlags(argc, argv);
  if (!parsed.flags) return parsed.exit_code;
  // A flag file may be a pipe, whose reader can be interrupted.
  const slipstream::Signals signals = slipstream::BlockSignals();
  slipstream::LogOptions options;
  options.level = slipstream::LogLevelOf(parsed.flags->log_level);
  options.format = parsed.flags->log_format;
  // Never destroyed: gRPC's threads may write to it until the process ends.
  static slipstream::Log& log = *new slipstream::Log(std::move(options));
  const slipstream::GrpcLog grpc_log(&log);
  const absl::Status status = slipstream::Run(*parsed.flags, signals, &log);
  if (status.ok()) return 0;
  log.Write(slipstream::LogLevel::kError, "ended", {{"message", std::string(status.message())}});
  return absl::IsInvalidArgument(status) ? slipstream::kUsageError : 1;
}
