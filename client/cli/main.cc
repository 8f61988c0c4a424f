// slipstream: the command line tool.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "client/cli/command_line.h"

namespace {

bool WantsNoColor() {
  const char* const no_color = std::getenv("NO_COLOR");
  return no_color != nullptr && !std::string_view(no_color).empty();
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::signal(SIGPIPE, SIG_DFL);
  const slipstream::cli::Terminal terminal = {
      std::cin, std::cout, std::cerr, isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0,
      isatty(STDOUT_FILENO) != 0 && !WantsNoColor()};
  return slipstream::cli::RunCommandLine(argc, argv, terminal);
}
