// Prints a line for each thing that the builds of core are compared by: its
// name, a space, its value. Figures of core itself are welcome here.
#include <cstdio>
#include <string>

#include "core/base/instruction_set.h"
#include "tests/core/two_builds/sample.h"

int main() {
  std::printf("instruction_set %s\n", std::string(slipstream::InstructionSet()).c_str());
  std::printf("library_eigen %s\n", slipstream::two_builds::LibraryInstructionSets().c_str());
  std::printf("program_eigen %s\n", Eigen::SimdInstructionSetsInUse());
  for (const auto& [name, value] : slipstream::two_builds::Numbers()) {
    std::printf("%s %.17g\n", name.c_str(), value);
  }
}
