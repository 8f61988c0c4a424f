#include "tests/core/two_builds/command.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace slipstream::two_builds {

std::vector<std::string> LinesOf(const std::vector<std::string>& program_and_arguments) {
  std::string command;
  for (const std::string& word : program_and_arguments) absl::StrAppend(&command, "'", word, "' ");
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot run " << command;
    return {};
  }
  std::string output;
  std::array<char, 4096> buffer;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), count);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return absl::StrSplit(output, '\n', absl::SkipEmpty());
}

}  // namespace slipstream::two_builds
