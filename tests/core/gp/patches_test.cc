#include "core/gp/patches.h"

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
  EXPECT_EQ(Patches(x, 10).size(), 1u);
  x(7, 1) = 0.25;  // One is lower, so that the middle value is the largest as well.
  const Patches two(x, 10);
  EXPECT_EQ(two.size(), 2u);
  EXPECT_NE(two.PatchOf(x.row(7).transpose()), two.PatchOf(x.row(8).transpose()));
  x(7, 1) = 0.75;  // One is higher, and the middle value is the least.
  const Patches other(x, 10);
  EXPECT_EQ(other.size(), 2u);
  EXPECT_NE(other.PatchOf(x.row(7).transpose()), other.PatchOf(x.row(8).transpose()));
}

TEST(PatchesTest, OnePointIsOnePatch) {
  const Patches one(SomePoints(1), 1);
  EXPECT_EQ(one.size(), 1u);
  EXPECT_EQ(one.PatchOf(SomePoints(1).row(0).transpose()), 0u);
}

}  // namespace
}  // namespace slipstream
