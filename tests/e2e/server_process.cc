#include "tests/e2e/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "tests/testing/places.h"

namespace slipstream {
namespace {

constexpr std::chrono::seconds kStartPatience(60);
constexpr std::chrono::seconds kWritePatience(30);

std::string ServerBinary() { return BuildPath("bin/slipstream_server"); }

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A process, and a file descriptor that hangs up when the process ends.
struct Spawned {
  pid_t pid = 0;
  int end = -1;
};

Spawned Spawn(const std::string& binary, const std::vector<std::string>& flags,
              const std::string& output_file) {
  std::vector<std::string> words = {binary};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int end[2];
  if (pipe2(end, O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_file.c_str(),
                                   O_CREAT | O_WRONLY | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, end[1], end[1]);  // Inherited, and no other end.
  Spawned spawned{0, end[0]};
  const int error = posix_spawn(&spawned.pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(end[1]);
  if (error != 0) throw std::runtime_error(std::string("cannot start ") + argv[0]);
  return spawned;
}

int ExitCode(int wait_status) { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1; }

// Returns when `file` exists in `folder`, where it is renamed to its name, when
// `end` hangs up, or when kStartPatience is over; whether the file exists.
bool WaitForFile(const std::string& folder, const std::string& file, int end) {
  const int changes = inotify_init1(IN_CLOEXEC);
  inotify_add_watch(changes, folder.c_str(), IN_MOVED_TO);
  pollfd events[] = {{changes, POLLIN, 0}, {end, POLLIN, 0}};
  if (!std::filesystem::exists(file)) {
    poll(events, 2, static_cast<int>(std::chrono::milliseconds(kStartPatience).count()));
  }
  close(changes);
  return std::filesystem::exists(file);
}

bool HasLineWith(const std::string& lines, const std::string& text) {
  const size_t found = lines.find(text);
  return found != std::string::npos && lines.find('\n', found) != std::string::npos;
}

// Returns when a line of `file` has `text`, when `process`, a pidfd, has ended, or when
// kWritePatience is over; whether a line has it.
bool WaitForLine(const std::string& file, const std::string& text, int process) {
  const auto end = std::chrono::steady_clock::now() + kWritePatience;
  const int changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  inotify_add_watch(changes, file.c_str(), IN_MODIFY);
  pollfd events[] = {{changes, POLLIN, 0}, {process, POLLIN, 0}};
  while (!HasLineWith(ReadFile(file), text) && events[1].revents == 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || poll(events, 2, static_cast<int>(left.count())) <= 0) break;
    char ignored[4096];
    while (read(changes, ignored, sizeof(ignored)) > 0) {
    }
  }
  close(changes);
  return HasLineWith(ReadFile(file), text);
}

int PidfdOf(pid_t pid) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0) throw std::runtime_error("cannot wait for the server's process");
  return process;
}

// Whether `descriptor` can be read, or hangs up, within this time.
bool HasNewsWithin(int descriptor, std::chrono::microseconds patience) {
  pollfd news = {descriptor, POLLIN, 0};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience);
  const timespec time = {seconds.count(), std::chrono::nanoseconds(patience - seconds).count()};
  return ppoll(&news, 1, &time, nullptr) > 0;
}

// A restart must find the store that there was.
bool IsNewStore(const std::string& data) {
  return !std::filesystem::exists(data + "/slipstream.db");
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
  flags.insert(flags.end(),
               {"--data", data, "--listen", "127.0.0.1:0", "--address-file", address_file});
  if (binary.empty() && IsNewStore(data)) flags.push_back("--create");
  const Spawned spawned = Spawn(binary.empty() ? ServerBinary() : binary, flags, output_file_);
  pid_ = spawned.pid;
  const bool ready = WaitForFile(scratch_.path(), address_file, spawned.end);
  close(spawned.end);
  if (!ready) {
    Kill();
    throw std::runtime_error("the server ended or was not ready in time: " +
                             ReadFile(output_file_));
  }
  std::ifstream(address_file) >> address_;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  channel_ = grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
  stub_ = v1::OptimizationService::NewStub(channel_);
}

ServerProcess::~ServerProcess() { Kill(); }

std::string ServerProcess::Output() const { return ReadFile(output_file_); }

bool ServerProcess::Writes(const std::string& text) const {
  const int process = PidfdOf(pid_);
  const bool wrote = WaitForLine(output_file_, text, process);
  close(process);
  return wrote;
}

void ServerProcess::Kill() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  WaitFor(std::exchange(pid_, 0), output_file_);
}

EndedProcess ServerProcess::Terminate() {
  kill(pid_, SIGTERM);
  return WaitFor(std::exchange(pid_, 0), output_file_);
}

bool ServerProcess::EndsWithin(std::chrono::microseconds patience) const {
  const int process = PidfdOf(pid_);
  const bool ended = HasNewsWithin(process, patience);
  close(process);
  return ended;
}

bool ServerProcess::StartAndKill(const std::string& data, std::chrono::microseconds after) {
  TemporaryFolder scratch;
  const std::string output_file = scratch.path() + "/output";
  std::vector<std::string> flags = {"--data", data, "--listen", "127.0.0.1:0"};
  if (IsNewStore(data)) flags.push_back("--create");
  const Spawned spawned = Spawn(ServerBinary(), flags, output_file);
  const bool ended = HasNewsWithin(spawned.end, after);
  close(spawned.end);
  kill(spawned.pid, SIGKILL);
  WaitFor(spawned.pid, output_file);
  return ended;
}

EndedProcess ServerProcess::Run(std::vector<std::string> flags) {
  TemporaryFolder scratch;
  const std::string output_file = scratch.path() + "/output";
  const Spawned spawned = Spawn(ServerBinary(), flags, output_file);
  close(spawned.end);
  return WaitFor(spawned.pid, output_file);
}

}  // namespace slipstream
