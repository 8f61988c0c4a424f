#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/cli/cli_process.h"

namespace slipstream {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ServeCommand, IsTheServerWithItsFlags) {
  const ProcessResult version = RunCli({"serve", "--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("slipstream_server "));
  const ProcessResult help = RunCli({"serve", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("--listen"));
}

TEST(ServeCommand, HandsOnTheServersRefusal) {
  const ProcessResult result = RunCli({"serve", "--bogus"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--bogus"));
}

TEST(ServeCommand, MustComeFirst) {
  const ProcessResult result = RunCli({"--format", "csv", "serve"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("'serve' must come first"));
}

}  // namespace
}  // namespace slipstream
