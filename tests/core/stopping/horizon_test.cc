#include "core/stopping/horizon.h"

#include <gtest/gtest.h>

#include "tests/core/stopping/hand_made_study.h"

namespace slipstream {
namespace {

TEST(HorizonTest, IsThatOfTheLongestFinishedTraining) {
  HandMadeStudy study;
  study.Other(Level(1, 9));
  study.Other(Level(1, 7));
  study.Other(Level(1, 30), std::nullopt);
  study.Other(Level(1, 40), Ending::kStopped);
  EXPECT_EQ(Horizon().Steps(ComparedCurves(study.View())), 9);
  EXPECT_EQ((Horizon{100, {}}).Steps(ComparedCurves(study.View())), 100);
}

TEST(HorizonTest, IsUnknownUntilOneHasFinished) {
  HandMadeStudy study;
  study.Other(Level(1, 30), std::nullopt);
  study.Other({}, Ending::kMeasured);
  EXPECT_EQ(Horizon().Steps(ComparedCurves(study.View())), std::nullopt);
  study.Other({{0, 1}});
  EXPECT_EQ(Horizon().Steps(ComparedCurves(study.View())), 1);
}

TEST(HorizonTest, TheGraceIsATenthUnlessGiven) {
  EXPECT_EQ(Horizon().FirstStep(100), 10);
  EXPECT_EQ(Horizon().FirstStep(101), 11);
  EXPECT_EQ(Horizon().FirstStep(1), 1);
  EXPECT_EQ((Horizon{{}, 3}).FirstStep(100), 3);
}

TEST(HorizonTest, AdviceToGoOnSaysWhyInWholeSentences) {
  EXPECT_EQ(TooFewCurves(1, 8, 5).reason,
            "Only 1 other has a value for step 8, too few to compare with: it takes at least 5.");
  EXPECT_EQ(BeforeFirstStep(2, 6).reason,
            "It is at step 2, and no training run is stopped before step 6.");
  for (const StoppingAdvice& advice :
       {TooFewCurves(2, 8, 5), BeforeFirstStep(2, 6), UnknownHorizon()}) {
    EXPECT_FALSE(advice.stop);
    EXPECT_EQ(advice.reason.back(), '.');
  }
}

}  // namespace
}  // namespace slipstream
