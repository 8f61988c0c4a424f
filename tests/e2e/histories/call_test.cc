#include "tests/e2e/histories/call.h"

#include <gtest/gtest.h>

#include "tests/e2e/histories/hand_made_history.h"

namespace slipstream::histories {
namespace {

TEST(Call, ItsTextHasWhatWasAskedAndWhatWasAnswered) {
  EXPECT_EQ(SuggestFrom(1, 2, "a", {1}).Text(),
            "1.0-2.0 client 0 Suggest by a of 1 -> given; #1 ACTIVE by a");
  EXPECT_EQ(Lost(ObserveFrom(1, 2, "a", 3, 0.5)).Text(),
            "1.0-never client 0 Observe #3 SUCCEEDED value 0.5 -> lost");
  EXPECT_EQ(Refused(ReportFrom(1, 2, 3, 7, 0.5, 1)).Text(),
            "1.0-2.0 client 0 Report #3 step 7 value 0.5 -> refused");
}

TEST(TrialSight, ItsTextHasWhatDiffersFromANewTrial) {
  TrialSight sight = Succeeded(3, "a", 2);
  sight.first = 1;
  sight.next = 4;
  sight.report_count = 2;
  sight.last_step = 9;
  sight.last_value = 0.25;
  sight.note = "n";
  sight.has_end = true;
  EXPECT_EQ(sight.Text(),
            "#3 SUCCEEDED by a gave 2 repeats 1 repeated by 4 2 reports to 9: 0.25 'n' over");
}

}  // namespace
}  // namespace slipstream::histories
