#include "tests/client/cli/cli_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "slipstream/messages/client.h"
#include "tests/e2e/temporary_folder.h"
#include "tests/testing/places.h"

extern char** environ;

namespace slipstream {
namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const std::vector<std::string>& additions) {
  std::vector<std::string> all = additions;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const bool is_ours = text.rfind("SLIPSTREAM_ADDRESS=", 0) == 0 ||
                         text.rfind("SLIPSTREAM_PROJECT=", 0) == 0;
    if (!is_ours) all.push_back(text);
  }
  return all;
}

// Starts the program with these files, and destroys them.
std::optional<pid_t> Start(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment,
                           posix_spawn_file_actions_t* files) {
  std::vector<std::string> words = {BuildPath("bin/slipstream")};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<std::string> variables = Environment(environment);
  pid_t process = 0;
  const int failure = posix_spawn(&process, words.front().c_str(), files, nullptr,
                                  Pointers(words).data(), Pointers(variables).data());
  posix_spawn_file_actions_destroy(files);
  return failure == 0 ? std::make_optional(process) : std::nullopt;
}

}  // namespace

std::string WriteTestFile(const std::string& name, const std::string& content) {
  static const TemporaryFolder all;
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path folder =
      std::filesystem::path(all.path()) / absl::StrCat(test->test_suite_name(), "_", test->name());
  std::filesystem::create_directories(folder);
  const std::string path = (folder / name).string();
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

ProcessResult RunCli(const std::vector<std::string>& arguments, const std::string& input,
                     const std::vector<std::string>& environment) {
  const std::string in = WriteTestFile("stdin", input);
  const std::string out = WriteTestFile("stdout", "");
  const std::string err = WriteTestFile("stderr", "");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY, 0);
  const std::optional<pid_t> process = Start(arguments, environment, &files);
  ProcessResult result;
  int status = 0;
  if (process && waitpid(*process, &status, 0) == *process && WIFEXITED(status)) {
    result.code = WEXITSTATUS(status);
  }
  result.out = ReadFile(out);
  result.err = ReadFile(err);
  std::filesystem::remove_all(std::filesystem::path(in).parent_path() / "stdin");
  return result;
}

std::string RunCliOnTerminal(const std::vector<std::string>& arguments, int columns,
                             const std::vector<std::string>& environment) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  const winsize size = {24, static_cast<unsigned short>(columns), 0, 0};
  const bool is_ready = grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
                        ioctl(terminal, TIOCSWINSZ, &size) == 0;
  if (!is_ready) return "there is no terminal";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, ptsname(terminal), O_RDWR | O_NOCTTY, 0);
  const std::optional<pid_t> process = Start(arguments, environment, &files);
  std::string out;
  std::array<char, 4096> part;
  // Once the process has ended, reading fails.
  for (ssize_t bytes; process && (bytes = read(terminal, part.data(), part.size())) > 0;) {
    out.append(part.data(), static_cast<size_t>(bytes));
  }
  if (process) waitpid(*process, nullptr, 0);
  close(terminal);
  return out;
}

ProcessResult CliTest::Run(std::vector<std::string> arguments, const std::string& input) {
  arguments.insert(arguments.begin(), {"--address", server_.address()});
  return RunCli(arguments, input);
}

v1::Study CliTest::Stored(const std::string& name) {
  return *(*Client::Connect({.address = server_.address()}))->GetStudy(name);
}

}  // namespace slipstream
