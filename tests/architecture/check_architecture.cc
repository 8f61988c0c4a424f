// check_architecture ROOT: prints the violations of the architecture and exits
// with 1 if there are any, otherwise with 0.
#include <cstdio>
#include <string>
#include <vector>

#include "tests/architecture/violations.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: check_architecture ROOT\n");
    return 2;
  }
  std::vector<std::string> violations = slipstream::FindViolations(argv[1]);
  const std::vector<std::string> stale = slipstream::FindStaleEntries(argv[1]);
  violations.insert(violations.end(), stale.begin(), stale.end());
  for (const std::string& violation : violations) std::printf("%s\n", violation.c_str());
  std::printf("%zu violations of the architecture\n", violations.size());
  return violations.empty() ? 0 : 1;
}
