// The server's binary as a process of its own, on a free port.
//
//   ServerProcess server(data.path());
//   server.stub().GetStudy(...);
//   server.Kill();                       // Like a power cut.
//
// Not thread-safe, except for stub().
#ifndef SLIPSTREAM_TESTS_E2E_SERVER_PROCESS_H_
#define SLIPSTREAM_TESTS_E2E_SERVER_PROCESS_H_

#include <grpcpp/grpcpp.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "slipstream/v1/services.grpc.pb.h"
#include "tests/e2e/temporary_folder.h"

namespace slipstream {

inline constexpr int64_t kMiB = 1 << 20;
// AddressSanitizer keeps this much freed memory from being used again.
#ifdef __SANITIZE_ADDRESS__
inline constexpr int64_t kQuarantine = 256 * kMiB;
#else
inline constexpr int64_t kQuarantine = 0;
#endif

// How a server's process ended.
struct EndedProcess {
  int exit_code = -1;  // -1: ended by a signal.
  std::string output;  // Standard output and error.
};

class ServerProcess {
 public:
  // Waits until the server is ready; throws std::runtime_error with its output if
  // it ends before. `binary` takes the server's flags; empty means the server.
  explicit ServerProcess(const std::string& data, std::vector<std::string> flags = {},
                         const std::string& binary = "");
  // Kills the server if it is still running.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  v1::OptimizationService::Stub& stub() { return *stub_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  const std::string& address() const { return address_; }
  pid_t pid() const { return pid_; }

  // What it has written so far.
  std::string Output() const;
  // Waits until it has written a line with this text. False if it has not within half a minute, or
  // ends before.
  bool Writes(const std::string& text) const;

  // SIGKILL; returns when the process is gone.
  void Kill();
  // SIGTERM; returns when the process has ended.
  EndedProcess Terminate();

  // Whether the process ends by itself within this time, which is waited for.
  bool EndsWithin(std::chrono::microseconds patience) const;

  // Starts the server on this data and kills it after this time, ready or not. Whether it
  // ended by itself before.
  static bool StartAndKill(const std::string& data, std::chrono::microseconds after);
  // Runs the binary to its end.
  static EndedProcess Run(std::vector<std::string> flags);

 private:
  TemporaryFolder scratch_;
  std::string output_file_;
  std::string address_;
  pid_t pid_ = 0;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::OptimizationService::Stub> stub_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_E2E_SERVER_PROCESS_H_
