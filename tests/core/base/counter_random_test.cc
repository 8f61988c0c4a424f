#include "core/base/counter_random.h"

#include <bit>
#include <cmath>
#include <set>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(CounterRandom, NeverChangesItsNumbers) {
  EXPECT_EQ(CounterRandomBits(1, 2, 3), 0xD0734750FDE362B3);
  EXPECT_EQ(CounterRandomBits(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}), 0x595B17F487C0E71B);
}

TEST(CounterRandom, EveryInputBitFlipsAboutHalfOfTheResult) {
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t flip = uint64_t{1} << bit;
    int flipped[3] = {0, 0, 0};
    for (uint64_t i = 0; i < 200; ++i) {
      const uint64_t bits = CounterRandomBits(i, i + 1, i + 2);
      flipped[0] += std::popcount(bits ^ CounterRandomBits(i ^ flip, i + 1, i + 2));
      flipped[1] += std::popcount(bits ^ CounterRandomBits(i, (i + 1) ^ flip, i + 2));
      flipped[2] += std::popcount(bits ^ CounterRandomBits(i, i + 1, (i + 2) ^ flip));
    }
    // 12,800 fair coins each: six standard deviations are 340.
    for (int count : flipped) EXPECT_NEAR(count, 6400, 340) << bit;
  }
}

TEST(CounterRandom, SwappedArgumentsGiveOtherNumbers) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (uint64_t index = 0; index < 20; ++index) {
      for (uint64_t lane = 0; lane < 20; ++lane) seen.insert(CounterRandomBits(seed, index, lane));
    }
  }
  EXPECT_EQ(seen.size(), 8000u);
}

TEST(CounterRandom, UniformNumbersFillTheUnitInterval) {
  int cells[16] = {};
  for (uint64_t i = 0; i < 16000; ++i) {
    const double uniform = CounterRandomUniform(7, i, 0);
    ASSERT_GE(uniform, 0);
    ASSERT_LT(uniform, 1);
    ++cells[static_cast<int>(uniform * 16)];
  }
  double chi_squared = 0;
  for (int count : cells) chi_squared += std::pow(count - 1000.0, 2) / 1000;
  EXPECT_LT(chi_squared, 44.3);  // 99.99 % of 15 degrees of freedom.
  EXPECT_GT(chi_squared, 1.5);   // Too even would not be random either.
}

}  // namespace
}  // namespace slipstream
