// The server with an additional service that does nothing or the least, so that
// all are measured under the same settings in one process.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "probe.grpc.pb.h"
#include "server/access/gate.h"
#include "server/access/token_file.h"
#include "server/access/token_verifier.h"
#include "server/grpc/server.h"
#include "server/service/service.h"
#include "server/store/sqlite/sqlite_store.h"
#include "server/telemetry/call_monitor.h"
#include "server/telemetry/log.h"
#include "server/telemetry/metrics.h"
#include "tests/benchmarks/bare_commit.h"

namespace slipstream {
namespace {

class Probe : public benchmarks::Probe::CallbackService {
 public:
  explicit Probe(const std::string& path) : bare_commit_(path) {}

 private:
  grpc::ServerUnaryReactor* Echo(grpc::CallbackServerContext* context,
                                 const benchmarks::ProbeMessage* request,
                                 benchmarks::ProbeMessage* response) override {
    response->set_payload(request->payload());
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  grpc::ServerUnaryReactor* Commit(grpc::CallbackServerContext* context,
                                   const benchmarks::ProbeMessage* request,
                                   benchmarks::ProbeMessage* response) override {
    response->set_payload(request->payload());
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    bare_commit_.Write(request->key(), request->payload(),
                       [reactor] { reactor->Finish(grpc::Status::OK); });
    return reactor;
  }

  BareCommit bare_commit_;
};

int Serve(std::map<std::string, std::string> flags) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  SqliteStoreOptions store_options;
  store_options.path = flags["--data"] + "/slipstream.db";
  store_options.create = true;
  absl::StatusOr<std::unique_ptr<Store>> store = OpenSqliteStore(store_options);
  if (!store.ok()) {
    std::cerr << store.status().ToString() << "\n";
    return 1;
  }
  ServiceOptions service_options;
  service_options.version = "benchmark";
  Service service(store->get(), service_options);
  Probe probe(flags["--data"] + "/bare.db");
  ServerOptions options;
  options.listen = flags["--listen"];
  // With --sight on, what the server does at its default settings for those who look at it.
  Log log({});
  CallMonitor monitor(&log);
  if (flags["--sight"] == "on") options.monitor = &monitor;
  // With --security, a folder with the files of TLS or of tokens.
  TokenVerifier verifier({});
  Gate gate(&verifier);
  if (const std::string folder = flags["--security"]; !folder.empty()) {
    if (std::filesystem::exists(folder + "/key")) {
      options.tls = {
          .certificate = folder + "/certificate", .key = folder + "/key", .client_ca = {}};
    }
    if (std::filesystem::exists(folder + "/tokens")) {
      verifier.Replace(ReadTokenFile(folder + "/tokens").value());
      options.gate = &gate;
    }
  }
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options, &service, {&probe});
  if (!server.ok()) {
    std::cerr << server.status().ToString() << "\n";
    return 1;
  }
  std::ofstream(flags["--address-file"] + ".partial") << (*server)->address() << "\n";
  std::filesystem::rename(flags["--address-file"] + ".partial", flags["--address-file"]);
  const timespec second = {1, 0};
  while (sigtimedwait(&signals, nullptr, &second) < 0) {
    if (options.monitor != nullptr) {
      MetricsText({.version = "benchmark",
                   .calls = monitor.Figures(),
                   .open_calls = monitor.open(),
                   .service = service.Figures(),
                   .counts = store.value()->Count().value()});
    }
  }
  (*server)->Drain(absl::Seconds(5));
  return 0;
}

}  // namespace
}  // namespace slipstream

// Takes --data, --listen, --address-file, --sight and --security, each with a value.
int main(int argc, char** argv) {
  std::map<std::string, std::string> flags;
  for (int i = 1; i + 1 < argc; i += 2) flags[argv[i]] = argv[i + 1];
  return slipstream::Serve(flags);
}
