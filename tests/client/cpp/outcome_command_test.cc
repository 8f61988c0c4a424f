#include "client/cpp/outcome_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slipstream/messages/reason_text.h"

namespace slipstream::client {
namespace {

using client_internal::AddingCommandOf;
using client_internal::CommandOf;

TrialRecord SeventhTrial(const std::string& study) {
  TrialRecord trial;
  trial.name = study + "/trials/7";
  trial.number = 7;
  trial.params = {{"deep", true}, {"kernel", "r b'f"}, {"lr", 1e-5}};
  return trial;
}

const TrialRecord kTrial = SeventhTrial("projects/vision/studies/digits");
constexpr char kHere[] = "127.0.0.1:7411";

TEST(CommandOf, RecordsEachOutcome) {
  const std::string begin = "slipstream observe projects/vision/studies/digits/7 ";
  EXPECT_EQ(CommandOf(0.1, kTrial, kHere), begin + "--value 0.1");
  EXPECT_EQ(CommandOf(Failed{"no memory"}, kTrial, kHere), begin + "--failed 'no memory'");
  EXPECT_EQ(CommandOf(Infeasible{}, kTrial, kHere), begin + "--infeasible ''");
  EXPECT_EQ(CommandOf(Stopped{}, kTrial, kHere), begin + "--stopped ''");
  EXPECT_EQ(CommandOf(Stopped{"$x", -2.0}, kTrial, kHere), begin + "--stopped '$x' --value -2");
}

TEST(CommandOf, HasAReasonThatTheServerTakes) {
  EXPECT_EQ(CommandOf(Failed{"caf\xE9"}, kTrial, kHere),
            "slipstream observe projects/vision/studies/digits/7 --failed 'caf?'");
  const std::string longer(1025, 'z');
  for (const Outcome& outcome :
       {Outcome(Failed{longer}), Outcome(Infeasible{longer}), Outcome(Stopped{longer})}) {
    EXPECT_THAT(CommandOf(outcome, kTrial, kHere),
                testing::EndsWith("'" + ReasonText(longer) + "'"));
  }
}

TEST(CommandOf, NamesAnotherServer) {
  EXPECT_EQ(CommandOf(1.0, SeventhTrial("studies/digits"), "[::1]:7411"),
            "slipstream --address '[::1]:7411' observe digits/7 --value 1");
}

TEST(AddingCommandOf, AddsATrialThatIsGone) {
  EXPECT_EQ(AddingCommandOf(0.5, kTrial, kHere),
            "slipstream trial add projects/vision/studies/digits --set deep=true --set "
            "'kernel=r b'\\''f' --set lr=1e-05 --value 0.5");
  EXPECT_EQ(AddingCommandOf(Failed{"no memory"}, kTrial, kHere), "");
}

TEST(AddingCommandOf, EscapesWhatWouldEndANameEarlier) {
  TrialRecord trial = SeventhTrial("studies/digits");
  trial.params = {{"a=b", 0.5}, {"c\\d", "e=f"}};
  EXPECT_EQ(AddingCommandOf(0.5, trial, kHere),
            R"(slipstream trial add digits --set 'a\=b=0.5' --set 'c\\d=e=f' --value 0.5)");
}

}  // namespace
}  // namespace slipstream::client
