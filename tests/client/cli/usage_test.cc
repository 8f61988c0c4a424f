#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/client/cli/cli_process.h"

namespace slipstream {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Usage : public CliTest {};

TEST_F(Usage, HelpNamesTheCommandsAndSucceeds) {
  const ProcessResult result = RunCli({"--help"});
  EXPECT_EQ(result.code, 0);
  for (const char* command : {"study", "suggest", "observe", "trials", "trial", "explain",
                              "presets", "source", "--address", "SLIPSTREAM_ADDRESS"}) {
    EXPECT_THAT(result.out, HasSubstr(command));
  }
}

TEST_F(Usage, HelpFitsTheTerminalAndAPager) {
  const std::vector<std::vector<std::string>> cases = {
      {"--help"}, {"suggest", "--help"}, {"study", "create", "--help"}};
  for (const std::vector<std::string>& arguments : cases) {
    for (const std::string& help : {RunCliOnTerminal(arguments, 80), RunCli(arguments).out}) {
      for (const absl::string_view line : absl::StrSplit(help, absl::ByAnyChar("\r\n"))) {
        EXPECT_LE(line.size(), 80) << line;
      }
    }
    EXPECT_GT(RunCliOnTerminal(arguments, 80).size(), RunCliOnTerminal(arguments, 200).size());
  }
  EXPECT_THAT(RunCli(cases[0]).out,
              HasSubstr("  suggest                     Leases trials to a worker; exits with 3 if "
                        "the\n                              study gives none,"));
}

TEST_F(Usage, HelpOfACommandNamesTheOptionsThatAllTake) {
  constexpr char kAll[] = "Also takes --address, --project, --format, --timeout";
  EXPECT_THAT(RunCli({"suggest", "--help"}).out, HasSubstr(kAll));
  EXPECT_THAT(RunCli({"study", "create", "--help"}).out, HasSubstr(kAll));
  EXPECT_THAT(RunCli({"--help"}).out, Not(HasSubstr(kAll)));
}

TEST_F(Usage, HelpOfCreateTeachesTheGrammarWithAnExample) {
  const ProcessResult result = RunCli({"study", "create", "--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("lr=double:1e-5..1:log"));
  EXPECT_THAT(result.out, HasSubstr(";when=PARENT:VALUE|VALUE"));
}

TEST_F(Usage, HelpOfChangeSaysThatWhatIsLeftOutStaysAsItIs) {
  const std::string change = RunCli({"study", "change", "--help"}).out;
  EXPECT_THAT(change, HasSubstr("(default: as it is)"));
  EXPECT_THAT(change, Not(HasSubstr("default: 1h")));
  EXPECT_THAT(change, Not(HasSubstr("default: 3")));
  EXPECT_THAT(change, HasSubstr("off or 0: for ever"));
  EXPECT_THAT(RunCli({"study", "create", "--help"}).out, HasSubstr("(default: 1h)\n"));
}

TEST_F(Usage, AnOptionThatIsGivenTwiceIsNamed) {
  const ProcessResult result = Run({"suggest", "digits", "--worker", "a", "--worker", "b"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, StartsWith("slipstream: '--worker' is given more than once, and takes "
                                     "one value\n"));
}

TEST_F(Usage, AnOptionWithoutItsValueIsNamed) {
  const auto complaint_with = [&](const std::vector<std::string>& rest) {
    std::vector<std::string> arguments = {"observe", "digits/1", "--failed"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    const ProcessResult result = Run(arguments);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_THAT(complaint_with({}), StartsWith("slipstream: '--failed' needs a value\n"));
  for (const std::vector<std::string>& next : {std::vector<std::string>{"--worker", "w"},
                                               {"--worker=w"}, {"--format", "csv"}}) {
    const std::string name = next[0].substr(0, next[0].find('='));
    EXPECT_THAT(complaint_with(next),
                StartsWith("slipstream: --failed: a value is missing before " + name + "\n"));
  }
  EXPECT_TRUE(service().calls().empty());
}

TEST_F(Usage, WrongArgumentsExitWithTwo) {
  const std::vector<std::vector<std::string>> cases = {
      {"frobnicate"},
      {"study", "list", "--bogus"},
      {"study", "show"},
      {"study", "show", "a/b/c"},
      {"suggest", "digits"},
      {"suggest", "digits", "--worker", "w", "--count", "0"},
      {"observe", "digits/1"},
      {"observe", "digits/1", "--value", "high"},
      {"observe", "digits/1", "--value", "1", "--failed", "x"},
      {"trials", "digits", "--best", "3", "--all"},
      {"trials", "digits", "--state", "asleep"},
      {"presets", "--format", "xml"},
      {"presets", "--timeout", "-1"},
      {"study", "create", "--maximize", "acc"},
      {"study", "create", "--param", "a=boolean"},
      {"study", "create", "--param", "a=boolean", "--metric", "acc"},
      {"study", "create", "--param", "a=boolean", "--maximize", "acc", "--label", "x"},
      {"study", "create", "--param", "a=bool", "--maximize", "acc"},
      {"source", "register", "x.csv", "--maximize", "acc"},
      {"source", "show", "xyz"},
  };
  for (const auto& arguments : cases) {
    const ProcessResult result = Run(arguments);
    EXPECT_EQ(result.code, 2) << testing::PrintToString(arguments) << result.err;
    EXPECT_THAT(result.err, StartsWith("slipstream: "));
    EXPECT_THAT(result.out, IsEmpty());
  }
  EXPECT_TRUE(service().calls().empty());
}

TEST_F(Usage, WithoutACommandThereIsTheHelp) {
  for (const char* group : {"", "study", "trial", "source", "server"}) {
    std::vector<std::string> arguments;
    if (*group != '\0') arguments.push_back(group);
    const ProcessResult result = RunCli(arguments);
    EXPECT_EQ(result.code, 2) << group;
    EXPECT_THAT(result.out, IsEmpty()) << group;
    arguments.push_back("--help");
    EXPECT_EQ(result.err, RunCli(arguments).out);
  }
  EXPECT_THAT(RunCli({"--format", "csv", "study"}).err, HasSubstr("Lists the studies"));
}

TEST_F(Usage, AnUnknownCommandIsNamed) {
  EXPECT_THAT(Run({"frobnicate"}).err, HasSubstr("there is no command 'frobnicate'"));
}

TEST_F(Usage, AnUnknownOptionIsNamedAndNotItsValue) {
  EXPECT_THAT(Run({"trials", "digits", "--missing", "failed"}).err,
              HasSubstr("unknown option '--missing'"));
  EXPECT_THAT(Run({"study", "show", "digits", "letters"}).err,
              HasSubstr("unexpected argument 'letters'"));
}

TEST_F(Usage, AMisspeltCommandOrOptionIsGuessed) {
  EXPECT_THAT(Run({"stduy", "list"}).err,
              HasSubstr("there is no command 'stduy'; did you mean study?\n"));
  EXPECT_THAT(Run({"study", "creat"}).err,
              HasSubstr("there is no command 'creat'; did you mean create?\n"));
  EXPECT_THAT(Run({"sugest", "digits", "--worker", "w"}).err,
              HasSubstr("there is no command 'sugest'; did you mean suggest?\n"));
  EXPECT_THAT(Run({"study", "creat", "--id", "digits"}).err,
              HasSubstr("there is no command 'creat'; did you mean create?\n"));
  EXPECT_THAT(Run({"study", "create", "--minimise", "loss"}).err,
              HasSubstr("unknown option '--minimise'; did you mean --minimize?\n"));
  EXPECT_THAT(Run({"suggest", "s", "--wroker", "w"}).err,
              HasSubstr("unknown option '--wroker'; did you mean --worker?\n"));
  EXPECT_THAT(Run({"study", "list", "--projetc=vision"}).err,
              HasSubstr("unknown option '--projetc=vision'; did you mean --project?\n"));
  EXPECT_THAT(Run({"study", "list", "--bogus"}).err, HasSubstr("unknown option '--bogus'\n"));
}

// A script's variable may not be set. The default could then mean a call without TLS, or a source
// task of the study's own trials.
TEST_F(Usage, AnEmptyTextDoesNotStandForTheDefault) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"study", "list", "--token-file", ""}, "--token-file"},
      {{"study", "list", "--ca", ""}, "--ca"},
      {{"study", "list", "--key", ""}, "--key"},
      {{"study", "list", "--project", ""}, "--project"},
      {{"suggest", "s", "--worker", ""}, "--worker"},
      {{"study", "create", "--id", "s", "--space", "", "--param", "x=double:0..1"}, "--space"},
      {{"study", "export", "s", "--output", ""}, "--output"},
      {{"study", "change", "s", "--lease", ""}, "--lease"},
      {{"study", "watch", ""}, "study"},
      {{"study", "watch", "s", "--after", ""}, "--after"},
      {{"source", "export", "0123456789ab", "--output", ""}, "--output"},
      {{"source", "register", "", "--study", "s"}, "file"},
      {{"trial", "report", "s/1", "--step", "1", "--value", "1", "--metric", ""}, "--metric"}};
  for (const auto& [arguments, what] : cases) {
    const ProcessResult result = Run(arguments);
    EXPECT_EQ(result.code, 2) << what;
    EXPECT_THAT(result.err, StartsWith(absl::StrCat("slipstream: ", what, ": must not be empty")));
  }
  EXPECT_EQ(RunCli({"--address", "", "study", "list"}).code, 2);
  EXPECT_TRUE(service().calls().empty());
}

TEST_F(Usage, AnAddressWithoutAPortHasTheDefaultOne) {
  const ProcessResult result =
      RunCli({"--address", "127.1.2.3", "--timeout", "0.5", "study", "list"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("127.1.2.3:7411"));
}

TEST_F(Usage, AnAddressThatCannotBeMeantIsRefusedAtOnce) {
  for (const char* address : {"127.0.0.1:82947", "foo:bar"}) {
    const ProcessResult result = RunCli({"--address", address, "study", "list"});
    EXPECT_EQ(result.code, 2) << address;
    EXPECT_THAT(result.err, HasSubstr("must be host:port"));
  }
}

TEST_F(Usage, TellsItsVersion) {
  const ProcessResult result = RunCli({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, StartsWith("slipstream 0."));
}

TEST_F(Usage, ASeedIsNotNegative) {
  const ProcessResult result = Run({"study", "create", "--param", "a=boolean", "--maximize", "acc",
                                    "--seed", "-1"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("must be 0 or more"));
}

TEST_F(Usage, AWholeNumberThatIsTooLargeIsRefusedWithItsBound) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--seed", "99999999999999999999999"}, "must be 18446744073709551615 or less\n"},
      {{"--requeues", "99999999999"}, "must be 2147483647 or less\n"},
      {{"--requeues", "-99999999999"}, "must be -2147483648 or more\n"}};
  for (const auto& [option, complaint] : cases) {
    std::vector<std::string> arguments = {"study",     "create",     "--param",
                                          "a=boolean", "--maximize", "acc"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    const ProcessResult result = Run(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr(absl::StrCat("slipstream: ", option[0], ": '", option[1],
                                                   "' ", complaint)));
  }
  EXPECT_THAT(Run({"study", "watch", "s1", "--count", "99999999999"}).err,
              HasSubstr("--count: '99999999999' must be 2147483647 or less\n"));
  EXPECT_THAT(Run({"trials", "s1", "--limit", "99999999999999999999"}).err,
              HasSubstr("--limit: Value 99999999999999999999 not in range 1 to 2147483647\n"));
  EXPECT_TRUE(service().calls().empty());
}

// What a trainer printed last is no reason to lose the trial's outcome.
TEST_F(Usage, AReasonIsTextWhateverItsBytesAre) {
  for (const std::vector<std::string>& reason :
       std::vector<std::vector<std::string>>{
           {"--failed", "caf\xe9"}, {"--stopped=caf\xe9"}, {"--failed", "--value=3: no option"}}) {
    std::vector<std::string> words = {"observe", "digits/1"};
    words.insert(words.end(), reason.begin(), reason.end());
    EXPECT_THAT(Run(words).err, HasSubstr("digits"));
  }
  EXPECT_EQ(service().calls().size(), 3u);
}

TEST_F(Usage, AnArgumentThatIsNotUtf8IsRefusedAtOnce) {
  const ProcessResult value =
      Run({"study", "create", "--param", "a=boolean", "--minimize", "\xff\xfe"});
  EXPECT_EQ(value.code, 2);
  EXPECT_EQ(value.err, "slipstream: argument '--minimize' '\\xff\\xfe' is not UTF-8\n");
  const ProcessResult name = Run({"study", "show", "caf\xe9"});
  EXPECT_EQ(name.code, 2);
  EXPECT_EQ(name.err, "slipstream: argument 'caf\\xe9' is not UTF-8\n");
  EXPECT_TRUE(service().calls().empty());
}

TEST_F(Usage, AProjectMayBeNamedAsTheToolPrintsIt) {
  v1::Study study = SmallStudy();
  study.set_name("projects/vision/studies/digits");
  service().AddStudy(study);
  const std::vector<std::string> show = {"--address", server_.address(), "study", "show", "digits"};
  EXPECT_EQ(Run({"study", "show", "digits", "--project", "projects/vision"}).code, 0);
  EXPECT_EQ(RunCli(show, "", {"SLIPSTREAM_PROJECT=projects/vision"}).code, 0);
}

TEST_F(Usage, AProjectThatCannotBeMeantIsRefusedAtOnce) {
  const std::string too_long(41, 'a');
  for (const char* project :
       {"a/b", "projects/", "Vision", "team-", "projects/a/studies/b", too_long.c_str()}) {
    const ProcessResult given =
        Run({"study", "show", "digits", absl::StrCat("--project=", project)});
    EXPECT_EQ(given.code, 2) << project;
    EXPECT_THAT(given.err, HasSubstr(absl::StrCat("--project '", project, "' is not the name of a "
                                                  "project, such as vision")));
    const ProcessResult set = RunCli({"--address", server_.address(), "study", "list"}, "",
                                     {absl::StrCat("SLIPSTREAM_PROJECT=", project)});
    EXPECT_EQ(set.code, 2) << project;
    EXPECT_THAT(set.err, HasSubstr(absl::StrCat("SLIPSTREAM_PROJECT '", project, "' is not")));
  }
  EXPECT_TRUE(service().calls().empty());
}

TEST_F(Usage, CommandsWithoutAProjectDoNotMindTheEnvironments) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"presets"}, std::vector<std::string>{"server", "status"}}) {
    std::vector<std::string> arguments = {"--address", server_.address()};
    arguments.insert(arguments.end(), command.begin(), command.end());
    const int code = RunCli(arguments).code;
    EXPECT_NE(code, 2) << command.front();
    EXPECT_EQ(RunCli(arguments, "", {"SLIPSTREAM_PROJECT=My Team"}).code, code) << command.front();
    arguments.insert(arguments.end(), {"--project", "My Team"});
    EXPECT_EQ(RunCli(arguments).code, 2) << command.front();
  }
}

TEST_F(Usage, TheAddressMayComeFromTheEnvironment) {
  const ProcessResult result = RunCli({"presets"}, "", {"SLIPSTREAM_ADDRESS=" + server_.address()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(service().calls().size(), 1u);
}

TEST_F(Usage, GlobalOptionsMayFollowTheCommand) {
  const ProcessResult result = Run({"presets", "--format", "csv"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(
      result.out,
      "preset,default,recipe,summary\r\nquasi_random,yes,,Points that fill the space evenly\r\n"
      "scaml,,scaml expanding(map),Sources with learnt weights\r\n");
}

TEST_F(Usage, ACallGoesOnForAsLongAsItsTimeoutSays) {
  service().FailNext(6, {.status = {grpc::StatusCode::UNAVAILABLE, "restarting"}});
  const ProcessResult result = Run({"--timeout", "60", "study", "list"});
  EXPECT_EQ(result.code, 0) << result.err;
  service().FailAlways({grpc::StatusCode::UNAVAILABLE, "restarting"});
  EXPECT_EQ(Run({"--timeout", "0.5", "study", "list"}).code, 1);
}

TEST_F(Usage, ATimeoutIsAFiniteNumber) {
  for (const char* timeout : {"nan", "inf", "-inf", "1e999"}) {
    const ProcessResult result = Run({"--timeout", timeout, "study", "list"});
    EXPECT_EQ(result.code, 2) << timeout;
    EXPECT_THAT(result.err, HasSubstr(absl::StrCat("--timeout: '", timeout,
                                                   "' is not a finite number\n")));
  }
  EXPECT_THAT(Run({"--timeout", "0", "study", "list"}).err, HasSubstr("not in range"));
  EXPECT_TRUE(service().calls().empty());
}

TEST_F(Usage, AMissingServerIsReportedWithExitCodeOne) {
  const ProcessResult result = RunCli(
      {"--address", "unix:/nonexistent/socket", "--timeout", "0.5", "study", "list"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("slipstream: no answer from unix:/nonexistent/socket: is "
                                    "slipstream_server running there?"));
  EXPECT_THAT(result.err, HasSubstr("To start one: slipstream serve. To name another: --address"));
  EXPECT_THAT(result.out, IsEmpty());
}

TEST_F(Usage, ARefusalOfTheServerExitsWithOne) {
  const ProcessResult result = Run({"study", "show", "digits"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot read studies/digits on " + server_.address()));
  EXPECT_THAT(result.err, HasSubstr("studies/digits does not exist"));
}

TEST_F(Usage, NothingIsStyledWithoutATerminal) {
  service().AddStudy(SmallStudy());
  for (const char* format : {"table", "json", "csv"}) {
    EXPECT_THAT(Run({"study", "list", "--format", format}).out, Not(HasSubstr("\033")));
  }
}

TEST_F(Usage, ATerminalWithoutStylesGetsNone) {
  const auto presets = [&](const std::string& variable) {
    return RunCliOnTerminal({"--address", server_.address(), "presets"}, 200,
                            {variable, "NO_COLOR=", "TERM=xterm"});
  };
  EXPECT_THAT(presets("LANG=C"), HasSubstr("\033[1m"));
  EXPECT_THAT(presets("TERM=dumb"), Not(HasSubstr("\033")));
  EXPECT_THAT(presets("NO_COLOR=1"), Not(HasSubstr("\033")));
}

TEST_F(Usage, ErrorsHaveNoControlCharactersOfFilesAndArguments) {
  service().AddStudy(SmallStudy());
  const std::string file = WriteTestFile("runs.csv", "lr,kernel,degree,accuracy\n\033[2J,rbf,,1\n");
  const ProcessResult cell = Run({"source", "register", file, "--study", "s1"});
  EXPECT_EQ(cell.code, 1);
  EXPECT_THAT(cell.err, HasSubstr("' [2J'"));
  const ProcessResult value = Run({"trial", "add", "s1", "--set", "lr=\033[2J\u202E"});
  EXPECT_THAT(value.err, HasSubstr("' [2J '"));
  const ProcessResult option = Run({"study", "list", "--bo\033gus"});
  EXPECT_THAT(option.err, HasSubstr("unknown option '--bo gus'\nTry --help"));
  for (const ProcessResult& result : {cell, value, option}) {
    EXPECT_THAT(result.err, Not(AnyOf(HasSubstr("\033"), HasSubstr("\u202E"))));
  }
}

TEST_F(Usage, OutlastsAServerThatFailsBriefly) {
  service().FailNext(2, {.status = {grpc::StatusCode::UNAVAILABLE, "restarting"}});
  EXPECT_EQ(Run({"presets"}).code, 0);
}

}  // namespace
}  // namespace slipstream
