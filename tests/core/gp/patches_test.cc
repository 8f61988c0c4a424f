#include "core/gp/patches.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"
#include "tests/core/gp/gaussian_fixtures.h"

namespace slipstream {
namespace {

PointMatrix SomePoints(Index count) {
  return RandomPoints(BelievedOfEachKind().front().kinds, count, 5);
}

TEST(PatchesTest, EachPointIsInExactlyOneSmallPatchAndFoundThere) {
  const PointMatrix x = SomePoints(1000);
  const Patches patches(x, 32);
  std::set<Index> seen;
  for (size_t patch = 0; patch < patches.size(); ++patch) {
    EXPECT_LE(patches.rows(patch).size(), 32u);
    EXPECT_GE(patches.rows(patch).size(), 16u);  // They are halved, and no two points are equal.
    for (Index row : patches.rows(patch)) {
      EXPECT_TRUE(seen.insert(row).second);
      EXPECT_EQ(patches.PatchOf(x.row(row).transpose()), patch);
    }
  }
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(PatchesTest, PointsOfAPatchLieTogether) {
  const PointMatrix x = SomePoints(2000);
  const Patches patches(x, 50);
  const auto spread = [&x](const std::vector<Index>& rows) {
    const PointMatrix part = x(rows, Eigen::all);
    return (part.rowwise() - part.colwise().mean()).rowwise().squaredNorm().mean();
  };
  std::vector<Index> all;
  for (Index i = 0; i < x.rows(); ++i) all.push_back(i);
  double within = 0;
  for (size_t i = 0; i < patches.size(); ++i) within += spread(patches.rows(i));
  EXPECT_LT(within / static_cast<double>(patches.size()), 0.35 * spread(all));
}

TEST(PatchesTest, EqualPointsStayTogether) {
  PointMatrix x = PointMatrix::Constant(100, 2, 0.5);
  const Patches one(x, 10);
  EXPECT_EQ(one.size(), 1u);
  EXPECT_EQ(one.rows(0).size(), 10u);  // Enough to tell what is there.
  x(7, 1) = 0.25;  // One is lower, so that the middle value is the largest as well.
  const Patches two(x, 10);
  EXPECT_EQ(two.size(), 2u);
  EXPECT_NE(two.PatchOf(x.row(7).transpose()), two.PatchOf(x.row(8).transpose()));
  x(7, 1) = 0.75;  // One is higher, and the middle value is the least.
  const Patches other(x, 10);
  EXPECT_EQ(other.size(), 2u);
  EXPECT_NE(other.PatchOf(x.row(7).transpose()), other.PatchOf(x.row(8).transpose()));
}

size_t LargestPatch(const Patches& patches) {
  size_t largest = 0;
  for (size_t i = 0; i < patches.size(); ++i) {
    largest = std::max(largest, patches.rows(i).size());
  }
  return largest;
}

TEST(PatchesTest, ConstantCoordinatesAreNoReasonForALargePatch) {
  constexpr Index kPoints = 4000;
  const PointMatrix random = SomePoints(kPoints);
  // Down to differences whose squares are 0.
  for (const double spread : {1e-3, 1e-9, 1e-12, 1e-15, 1e-200}) {
    PointMatrix x = PointMatrix::Constant(kPoints, 4, 0.7);
    x.col(3) = spread * random.col(0);
    if (spread > 1e-100) x.col(3).array() += 0.3;
    const Patches patches(x, 128);
    // At 1e-15 many points are equal, but there are more than a few different ones.
    EXPECT_LE(LargestPatch(patches), 128u) << spread;
    EXPECT_GE(patches.size(), 4u) << spread;
  }
}

TEST(PatchesTest, AFewPointsFarOffDoNotHideTheOthers) {
  PointMatrix x = SomePoints(2000).leftCols(2);
  x *= 1e-9;
  x.row(5).setOnes();
  EXPECT_LE(LargestPatch(Patches(x, 64)), 64u);
}

TEST(PatchesTest, OnePointIsOnePatch) {
  const Patches one(SomePoints(1), 1);
  EXPECT_EQ(one.size(), 1u);
  EXPECT_EQ(one.PatchOf(SomePoints(1).row(0).transpose()), 0u);
}

}  // namespace
}  // namespace slipstream
