// What the server does at signals other than SIGTERM, and what it tells the service manager.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/testing/places.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Stub = v1::OptimizationService::Stub;

constexpr int kPatienceMs = 30000;

// Gives up this process' terminal, so that the servers it starts have none either.
void LeaveTerminal() {
  const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return;
  ioctl(terminal, TIOCNOTTY);
  close(terminal);
}

TEST(Signals, UserSignalsAreIgnored) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  for (const int number : {SIGUSR1, SIGUSR2, SIGXFSZ}) kill(server.pid(), number);
  EXPECT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  EXPECT_EQ(server.Terminate().exit_code, 0);
}

TEST(Signals, AHangUpHasAServerWithoutATerminalLookForChangedFiles) {
  LeaveTerminal();
  TemporaryFolder data;
  const std::string quotas = data.path() + "/quotas";
  std::ofstream(quotas) << "* 10 - - - -\n";
  chmod(quotas.c_str(), 0600);
  ServerProcess server(data.path(), {"--quota-file", quotas});
  kill(server.pid(), SIGHUP);
  EXPECT_TRUE(server.Writes("reload signal=SIGHUP in_force=quotas"));
  EXPECT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  const EndedProcess ended = server.Terminate();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, HasSubstr("signal=Terminated"));
}

TEST(Signals, AHangUpFindsNothingToReloadWithoutFiles) {
  LeaveTerminal();
  TemporaryFolder data;
  ServerProcess server(data.path());
  kill(server.pid(), SIGHUP);
  EXPECT_TRUE(server.Writes("nothing to reload signal=SIGHUP"));
}

// Stands in for this process' standard input, which servers inherit, until it is destroyed.
class OpenInput {
 public:
  OpenInput() : before_(dup(STDIN_FILENO)) {
    std::array<int, 2> ends = {};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    writer_ = ends[1];
  }
  ~OpenInput() {
    End();
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  void End() {
    if (writer_ >= 0) close(std::exchange(writer_, -1));
  }

 private:
  const int before_;
  int writer_ = -1;
};

TEST(Signals, TheEndOfStandardInputIsToldApartFromASignal) {
  TemporaryFolder data;
  OpenInput input;
  {
    ServerProcess server(data.path(), {"--until-stdin-ends"});
    EXPECT_THAT(server.Terminate().output, HasSubstr("draining signal=Terminated"));
  }
  ServerProcess server(data.path(), {"--until-stdin-ends"});
  input.End();
  EXPECT_TRUE(server.Writes("draining message=\"standard input ended"));
  EXPECT_THAT(server.Output(), Not(HasSubstr("signal=")));
}

TEST(Signals, StandardInputThatDoesNotBlockHasNotEnded) {
  TemporaryFolder data;
  OpenInput input;
  ASSERT_EQ(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK), 0);
  ServerProcess server(data.path(), {"--until-stdin-ends"});
  EXPECT_FALSE(server.EndsWithin(std::chrono::seconds(1)));
  input.End();
  EXPECT_TRUE(server.Writes("draining message=\"standard input ended"));
}

TEST(Signals, AHangUpIsIgnoredByAServerThatIsToOutliveItsTerminal) {
  LeaveTerminal();
  TemporaryFolder data;
  const auto before = signal(SIGHUP, SIG_IGN);  // The server inherits it, as from nohup.
  ServerProcess server(data.path());
  signal(SIGHUP, before);
  kill(server.pid(), SIGHUP);
  EXPECT_FALSE(server.EndsWithin(std::chrono::seconds(1)));
  const EndedProcess ended = server.Terminate();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, Not(HasSubstr("reload signal=SIGHUP")));
  EXPECT_THAT(ended.output, HasSubstr("sighup=ignored"));
}

// A server in a terminal of its own.
class ServerInTerminal {
 public:
  explicit ServerInTerminal(const std::string& data) {
    const std::string binary = BuildPath("bin/slipstream_server");
    pid_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (pid_ < 0) throw std::runtime_error("cannot make a terminal");
    if (pid_ > 0) return;
    execl(binary.c_str(), binary.c_str(), "--create", "--data", data.c_str(), "--listen",
          "127.0.0.1:0", nullptr);
    _exit(127);
  }
  ~ServerInTerminal() {
    if (terminal_ >= 0) close(terminal_);
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  // Whether the terminal shows this text within the patience.
  bool Shows(const std::string& text) {
    char some[4096];
    pollfd shown = {terminal_, POLLIN, 0};
    while (shown_.find(text) == std::string::npos && poll(&shown, 1, kPatienceMs) > 0) {
      const ssize_t count = read(terminal_, some, sizeof(some));
      if (count <= 0) break;
      shown_.append(some, static_cast<size_t>(count));
    }
    return shown_.find(text) != std::string::npos;
  }

  void CloseTerminal() { close(std::exchange(terminal_, -1)); }

  // The exit code of the server; -1 if a signal ends it, or if it goes on for the patience.
  int ExitCode() {
    int status = 0;
    for (int i = 0; i < kPatienceMs / 10; ++i) {
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      poll(nullptr, 0, 10);
    }
    return -1;
  }
  void Send(int signal_number) const { kill(pid_, signal_number); }

 private:
  pid_t pid_ = 0;
  int terminal_ = -1;
  std::string shown_;
};

TEST(Signals, AServerWhoseTerminalClosesDrainsAlsoWhileItStarts) {
  for (const char* shown : {"starting", "serving"}) {
    TemporaryFolder data;
    ServerInTerminal server(data.path());
    ASSERT_TRUE(server.Shows(shown));
    server.CloseTerminal();
    EXPECT_EQ(server.ExitCode(), 0) << shown;
    EXPECT_EQ(ServerProcess::Run({"--data", data.path(), "--check"}).exit_code, 0) << shown;
  }
}

// A writing transaction, for which a server that opens the file waits five seconds and gives up.
class HeldStore {
 public:
  explicit HeldStore(const std::string& file) {
    if (sqlite3_open(file.c_str(), &database_) != SQLITE_OK ||
        sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK) {
      throw std::runtime_error("cannot hold " + file);
    }
  }
  ~HeldStore() { sqlite3_close(database_); }

 private:
  sqlite3* database_ = nullptr;
};

TEST(Signals, AServerThatIsStillOpeningItsStoreEndsAtOnceAndStartsAgain) {
  TemporaryFolder data;
  {
    ServerProcess server(data.path());
    ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
    EXPECT_EQ(server.Terminate().exit_code, 0);
  }
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    const HeldStore held(data.path() + "/slipstream.db");
    ServerInTerminal server(data.path());
    ASSERT_TRUE(server.Shows("starting"));
    server.Send(number);
    EXPECT_TRUE(server.Shows("ended while starting")) << number;
    EXPECT_EQ(server.ExitCode(), 0) << number;
  }
  v1::GetStudyRequest request;
  request.set_name("studies/s");
  ServerProcess server(data.path());
  EXPECT_TRUE(Call(server.stub(), &Stub::GetStudy, request).ok());
  EXPECT_THAT(server.Output(), Not(HasSubstr("warning")));
}

TEST(Signals, AHangUpEndsAServerInATerminal) {
  TemporaryFolder data;
  ServerInTerminal server(data.path());
  ASSERT_TRUE(server.Shows("sighup=drain"));
  server.Send(SIGHUP);
  EXPECT_TRUE(server.Shows("drained"));
  EXPECT_EQ(server.ExitCode(), 0);
}

// Whether the signal ends the process, which is left to be waited for.
bool IsEndedBy(int number, pid_t pid) {
  kill(pid, number);
  siginfo_t ended = {};
  for (int i = 0; i < kPatienceMs / 10 && ended.si_pid == 0; ++i) {
    waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == 0) poll(nullptr, 0, 10);
  }
  return ended.si_code == CLD_KILLED && ended.si_status == number;
}

// The making of a token, which cannot end, as it goes to a pipe that is full.
class StuckTask {
 public:
  StuckTask() {
    std::array<int, 2> messages = {};
    if (pipe2(output_.data(), O_CLOEXEC) != 0 || pipe2(messages.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe");
    }
    const std::string full(static_cast<size_t>(fcntl(output_[1], F_GETPIPE_SZ)), '\n');
    if (write(output_[1], full.data(), full.size()) != static_cast<ssize_t>(full.size())) {
      throw std::runtime_error("the pipe is not full");
    }
    const std::string binary = BuildPath("bin/slipstream_server");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(output_[1], STDOUT_FILENO);
      dup2(messages[1], STDERR_FILENO);
      execl(binary.c_str(), binary.c_str(), "--new-token", "ann:trainer:default", nullptr);
      _exit(127);
    }
    close(messages[1]);
    char first = '\0';  // It comes before the token.
    if (read(messages[0], &first, 1) != 1) throw std::runtime_error("the task says nothing");
    close(messages[0]);
  }
  ~StuckTask() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    for (const int end : output_) close(end);
  }

  pid_t pid() const { return pid_; }

 private:
  std::array<int, 2> output_ = {};
  pid_t pid_ = 0;
};

TEST(Signals, TasksOtherThanServingAreEndedByThem) {
  for (const int number : {SIGINT, SIGTERM}) {
    EXPECT_TRUE(IsEndedBy(number, StuckTask().pid())) << number;
  }
}

TEST(Signals, AServerThatWaitsForFlagsFromAPipeIsEndedByThem) {
  TemporaryFolder folder;
  const std::string pipe = folder.path() + "/flags";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string binary = BuildPath("bin/slipstream_server");
  const pid_t pid = fork();
  if (pid == 0) {
    execl(binary.c_str(), binary.c_str(), "--flag-file", pipe.c_str(), nullptr);
    _exit(127);
  }
  const int writer = open(pipe.c_str(), O_WRONLY | O_CLOEXEC);  // Waits until the server reads.
  EXPECT_TRUE(IsEndedBy(SIGINT, pid));
  close(writer);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

// The socket of a service manager, a file or, if its name begins with "@", none.
class Manager {
 public:
  explicit Manager(const std::string& name)
      : descriptor_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    if (bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
      throw std::runtime_error("cannot bind " + name);
    }
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  ~Manager() {
    unsetenv("NOTIFY_SOCKET");
    close(descriptor_);
  }

  // The next message; empty if none comes within the patience.
  std::string Next(int patience_ms = kPatienceMs) const {
    char message[4096];
    pollfd news = {descriptor_, POLLIN, 0};
    if (poll(&news, 1, patience_ms) <= 0) return {};
    const ssize_t size = recv(descriptor_, message, sizeof(message), 0);
    return {message, size > 0 ? static_cast<size_t>(size) : 0};
  }

 private:
  const int descriptor_;
};

TEST(ServiceManager, IsToldWhenTheServerServesAndWhenItDrains) {
  TemporaryFolder folder;
  for (const std::string& name :
       {folder.path() + "/notify", "@slipstream-test-" + std::to_string(getpid())}) {
    TemporaryFolder data;
    const Manager manager(name);
    ServerProcess server(data.path(), {"--drain-seconds", "60"});
    EXPECT_EQ(manager.Next(), "STATUS=opening the store");
    EXPECT_EQ(manager.Next(), "READY=1\nSTATUS=serving on " + server.address());
    EXPECT_EQ(server.Terminate().exit_code, 0);
    const std::string last = manager.Next();
    EXPECT_THAT(last, StartsWith("STOPPING=1\n"));
    // A minute for calls, two seconds to cancel them, and time to close the store.
    EXPECT_THAT(last, HasSubstr("EXTEND_TIMEOUT_USEC=82000000"));
  }
}

// It is another process' manager.
TEST(ServiceManager, IsNotToldByAServerThatEndsWithItsStandardInput) {
  TemporaryFolder folder;
  TemporaryFolder data;
  const Manager manager(folder.path() + "/notify");
  ServerProcess server(data.path(), {"--until-stdin-ends"});
  EXPECT_EQ(server.Terminate().exit_code, 0);
  EXPECT_EQ(manager.Next(/*patience_ms=*/0), "");
}

TEST(ServiceManager, WhoseNameIsTooLongIsToldNothing) {
  TemporaryFolder data;
  setenv("NOTIFY_SOCKET", ("/" + std::string(200, 'x')).c_str(), 1);
  ServerProcess server(data.path());
  unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(server.Writes("File name too long"));
}

TEST(ServiceManager, ThatIsGoneIsNoReasonNotToServe) {
  TemporaryFolder data;
  setenv("NOTIFY_SOCKET", "/nowhere/notify", 1);
  ServerProcess server(data.path());
  unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(server.Writes("cannot notify the service manager state="));
  EXPECT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  EXPECT_EQ(server.Terminate().exit_code, 0);
}

}  // namespace
}  // namespace slipstream
