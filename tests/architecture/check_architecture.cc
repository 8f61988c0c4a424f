// check_architecture ROOT: prints what stands against the architecture and
// exits 1; exits 0 when nothing does.
#include <cstdio>
#include <string>
#include <vector>

#include "tests/architecture/violations.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: check_architecture ROOT\n");
    return 2;
  }
  const std::vector<std::string> violations = slipstream::FindViolations(argv[1]);
  for (const std::string& violation : violations) std::printf("%s\n", violation.c_str());
  std::printf("%zu violations of the architecture\n", violations.size());
  return violations.empty() ? 0 : 1;
}
