#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/client/cli/cli_process.h"

namespace slipstream {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class ExchangeCommands : public CliTest {
 protected:
  ExchangeCommands() {
    std::vector<v1::ExportLine> lines(3);
    lines[0].mutable_header()->set_format("slipstream.study");
    lines[1].mutable_study()->set_name("studies/s");
    lines[2].mutable_end();
    service().SetExport(lines);
  }
};

constexpr char kText[] =
    "{\"header\":{\"format\":\"slipstream.study\"}}\n{\"study\":{\"name\":\"studies/s\"}}\n"
    "{\"end\":{}}\n";

TEST_F(ExchangeCommands, ExportPrintsLinesOrWritesAFile) {
  const ProcessResult printed = Run({"study", "export", "s"});
  ASSERT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(printed.out, kText);
  const std::string path = WriteTestFile("export.jsonl", "before");
  const ProcessResult written = Run({"study", "export", "s", "--output", path});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.out, HasSubstr("exported studies/s to " + path));
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  EXPECT_EQ(content.str(), kText);
}

TEST_F(ExchangeCommands, ExportIntoAStreamWritesTheLinesAlone) {
  for (const char* output : {"-", "/dev/stdout", "/dev/fd/1"}) {
    const ProcessResult result = Run({"study", "export", "s", "--output", output});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, kText);
  }
}

TEST_F(ExchangeCommands, ImportTakesAFileOrStandardInput) {
  const std::string path = WriteTestFile("import.jsonl", kText);
  for (const std::string& file : {path, std::string("-")}) {
    const ProcessResult result =
        Run({"study", "import", file, "--id", "copy", "--replace", "--project", "vision"}, kText);
    ASSERT_EQ(result.code, 0) << result.err;
    const auto messages = service().import();
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(messages[0].header().study_id(), "copy");
    EXPECT_EQ(messages[0].header().parent(), "projects/vision");
    EXPECT_TRUE(messages[0].header().replace_existing());
    EXPECT_EQ(messages[1].lines_size(), 3);
  }
}

TEST_F(ExchangeCommands, ImportShowsHowTheStudyStands) {
  v1::Study study = SmallStudy();
  study.set_name("studies/copy");
  study.set_trial_count(1);
  study.set_succeeded_trial_count(1);
  service().AddStudy(study);
  v1::Trial trial;
  trial.set_state(v1::Trial::SUCCEEDED);
  (*trial.mutable_measurement()->mutable_metrics())["accuracy"] = 0.75;
  service().AddTrial("studies/copy", trial);
  const ProcessResult result = Run({"study", "import", "--id", "copy", "--replace"}, kText);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("best: +0.75, by copy/1\n"));
}

TEST_F(ExchangeCommands, ImportOfAStudyThatIsThereSaysHowToGoOn) {
  service().FailNext(1, {.status = {grpc::StatusCode::ALREADY_EXISTS, "studies/s exists already"}});
  const ProcessResult result = Run({"study", "import"}, kText);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, EndsWith("exists already; --id gives it another name, --replace "
                                   "replaces that study\n"));
}

TEST_F(ExchangeCommands, ImportAsksWhichProjectAStudyOfAProjectIsFor) {
  const std::string text =
      "{\"header\":{\"format\":\"slipstream.study\"}}\n"
      "{\"study\":{\"name\":\"projects/vision/studies/s\"}}\n{\"end\":{}}\n";
  const ProcessResult refused = Run({"study", "import", "--id", "copy"}, text);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("standard input is a study of the project vision: give "
                                     "--project vision to keep it there"));
  EXPECT_EQ(Run({"study", "import", "--id", "copy", "--project", "nlp"}, text).code, 0);
}

TEST_F(ExchangeCommands, ImportSaysHowToBringItsSourceTasksAlong) {
  service().FailNext(1, {.status = {grpc::StatusCode::NOT_FOUND,
                                    "there is no sourceTasks/0123456789abcdef0123456789abcdef"}});
  const ProcessResult result = Run({"study", "import"}, kText);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("slipstream source export 0123456789ab --output FILE"));
  EXPECT_THAT(result.err, HasSubstr("slipstream source import FILE"));
  EXPECT_THAT(result.err, Not(HasSubstr("for each of them")));
  service().FailNext(1, {.status = {grpc::StatusCode::NOT_FOUND,
                                    "there is no sourceTasks/0123456789abcdef0123456789abcdef, "
                                    "sourceTasks/1123456789abcdef0123456789abcdef and 3 others"}});
  EXPECT_THAT(Run({"study", "import"}, kText).err,
              HasSubstr("sourceTasks/1123456789abcdef0123456789abcdef and 3 others; the study's "
                        "source tasks have to be there first: for each of them, as for the first "
                        "one, slipstream source export 0123456789ab --output FILE"));
}

TEST_F(ExchangeCommands, ImportSaysInWhichProjectItsSourceTasksAre) {
  const auto advice = [&](const std::string& project, const std::string& missing) {
    service().FailNext(1, {.status = {grpc::StatusCode::NOT_FOUND, "there is no " + missing}});
    return Run({"study", "import", "--project", project}, kText).err;
  };
  const std::string digits = "sourceTasks/0123456789abcdef0123456789abcdef";
  const std::string of_vision = advice("vision", "projects/vision/" + digits);
  EXPECT_THAT(of_vision, HasSubstr("source export 0123456789ab --project vision --output FILE"));
  EXPECT_THAT(of_vision, HasSubstr("source import FILE --project vision\n"));
  EXPECT_THAT(of_vision, Not(HasSubstr("study list")));
  const std::string of_default = advice("vision", digits);
  EXPECT_THAT(of_default, HasSubstr("source export 0123456789ab --project default --output FILE"));
  EXPECT_THAT(of_default, HasSubstr("source import FILE --project default\n"));
}

TEST_F(ExchangeCommands, ImportNamesTheLineThatItCannotRead) {
  const ProcessResult result = Run({"study", "import"}, std::string(kText) + "nonsense\n");
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("standard input:4: "));
}

TEST_F(ExchangeCommands, ImportNamesTheFileWhoseLineTheServerRefuses) {
  const std::string path = WriteTestFile("cut_off.jsonl", kText);
  v1::FieldViolation violation;
  violation.set_field("line 4: kind");
  service().FailNext(1, {.status = BadRequestStatus("line 4: kind is missing", violation)});
  EXPECT_THAT(Run({"study", "import", path}).err,
              ContainsRegex("^slipstream: " + path + ": .*line 4: kind is missing"));
}

TEST_F(ExchangeCommands, ImportTakesNoEmptyIdForTheDefault) {
  const ProcessResult result = Run({"study", "import", "--id", ""}, std::string(kText));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--id: must not be empty\n"));
}

TEST_F(ExchangeCommands, ImportOfAnEmptyFileSaysSo) {
  const ProcessResult result = Run({"study", "import"}, "");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, EndsWith("standard input is empty\n"));
}

TEST_F(ExchangeCommands, ImportSaysWhichCommandTakesTheFile) {
  const ProcessResult study =
      Run({"study", "import"}, "{\"displayName\":\"t\",\"observationCount\":\"1\"}\n");
  EXPECT_NE(study.code, 0);
  EXPECT_THAT(study.err, HasSubstr("standard input is a source task, not a study; to import it: "
                                   "slipstream source import"));
  const ProcessResult source = Run({"source", "import"}, kText);
  EXPECT_NE(source.code, 0);
  EXPECT_THAT(source.err, HasSubstr("standard input is a study, not a source task; to import it: "
                                    "slipstream study import"));
}

}  // namespace
}  // namespace slipstream
