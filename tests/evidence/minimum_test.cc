#include "tests/evidence/minimum.h"

#include <gtest/gtest.h>

#include "tests/evidence/functions.h"

namespace slipstream::evidence {
namespace {

TEST(Minimum, FindsThePublishedMinima) {
  EXPECT_NEAR(MinimumOf([](RawPoint x) { return Branin({}, x); }, {{-5, 10}, {0, 15}}),
              0.39788735772973816, 1e-12);
  EXPECT_NEAR(
      MinimumOf([](RawPoint x) { return Hartmann6(kHartmannWeights, x); }, std::vector<Bounds>(6)),
      -3.322368011415515, 1e-11);
  EXPECT_NEAR(MinimumOf([](RawPoint x) { return Forrester(1, 0, 0, x); }, {{0, 1}}), -6.02074,
              1e-5);
}

TEST(Minimum, MayLieOnTheEdge) {
  EXPECT_EQ(MinimumOf([](RawPoint x) { return x[0] - 2 * x[1]; }, {{1, 3}, {0, 5}}), -9);
}

TEST(Minimum, TheMeanIsOverTheWholeBox) {
  const auto square = [](absl::Span<const double> x) { return x[0] * x[0] + x[1]; };
  EXPECT_NEAR(MeanOf(square, {{0, 3}, {-2, 4}}), 3 + 1, 1e-2);
}

}  // namespace
}  // namespace slipstream::evidence
