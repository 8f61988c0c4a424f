#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/cli/cli_process.h"

namespace slipstream::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using ServerCommandsTest = CliTest;

TEST_F(ServerCommandsTest, StatusShowsWhatTheServerHoldsAndWhatIsWrong) {
  const ProcessResult result = Run({"server", "status"});
  EXPECT_EQ(result.code, 1) << "scripts are to notice that changes are refused";
  EXPECT_THAT(result.err, HasSubstr("refuses changes"));
  EXPECT_THAT(result.out, HasSubstr("version:"));
  EXPECT_THAT(result.out, HasSubstr("2023-11-14 22:13:20Z (25 h)"));
  EXPECT_THAT(result.out, HasSubstr("REFUSES CHANGES: the disk is full"));
  EXPECT_THAT(result.out, HasSubstr("3 studies, 400 trials, 1 source task\n"));
  EXPECT_THAT(result.out, HasSubstr("10, 2.0 ms and 2.5 changes each"));
  EXPECT_THAT(result.out, HasSubstr("3.0 MiB, log 0 B, 5.0 GiB free"));
  EXPECT_THAT(result.out, ContainsRegex("waiting reads +7 +100"));
  EXPECT_THAT(result.out, ContainsRegex("cached histories +1.5 KiB +16.0 MiB"));
  EXPECT_THAT(result.out, ContainsRegex("trials of a study +1000 +--max-trials-per-study"));
  EXPECT_THAT(result.out, ContainsRegex("files: +tokens in force, tls NOT IN FORCE"));
  EXPECT_THAT(result.out, ContainsRegex("certificate: +ENDED 2023-11-14 22:13:20Z"));
  EXPECT_THAT(result.out, ContainsRegex("last backup: +[-0-9]+ [:0-9]+Z .2 h ago."));
  EXPECT_THAT(result.out, ContainsRegex("vision +3 of 10 +400 +0 +1.5 KiB of 4.0 MiB +2.5"));
}

TEST_F(ServerCommandsTest, StatusIsOneJsonDocumentForPrograms) {
  const ProcessResult result = Run({"server", "status", "--format", "json"});
  ASSERT_EQ(result.code, 1) << result.err;
  const nlohmann::json status = nlohmann::json::parse(result.out);
  EXPECT_EQ(status["version"], "9.9");
  EXPECT_EQ(status["contents"]["trials"], "400");
  EXPECT_EQ(status["store"]["takesWrites"], false);
  EXPECT_EQ(status["projects"][0]["quota"]["studies"], "10");
}

TEST_F(ServerCommandsTest, StatusIsOneTableOfPlainNumbersForSpreadsheets) {
  const ProcessResult result = Run({"server", "status", "--format", "csv"});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_THAT(result.out, StartsWith("what,now,limit,flag\r\nversion,9.9,,\r\n"));
  for (const char* row :
       {"seconds up,90000.000,,", "trials,400,,", "takes changes,false,,",
        "bytes free,5368709120,,", "tokens in force,true,,", "tls in force,false,,",
        "end of the certificate,2023-11-14 22:13:20Z,,",
        "seconds of commits,0.020,,", "changes,25,,",
        "waiting reads,7,100,", "bytes of cached histories,1536,16777216,",
        "trials of a study,,1000,'--max-trials-per-study", "studies of projects/vision,3,10,",
        "trials of projects/vision,400,,", "calls a second of projects/vision,,2.5,"}) {
    EXPECT_THAT(result.out, HasSubstr(absl::StrCat("\r\n", row, "\r\n")));
  }
}

TEST_F(ServerCommandsTest, TheTokenIsSentFromAFileOrTheEnvironment) {
  EXPECT_EQ(Run({"server", "status"}).code, 1);
  EXPECT_EQ(service().calls().back().authorization, "");
  const std::string file = WriteTestFile("token", "ann.from-file\n");
  EXPECT_EQ(Run({"server", "status", "--token-file", file}).code, 1);
  EXPECT_EQ(service().calls().back().authorization, "Bearer ann.from-file");
  const ProcessResult result =
      RunCli({"server", "status"}, "",
             {"SLIPSTREAM_ADDRESS=" + server_.address(), "SLIPSTREAM_TOKEN=ann.from-environment"});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_EQ(service().calls().back().authorization, "Bearer ann.from-environment");
  const ProcessResult missing = Run({"server", "status", "--token-file", "/nowhere"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("/nowhere"));
  EXPECT_EQ(Run({"server", "status", "--ca", "/nowhere"}).code, 2);
}

TEST_F(ServerCommandsTest, BackupTellsWhereTheCopyIs) {
  const ProcessResult result = Run({"server", "backup", "before.db"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("backed up to /backups/before.db on the server, 5.0 MiB"));
  const auto json = nlohmann::json::parse(Run({"server", "backup", "--format", "json"}).out);
  EXPECT_EQ(json["fileBytes"], "5242880");
  EXPECT_EQ(Run({"server", "backup", "a.db", "--format", "csv"}).out,
            "path,bytes,seconds\r\n/backups/a.db,5242880,2\r\n");
}

TEST_F(ServerCommandsTest, AServerWithoutStatusIsAnError) {
  service().FailAlways({grpc::StatusCode::UNIMPLEMENTED, ""});
  const ProcessResult result = Run({"server", "status"});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("cannot read the server's status"));
}

}  // namespace
}  // namespace slipstream::cli
