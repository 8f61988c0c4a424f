#include "core/space/quasi_random.h"

#include <cmath>
#include <set>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

using Points = std::vector<std::vector<double>>;

TEST(QuasiRandom, NeverChangesItsPoints) {
  const Points points = QuasiRandomPoints(3, 42, 0, 3);
  const Points golden = {
      {0x1.497b653bp-1, 0x1.e3851501p-1, 0x1.f00bc5acp-3},
      {0x1.46e671c6p-2, 0x1.95936084p-3, 0x1.30f36bedp-1},
      {0x1.5a7e7de4p-3, 0x1.2d04947dp-1, 0x1.98881796p-2},
  };
  EXPECT_EQ(points, golden);
}

TEST(QuasiRandom, AnySplitGivesTheSamePoints) {
  const Points all = QuasiRandomPoints(5, 7, 0, 130);
  for (size_t first : {0, 1, 2, 3, 63, 64, 65, 127, 128}) {
    for (size_t count : {0, 1, 2}) {
      const Points part = QuasiRandomPoints(5, 7, first, count);
      ASSERT_EQ(part.size(), count);
      for (size_t i = 0; i < count; ++i) EXPECT_EQ(part[i], all[first + i]);
    }
  }
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(QuasiRandomPoints(5, 7, i, 1)[0], all[i]);
}

TEST(QuasiRandom, EveryAlignedBlockHitsEveryIntervalOnceInEveryDimension) {
  for (uint64_t seed : {0, 1, 99}) {
    for (size_t bits : {1, 3, 6, 10}) {
      const size_t block = size_t{1} << bits;
      for (size_t number : {size_t{0}, size_t{1}, size_t{5}, (size_t{1} << 32) / block - 1}) {
        const Points points = QuasiRandomPoints(40, seed, number * block, block);
        for (size_t dimension = 0; dimension < 40; ++dimension) {
          std::set<size_t> hit;
          for (const auto& point : points) {
            hit.insert(static_cast<size_t>(point[dimension] * static_cast<double>(block)));
          }
          ASSERT_EQ(hit.size(), block) << "dimension " << dimension << " bits " << bits;
          ASSERT_LT(*hit.rbegin(), block);
        }
      }
    }
  }
}

TEST(QuasiRandom, TheFirstTwoDimensionsHitEveryElementaryRectangleOnce) {
  // A (0, 2)-sequence: 2^8 points, all rectangles of 2^-a by 2^-(8 - a).
  const Points points = QuasiRandomPoints(2, 5, 256, 256);
  for (int a = 0; a <= 8; ++a) {
    std::set<std::pair<int, int>> hit;
    for (const auto& point : points) {
      hit.insert({static_cast<int>(std::ldexp(point[0], a)),
                  static_cast<int>(std::ldexp(point[1], 8 - a))});
    }
    EXPECT_EQ(hit.size(), 256u) << a;
  }
}

TEST(QuasiRandom, PointsLieStrictlyInsideTheUnitCubeUpToTheLastIndex) {
  for (uint64_t first : {uint64_t{0}, (uint64_t{1} << 32) - 4}) {
    for (const auto& point : QuasiRandomPoints(1000, 3, first, 4)) {
      ASSERT_EQ(point.size(), 1000u);
      for (double coordinate : point) {
        ASSERT_GT(coordinate, 0);
        ASSERT_LT(coordinate, 1);
      }
    }
  }
}

TEST(QuasiRandom, EachPointIsUniformOverSeeds) {
  for (uint64_t index : {0, 1, 5}) {
    int cells[10] = {};
    for (uint64_t seed = 0; seed < 10000; ++seed) {
      ++cells[static_cast<int>(QuasiRandomPoints(3, seed, index, 1)[0][2] * 10)];
    }
    double chi_squared = 0;
    for (int count : cells) chi_squared += std::pow(count - 1000.0, 2) / 1000;
    EXPECT_LT(chi_squared, 33.7) << index;  // 99.99 % of 9 degrees of freedom.
  }
}

double Correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double product = 0;
  for (size_t i = 0; i < a.size(); ++i) product += (a[i] - 0.5) * (b[i] - 0.5);
  return 12 * product / static_cast<double>(a.size());
}

TEST(QuasiRandom, SeedsThatDifferInOneBitAreUnrelated) {
  for (int bit = 0; bit < 64; ++bit) {
    // Every dimension has its own scramble, so the first points of two seeds are like
    // independent draws, with a deviation of 1 / sqrt(1000) = 0.032.
    const auto one = QuasiRandomPoints(1000, 77, 0, 1)[0];
    const auto other = QuasiRandomPoints(1000, 77 ^ (uint64_t{1} << bit), 0, 1)[0];
    EXPECT_LT(std::fabs(Correlation(one, other)), 0.16) << bit;
  }
}

TEST(QuasiRandom, IntegratesFarBetterThanRandomPoints) {
  // The mean of prod (x_i + 1/2) over the cube is 1. Its standard deviation for 4,096
  // random points in 6 dimensions is about 0.013.
  for (uint64_t seed = 0; seed < 10; ++seed) {
    double sum = 0;
    for (const auto& point : QuasiRandomPoints(6, seed, 0, 4096)) {
      double product = 1;
      for (double coordinate : point) product *= coordinate + 0.5;
      sum += product;
    }
    EXPECT_NEAR(sum / 4096, 1, 0.001) << seed;
  }
}

}  // namespace
}  // namespace slipstream
