// on_baseline PROGRAM ARGUMENT...: becomes that program, with the build of
// core that any machine can run, whatever this machine could.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/core/two_builds/loader.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: on_baseline PROGRAM ARGUMENT...\n");
    return 2;
  }
  std::vector<std::string> command = slipstream::two_builds::BaselineCommand();
  command.insert(command.end(), argv + 1, argv + argc);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  std::perror(arguments.front());
  return 1;
}
