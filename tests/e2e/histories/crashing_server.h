// A server's process that is killed now and then and started again on the same file.
// Its address is another one each time, so clients ask for the connection anew at
// every attempt.
//
// Thread-safe.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_CRASHING_SERVER_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_CRASHING_SERVER_H_

#include <memory>
#include <mutex>
#include <optional>

#include "slipstream/v1/services.grpc.pb.h"
#include "tests/e2e/histories/call.h"
#include "tests/e2e/server_process.h"
#include "tests/e2e/temporary_folder.h"

namespace slipstream::histories {

class CrashingServer {
 public:
  using Stub = v1::OptimizationService::Stub;

  CrashingServer();

  // To the process that is there now; waits while there is none. It outlives the process.
  std::shared_ptr<Stub> connection();
  // SIGKILL, in the middle of whatever calls are under way; returns when the next process is ready.
  void Crash();
  // Of every crash.
  Outages outages() const;

 private:
  void Start();

  TemporaryFolder data_;
  mutable std::mutex mutex_;
  std::optional<ServerProcess> process_;
  std::shared_ptr<Stub> stub_;
  Outages outages_;
};

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_CRASHING_SERVER_H_
