// Runs the tool as a process against a fake server.
#ifndef SLIPSTREAM_TESTS_CLIENT_CLI_CLI_PROCESS_H_
#define SLIPSTREAM_TESTS_CLIENT_CLI_CLI_PROCESS_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "slipstream/v1/study.pb.h"
#include "tests/client/fake_service.h"

namespace slipstream {

struct ProcessResult {
  int code = -1;  // -1 if a signal ended it.
  std::string out;
  std::string err;
};

// Waits for the end of the process. `environment` holds "NAME=value" entries on
// top of this process's own.
ProcessResult RunCli(const std::vector<std::string>& arguments, const std::string& input = "",
                     const std::vector<std::string>& environment = {});

// What the process prints to a terminal with so many columns; lines end with "\r\n".
std::string RunCliOnTerminal(const std::vector<std::string>& arguments, int columns,
                             const std::vector<std::string>& environment = {});

// Writes a file of the running test, which ends with this process, and returns its path.
std::string WriteTestFile(const std::string& name, const std::string& content);

class CliTest : public testing::Test {
 protected:
  // Runs the tool with the address of the fake server.
  ProcessResult Run(std::vector<std::string> arguments, const std::string& input = "");
  FakeService& service() { return server_.service(); }
  // The study as the fake server has it, by its full name.
  v1::Study Stored(const std::string& name);

  FakeServer server_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CLIENT_CLI_CLI_PROCESS_H_
