#include "tests/e2e/server_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

namespace slipstream {
namespace {

constexpr std::chrono::seconds kStartPatience(60);

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

pid_t Spawn(const std::string& binary, const std::vector<std::string>& flags,
            const std::string& output_file) {
  std::vector<std::string> words = {binary};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_file.c_str(),
                                   O_CREAT | O_WRONLY | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(std::string("cannot start ") + argv[0]);
  return pid;
}

int ExitCode(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

EndedProcess WaitFor(pid_t pid, const std::string& output_file) {
  int wait_status = 0;
  waitpid(pid, &wait_status, 0);
  return {ExitCode(wait_status), ReadFile(output_file)};
}

}  // namespace

ServerProcess::ServerProcess(const std::string& data, std::vector<std::string> flags,
                             const std::string& binary)
    : output_file_(scratch_.path() + "/output") {
  const std::string address_file = scratch_.path() + "/address";
  flags.insert(flags.end(), {"--data", data, "--listen", "127.0.0.1:0", "--address-file",
                             address_file});
  pid_ = Spawn(binary.empty() ? SLIPSTREAM_SERVER_BINARY : binary, flags, output_file_);
  const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
  while (!std::filesystem::exists(address_file)) {
    int wait_status = 0;
    if (waitpid(pid_, &wait_status, WNOHANG) == pid_) {
      pid_ = 0;
      throw std::runtime_error("the server ended: " + ReadFile(output_file_));
    }
    if (std::chrono::steady_clock::now() > deadline) {
      Kill();
      throw std::runtime_error("the server is not ready: " + ReadFile(output_file_));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::ifstream(address_file) >> address_;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  channel_ = grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
  stub_ = v1::OptimizationService::NewStub(channel_);
}

ServerProcess::~ServerProcess() { Kill(); }

void ServerProcess::Kill() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  WaitFor(std::exchange(pid_, 0), output_file_);
}

EndedProcess ServerProcess::Terminate() {
  kill(pid_, SIGTERM);
  return WaitFor(std::exchange(pid_, 0), output_file_);
}

EndedProcess ServerProcess::Run(std::vector<std::string> flags) {
  TemporaryFolder scratch;
  const std::string output_file = scratch.path() + "/output";
  return WaitFor(Spawn(SLIPSTREAM_SERVER_BINARY, flags, output_file), output_file);
}

}  // namespace slipstream
