#include "client/cli/serve_command.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"

namespace slipstream::cli {
namespace {

constexpr char kServer[] = "slipstream_server";
// The first start needs nothing else; a store that went missing later is still an error.
constexpr char kCreate[] = "--create-default-folder";

// The server beside this program; where there is none, its bare name, which PATH is searched for.
std::string ServerProgram() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = self.parent_path() / kServer;
  return !error && std::filesystem::exists(beside, error) ? beside.string() : kServer;
}

}  // namespace

void AddServeCommand(CLI::App* app) {
  app->add_subcommand("serve",
                      "Runs the server, with the flags of slipstream_server; the first start makes "
                      "the default folder with a new store");
}

bool IsServe(int argc, const char* const* argv) {
  return argc > 1 && std::string_view(argv[1]) == "serve";
}

std::string BecomeServer(const char* const* argv) {
  const std::string program = ServerProgram();
  std::vector<char*> arguments = {const_cast<char*>(kServer), const_cast<char*>(kCreate)};
  for (const char* const* next = argv + 2; *next != nullptr; ++next) {
    arguments.push_back(const_cast<char*>(*next));
  }
  arguments.push_back(nullptr);
  execvp(program.c_str(), arguments.data());
  return absl::StrCat("cannot start ", program, ": ", std::strerror(errno),
                      "; it is installed beside this program, or found on the PATH");
}

}  // namespace slipstream::cli
