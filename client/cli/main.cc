// slipstream: the command line tool.
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "client/cli/command_line.h"
#include "client/cli/grpc_lines.h"

namespace {

std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool WantsStyle() { return Variable("NO_COLOR").empty() && Variable("TERM") != "dumb"; }

// How many characters a line of the terminal that standard output is shows.
size_t OutputWidth() {
  winsize size = {};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : slipstream::cli::kEndless;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::signal(SIGPIPE, SIG_DFL);
  slipstream::cli::TakeGrpcLines();
  const slipstream::cli::Terminal terminal = {
      std::cin, std::cout, std::cerr, isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0,
      isatty(STDOUT_FILENO) != 0 && WantsStyle(), OutputWidth()};
  return slipstream::cli::RunCommandLine(argc, argv, terminal);
}
