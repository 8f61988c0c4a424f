#include "client/cli/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "client/cli/usage_error.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;

// Confirms with the text that a person types.
class Confirmation : public testing::Test {
 protected:
  absl::Status Ask(const std::string& typed, bool agreed, bool interactive) {
    std::istringstream in(typed);
    std::ostringstream out;
    const Terminal terminal = {in, out, err_, interactive, false};
    const auto client = *Client::Connect({.address = "unix:/nonexistent"});
    Session session(*client, terminal, Format::kTable);
    const absl::Status status = session.Confirm("Delete it?", agreed);
    EXPECT_EQ(out.str(), "");
    return status;
  }

  std::ostringstream err_;
};

TEST_F(Confirmation, IsGivenByYes) {
  for (const char* typed : {"y\n", "yes\n", " Y \n", "YES"}) {
    EXPECT_TRUE(Ask(typed, false, true).ok()) << typed;
  }
  EXPECT_THAT(err_.str(), HasSubstr("Delete it? [y/N] "));
}

TEST_F(Confirmation, IsRefusedByAnythingElse) {
  for (const char* typed : {"\n", "", "n\n", "yep\n", "no\n"}) {
    EXPECT_EQ(Ask(typed, false, true).code(), absl::StatusCode::kCancelled) << typed;
  }
}

TEST_F(Confirmation, IsNotAskedForWhenItWasGiven) {
  EXPECT_TRUE(Ask("", true, true).ok());
  EXPECT_TRUE(Ask("", true, false).ok());
  EXPECT_EQ(err_.str(), "");
}

TEST_F(Confirmation, NeedsATerminal) {
  EXPECT_TRUE(IsUsageError(Ask("y\n", false, false)));
  EXPECT_EQ(err_.str(), "");
}

TEST(Session, TellsWhyItCannotWrite) {
  std::istringstream in;
  std::ofstream out("/dev/full");
  std::ostringstream err;
  const auto client = *Client::Connect({.address = "unix:/nonexistent"});
  Session session(*client, {in, out, err}, Format::kTable);
  session.Print("a line\n");
  EXPECT_EQ(session.Flush(),
            absl::DataLossError(
                "the result could not be written out in full: No space left on device"));
  // What is told after that has no reason of its own.
  EXPECT_EQ(session.Flush(), absl::DataLossError("the result could not be written out in full"));
}

TEST(Session, ShowsTheControlCharactersOfNotesAsSpaces) {
  std::istringstream in("y\n");
  std::ostringstream out;
  std::ostringstream err;
  const Terminal terminal = {in, out, err, true, false};
  const auto client = *Client::Connect({.address = "unix:/nonexistent"});
  Session session(*client, terminal, Format::kTable);
  session.Remark("\n1\033[2J");
  session.Warn("2\033[2J\u202E\n");
  session.Advise("3\033[2J");
  EXPECT_TRUE(session.Confirm("4\033[2J", false).ok());
  EXPECT_EQ(out.str(), "\n1 [2J\n");
  EXPECT_EQ(err.str(), "slipstream: 2 [2J \n\n3 [2J\n4 [2J [y/N] ");
}

}  // namespace
}  // namespace slipstream::cli
