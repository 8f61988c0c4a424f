#include "client/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "tests/client/fake_service.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Takes one line. What is written after it is lost, as on a disk that is full.
class OneLine : public std::streambuf {
 public:
  const std::string& text() const { return text_; }

 private:
  int_type overflow(int_type character) override {
    if (text_.find('\n') != std::string::npos) return traits_type::eof();
    text_.push_back(traits_type::to_char_type(character));
    return character;
  }

  std::string text_;
};

// Runs the tool in this process.
class CommandLine : public testing::Test {
 protected:
  CommandLine() { server_.service().AddStudy(SmallStudy()); }

  int Run(std::vector<const char*> arguments, std::ostream& out) {
    const std::string address = server_.address();
    arguments.insert(arguments.begin(), {"slipstream", "--address", address.c_str()});
    const Terminal terminal = {in_, out, err_, /*interactive=*/true};
    return RunCommandLine(static_cast<int>(arguments.size()), arguments.data(), terminal);
  }
  size_t CallsOf(const std::string& method) const {
    const std::vector<SeenCall> calls = server_.service().calls();
    return static_cast<size_t>(
        std::count_if(calls.begin(), calls.end(),
                      [&method](const SeenCall& call) { return call.method == method; }));
  }

  mutable FakeServer server_;
  std::istringstream in_{"n\n"};
  std::ostringstream err_;
};

TEST_F(CommandLine, AWatchEndsOnceItsEventsCannotBeWritten) {
  for (int i = 0; i < 4; ++i) server_.service().AddTrial("studies/s1", {});
  OneLine full;
  std::ostream out(&full);
  EXPECT_EQ(Run({"study", "watch", "s1"}, out), 1);
  EXPECT_THAT(full.text(), HasSubstr("s1/1  ended"));
  EXPECT_EQ(CallsOf("GetTrial"), 2u) << "it read the details of events that nobody sees";
  EXPECT_EQ(err_.str(),
            "To resume from here: --after 1\n"
            "slipstream: the result could not be written out in full\n");
}

TEST_F(CommandLine, AnExportEndsOnceItsLinesCannotBeWritten) {
  std::vector<v1::ExportLine> lines(7);
  for (v1::ExportLine& line : lines) line.mutable_end();
  server_.service().SetExport(lines);
  server_.service().BreakExports(1000, 2);  // Those that go on so far fail in another way.
  OneLine full;
  std::ostream out(&full);
  EXPECT_EQ(Run({"study", "export", "s1"}, out), 1);
  EXPECT_EQ(err_.str(), "slipstream: the result could not be written out in full\n");
}

TEST_F(CommandLine, DeletionAsksForOneTrialInTheSingular) {
  std::ostringstream out;
  v1::Study study = SmallStudy();
  study.set_name("studies/one");
  study.set_trial_count(1);
  server_.service().AddStudy(study);
  EXPECT_EQ(Run({"study", "delete", "one"}, out), 1);
  EXPECT_THAT(err_.str(), StartsWith("Delete study one with 1 trial for good? [y/N]"));
  EXPECT_EQ(server_.service().study_count(), 2u);
}

}  // namespace
}  // namespace slipstream::cli
