// slipstream_server: opens the store, serves until a signal arrives, drains.
#include <pthread.h>
#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/data_store.h"
#include "server/flags.h"
#include "server/grpc/server.h"
#include "server/service/service.h"
#include "server/version.h"

namespace slipstream {
namespace {

// The priority of the threads that fit source tasks and tell watchers: calls come first.
constexpr int kFittingNiceness = 15;

// Blocks the signals that end the server, in this thread and all that it starts.
sigset_t BlockEndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

void StartLog(const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("slipstream"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  spdlog::set_level(spdlog::level::from_str(level));
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("cannot create the data folder ", folder, ": ", error.message()));
}

// Writes the file by renaming, so that whoever waits for it never reads a part.
absl::Status WriteAddress(const std::string& file, const std::string& address) {
  if (file.empty()) return absl::OkStatus();
  const std::string partial = absl::StrCat(file, ".partial");
  std::error_code error;
  bool written = false;
  {
    std::ofstream out(partial, std::ios::trunc);
    out << address << "\n";
    written = out.flush().good();
  }
  if (written) std::filesystem::rename(partial, file, error);
  if (written && !error) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("cannot write the address file ", file));
}

absl::Status Serve(Flags flags, const sigset_t& signals) {
  SLIPSTREAM_RETURN_IF_ERROR(Server::CheckAddress(flags.server));
  SLIPSTREAM_RETURN_IF_ERROR(MakeFolder(flags.data));
  const std::string holder = absl::StrCat("slipstream_server, process ", getpid(),
                                          ", asked to serve on ", flags.server.listen);
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                              OpenDataStore(flags.data, holder, flags.store));
  // Fits of source tasks take what suggestions leave. On Linux, process 0 stands for the calling
  // thread alone.
  flags.service.on_fitting_thread = [] { setpriority(PRIO_PROCESS, 0, kFittingNiceness); };
  flags.service.events.on_thread = flags.service.on_fitting_thread;
  flags.service.on_lease_sweep = [](const LeaseSweep& sweep) {
    spdlog::info("leases that ran out: {}; configurations queued again: {}", sweep.stale,
                 sweep.queued_again);
  };
  Service service(store.get(), flags.service);
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Server> server,
                              Server::Start(flags.server, &service));
  SLIPSTREAM_RETURN_IF_ERROR(WriteAddress(flags.address_file, server->address()));
  spdlog::info("slipstream_server {} serves on {}, data in {}", kVersion, server->address(),
               DataStoreName(flags.data));
  int signal_number = 0;
  sigwait(&signals, &signal_number);
  spdlog::info("{}: draining for at most {} s", strsignal(signal_number), flags.drain_seconds);
  server->Drain(absl::Seconds(flags.drain_seconds));
  spdlog::info(
      "drained; suggestions computed: {} by their recipe, {} without transfer, {} quasi-random "
      "because time ran out or a factorisation failed",
      service.ladder().Of(Rung::kRecipe), service.ladder().Of(Rung::kWithoutTransfer),
      service.ladder().Of(Rung::kQuasiRandom));
  return absl::OkStatus();
}

absl::Status Run(const Flags& flags, const sigset_t& signals) {
  if (flags.check) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckDataStore(flags.data));
    spdlog::info("{} is sound", DataStoreName(flags.data));
    return absl::OkStatus();
  }
  if (!flags.back_up_to.empty()) {
    SLIPSTREAM_RETURN_IF_ERROR(BackUpDataStore(flags.data, flags.back_up_to));
    spdlog::info("copied {} to {}", DataStoreName(flags.data), flags.back_up_to);
    return absl::OkStatus();
  }
  return Serve(flags, signals);
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  const sigset_t signals = slipstream::BlockEndingSignals();
  const slipstream::ParsedFlags parsed = slipstream::ParseFlags(argc, argv);
  if (!parsed.flags) return parsed.exit_code;
  slipstream::StartLog(parsed.flags->log_level);
  const absl::Status status = slipstream::Run(*parsed.flags, signals);
  if (status.ok()) return 0;
  spdlog::error("{}", std::string(status.message()));
  return 1;
}
