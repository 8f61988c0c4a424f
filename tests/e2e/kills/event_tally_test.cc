#include "tests/e2e/kills/event_tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipstream::kills {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kStudy[] = "studies/s";
constexpr char kTrial[] = "studies/s/trials/1";

TEST(EventTally, TellsOfEventsThatAreMissingOrToldTwice) {
  EventTally expected;
  expected.Add(kStudy, kTrial, v1::StudyEvent::TRIAL_LEASED);
  expected.Add(kStudy, kTrial, v1::StudyEvent::TRIAL_ENDED);
  EventTally told;
  told.Add(kStudy, kTrial, v1::StudyEvent::TRIAL_LEASED, 2);
  EXPECT_THAT(expected.Differences(kStudy, told),
              ElementsAre(HasSubstr("TRIAL_LEASED was told 2 times instead of 1"),
                          HasSubstr("TRIAL_ENDED was told 0 times instead of 1")));
  EXPECT_THAT(expected.Differences("studies/other", told), IsEmpty());
}

TEST(EventTally, ReportsMayBeToldMoreOftenButNotLess) {
  EventTally expected;
  expected.Add(kStudy, kTrial, v1::StudyEvent::TRIAL_REPORTED, 2);
  EventTally told;
  told.Add(kStudy, kTrial, v1::StudyEvent::TRIAL_REPORTED, 3);
  EXPECT_THAT(expected.Differences(kStudy, told), IsEmpty());
  EXPECT_EQ(told.Differences(kStudy, expected).size(), 1u);
}

}  // namespace
}  // namespace slipstream::kills
