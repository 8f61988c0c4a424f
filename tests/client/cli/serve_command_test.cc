#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

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

TEST(ServeCommand, TheFirstStartMakesTheDefaultFolderAndNoLaterOneDoes) {
  const std::filesystem::path home =
      std::filesystem::path(WriteTestFile("home", "")).parent_path() / "data";
  const std::filesystem::path store = home / "slipstream/slipstream.db";
  const auto serve = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"serve", "--listen", "127.0.0.1:0", "--until-stdin-ends"});
    return RunCli(flags, "", {"XDG_DATA_HOME=" + home.string()});
  };
  EXPECT_EQ(serve({}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(store));
  EXPECT_EQ(serve({}).code, 0);
  std::filesystem::remove(store);
  const ProcessResult lost = serve({});
  EXPECT_EQ(lost.code, 1);
  EXPECT_THAT(lost.err, HasSubstr("there is no store at " + store.string()));
  EXPECT_FALSE(std::filesystem::exists(store));
  const ProcessResult elsewhere = serve({"--data", (home / "elsewhere").string()});
  EXPECT_EQ(elsewhere.code, 1);
  EXPECT_THAT(elsewhere.err, HasSubstr("--create"));
  std::filesystem::remove_all(home);
}

TEST(ServeCommand, AddsNothingToTheServersLog) {
  const std::filesystem::path home =
      std::filesystem::path(WriteTestFile("home", "")).parent_path() / "data";
  const ProcessResult result = RunCli({"serve", "--listen", "127.0.0.1:0", "--until-stdin-ends",
                                       "--log-format", "json"},
                                      "", {"XDG_DATA_HOME=" + home.string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, StartsWith("{"));
  std::filesystem::remove_all(home);
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
