#include "deploy/demo/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Curve, IsTheMeanAndTheQuartilesOfTheLowestSoFar) {
  const Curve curve = CurveOf("c", {{8, 4, 6}, {2, 3, 1}, {5, 5, 5}});
  EXPECT_THAT(curve.mean, ElementsAre(5, 11.0 / 3, 10.0 / 3));
  EXPECT_THAT(curve.lower, ElementsAre(3.5, 3, 2.5));
  EXPECT_THAT(curve.upper, ElementsAre(6.5, 4.5, 4.5));
}

TEST(Curve, OneRunHasNoSpread) {
  const Curve curve = CurveOf("c", {{8, 4}});
  EXPECT_EQ(curve.lower, curve.mean);
  EXPECT_EQ(curve.upper, curve.mean);
}

TEST(Curve, AGoalIsReachedByTheMean) {
  const Curve curve = CurveOf("c", {{8, 4}, {4, 2}});
  EXPECT_EQ(EvaluationsTo(6, curve), 1);
  EXPECT_EQ(EvaluationsTo(5, curve), 2);
  EXPECT_EQ(EvaluationsTo(2, curve), std::nullopt);
}

TEST(Verdict, SaysAlsoThatSourcesDidNotHelp) {
  const Comparison comparison = {"c", CurveOf("without", {{20, 10}}), CurveOf("with", {{30, 20}})};
  const std::string verdict = Verdict(comparison, 10);
  EXPECT_THAT(verdict, HasSubstr("after 2 evaluations without source tasks, not within 2 with"));
  EXPECT_THAT(verdict, HasSubstr("10.00 % (quartiles 10.00 and 10.00) without, 20.00 %"));
}

TEST(Csv, HasALineForEachPoint) {
  const Comparison comparison = {"c", CurveOf("without", {{20, 10}}), CurveOf("with", {{30, 20}})};
  EXPECT_EQ(CsvOf({comparison}),
            "comparison,curve,evaluation,mean,lower_quartile,upper_quartile\n"
            "\"c\",\"without\",1,20,20,20\n"
            "\"c\",\"without\",2,10,10,10\n"
            "\"c\",\"with\",1,30,30,30\n"
            "\"c\",\"with\",2,20,20,20\n");
}

}  // namespace
}  // namespace slipstream
